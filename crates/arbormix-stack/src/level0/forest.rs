//! A forest of extra-trees whose classes are the label sets seen: P(s | x), and log-odds of the labels from it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Level0File;
use super::{Level0Answers, Level0Fit, Level0Model, Level0Part, NewRows, TrainingRows};
use crate::params::StackParams;
use crate::stored::{add_facts, append};
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;
use arbormix_data::splits::Folds;
use arbormix_joint::Result;
use arbormix_joint::learner::{Size, Workers};
use arbormix_learn::forest::{Forest, Shares, grow_seconds, grown_bytes};
use arbormix_learn::logistic::loss::clamped_log_odds;
use arbormix_learn::store::{ModelFileError, Stored, agree};
use arbormix_matrix::Columns;

/// Rows × trees of a fold's forest above which it has fewer trees.
const MAX_ROWS_TIMES_TREES: usize = 700_000;

/// The part.
pub(crate) struct SetForest;

/// A fitted forest.
#[derive(Debug)]
struct FittedForest {
    forest: Forest,
    /// The probability of a label is kept this far from 0 and 1.
    clip: f64,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct ForestFacts {
    forest: serde_json::Value,
}

impl Level0Part for SetForest {
    fn name(&self) -> &'static str {
        "forest"
    }

    /// The forests of all folds together answer new rows: level 1 has learned from answers like theirs, and no tree is
    /// grown twice. With `refit_forest` another forest is grown on all rows.
    fn fit(&self, rows: &TrainingRows<'_>, folds: &Folds, progress: &dyn Progress) -> Result<Level0Fit> {
        let (shares, forests) = rows.out_of_fold_shares(folds, progress)?;
        let (params, clip) = (rows.params, rows.params.blend.clip);
        let log_odds = log_odds(&shares, rows.seen.sets(), rows.labels.len(), clip);
        let kept = if params.refit_forest { None } else { Forest::of_all(forests) };
        let forest = match kept {
            Some(forest) => forest,
            None => {
                let all: Vec<usize> = (0..rows.design.rows()).collect();
                rows.forest(&all, params.forest.trees, params.seed, progress)?
            }
        };
        let answers = Level0Answers { log_odds, sets: Some(shares) };
        Ok(Level0Fit { answers, model: Arc::new(FittedForest { forest, clip }), unconverged: None })
    }

    fn load(&self, file: &Level0File<'_>) -> Result<Arc<dyn Level0Model>> {
        let facts: ForestFacts = file.stored.facts_as()?;
        let forest = Forest::load(&file.stored.part("forest.", facts.forest))?;
        agree("label sets and classes of the forest", file.seen.len(), forest.class_count())?;
        agree("features of the forest and of the map", forest.feature_count(), file.map.encoded_features())?;
        // The last of the floors; those before it are the label-set table's.
        let count = file.stored.tensors.get("floors").map_or(1, |floors| floors.values.len());
        let clip = file.stored.tensor("floors", &[1, count])?.last().copied();
        let missing = || ModelFileError::Entry { name: "floors".to_string(), message: "it is empty".to_string() };
        Ok(Arc::new(FittedForest { forest, clip: clip.ok_or_else(missing)? }))
    }

    fn seconds(&self, params: &StackParams, size: &Size) -> f64 {
        let trees = params.folds * params.trees_of_fold(size.rows, size.sets);
        grow_seconds(trees, size.rows, size.columns, size.sparse)
    }

    fn bytes(&self, params: &StackParams, size: &Size, _: Workers) -> usize {
        let trees = params.folds * params.trees_of_fold(size.rows, size.sets);
        grown_bytes(trees, size.rows) + size.rows * size.labels * size_of::<f64>()
    }
}

impl StackParams {
    /// Trees of each forest whose answers are out-of-fold.
    ///
    /// Few trees give noisy answers, and level 1 then trusts them less than all forests together deserve. More label sets
    /// have smaller shares and need more trees; with more rows a tree takes longer.
    pub fn trees_of_fold(&self, rows: usize, sets: usize) -> usize {
        let trees = self.held_out_trees;
        let wanted = (sets + sets / 2).clamp(trees, trees.saturating_add(trees / 2));
        wanted.min((MAX_ROWS_TIMES_TREES / rows.max(1)).max(trees.div_ceil(2)))
    }
}

impl TrainingRows<'_> {
    fn forest(&self, rows: &[usize], trees: usize, seed: u64, progress: &dyn Progress) -> Result<Forest> {
        let params = self.params.forest.clone().trees(trees);
        let classes: Vec<usize> = rows.iter().map(|&row| self.seen.class_of()[row]).collect();
        let weights: Option<Vec<f64>> = self.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let features = self.features.select_rows(rows);
        Ok(params.grow(&features, &classes, self.seen.sets().len(), weights.as_deref(), seed, progress)?)
    }

    /// P(s | x) of every row by a forest that was grown on the other folds, and these forests.
    pub(crate) fn out_of_fold_shares(
        &self,
        folds: &Folds,
        progress: &dyn Progress,
    ) -> Result<(Vec<Shares>, Vec<Forest>)> {
        let rows = self.design.rows();
        let trees = self.params.trees_of_fold(rows, self.seen.sets().len());
        let mut shares = vec![Shares::new(); rows];
        let mut forests = Vec::with_capacity(folds.count());
        for fold in 0..folds.count() {
            progress.check()?;
            let (train, held) = (folds.train(fold), folds.test(fold));
            // The forests answer together in the end, so each needs its own random draws.
            let seed = Stream::new(self.params.seed, "forest-of-fold", fold as u64).bits();
            let forest = self.forest(&train, trees, seed, progress)?;
            let own = forest.shares(&self.features.select_rows(&held));
            held.iter().zip(own).for_each(|(&row, own)| shares[row] = own);
            forests.push(forest);
        }
        Ok((shares, forests))
    }
}

impl Level0Model for FittedForest {
    fn name(&self) -> &'static str {
        SetForest.name()
    }

    fn has_sets(&self) -> bool {
        true
    }

    fn answers(&self, rows: &NewRows<'_>) -> Level0Answers {
        let shares = self.forest.shares(rows.features);
        let log_odds = log_odds(&shares, rows.seen, rows.labels, self.clip);
        Level0Answers { log_odds, sets: Some(shares) }
    }

    fn store(&self, file: &mut Stored) {
        let forest = file.put_part("forest.", self.forest.store());
        add_facts(file, &ForestFacts { forest });
        append(file, "floors", &[self.clip]);
    }
}

/// Log-odds of each label from the total share of the sets that have it, n × d.
fn log_odds(shares: &[Shares], sets: &[LabelSet], labels: usize, clip: f64) -> Columns {
    let mut out = Columns::zeros(shares.len(), labels);
    let mut marginals = vec![0.0; labels];
    for (row, shares) in shares.iter().enumerate() {
        marginals.fill(0.0);
        for &(class, share) in shares {
            sets[class as usize].members().for_each(|label| marginals[label] += share);
        }
        for (label, p) in marginals.iter().enumerate() {
            out.column_mut(label)[row] = clamped_log_odds(*p, clip);
        }
    }
    out
}
