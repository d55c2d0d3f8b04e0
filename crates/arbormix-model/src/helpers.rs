//! Fits that are shared with other processes.
//!
//! A fit of CTBN or ML-ME goes through stages (regressions without a parent, edge scores, costs, the regressions of the
//! nodes) that consist of *units*: pure functions of the data, the parameters and what the stage shares, none of which
//! needs another's answer. [`fit_with`] hands each stage and its units as bytes to a [`Helper`] and goes on with the
//! answers. A helper is whatever brings the bytes to processes that have called [`helper`] on the same data and
//! returns what those answered. Local and distributed fits run the same function for a unit, and a unit's answer does
//! not depend on which others it is computed with, so the models are equal bit by bit (on processors with the same
//! instruction set).

use crate::fit::prepared;
use crate::model::Model;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
pub use arbormix_joint::learner::Helper;
use arbormix_joint::learner::{Divisible, Learner};
use arbormix_joint::{Error, Result};

/// Like [`crate::fit`], with units answered by `helper`; the model is the same bit by bit.
///
/// ```
/// use arbormix_base::progress::Silent;
/// use arbormix_data::planted::Planted;
/// use arbormix_mlme::ctbn::TreeParams;
/// use arbormix_model::fit;
/// use arbormix_model::helpers::{fit_with, helper};
///
/// let (data, _truth) = Planted { rows: 80, seed: 1, ..Planted::default() }.sample()?;
/// let learner = TreeParams::default();
/// let elsewhere = helper(&learner, &data, None)?;
/// let shared = fit_with(&learner, &data, None, elsewhere.as_ref(), &Silent)?;
/// assert_eq!(shared.to_bytes()?, fit(&learner, &data, None, &Silent)?.to_bytes()?);
/// # Ok::<(), arbormix_joint::Error>(())
/// ```
pub fn fit_with(
    learner: &dyn Learner,
    data: &Dataset,
    weights: Option<&[f64]>,
    helper: &dyn Helper,
    progress: &dyn Progress,
) -> Result<Model> {
    let divisible = divisible(learner)?;
    prepared(learner, data, weights, progress)?.model(|set| divisible.learn_with(set, Some(helper), progress))
}

/// What answers the units of a [`fit_with`] that has the same learner, data and weights.
pub fn helper(learner: &dyn Learner, data: &Dataset, weights: Option<&[f64]>) -> Result<Box<dyn Helper>> {
    let divisible = divisible(learner)?;
    let prepared = prepared(learner, data, weights, &arbormix_base::progress::Silent)?;
    Ok(divisible.helper(&prepared.set()))
}

fn divisible(learner: &dyn Learner) -> Result<&dyn Divisible> {
    learner.divisible().ok_or(Error::Unsupported {
        method: learner.method(),
        what: "a distributed fit",
        reason: "only ctbn and mlme are cut into units; fit it locally, or run the folds of a comparison elsewhere",
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::{Value, json};

    use super::*;
    use crate::fit::fit;
    use crate::testing::learner;
    use arbormix_base::params::Preset;
    use arbormix_base::progress::Silent;
    use arbormix_data::planted::Planted;
    use arbormix_data::{LabelSet, Labels};

    /// Answers one unit at a time, the last first.
    struct OneByOne {
        inner: Box<dyn Helper>,
        units: AtomicUsize,
    }

    impl Helper for OneByOne {
        fn answer(&self, stage: &[u8], units: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
            self.units.fetch_add(units.len(), Ordering::Relaxed);
            let mut answers = Vec::new();
            for unit in units.iter().rev() {
                answers.extend(self.inner.answer(stage, std::slice::from_ref(unit))?);
            }
            answers.reverse();
            Ok(answers)
        }
    }

    fn data() -> Dataset {
        Planted { rows: 150, labels: 5, seed: 4, ..Planted::default() }.sample().unwrap().0
    }

    fn partly_known() -> Dataset {
        let data = data();
        let known =
            |row: usize| LabelSet::from_bools(&[!row.is_multiple_of(3), true, !row.is_multiple_of(4), true, true]);
        let masks = (0..data.rows()).map(known).collect();
        let labels = Labels::with_mask(5, data.labels().sets().to_vec(), masks);
        let (columns, names) = (data.columns().to_vec(), data.label_names().to_vec());
        Dataset::with_missing("partly", data.features().clone(), columns, labels, names).unwrap()
    }

    #[test]
    fn however_the_work_is_cut_the_model_is_the_same() {
        let weights: Vec<f64> = (0..150).map(|row| 0.5 + f64::from(row % 4)).collect();
        let held_out = json!({"structure": {"scoring": {"holdout": 0.3}}, "nodes": {"kind": "parent-feature"}});
        let grown = json!({"start": "boosting", "experts": 2, "em": {"max_iterations": 3}});
        let refined = json!({"experts": 2, "refinements": 1, "em": {"max_iterations": 2}});
        let cases: [(&str, Value, Dataset, Option<&[f64]>); 6] = [
            ("ctbn", json!({}), data(), None),
            ("ctbn", held_out, data(), Some(&weights)),
            ("ctbn", json!({}), partly_known(), None),
            ("mlme", grown, data(), Some(&weights)),
            ("mlme", refined, data(), None),
            ("mlme", json!({"experts": 2, "em": {"max_iterations": 2}}), partly_known(), None),
        ];
        for (method, overrides, data, weights) in cases {
            let learner = learner(method, Preset::Default, &overrides).unwrap();
            let inner = helper(learner.as_ref(), &data, weights).unwrap();
            let others = OneByOne { inner, units: AtomicUsize::new(0) };
            let shared = fit_with(learner.as_ref(), &data, weights, &others, &Silent).unwrap();
            let local = fit(learner.as_ref(), &data, weights, &Silent).unwrap();
            assert_eq!(shared.to_bytes().unwrap(), local.to_bytes().unwrap(), "{method} {overrides}");
            assert!(others.units.load(Ordering::Relaxed) > 5, "{method} {overrides}");
        }
    }

    #[test]
    fn helpers_that_fail_or_babble_are_errors() {
        struct Says(Vec<Vec<u8>>);
        impl Helper for Says {
            fn answer(&self, _stage: &[u8], _units: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
                Ok(self.0.clone())
            }
        }
        let ctbn = learner("ctbn", Preset::Default, &json!({})).unwrap();
        let error =
            |says: Vec<Vec<u8>>| fit_with(ctbn.as_ref(), &data(), None, &Says(says), &Silent).unwrap_err().to_string();
        assert_eq!(error(Vec::new()), "3 units of a fit got 0 answers");
        assert!(error(vec![b"?".to_vec(); 3]).contains("is every process of version"));
        let helper = helper(ctbn.as_ref(), &data(), None).unwrap();
        assert!(helper.answer(b"", &[]).unwrap_err().to_string().contains("no stage has this name"));
        assert!(helper.answer(b"alone\n{}", &[]).is_err());
    }

    #[test]
    fn methods_without_units_say_so() {
        let br = learner("br", Preset::Default, &json!({})).unwrap();
        let error = super::helper(br.as_ref(), &data(), None).err().unwrap().to_string();
        assert!(error.starts_with("br cannot give a distributed fit"), "{error}");
    }
}
