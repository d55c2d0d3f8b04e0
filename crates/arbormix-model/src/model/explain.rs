//! Why a model predicts what it does for one row.

use serde::Serialize;

use super::Model;
use super::occlusion::{finite_log_odds, occlusions};
use arbormix_data::{DataError, Dataset, LabelSet};
use arbormix_joint::Result;
use arbormix_joint::joint::map::Found;
use arbormix_joint::joint::{Expert, Rows};

/// The most probable label set of a row, and what speaks for each of its labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The labels of the most probable set.
    pub labels: Vec<String>,
    /// The probability of that set.
    pub probability: f64,
    /// The expert most responsible for the set, from 1.
    pub expert: usize,
    /// Gate weights of the experts.
    pub gate: Vec<f64>,
    /// P(expert | the set, x).
    pub responsibilities: Vec<f64>,
    /// One per label, in the model's order.
    pub reasons: Vec<Reason>,
}

/// What speaks for the value of one label in the most probable set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// Its name.
    pub label: String,
    /// Its value in the set.
    pub present: bool,
    /// P(label present | x).
    pub marginal: f64,
    /// How many times less probable the best set is in which this label is otherwise.
    pub times_less_probable_otherwise: f64,
    /// The labels of that set.
    pub best_otherwise: Vec<String>,
    /// Log-odds of the label by the expert: in its tree, given its parent's value (in a chain, all its parents'); of an expert that
    /// is a table of label sets, over all its sets.
    pub log_odds: f64,
    /// Its parent in that tree (of several in a chain, that whose value moves it most); tables have none.
    pub parent: Option<Parent>,
    /// The features that moved the log-odds most, strongest first.
    pub features: Vec<Push>,
}

/// The parent of a label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parent {
    /// Its name.
    pub label: String,
    /// Its value in the most probable set.
    pub present: bool,
    /// The child's log-odds if the parent were otherwise.
    pub log_odds_otherwise: f64,
    /// Whether the child would then be judged otherwise.
    pub tipped: bool,
}

/// What one feature added to log-odds.
///
/// Where the expert is a tree of regressions on the features this is weight times value, and the sum of all with the bias
/// is the label's log-odds in the tree. Elsewhere (forests, neighbours, kernels) it is by how much log P(label) − log P(not
/// label) of the whole model falls if the feature is taken to be unknown, in sparse rows: to be zero.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Push {
    /// Its name.
    pub feature: String,
    /// What it added.
    pub log_odds: f64,
}

impl Model {
    /// Why the model predicts what it does for a row, with at most `features` features per label; refused by methods
    /// whose joint distribution is out of reach.
    ///
    /// ```
    /// use arbormix_base::progress::Silent;
    /// use arbormix_data::planted::Planted;
    /// use arbormix_mlme::ctbn::TreeParams;
    /// use arbormix_model::fit;
    ///
    /// let (data, _) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
    /// let learner = TreeParams::default();
    /// let why = fit(&learner, &data, None, &Silent)?.explain(&data, 3, 2)?;
    /// assert!(why.reasons.iter().all(|reason| reason.times_less_probable_otherwise >= 1.0));
    /// # Ok::<(), arbormix_joint::Error>(())
    /// ```
    pub fn explain(&self, data: &Dataset, row: usize, features: usize) -> Result<Explanation> {
        if row >= data.rows() {
            let (what, remedy) = ("rows, to explain one that is counted from 0", "");
            return Err(DataError::TooFew { what, found: data.rows(), needed: row.saturating_add(1), remedy }.into());
        }
        let names = &self.schema.label_names;
        let row = data.select_rows(&[row]);
        let encoded = self.encode(&row)?;
        let mixture = Rows::of(self.predictor(), &encoded)?.row(0);
        let best = mixture.map(0);
        let responsibilities = mixture.responsibilities(&best.labels);
        let top = |top: usize, k: usize| if responsibilities[k] > responsibilities[top] { k } else { top };
        let spoke = (1..responsibilities.len()).fold(0, top);
        let expert = &mixture.experts[spoke];
        let (own, marginals) = (expert.marginals(), mixture.marginals());
        // Weights of kernel features say nothing to a person, so only regressions on the features explain themselves.
        let regressions = self.predictor().experts().get(spoke).copied().filter(|_| !self.features.has_kernel());
        let mut unknown = match regressions {
            Some(_) => Vec::new(),
            None => occlusions(self, &row, &marginals)?,
        };
        let feature_names = self.features.names();
        let push = |(feature, log_odds): (usize, f64)| Push { feature: feature_names[feature].clone(), log_odds };
        let mut reason = |(label, otherwise): (usize, Found)| {
            let parent = expert.parent(label, &best.labels);
            let value = parent.is_some_and(|parent| best.labels.get(parent));
            let mut changed = best.labels.clone();
            if let Some(parent) = parent {
                changed.set(parent, !value);
            }
            let log_odds = |set: &LabelSet| expert.log_odds(label, set).unwrap_or_else(|| finite_log_odds(own[label]));
            let (here, elsewhere) = (log_odds(&best.labels), log_odds(&changed));
            let mut pushes = match regressions {
                Some(tree) => tree.contributions(label, value, &encoded, 0).into_iter().map(push).collect(),
                None => std::mem::take(&mut unknown[label]),
            };
            pushes.truncate(features);
            Reason {
                label: names[label].clone(),
                present: best.labels.get(label),
                marginal: marginals[label],
                times_less_probable_otherwise: (best.log_probability - otherwise.log_probability).exp(),
                best_otherwise: words(&otherwise.labels, names),
                log_odds: here,
                parent: parent.map(|parent| Parent {
                    label: names[parent].clone(),
                    present: value,
                    log_odds_otherwise: elsewhere,
                    tipped: (here > 0.0) != (elsewhere > 0.0),
                }),
                features: pushes,
            }
        };
        let others = mixture.alternatives(&best.labels, 0).into_iter().enumerate();
        Ok(Explanation {
            labels: words(&best.labels, names),
            probability: best.log_probability.exp(),
            expert: spoke + 1,
            gate: mixture.log_gate.iter().map(|log| log.exp()).collect(),
            reasons: others.map(&mut reason).collect(),
            responsibilities,
        })
    }
}

fn words(set: &LabelSet, names: &[String]) -> Vec<String> {
    set.members().map(|label| names[label].clone()).collect()
}
