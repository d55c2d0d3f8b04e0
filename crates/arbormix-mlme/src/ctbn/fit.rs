//! Learning one CTBN: edge scores, maximum branching, the choice of C, the nodes' regressions.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::nodes::{Condition, Fitted, FittedNode, Job, conditions};
use super::params::{Candidates, NodeParams, StructureParams, TreeParams};
use super::partial::Observed;
use super::stages::{Batch, Costs, Group, LABELS_PER_UNIT, Nodes, Purpose};
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::{Divisible, Helper};
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner::{constant_label_notes, unknown_cells_note};
use arbormix_joint::learner_head;
use arbormix_joint::tree::Branching;
use arbormix_learn::logistic::{Design, LogisticParams, Solution, SolverParams, Target, choose_costs, cost_folds};
use arbormix_matrix::TILE;

/// Everything needed to learn trees on one training set, again and again with other weights.
pub struct Trainer<'a> {
    /// The encoded features.
    pub design: Design,
    /// One column of N values per label.
    pub labels: Vec<Vec<bool>>,
    /// The label cells that were observed, if not all; `labels` holds false in the others.
    pub observed: Option<Observed>,
    /// Weights of the rows, given by the user.
    pub row_weights: Option<Vec<f64>>,
    /// How regressions are fitted.
    pub logistic: Cow<'a, LogisticParams>,
    pub(crate) structure: Cow<'a, StructureParams>,
    pub(crate) nodes: Cow<'a, NodeParams>,
    pub(crate) seed: u64,
    /// Fold of each row in the choice of C, the same for all regressions.
    fold_of: Vec<usize>,
    /// C of every regression seen so far; it does not depend on the weights of a tree.
    costs: Mutex<BTreeMap<(usize, Condition), f64>>,
    /// Who does the units of the stages; this process if `None`.
    pub(crate) helper: Option<&'a dyn Helper>,
}

impl<'a> Trainer<'a> {
    /// Prepares the rows.
    pub fn new(
        data: &TrainingSet<'_>,
        logistic: &'a LogisticParams,
        structure: &'a StructureParams,
        nodes: &'a NodeParams,
        seed: u64,
    ) -> Trainer<'a> {
        Trainer {
            design: Design::new(data.features, logistic.bias),
            labels: (0..data.labels.count()).map(|label| data.labels.column(label)).collect(),
            observed: Observed::of(data.labels),
            row_weights: data.weights.map(<[f64]>::to_vec),
            logistic: Cow::Borrowed(logistic),
            structure: Cow::Borrowed(structure),
            nodes: Cow::Borrowed(nodes),
            seed,
            fold_of: cost_folds(data.labels.rows(), logistic.folds, seed),
            costs: Mutex::default(),
            helper: None,
        }
    }

    /// The same, with units done by `helper` if there is one.
    pub fn helped_by(self, helper: Option<&'a dyn Helper>) -> Trainer<'a> {
        Trainer { helper, ..self }
    }

    /// The same with parameters of its own and no helper.
    pub fn into_owned(self) -> Trainer<'static> {
        Trainer {
            design: self.design,
            labels: self.labels,
            observed: self.observed,
            row_weights: self.row_weights,
            logistic: Cow::Owned(self.logistic.into_owned()),
            structure: Cow::Owned(self.structure.into_owned()),
            nodes: Cow::Owned(self.nodes.into_owned()),
            seed: self.seed,
            fold_of: self.fold_of,
            costs: self.costs,
            helper: None,
        }
    }

    /// Weight of a row.
    pub fn row_weight(&self, row: usize) -> f64 {
        self.row_weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Whether a label cell was observed.
    pub fn is_observed(&self, row: usize, label: usize) -> bool {
        self.observed.as_ref().is_none_or(|observed| observed.has(row, label))
    }

    /// The costs chosen so far; a thread that panicked left them whole, since they only grow.
    fn costs(&self) -> MutexGuard<'_, BTreeMap<(usize, Condition), f64>> {
        self.costs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the costs chosen so far, after the weights of the rows have changed.
    pub fn forget_costs(&mut self) {
        self.costs().clear();
    }

    /// The best tree for weighted rows (Section 5.3.1); every `number` divides the rows anew.
    pub fn structure(&self, weights: Option<&[f64]>, number: u64, progress: &dyn Progress) -> Result<Branching> {
        Ok(Branching::best(&self.scores(weights, number, progress)?, self.structure.min_gain))
    }

    /// Chooses C where it is not known yet and fits the regressions of a tree on weighted rows.
    ///
    /// A regression sees the rows on which its label and that label's parent were observed; see [`Trainer::maximised`]
    /// for the others.
    pub fn fit_tree(&self, tree: Branching, weights: Option<&[f64]>, progress: &dyn Progress) -> Result<Fitted> {
        let supports = |row: usize, parent: usize| self.row_weight(row) > 0.0 && self.is_observed(row, parent);
        let conditions = conditions(&tree, &self.labels, supports, &self.nodes);
        self.choose_costs(&conditions, progress)?;
        let costs = self.costs().clone();
        let slots: Vec<(usize, Condition)> =
            conditions.iter().enumerate().flat_map(|(label, list)| list.iter().map(move |&c| (label, c))).collect();
        let seen: Option<Vec<Vec<f64>>> = self.observed.as_ref().map(|observed| {
            let cells = |&(label, condition): &(usize, Condition)| observed.weights(label, condition.parent(), weights);
            slots.iter().map(cells).collect()
        });
        let job = |(slot, &(label, condition)): (usize, &(usize, Condition))| {
            let weights = if seen.is_some() { Some(slot) } else { weights.map(|_| 0) };
            Job { label, condition, weights, cost: costs[&(label, condition)], start: None }
        };
        let jobs: Vec<Job<'_>> = slots.iter().enumerate().map(job).collect();
        let weights: Vec<&[f64]> = match &seen {
            Some(seen) => seen.iter().map(Vec::as_slice).collect(),
            None => weights.into_iter().collect(),
        };
        let solutions = self.fit_nodes(&weights, jobs, &self.logistic.solver, Purpose::Keep, progress)?;
        let mut nodes: Vec<Vec<FittedNode>> = vec![Vec::new(); self.labels.len()];
        for (&(label, condition), solution) in slots.iter().zip(solutions) {
            let cost = costs[&(label, condition)];
            nodes[label].push(FittedNode::new(condition, cost, solution));
        }
        Ok(Fitted { tree, nodes })
    }

    /// Fits all jobs; those that share their rows are solved together.
    pub fn fit_nodes(
        &self,
        weights: &[&[f64]],
        jobs: Vec<Job<'_>>,
        solver: &SolverParams,
        purpose: Purpose,
        progress: &dyn Progress,
    ) -> Result<Vec<Solution>> {
        let count = jobs.len();
        let mut groups: BTreeMap<Condition, Vec<(usize, Job<'_>)>> = BTreeMap::new();
        for (place, job) in jobs.into_iter().enumerate() {
            groups.entry(job.condition).or_default().push((place, job));
        }
        self.merge_narrow(&mut groups);
        let mut places: Vec<usize> = Vec::with_capacity(count);
        let mut units: Vec<Batch<'_>> = Vec::new();
        for (condition, group) in groups {
            let mut group = group.into_iter().peekable();
            while group.peek().is_some() {
                let (members, jobs): (Vec<usize>, Vec<Job<'_>>) = group.by_ref().take(LABELS_PER_UNIT).unzip();
                places.extend(members);
                units.push(Batch { condition, jobs });
            }
        }
        let weights = weights.iter().map(|&weights| Cow::Borrowed(weights)).collect();
        let stage = Nodes { weights, solver: *solver, purpose };
        let solved = self.answers(&stage, &units, progress)?;
        let mut out: Vec<Option<Solution>> = vec![None; count];
        places.into_iter().zip(solved.into_iter().flatten()).for_each(|(place, solution)| out[place] = Some(solution));
        Ok(out.into_iter().flatten().collect())
    }

    /// Lets a few regressions that see part of the rows join those that see all of them, with weight 0 elsewhere.
    ///
    /// On sparse rows the kernels spend as much on one regression as on a tile of them, so on a block of its own a group
    /// costs its share of the rows per tile; among the others each of its members costs its share of a tile of all rows.
    /// Dense rows have no tiles, but gathering a group's rows takes as long as several regressions on them.
    fn merge_narrow(&self, groups: &mut BTreeMap<Condition, Vec<(usize, Job<'_>)>>) {
        let rows = self.design.rows();
        let is_narrow = |condition: Condition, members: usize| match condition {
            Condition::Parent { parent, value } => {
                let seen = self.labels[parent].iter().filter(|&&on| on == value).count();
                seen * members.div_ceil(TILE) * TILE > rows * members
            }
            Condition::Always | Condition::ParentFeature { .. } => false,
        };
        let narrow: Vec<Condition> =
            groups.iter().filter(|(condition, group)| is_narrow(**condition, group.len())).map(|(&c, _)| c).collect();
        let merged: Vec<_> = narrow.iter().filter_map(|condition| groups.remove(condition)).flatten().collect();
        if !merged.is_empty() {
            groups.entry(Condition::Always).or_default().extend(merged);
        }
    }

    /// C of every regression under these conditions, by cross-validation without the tree's weights.
    fn choose_costs(&self, conditions: &[Vec<Condition>], progress: &dyn Progress) -> Result<()> {
        let known = self.costs().clone();
        let mut missing: BTreeMap<Condition, Vec<usize>> = BTreeMap::new();
        for (label, list) in conditions.iter().enumerate() {
            for &condition in list.iter().filter(|&&c| !known.contains_key(&(label, c))) {
                missing.entry(condition).or_default().push(label);
            }
        }
        progress.begin("choosing costs", missing.values().map(Vec::len).sum());
        let group = |(condition, labels): (&Condition, &Vec<usize>)| {
            let groups = labels.chunks(LABELS_PER_UNIT).map(|labels| labels.to_vec());
            groups.map(|labels| Group { condition: *condition, labels }).collect::<Vec<_>>()
        };
        let units: Vec<Group> = missing.iter().flat_map(group).collect();
        let stage = Costs { weights: self.row_weights.as_deref().map(Cow::Borrowed) };
        let chosen = self.answers(&stage, &units, progress)?;
        for (Group { condition, labels }, costs) in units.into_iter().zip(chosen) {
            self.costs().extend(labels.into_iter().map(|label| (label, condition)).zip(costs));
        }
        Ok(())
    }

    /// C of some labels' regressions, from the rows on which the parent and all of these labels were observed.
    pub(crate) fn costs_under(
        &self,
        condition: Condition,
        labels: &[usize],
        weights: Option<&[f64]>,
        progress: &dyn Progress,
    ) -> Result<Vec<f64>> {
        let targets: Vec<Target<'_>> = labels.iter().map(|&label| Target::new(&self.labels[label], weights)).collect();
        let applies = |row: usize| match condition {
            Condition::Parent { parent, value } => self.labels[parent][row] == value,
            _ => true,
        };
        let known = |row: usize| labels.iter().copied().chain(condition.parent()).all(|i| self.is_observed(row, i));
        let rows: Vec<usize> = (0..self.design.rows()).filter(|&row| applies(row) && known(row)).collect();
        let rows = (rows.len() < self.design.rows()).then_some(rows.as_slice());
        let column = match condition {
            Condition::ParentFeature { parent } => Some(super::nodes::column(&self.labels[parent])),
            _ => None,
        };
        let extras: Vec<&[f64]> = column.iter().map(Vec::as_slice).collect();
        Ok(choose_costs(&self.design, rows, &extras, &targets, &self.fold_of, &self.logistic, progress)?)
    }
}

/// The report of a method without EM: whether its regressions converged, and which labels are constant.
pub fn tree_report(fitted: &Fitted, data: &TrainingSet<'_>) -> FitReport {
    let mut notes = constant_label_notes(data);
    let (open, all) = fitted.unconverged();
    if open > 0 {
        notes.push(format!("{open} of {all} regressions reached the solver's limit of steps before its tolerance"));
    }
    FitReport { converged: open == 0, notes, ..FitReport::default() }
}

/// A regression of one label by one expert in all of EM, in seconds: per row, and per row and cell.
const EXPERT: [f64; 2] = [1.8e-6, 1e-8];

/// Nominal seconds of a mixture of so many trees: d · (K + parents tried) regressions, N · a + (N z + 16 m) · b each.
pub fn expert_seconds(size: &Size, experts: usize, candidates: Candidates) -> f64 {
    let parents = candidates.limit(size.labels).unwrap_or(size.labels);
    let regressions = (size.labels * (experts.min(size.sets) + parents)) as f64;
    regressions * (EXPERT[0] * size.rows as f64 + EXPERT[1] * size.work())
}

impl Learner for TreeParams {
    learner_head!("ctbn", check);

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        self.learn_with(data, None, progress)
    }

    fn seconds(&self, size: &Size) -> f64 {
        expert_seconds(size, 1, self.structure.candidates)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(1, workers)
    }

    fn divisible(&self) -> Option<&dyn Divisible> {
        Some(self)
    }
}

impl TreeParams {
    fn trainer(&self, data: &TrainingSet<'_>) -> Trainer<'_> {
        Trainer::new(data, &self.logistic, &self.structure, &self.nodes, self.seed)
    }
}

impl Divisible for TreeParams {
    fn helper(&self, data: &TrainingSet<'_>) -> Box<dyn Helper> {
        Box::new(self.trainer(data).into_owned())
    }

    fn learn_with(
        &self,
        data: &TrainingSet<'_>,
        helper: Option<&dyn Helper>,
        progress: &dyn Progress,
    ) -> Result<(Box<dyn Predictor>, FitReport)> {
        let trainer = self.trainer(data).helped_by(helper);
        let tree = trainer.structure(data.weights, 0, progress)?;
        let fitted = trainer.fit_tree(tree, data.weights, progress)?;
        let run = trainer.complete(fitted, &self.completion, progress)?;
        let fitted = run.fitted;
        let mut report = tree_report(&fitted, data);
        report.notes.extend(trainer.search_notes());
        if trainer.observed.is_some() {
            report.notes.push(unknown_cells_note(data));
            if !run.converged {
                let limit = self.completion.max_iterations;
                report.notes.push(format!("EM over unknown label cells reached its limit of {limit} iterations"));
            }
        }
        report.converged &= run.converged;
        report.trace = run.trace;
        Ok((Box::new(fitted.to_tree(&trainer.design)), report))
    }
}
