//! The start of the tied trees: one expert for every cluster of label sets.

use crate::level1::label_sets::most_frequent;
use crate::params::StackParams;
use arbormix_data::SeenSets;
use arbormix_matrix::Columns;
use arbormix_mlme::mlme::clusters;

/// The cluster, and so the first expert, of each label set.
pub(crate) struct Clusters {
    /// By class; none for rare sets that were not clustered.
    pub(crate) of_class: Vec<Option<usize>>,
    pub(crate) count: usize,
}

impl Clusters {
    pub(crate) fn new(seen: &SeenSets, most: usize, params: &StackParams) -> Clusters {
        let chosen = most_frequent(seen, params.tied.clustered_sets);
        let sets: Vec<Vec<bool>> = chosen.iter().map(|&class| seen.sets()[class].to_bools()).collect();
        let masses: Vec<f64> = chosen.iter().map(|&class| seen.masses()[class]).collect();
        let (assignment, count) = clusters::grouped(&sets.iter().collect::<Vec<_>>(), &masses, most, params.seed, 0);
        let mut of_class = vec![None; seen.sets().len()];
        chosen.iter().zip(assignment).for_each(|(&class, cluster)| of_class[class] = Some(cluster));
        Clusters { of_class, count }
    }

    /// First responsibilities of rows with these classes, n × K.
    pub(crate) fn responsibilities(&self, classes: &[usize], own_share: f64) -> Columns {
        let mut out = Columns::zeros(classes.len(), self.count);
        let even = 1.0 / self.count as f64;
        for (row, &class) in classes.iter().enumerate() {
            let own = self.of_class[class];
            let rest = if own.is_some() { 1.0 - own_share } else { 1.0 };
            (0..self.count).for_each(|k| out.column_mut(k)[row] = rest * even);
            if let Some(own) = own {
                out.column_mut(own)[row] += own_share;
            }
        }
        out
    }
}
