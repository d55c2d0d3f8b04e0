//! Logistic regression.
