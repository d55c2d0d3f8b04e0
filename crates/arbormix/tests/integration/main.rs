//! Tests through the public interface, in one binary.

mod golden;
mod real_logistic;
