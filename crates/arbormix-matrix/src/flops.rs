//! Counts the arithmetic of products, to compare it with the peak of the machine.

#[cfg(feature = "count-flops")]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[cfg(feature = "count-flops")]
static TOTAL: AtomicU64 = AtomicU64::new(0);

/// Multiplications and additions of all products in this process so far, on all threads. Single precision counts half,
/// because a register holds twice as many numbers. Padding of tiles does not count.
#[cfg(feature = "count-flops")]
pub fn flops() -> u64 {
    TOTAL.load(Relaxed)
}

/// Counts the product of a matrix with this many stored cells and `vectors` vectors; nothing without the feature.
#[cfg_attr(not(feature = "count-flops"), allow(unused_variables, reason = "there is nothing to count"))]
#[inline]
pub(crate) fn count<T>(cells: usize, vectors: usize) {
    #[cfg(feature = "count-flops")]
    TOTAL.fetch_add(cells as u64 * vectors as u64 * size_of::<T>() as u64 / 4, Relaxed);
}
