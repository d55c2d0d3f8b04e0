//! What a data set looks like.
