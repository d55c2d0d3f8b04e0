//! The label-set table: a log-linear pool of other distributions over the label sets seen.
//!
//! g(s | x) ∝ exp(Σ_p α_p log(P_p(s | x) + δ_p) + γ log(n_s + ½))
//!
//! P_p are the distributions of level 0 (the forest) and of the pooled parts of level 1 (the tied trees), n_s is the number of
//! training rows with the set. The exponents α and γ are fitted to held-out rows (`pool::exponents`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::sample::Fitting;
use super::tied::set_codes::TableSets;
use super::{FittedPart, Level1Fit, Level1Model, Level1Part, Plan, RowAnswer, RowInput, Series};
use crate::level1::Level1File;
use crate::level1::exponents;
use crate::level1::work::Level1Work;
use crate::params::StackParams;
use crate::stored::{add_facts, append};
use arbormix_data::{LabelSet, SeenSets};
use arbormix_joint::Result;
use arbormix_joint::joint::{RowExpert, RowSets};
use arbormix_joint::learner::Size;
use arbormix_learn::logistic::Softmax;
use arbormix_learn::store::{ModelFileError, Stored};

/// Seconds to compute the probability of a label set by one tied tree, per label that is present or whose parent is.
const LABEL_SECONDS: f64 = 1.2e-9;

/// The part.
pub(crate) struct LabelSets;

/// A fitted table.
#[derive(Debug)]
pub(crate) struct LabelSetTable {
    /// The classes in the table, ascending.
    pub(crate) classes: Vec<usize>,
    pub(crate) sets: TableSets,
    /// The place of each class in the table, if it is there.
    places: Vec<Option<u32>>,
    /// log(n_s + ½) of the sets.
    pub(crate) log_counts: Vec<f64>,
    /// δ of each distribution.
    pub(crate) floors: Vec<f64>,
    /// α of each distribution, then γ.
    pub(crate) exponents: Vec<f64>,
}

/// The most frequent classes, ascending.
struct TablePlan {
    classes: Vec<usize>,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct TableFacts {
    classes: Vec<usize>,
}

impl LabelSetTable {
    /// The place of a class in the table.
    pub(crate) fn place(&self, class: usize) -> Option<usize> {
        self.places[class].map(|place| place as usize)
    }

    /// log(P_p(s | x) + δ_p) of every set, one column per distribution p.
    pub(crate) fn evidence(&self, row: &RowInput<'_>) -> Vec<Vec<f64>> {
        let (level0, level1) = self.floors.split_at(row.shares.len());
        let of_shares = row.shares.iter().zip(level0).map(|(shares, floor)| {
            let mut column = vec![floor.ln(); self.log_counts.len()];
            for &(class, share) in *shares {
                if let Some(place) = self.place(class as usize) {
                    column[place] = (share + floor).ln();
                }
            }
            column
        });
        let of_parts = row.pooled.iter().zip(level1);
        let of_parts = of_parts.map(|(own, floor)| own.iter().map(|p| (p + floor).ln()).collect());
        of_shares.chain(of_parts).collect()
    }
}

/// The place of each class.
fn places(classes: &[usize], class_count: usize) -> Vec<Option<u32>> {
    let mut places = vec![None; class_count];
    (0..).zip(classes).for_each(|(place, &class)| places[class] = Some(place));
    places
}

/// The `most` classes of the largest weight, ascending.
pub(crate) fn most_frequent(seen: &SeenSets, most: usize) -> Vec<usize> {
    let mut classes: Vec<usize> = (0..seen.sets().len()).collect();
    classes.sort_by(|&a, &b| seen.masses()[b].total_cmp(&seen.masses()[a]).then(a.cmp(&b)));
    classes.truncate(most);
    classes.sort_unstable();
    classes
}

impl Level1Part for LabelSets {
    fn name(&self) -> &'static str {
        "label_sets"
    }

    fn plans(&self, first: &Fitting<'_>, _: &[usize]) -> Result<Vec<Series>> {
        let classes = most_frequent(first.stacking.seen, first.stacking.params.pool.sets);
        let plans: Vec<Arc<dyn Plan>> = vec![Arc::new(TablePlan { classes })];
        Ok(vec![Series { plans, min_lead: 0.0, max_table_weight: f64::INFINITY }])
    }

    fn limit_note(&self, params: &StackParams, seen: &SeenSets) -> Option<String> {
        let (table, sets) = (params.pool.sets, seen.sets().len());
        (table < sets).then(|| {
            format!(
                "The label-set table holds the {table} most frequent of {sets} label sets (pool.sets); the other parts cover \
                 the rest."
            )
        })
    }

    fn load(&self, file: &Level1File<'_>) -> Result<FittedPart> {
        let TableFacts { classes } = file.stored.facts_as()?;
        let ascending = classes.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || classes.last().is_some_and(|&class| class >= file.seen.len()) {
            let message = "the classes of the table do not ascend or do not exist".to_string();
            return Err(ModelFileError::Entry { name: "facts".to_string(), message }.into());
        }
        let sets: Vec<LabelSet> = classes.iter().map(|&class| file.seen[class].clone()).collect();
        let count = file.distributions;
        // The floor after those of the distributions is the forest's.
        let floors = file.stored.tensor("floors", &[1, count + 1])?[..count].to_vec();
        let table = LabelSetTable {
            places: places(&classes, file.seen.len()),
            sets: TableSets::new(&file.tree.branching, sets),
            log_counts: file.stored.tensor("log_counts", &[classes.len()])?.to_vec(),
            exponents: file.stored.tensor("pool", &[1, count + 1])?.to_vec(),
            floors,
            classes,
        };
        Ok(FittedPart { model: Arc::new(table), gate: None })
    }

    fn seconds(&self, params: &StackParams, size: &Size) -> f64 {
        let Level1Work { experts, held_out_rows, .. } = Level1Work::of(params, size);
        let labels = (3.0 * size.present).clamp(1.0, size.labels as f64);
        LABEL_SECONDS * held_out_rows * size.sets.min(params.pool.sets) as f64 * experts * labels
    }

    fn bytes(&self, params: &StackParams, size: &Size) -> usize {
        size.rows * size.sets.min(params.pool.sets) * size_of::<f64>()
    }
}

impl Plan for TablePlan {
    fn fit(&self, to: &Fitting<'_>) -> Result<Level1Fit> {
        let (stacking, pool) = (to.stacking, &to.stacking.params.pool);
        let mut masses = vec![0.0; stacking.seen.sets().len()];
        to.rows.iter().for_each(|&row| masses[stacking.seen.class_of()[row]] += stacking.weight(row));
        let classes: Vec<usize> = self.classes.iter().copied().filter(|&class| masses[class] > 0.0).collect();
        let sets = classes.iter().map(|&class| stacking.seen.sets()[class].clone()).collect();
        let level0 = stacking.answers.iter().filter(|answers| answers.sets.is_some()).count();
        let mut floors = vec![pool.forest_floor; level0];
        floors.resize(level0 + to.pooled, pool.tied_floor);
        let table = LabelSetTable {
            places: places(&classes, masses.len()),
            sets: TableSets::new(&to.base.tree.branching, sets),
            log_counts: classes.iter().map(|&class| (masses[class] + 0.5).ln()).collect(),
            exponents: to.exponents.map_or_else(|| exponents::centre(floors.len()), <[f64]>::to_vec),
            floors,
            classes,
        };
        Ok(Level1Fit::of(Arc::new(table)))
    }

    fn describe(&self) -> String {
        "the label-set table".to_string()
    }
}

impl Level1Model for LabelSetTable {
    fn name(&self) -> &'static str {
        LabelSets.name()
    }

    fn answer<'a>(&'a self, row: &RowInput<'_>, _: &[f64]) -> RowAnswer<'a> {
        let logs = exponents::log_probabilities(&self.exponents, &self.evidence(row), &self.log_counts);
        let shares = (0..).zip(logs).map(|(place, log)| (place, log.exp())).collect();
        RowAnswer::of(RowExpert::Sets(RowSets::new(row.log_odds.len(), &self.sets.sets, shares)))
    }

    fn table(&self) -> Option<&LabelSetTable> {
        Some(self)
    }

    fn store(&self, _: Option<&Softmax>, file: &mut Stored) {
        add_facts(file, &TableFacts { classes: self.classes.clone() });
        file.put("pool", &[1, self.exponents.len()], self.exponents.clone());
        file.put("log_counts", &[self.classes.len()], self.log_counts.clone());
        append(file, "floors", &self.floors);
    }
}
