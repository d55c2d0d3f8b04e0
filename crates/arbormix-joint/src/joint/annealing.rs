//! The paper's search for the most probable label set: simulated annealing (Section 5.4).

use super::map::RowMixture;
use crate::tree::inference::unrestricted;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;

/// Temperature at the start and after each reheating.
const HOT: f64 = 100.0;
/// Factor of the temperature from one step to the next.
const COOLING: f64 = 0.95;
/// Steps between reheatings.
const REHEAT: usize = 50;

/// Walks over label sets by flipping single labels and remembers the best set seen.
///
/// The walk starts at the best of the experts' own best sets; its energy is −P(y | x), as in the authors' code. At these
/// temperatures nearly every move is accepted: most of the work is done by the start.
pub(crate) fn search(mixture: &RowMixture<'_>, iterations: usize, stream: &mut Stream) -> (LabelSet, f64) {
    let labels = mixture.labels();
    let mut best = mixture.best_expert(&unrestricted(labels));
    let (mut here, mut value) = (best.0.clone(), best.1);
    for step in 0..iterations {
        let label = stream.below(labels);
        let mut next = here.clone();
        next.set(label, !here.get(label));
        let next_value = mixture.log_prob(&next);
        let rise = value.exp() - next_value.exp();
        let temperature = HOT * COOLING.powi((step % REHEAT) as i32);
        if rise < 0.0 || stream.uniform() < 1.0 / (1.0 + (rise / temperature).exp()) {
            (here, value) = (next, next_value);
            if value > best.1 {
                best = (here.clone(), value);
            }
        }
    }
    best
}
