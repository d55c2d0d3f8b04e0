//! The distinct label sets of some rows.

use std::collections::BTreeMap;

use super::{LabelSet, Labels};

/// The distinct label sets of the training rows: the classes of a label powerset.
///
/// ```
/// use arbormix_data::{LabelSet, Labels, SeenSets};
/// let [cat, dog] = [[true, false], [false, true]].map(|on| LabelSet::from_bools(&on));
/// let seen = SeenSets::new(&Labels::new(2, vec![cat.clone(), dog.clone(), cat.clone()]), None);
/// assert_eq!((seen.sets(), seen.class_of()), (&[dog, cat][..], &[1, 0, 1][..]));
/// assert_eq!(seen.masses(), [1.0, 2.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SeenSets {
    sets: Vec<LabelSet>,
    class_of: Vec<usize>,
    masses: Vec<f64>,
}

impl SeenSets {
    /// The sets of these rows; unknown cells read as absent.
    ///
    /// # Panics
    /// If there is not one weight per row.
    pub fn new(labels: &Labels, weights: Option<&[f64]>) -> SeenSets {
        assert!(weights.is_none_or(|weights| weights.len() == labels.rows()), "one weight per row");
        let mut classes: BTreeMap<&LabelSet, usize> = labels.sets().iter().map(|set| (set, 0)).collect();
        classes.values_mut().enumerate().for_each(|(class, number)| *number = class);
        let class_of: Vec<usize> = labels.sets().iter().map(|set| classes[set]).collect();
        let mut masses = vec![0.0; classes.len()];
        for (row, &class) in class_of.iter().enumerate() {
            masses[class] += weights.map_or(1.0, |weights| weights[row]);
        }
        SeenSets { sets: classes.into_keys().cloned().collect(), class_of, masses }
    }

    /// The sets, ascending.
    pub fn sets(&self) -> &[LabelSet] {
        &self.sets
    }

    /// The sets alone.
    pub fn into_sets(self) -> Vec<LabelSet> {
        self.sets
    }

    /// Which of the sets each row has.
    pub fn class_of(&self) -> &[usize] {
        &self.class_of
    }

    /// Weight of the rows with each set.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }
}
