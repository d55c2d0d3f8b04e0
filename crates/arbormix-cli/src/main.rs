//! The command line of arbormix.

fn main() {}
