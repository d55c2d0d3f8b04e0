//! Splits of rows.
