//! Collects the label cells of rows.

use crate::{LabelSet, Labels};

/// Labels under construction. Masks are kept only after the first unknown cell.
pub(super) struct LabelRows {
    /// The initial cells of a row; sparse formats leave cells out.
    initial: LabelSet,
    /// The cells of a new row that count as observed.
    observed: LabelSet,
    sets: Vec<LabelSet>,
    masks: Option<Vec<LabelSet>>,
}

impl LabelRows {
    /// Rows start as `initial`; the labels `unknown` are not observed.
    pub(super) fn new(initial: LabelSet, unknown: &[usize]) -> LabelRows {
        let mut observed = LabelSet::from_bools(&vec![true; initial.len()]);
        unknown.iter().for_each(|&label| observed.set(label, false));
        let masks = (!unknown.is_empty()).then(Vec::new);
        LabelRows { initial, observed, sets: Vec::new(), masks }
    }

    pub(super) fn start_row(&mut self) {
        self.sets.push(self.initial.clone());
        if let Some(masks) = &mut self.masks {
            masks.push(self.observed.clone());
        }
    }

    /// Sets a cell of the current row: present, absent, or unknown.
    #[inline]
    pub(super) fn set(&mut self, label: usize, cell: Option<bool>) {
        if let Some(row) = self.sets.last_mut() {
            row.set(label, cell == Some(true));
        }
        if cell.is_none() {
            let masks = self.masks.get_or_insert_with(|| vec![self.observed.clone(); self.sets.len()]);
            if let Some(mask) = masks.last_mut() {
                mask.set(label, false);
            }
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.sets.len()
    }

    pub(super) fn finish(self) -> Labels {
        match self.masks {
            None => Labels::new(self.initial.len(), self.sets),
            Some(masks) => Labels::with_mask(self.initial.len(), self.sets, masks),
        }
    }
}
