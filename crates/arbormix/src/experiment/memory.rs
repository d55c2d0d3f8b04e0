//! What a running cell needs, roughly, and how many may run at a time.

use super::plan::Task;
use crate::data::describe::memory;

/// Copies of the features that live at a time: the training rows, their encoding, its rotation to principal axes, and
/// the parts of the folds that choose C.
const COPIES: usize = 4;
/// Regressions that are solved at a time (one batch), each with about this many vectors over rows and columns.
const BATCH_VECTORS: usize = 64 * 8;

/// Bytes that a cell of this data set is reckoned to need: the features as often as they are copied, the Gram matrix
/// of dense ones, a batch of regressions on every thread, and the d² regressions of a tree. An estimate of the order
/// of magnitude, not a bound: mixtures store one tree per expert on top.
pub fn cell_bytes(task: &Task, threads: usize) -> usize {
    let (rows, columns, labels) = (task.data.rows(), task.data.columns().len(), task.data.labels().count());
    let float = size_of::<f64>();
    let gram = if task.data.features().is_sparse() { 0 } else { 2 * columns * columns * float };
    let batches = threads.max(1) * BATCH_VECTORS * (rows + columns) * float;
    let regressions = 2 * labels * (labels + 1) * columns.min(rows) * float;
    COPIES * memory(&task.data) + gram + batches + regressions
}

/// Room for cells that run at the same time.
#[derive(Debug)]
pub(super) struct Room {
    bound: Option<usize>,
    used: usize,
    running: usize,
}

impl Room {
    pub(super) fn new(bound: Option<usize>) -> Room {
        Room { bound, used: 0, running: 0 }
    }

    /// Whether a cell may begin; one always may, however large, or the work would never end.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        self.running == 0 || self.bound.is_none_or(|bound| self.used.saturating_add(bytes) <= bound)
    }

    pub(super) fn enter(&mut self, bytes: usize) {
        self.used = self.used.saturating_add(bytes);
        self.running += 1;
    }

    pub(super) fn leave(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
        self.running -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cell_always_fits_and_a_second_only_within_the_bound() {
        let mut room = Room::new(Some(100));
        assert!(room.fits(1000));
        room.enter(60);
        assert!(room.fits(40) && !room.fits(41));
        room.leave(60);
        assert!(room.fits(1000));
        assert!(Room { bound: None, used: usize::MAX, running: 9 }.fits(1));
    }
}
