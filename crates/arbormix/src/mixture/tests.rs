//! Tests of mixtures.
