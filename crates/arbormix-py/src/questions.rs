//! Questions to a model about some rows, all of them or given what is known of each.

use std::sync::Arc;

use arbormix::data::{LabelSet, Labels};
use arbormix::joint::RowMixture;
use arbormix::joint::Rows;
use arbormix::matrix::{DenseMatrix, Matrix};
use arbormix::question::{Event, Known};
use arbormix::random::Stream;
use arbormix::{Inference, Model, Prediction, Result};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{bits, known, labels, set_array, shaped};
use crate::errors::{parsed, raised};

/// Rows between two looks whether Python was interrupted. The command line works in blocks of the same size, so that
/// products add in the same order and both give the same bits.
pub(crate) const BLOCK: usize = 256;

/// Label sets with log-probability, bound, whether it is proven, and search nodes.
type Sets<'py> = (
    Bound<'py, PyArray2<i8>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
);

/// Decided labels, labels left open, expected value, order of the labels.
type Decided<'py> =
    (Bound<'py, PyArray2<i8>>, Bound<'py, PyArray2<i8>>, Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray2<i64>>>);

/// The k best label sets of each row, and their log-probabilities.
type Top<'py> = (Bound<'py, PyArray3<i8>>, Bound<'py, PyArray2<f64>>);

/// Label sets of one row, their log-probabilities, and whether they cover what was asked for.
type Credible<'py> = (Bound<'py, PyArray2<i8>>, Bound<'py, PyArray1<f64>>, bool);

/// A model and encoded rows, with what is known of their labels.
#[pyclass(frozen, module = "arbormix._core")]
pub(crate) struct Questions {
    model: Arc<Model>,
    features: Matrix,
    known: Option<Vec<Known>>,
}

impl Questions {
    /// About rows whose features are encoded.
    pub(crate) fn new(
        model: Arc<Model>,
        features: Matrix,
        given: Option<PyReadonlyArray2<'_, i8>>,
    ) -> PyResult<Questions> {
        let known = given.map(|given| known(&given));
        if let Some(known) = &known
            && known.len() != features.rows()
        {
            let message = format!("known labels of {} rows for {} rows of features", known.len(), features.rows());
            return Err(pyo3::exceptions::PyValueError::new_err(message));
        }
        Ok(Questions { model, features, known })
    }

    fn labels(&self) -> usize {
        self.model.schema().label_names.len()
    }

    /// Applies `work` to blocks of rows, with the number of each block's first row.
    fn in_blocks<T: Send>(
        &self,
        py: Python<'_>,
        work: impl Fn(usize, &Matrix) -> Result<Vec<T>> + Sync,
    ) -> PyResult<Vec<T>> {
        let rows = self.features.rows();
        if rows <= BLOCK {
            return py.detach(|| work(0, &self.features)).map_err(raised);
        }
        let mut out = Vec::with_capacity(rows);
        for start in (0..rows).step_by(BLOCK) {
            let some: Vec<usize> = (start..rows.min(start + BLOCK)).collect();
            out.extend(py.detach(|| work(start, &self.features.select_rows(&some))).map_err(raised)?);
            py.check_signals()?;
        }
        Ok(out)
    }

    /// Asks the joint distribution of every row, given what is known of it.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl Fn(usize, &RowMixture<'_>) -> Result<T> + Sync,
    ) -> PyResult<Vec<T>> {
        self.in_blocks(py, |first, features| {
            let answer = |row: usize, mixture: &RowMixture<'_>| match &self.known {
                Some(known) => question(first + row, &mixture.given(&known[first + row])?.mixture),
                None => question(first + row, mixture),
            };
            Rows::of(self.model.predictor(), features)?.ask(answer).into_iter().collect()
        })
    }

    /// One label set per row without unknown cells.
    fn whole_sets(&self, sets: &PyReadonlyArray2<'_, i8>) -> PyResult<Labels> {
        let sets = labels(sets);
        let agree = |what: &str, left: usize, right: usize| match left == right {
            true => Ok(()),
            false => Err(pyo3::exceptions::PyValueError::new_err(format!("{what}: {left} against {right}"))),
        };
        agree("rows of label sets and of features", sets.rows(), self.features.rows())?;
        agree("labels of the sets and of the model", sets.count(), self.labels())?;
        agree("unknown cells in whole label sets", sets.unknown(), 0)?;
        Ok(sets)
    }

    fn sets<'py>(&self, py: Python<'py>, found: Vec<Prediction>) -> PyResult<Sets<'py>> {
        let sets = bits(found.iter().map(|prediction| &prediction.labels));
        let certificates = || found.iter().map(|prediction| prediction.certificate);
        let log_probabilities: Vec<f64> = found.iter().map(|p| p.log_probability.unwrap_or(f64::NAN)).collect();
        let bounds: Vec<f64> = certificates().map(|c| c.map_or(f64::NAN, |c| c.log_bound)).collect();
        let certified: Vec<bool> = certificates().map(|c| c.is_some_and(|c| c.certified)).collect();
        let nodes: Vec<i64> = certificates().map(|c| c.map_or(0, |c| c.nodes as i64)).collect();
        Ok((
            shaped(py, sets, [found.len(), self.labels()])?,
            log_probabilities.into_pyarray(py),
            bounds.into_pyarray(py),
            certified.into_pyarray(py),
            nodes.into_pyarray(py),
        ))
    }
}

fn dense<'py>(py: Python<'py>, matrix: DenseMatrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = [matrix.rows(), matrix.cols()];
    shaped(py, matrix.into_values(), shape)
}

#[pymethods]
impl Questions {
    /// The method's own predictions, or the most probable sets given what is known.
    #[pyo3(signature = (inference=None))]
    fn predict<'py>(&self, py: Python<'py>, inference: Option<&str>) -> PyResult<Sets<'py>> {
        let predictor = self.model.predictor();
        let inference = match inference {
            Some(text) => serde_json::from_value(parsed(text)?)
                .map_err(|error| pyo3::exceptions::PyValueError::new_err(format!("inference: {error}")))?,
            None => predictor.inference(),
        };
        let found = match (&self.known, inference) {
            (Some(_), _) => {
                let limit = if let Inference::Exact { node_limit } = inference { node_limit } else { 0 };
                return self.map(py, limit);
            }
            // Annealing draws each row's numbers by its place, so its rows must stay together.
            (None, Inference::Annealing { .. }) => {
                py.detach(|| predictor.predict(&self.features, inference)).map_err(raised)?
            }
            (None, _) => self.in_blocks(py, |_, features| predictor.predict(features, inference))?,
        };
        self.sets(py, found)
    }

    /// The most probable sets of the joint distribution, with certificates.
    fn map<'py>(&self, py: Python<'py>, node_limit: usize) -> PyResult<Sets<'py>> {
        let found = self.ask(py, |_, mixture| {
            let found = mixture.map(node_limit);
            Ok(Prediction {
                labels: found.labels,
                log_probability: Some(found.log_probability),
                certificate: Some(found.certificate),
            })
        })?;
        self.sets(py, found)
    }

    /// P(label | x, known), rows × labels.
    fn marginals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        if self.known.is_none() {
            let marginals = py.detach(|| self.model.predictor().marginals(&self.features)).map_err(raised)?;
            return dense(py, marginals);
        }
        let rows = self.ask(py, |_, mixture| Ok(mixture.marginals()))?;
        shaped(py, rows.concat(), [rows.len(), self.labels()])
    }

    /// log P(set | x, known) of one label set per row.
    fn log_prob<'py>(&self, py: Python<'py>, sets: PyReadonlyArray2<'_, i8>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let sets = self.whole_sets(&sets)?;
        let logs = match &self.known {
            Some(_) => self.ask(py, |row, mixture| Ok(mixture.log_prob(sets.row(row))))?,
            None => py.detach(|| self.model.predictor().log_prob(&self.features, sets.sets())).map_err(raised)?,
        };
        Ok(logs.into_pyarray(py))
    }

    /// log P(known | x).
    fn log_known<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let logs = self.in_blocks(py, |first, features| {
            let rows = Rows::of(self.model.predictor(), features)?;
            let answer = |row: usize, mixture: &RowMixture<'_>| match &self.known {
                Some(known) => Ok(mixture.given(&known[first + row])?.log_probability),
                None => Ok(0.0),
            };
            rows.ask(answer).into_iter().collect()
        })?;
        Ok(logs.into_pyarray(py))
    }

    /// The k best sets, rows × k × labels, and their log-probabilities; −∞ where there are fewer.
    fn top<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Top<'py>> {
        let best = match &self.known {
            Some(_) => self.ask(py, |_, mixture| Ok(mixture.best_sets(count, 0)))?,
            None => self.in_blocks(py, |_, features| self.model.predictor().top_sets(features, count))?,
        };
        let (rows, labels) = (best.len(), self.labels());
        let filled = |row: &Vec<(LabelSet, f64)>| {
            let missing =
                std::iter::repeat_n((LabelSet::empty(labels), f64::NEG_INFINITY), count.saturating_sub(row.len()));
            row.iter().take(count).cloned().chain(missing).collect::<Vec<_>>()
        };
        let (sets, logs): (Vec<LabelSet>, Vec<f64>) = best.iter().flat_map(filled).unzip();
        Ok((shaped(py, bits(&sets), [rows, count, labels])?, shaped(py, logs, [rows, count])?))
    }

    /// P(both labels | x, known), rows × labels × labels.
    fn pairwise<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let rows = self.ask(py, |_, mixture| Ok(mixture.pairs().both.into_values()))?;
        shaped(py, rows.concat(), [rows.len(), self.labels(), self.labels()])
    }

    /// P(that many labels | x, known), rows × (labels + 1).
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.ask(py, |_, mixture| Ok(mixture.label_counts().sizes))?;
        shaped(py, rows.concat(), [rows.len(), self.labels() + 1])
    }

    /// P(label, that many labels | x, known), rows × labels × (labels + 1).
    fn label_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let rows = self.ask(py, |_, mixture| Ok(mixture.label_counts().with.concat()))?;
        shaped(py, rows.concat(), [rows.len(), self.labels(), self.labels() + 1])
    }

    /// P(expert | label set, x, known) of one label set per row, rows × experts.
    fn responsibilities<'py>(
        &self,
        py: Python<'py>,
        sets: PyReadonlyArray2<'_, i8>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let sets = self.whole_sets(&sets)?;
        let rows = self.ask(py, |row, mixture| Ok(mixture.responsibilities(sets.row(row))))?;
        let experts = rows.first().map_or(0, Vec::len);
        shaped(py, rows.concat(), [rows.len(), experts])
    }

    /// P(event | x, known).
    fn event<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let event = Event::parse(text, &self.model.schema().label_names).map_err(raised)?;
        Ok(self.ask(py, |_, mixture| Ok(mixture.event(&event)))?.into_pyarray(py))
    }

    /// Drawn label sets, rows × count × labels; every row has its own stream of the seed.
    fn sample<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Bound<'py, PyArray3<i8>>> {
        let rows = self.ask(py, |row, mixture| {
            let mut stream = Stream::new(seed, "sample", row as u64);
            let sets: Vec<LabelSet> = (0..count).map(|_| mixture.sample(&mut stream)).collect();
            Ok(bits(&sets))
        })?;
        shaped(py, rows.concat(), [rows.len(), count, self.labels()])
    }

    /// The best decision for a loss, in the words of the command line's `--for`.
    fn decide<'py>(&self, py: Python<'py>, rule: &str) -> PyResult<Decided<'py>> {
        let rule = self.model.rule(rule).map_err(raised)?;
        let decisions = self.ask(py, |_, mixture| rule.decide(mixture))?;
        let expected: Vec<f64> = decisions.iter().map(|decision| decision.expected).collect();
        let orders: Option<Vec<&Vec<usize>>> = decisions.iter().map(|decision| decision.ranking.as_ref()).collect();
        let orders = orders.map(|orders| {
            let cells = orders.into_iter().flatten().map(|&label| label as i64).collect();
            shaped(py, cells, [decisions.len(), self.labels()])
        });
        let sets = |of: fn(&arbormix::decide::Decision) -> &LabelSet| {
            shaped(py, bits(decisions.iter().map(of)), [decisions.len(), self.labels()])
        };
        Ok((sets(|d| &d.labels)?, sets(|d| &d.open)?, expected.into_pyarray(py), orders.transpose()?))
    }

    /// For every row the most probable sets that cover a probability, their log-probabilities, and whether they do.
    fn credible<'py>(&self, py: Python<'py>, mass: f64, limit: usize) -> PyResult<Vec<Credible<'py>>> {
        let rows = self.ask(py, |_, mixture| Ok(mixture.credible_sets(mass, limit, 0)))?;
        let row = |found: arbormix::joint::CredibleSets| {
            let (sets, logs): (Vec<LabelSet>, Vec<f64>) = found.sets.into_iter().unzip();
            Ok((set_array(py, &sets, self.labels())?, logs.into_pyarray(py), found.reached))
        };
        rows.into_iter().map(row).collect()
    }

    /// Gate weights of the experts, rows × experts; nothing for methods without a gate.
    fn gate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        py.detach(|| self.model.predictor().gate(&self.features)).map(|gate| dense(py, gate)).transpose()
    }
}
