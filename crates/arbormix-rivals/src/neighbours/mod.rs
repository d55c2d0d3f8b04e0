//! The nearest training rows, which MLKNN and IBLR share.
//!
//! Euclidean, exact, by brute force. Products of whole blocks of rows (`whole`, if they are dense) give every squared
//! distance up to rounding, whose bound is known (`rough`); the rows that may be among the nearest by these bounds are
//! collected (`selection`). Those of which the bounds leave a doubt are measured again cell by cell, so that equal distances
//! compare as equal (ties go to the lower row index) and sparse rows have the neighbours of the same dense rows.

mod rough;
mod search;
mod selection;
mod stored;
#[cfg(test)]
mod tests;
mod whole;

pub(crate) use search::Neighbours;
