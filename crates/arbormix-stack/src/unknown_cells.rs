//! Unknown label cells. Forests and tables of label sets need whole sets, so these cells are drawn at random.

use crate::params::StackParams;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_data::Labels;
use arbormix_joint::Result;
use arbormix_joint::joint::Rows;
use arbormix_joint::learner::{Learner, TrainingSet};
use arbormix_joint::question::Known;
use arbormix_mlme::mlme::MixtureParams;

/// Labels without gaps.
pub(crate) struct Completed {
    pub(crate) labels: Labels,
    /// Each row's weight is multiplied by the fraction of its label cells that are known.
    pub(crate) weights: Vec<f64>,
}

impl StackParams {
    /// Draws every unknown cell once from P(unknown | known, x) of a mixture that EM fits to the known cells.
    ///
    /// With many labels few rows are complete, so these alone would not do. The most probable values would make rare labels
    /// rarer; drawn values have the frequencies that the mixture expects.
    pub(crate) fn completed(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<Completed> {
        let (mixture, _) = MixtureParams::default().seed(self.seed).learn(data, progress)?;
        let (labels, count) = (data.labels, data.labels.count());
        let known = |row: usize| labels.mask().map_or(count, |masks| masks[row].count());
        let gaps: Vec<usize> = (0..labels.rows()).filter(|&row| known(row) < count).collect();
        let features = data.features.select_rows(&gaps);
        let drawn: Vec<Result<_>> = Rows::of(mixture.as_ref(), &features)?.ask(|place, distribution| {
            let row = gaps[place];
            let known = (0..count).fold(Known::nothing(count), |known, label| match labels.get(row, label) {
                Some(present) => known.with(label, present),
                None => known,
            });
            let given = distribution.given(&known)?;
            Ok(given.mixture.sample(&mut Stream::new(self.seed, "unknown-cells", row as u64)))
        });
        let mut sets = labels.sets().to_vec();
        for (row, set) in gaps.into_iter().zip(drawn) {
            sets[row] = set?;
        }
        let share = |row: usize| known(row) as f64 / count as f64;
        let weight = |row: usize| data.weights.map_or(1.0, |weights| weights[row]) * share(row);
        Ok(Completed { labels: Labels::new(count, sets), weights: (0..labels.rows()).map(weight).collect() })
    }
}

/// Says how many label cells of the used rows are unknown, and what is done about them.
pub(crate) fn unknown_cells_note(part: &Labels) -> Option<String> {
    part.mask()?;
    Some(format!(
        "{} of {} label cells are unknown. They were drawn once from a mixture that EM fitted to the known cells; this assumes \
         that cells are missing at random. Each row's weight is the fraction of its label cells that are known. Held-out \
         log-likelihoods include the drawn cells.",
        part.unknown(),
        part.rows() * part.count()
    ))
}

/// Says how many rows have no known label cell.
pub(crate) fn rows_without_cells_note(labels: &Labels) -> Option<String> {
    let without = labels.mask()?.iter().filter(|known| known.count() == 0).count();
    (without > 0)
        .then(|| format!("{without} of {} rows are not used: none of their label cells is known.", labels.rows()))
}
