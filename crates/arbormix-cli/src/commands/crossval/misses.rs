//! On how many rows the heuristics miss the most probable label set.

use std::iter::Sum;

use arbormix::{Inference, Model, Prediction};
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_model::scoring::in_blocks;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::overrides::inference;

/// Counts over test rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Misses {
    pub(super) rows: usize,
    /// Rows on which the exact search proved its answer.
    pub(super) certified: usize,
    pub(super) best_expert: usize,
    pub(super) annealing: usize,
}

impl Misses {
    pub(super) fn count(model: &Model, data: &Dataset, progress: &dyn Progress) -> Result<Misses, Failure> {
        let (features, predictor) = (model.encode(data)?, model.predictor());
        let search = |name: &str| -> Result<Vec<Prediction>, Failure> {
            let how: Inference = inference(name, model.method(), predictor.inference())?;
            let stage = format!("searching by {name}");
            Ok(in_blocks(&features, how, &stage, progress, |_, some| predictor.predict(some, how))?)
        };
        let exact = search("exact")?;
        let missed = |found: Vec<Prediction>| found.iter().zip(&exact).filter(|(a, b)| is_worse(a, b)).count();
        Ok(Misses {
            rows: exact.len(),
            certified: exact.iter().filter(|p| p.certificate.is_some_and(|c| c.certified)).count(),
            best_expert: missed(search("best-expert")?),
            annealing: missed(search("annealing")?),
        })
    }

    pub(super) fn to_json(self) -> Value {
        json!({
            "rows": self.rows,
            "certified": self.certified,
            "best_expert_misses": self.best_expert,
            "annealing_misses": self.annealing,
        })
    }
}

/// Whether a prediction is another set with less probability; two sets equal up to rounding are a tie, not a miss.
fn is_worse(found: &Prediction, exact: &Prediction) -> bool {
    let logs = found.log_probability.zip(exact.log_probability);
    found.labels != exact.labels && logs.is_some_and(|(found, exact)| found < exact - 1e-12 * exact.abs().max(1.0))
}

impl Sum for Misses {
    fn sum<I: Iterator<Item = Misses>>(parts: I) -> Misses {
        parts.fold(Misses::default(), |a, b| Misses {
            rows: a.rows + b.rows,
            certified: a.certified + b.certified,
            best_expert: a.best_expert + b.best_expert,
            annealing: a.annealing + b.annealing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbormix_data::LabelSet;

    #[test]
    fn a_tie_is_no_miss() {
        let make = |present: bool, log: f64| Prediction {
            labels: LabelSet::from_bools(&[present]),
            log_probability: Some(log),
            certificate: None,
        };
        assert!(!is_worse(&make(true, -1.0), &make(false, -1.0 + 1e-15)));
        assert!(is_worse(&make(true, -1.1), &make(false, -1.0)));
        assert!(!is_worse(&make(true, -1.1), &make(true, -1.0)));
    }
}
