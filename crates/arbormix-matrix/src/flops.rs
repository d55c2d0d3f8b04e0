//! How much work the products were: the numerator of "share of the machine's peak".

#[cfg(feature = "count-flops")]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[cfg(feature = "count-flops")]
static TOTAL: AtomicU64 = AtomicU64::new(0);

/// Multiplications and additions of all products of this process so far, whichever thread did them. Those in single
/// precision count half, since registers hold twice as many; cells that pad a tile of vectors do not count.
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
