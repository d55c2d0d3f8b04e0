//! Bad inputs: each gets its message, its exit code, and no file.
