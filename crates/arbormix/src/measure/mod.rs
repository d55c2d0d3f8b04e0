//! All measures.
