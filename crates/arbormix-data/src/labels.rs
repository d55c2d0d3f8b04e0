//! Labels as bits, with an optional mask of the cells that were observed.

use std::fmt;

/// One set of labels out of d: bit i says whether label i is present.
///
/// Sets order like the binary number with label 0 as its highest digit, i.e. lexicographically by label.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LabelSet {
    words: Vec<u64>,
    len: usize,
}

impl LabelSet {
    /// The empty set over `len` labels.
    pub fn empty(len: usize) -> LabelSet {
        LabelSet { words: vec![0; len.div_ceil(64)], len }
    }

    /// From one value per label.
    ///
    /// ```
    /// use arbormix_data::LabelSet;
    /// let set = LabelSet::from_bools(&[true, false, true]);
    /// assert_eq!(set.members().collect::<Vec<_>>(), [0, 2]);
    /// ```
    pub fn from_bools(values: &[bool]) -> LabelSet {
        let mut set = LabelSet::empty(values.len());
        values.iter().enumerate().for_each(|(label, &on)| set.set(label, on));
        set
    }

    /// Number of labels in total, present or absent.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no label is present.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Number of labels present.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether a label is present.
    pub fn get(&self, label: usize) -> bool {
        self.words[label / 64] >> (label % 64) & 1 == 1
    }

    /// Adds or removes a label.
    pub fn set(&mut self, label: usize, present: bool) {
        let bit = 1 << (label % 64);
        if present {
            self.words[label / 64] |= bit;
        } else {
            self.words[label / 64] &= !bit;
        }
    }

    /// The labels present, ascending.
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(word, &bits)| {
            // Each step removes the lowest bit.
            let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
            rest.take_while(|&bits| bits != 0).map(move |bits| 64 * word + bits.trailing_zeros() as usize)
        })
    }

    /// One value per label.
    pub fn to_bools(&self) -> Vec<bool> {
        (0..self.len).map(|label| self.get(label)).collect()
    }
}

impl Ord for LabelSet {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let lexicographic = |(a, b): (&u64, &u64)| a.reverse_bits().cmp(&b.reverse_bits());
        let words = self.words.iter().zip(&other.words).map(lexicographic);
        words.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(self.len.cmp(&other.len))
    }
}

impl PartialOrd for LabelSet {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for LabelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.members()).finish()
    }
}

/// The labels of all rows: rows × d bits, and which cells were observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    count: usize,
    sets: Vec<LabelSet>,
    /// One set of observed labels per row; `None` when every cell was observed.
    observed: Option<Vec<LabelSet>>,
}

impl Labels {
    /// Fully observed labels; every set is over `count` labels.
    ///
    /// # Panics
    /// If a set has another length.
    pub fn new(count: usize, sets: Vec<LabelSet>) -> Labels {
        assert!(sets.iter().all(|s| s.len() == count), "all rows have {count} labels");
        Labels { count, sets, observed: None }
    }

    /// Labels with unknown cells. A mask without unknown cells is dropped; unknown cells are stored as absent.
    ///
    /// # Panics
    /// If a set or a mask has another length, or their numbers differ.
    pub fn with_mask(count: usize, sets: Vec<LabelSet>, observed: Vec<LabelSet>) -> Labels {
        assert_eq!(sets.len(), observed.len(), "one mask per row");
        assert!(observed.iter().all(|s| s.len() == count), "all masks have {count} labels");
        let mut labels = Labels::new(count, sets);
        if observed.iter().any(|mask| mask.count() < count) {
            for (set, mask) in labels.sets.iter_mut().zip(&observed) {
                set.words.iter_mut().zip(&mask.words).for_each(|(bits, seen)| *bits &= seen);
            }
            labels.observed = Some(observed);
        }
        labels
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.sets.len()
    }

    /// Number of labels, d.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The label set of a row; unknown cells read as absent.
    pub fn row(&self, row: usize) -> &LabelSet {
        &self.sets[row]
    }

    /// All label sets, row after row.
    pub fn sets(&self) -> &[LabelSet] {
        &self.sets
    }

    /// Whether a cell is present; `None` if it was not observed.
    pub fn get(&self, row: usize, label: usize) -> Option<bool> {
        self.is_observed(row, label).then(|| self.sets[row].get(label))
    }

    /// Whether a cell was observed.
    pub fn is_observed(&self, row: usize, label: usize) -> bool {
        self.observed.as_ref().is_none_or(|masks| masks[row].get(label))
    }

    /// The masks of observed cells, if any cell is unknown.
    pub fn mask(&self) -> Option<&[LabelSet]> {
        self.observed.as_deref()
    }

    /// Number of unknown cells.
    pub fn unknown(&self) -> usize {
        let gaps = |masks: &Vec<LabelSet>| masks.iter().map(|m| self.count - m.count()).sum();
        self.observed.as_ref().map_or(0, gaps)
    }

    /// One label over all rows; unknown cells read as absent.
    pub fn column(&self, label: usize) -> Vec<bool> {
        self.sets.iter().map(|set| set.get(label)).collect()
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> Labels {
        let pick = |sets: &[LabelSet]| rows.iter().map(|&row| sets[row].clone()).collect::<Vec<_>>();
        match &self.observed {
            None => Labels::new(self.count, pick(&self.sets)),
            Some(masks) => Labels::with_mask(self.count, pick(&self.sets), pick(masks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_order_lexicographically_by_label() {
        let order = |a: &[bool], b: &[bool]| LabelSet::from_bools(a).cmp(&LabelSet::from_bools(b));
        assert_eq!(order(&[false, true, true], &[true, false, false]), std::cmp::Ordering::Less);
        assert_eq!(order(&[true, false], &[true, false]), std::cmp::Ordering::Equal);
        let mut late = vec![false; 70];
        late[69] = true;
        let mut early = vec![false; 70];
        early[65] = true;
        assert_eq!(order(&late, &early), std::cmp::Ordering::Less);
    }

    #[test]
    fn a_mask_hides_cells_and_a_full_mask_is_dropped() {
        let sets = vec![LabelSet::from_bools(&[true, true]), LabelSet::from_bools(&[false, true])];
        let masks = vec![LabelSet::from_bools(&[true, false]), LabelSet::from_bools(&[true, true])];
        let labels = Labels::with_mask(2, sets.clone(), masks);
        assert_eq!((labels.get(0, 0), labels.get(0, 1), labels.get(1, 1)), (Some(true), None, Some(true)));
        assert_eq!((labels.unknown(), labels.row(0).count()), (1, 1));
        let full = vec![LabelSet::from_bools(&[true, true]); 2];
        assert!(Labels::with_mask(2, sets, full).mask().is_none());
    }
}
