//! Edge scores: how well a label is predicted alone, and how well with another label known.

use std::borrow::Cow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::fit::Trainer;
use super::params::{NodeKind, Scoring, StructureParams};
use super::partial::PartialRows;
use super::screening::Surprises;
use super::stages::{Alone, Edges, LABELS_PER_UNIT, Parent, Share};
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_joint::Result;
use arbormix_joint::tree::EdgeScores;
use arbormix_learn::logistic::loss::log_likelihood;
use arbormix_learn::logistic::{Block, Coefficients, Design, LOG_FLOOR, Problem, SolverParams, solve};
use arbormix_matrix::DenseMatrix;

/// What is needed to score edges.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) design: &'a Design,
    /// One column of N values per label.
    pub(crate) labels: &'a [Vec<bool>],
    pub(crate) weights: Option<&'a [f64]>,
    /// The label cells that were observed, if not all.
    pub(crate) partial: Option<&'a PartialRows<'a>>,
    pub(crate) params: &'a StructureParams,
    pub(crate) kind: NodeKind,
    pub(crate) solver: SolverParams,
    pub(crate) progress: &'a dyn Progress,
}

/// One division of the rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Division {
    pub(crate) train: Vec<usize>,
    pub(crate) held: Vec<usize>,
}

/// A division, and what is learned on its training rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Split {
    pub(crate) rows: Division,
    /// Parentless regressions of all labels.
    pub(crate) alone: Vec<Coefficients>,
}

impl Task<'_> {
    /// Divides the rows for scoring, or as many of them as are wanted.
    pub(crate) fn divide(&self, stream: &mut Stream) -> Vec<Division> {
        let all = self.design.rows();
        let mut order = stream.permutation(all);
        if let Some(most) = self.params.scored_rows(all) {
            // A row without weight would take the place of one that counts.
            order.retain(|&row| self.weights.is_none_or(|weights| weights[row] > 0.0));
            order.truncate(most);
        }
        let rows = order.len();
        // Place of each row in the random order: places decide who is held out, rows stay in their own order.
        let mut place = vec![None; all];
        order.into_iter().enumerate().for_each(|(at, row)| place[row] = Some(at));
        let pair = |is_held: &dyn Fn(usize) -> bool| {
            let mut division = Division { train: Vec::new(), held: Vec::new() };
            for (row, place) in place.iter().enumerate() {
                match place.map(is_held) {
                    Some(true) => division.held.push(row),
                    Some(false) => division.train.push(row),
                    None => {}
                }
            }
            division
        };
        match self.params.scoring {
            Scoring::Folds(folds) => (0..folds).map(|fold| pair(&|place| place % folds == fold)).collect(),
            Scoring::Holdout(share) => {
                // At least one row on each side, if there are two.
                let held = ((share * rows as f64).round() as usize).clamp(1, rows.saturating_sub(1).max(1));
                vec![pair(&|place| place < held)]
            }
        }
    }

    /// Held-out scores of all labels without a parent; the surprises on these rows are added to `surprises`.
    pub(crate) fn judge_alone(&self, split: &Split, mut surprises: Option<&mut Surprises>) -> Vec<f64> {
        let block = self.design.block(Some(&split.rows.held), &[]);
        let holders = surprises.is_some().then(|| self.holders(&split.rows.held));
        let mut scores = vec![0.0; self.labels.len()];
        block.visit_rough_margins(&split.alone.iter().collect::<Vec<_>>(), |label, margins| {
            scores[label] = self.log_likelihood(&block, label, margins);
            if let (Some(surprises), Some(holders)) = (&mut surprises, &holders) {
                surprises.add(self, &split.rows.held, holders, label, margins);
            }
        });
        scores
    }

    /// For every parent the labels that it is a candidate of: the most promising ones, where these are to be picked by surprises.
    pub(crate) fn candidates(&self, surprises: Option<&Surprises>) -> Vec<Vec<usize>> {
        let count = self.labels.len();
        let others = |parent: usize| (0..count).filter(|&other| other != parent).collect();
        match (surprises, self.params.candidates.limit(count)) {
            (Some(surprises), Some(limit)) => surprises.children(limit, self.params.cost),
            _ => (0..count).map(others).collect(),
        }
    }

    /// A division with the parentless regressions of all labels.
    pub(crate) fn fit_alone(&self, rows: Division) -> Result<Split> {
        let labels: Vec<usize> = (0..self.labels.len()).collect();
        Ok(Split { alone: self.solve_alone(&rows.train, &labels)?, rows })
    }

    /// Parentless regressions of some labels.
    pub(crate) fn solve_alone(&self, train: &[usize], labels: &[usize]) -> Result<Vec<Coefficients>> {
        let block = self.design.block(Some(train), &[]);
        let problems: Vec<Problem<'_>> = labels.iter().map(|&label| self.problem(label, None)).collect();
        let solutions = solve(&block, &problems, &self.solver, self.progress)?;
        Ok(solutions.into_iter().map(|s| s.coefficients).collect())
    }

    fn problem<'b>(&'b self, label: usize, start: Option<&'b Coefficients>) -> Problem<'b> {
        Problem {
            targets: &self.labels[label],
            weights: self.weights_of(label),
            only: None,
            cost: self.params.cost,
            start,
            coordinates: None,
        }
    }

    /// Weights of the rows for one label, 0 where it is unknown.
    pub(crate) fn weights_of(&self, label: usize) -> Option<&[f64]> {
        self.partial.map_or(self.weights, |partial| Some(&partial.weights[label]))
    }

    /// Scores of some labels with another one as the parent.
    pub(crate) fn with_parent(&self, split: &Split, parent: usize, children: &[usize]) -> Result<Vec<f64>> {
        match self.kind {
            NodeKind::Switching => self.switching(split, parent, children),
            NodeKind::ParentFeature => self.parent_feature(split, parent, children),
        }
    }

    /// Two regressions per child, each on the rows with one value of the parent.
    fn switching(&self, split: &Split, parent: usize, children: &[usize]) -> Result<Vec<f64>> {
        let mut total = vec![0.0; children.len()];
        for value in [false, true] {
            let side = |rows: &[usize]| -> Vec<usize> {
                rows.iter().copied().filter(|&row| self.labels[parent][row] == value).collect()
            };
            let (train, held) = (side(&split.rows.train), side(&split.rows.held));
            if held.is_empty() {
                continue;
            }
            let held = self.design.block(Some(&held), &[]);
            let counts = |row: &&usize| self.weights.is_none_or(|weights| weights[**row] > 0.0);
            let scores = if train.iter().filter(counts).count() < self.params.min_rows {
                let alone: Vec<&Coefficients> = children.iter().map(|&child| &split.alone[child]).collect();
                self.held_out(&held, children, &alone)
            } else {
                let block = self.design.block(Some(&train), &[]);
                let problems: Vec<Problem<'_>> =
                    children.iter().map(|&child| self.problem(child, Some(&split.alone[child]))).collect();
                let solutions = solve(&block, &problems, &self.solver, self.progress)?;
                self.held_out(&held, children, &solutions.iter().map(|s| &s.coefficients).collect::<Vec<_>>())
            };
            total.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        }
        Ok(total)
    }

    /// One regression per child with the parent's value as a further column.
    fn parent_feature(&self, split: &Split, parent: usize, children: &[usize]) -> Result<Vec<f64>> {
        let extra: Vec<f64> = self.labels[parent].iter().map(|&on| f64::from(on)).collect();
        let block = self.design.block(Some(&split.rows.train), &[&extra]);
        // Where the regression without the parent ended, which knows nothing of the further column.
        let start = |&child: &usize| match &split.alone[child] {
            Coefficients::Linear(weights) => Coefficients::Linear([weights.as_slice(), &[0.0]].concat()),
            constant => constant.clone(),
        };
        let starts: Vec<Coefficients> = children.iter().map(start).collect();
        let problems: Vec<Problem<'_>> =
            children.iter().zip(&starts).map(|(&child, start)| self.problem(child, Some(start))).collect();
        let solutions = solve(&block, &problems, &self.solver, self.progress)?;
        let held = self.design.block(Some(&split.rows.held), &[&extra]);
        Ok(self.held_out(&held, children, &solutions.iter().map(|s| &s.coefficients).collect::<Vec<_>>()))
    }

    /// Σ ωₙ log P(yᵢ | …) over a block, for each child.
    pub(crate) fn held_out(&self, block: &Block<'_>, children: &[usize], coefficients: &[&Coefficients]) -> Vec<f64> {
        let mut scores = vec![0.0; children.len()];
        block.visit_rough_margins(coefficients, |place, margins| {
            scores[place] = self.log_likelihood(block, children[place], margins);
        });
        scores
    }

    /// The same for one child, from its log-odds.
    fn log_likelihood(&self, block: &Block<'_>, child: usize, margins: &[f64]) -> f64 {
        let weights = self.weights_of(child);
        let signed = block.signed(&self.labels[child], |row| weights.map_or(1.0, |weights| weights[row]));
        log_likelihood(&signed, margins, LOG_FLOOR)
    }
}

impl Trainer<'_> {
    /// What edges are scored with.
    pub(crate) fn task<'b>(
        &'b self,
        weights: Option<&'b [f64]>,
        partial: Option<&'b PartialRows<'b>>,
        progress: &'b dyn Progress,
    ) -> Task<'b> {
        Task {
            design: &self.design,
            labels: &self.labels,
            weights,
            partial,
            params: &self.structure,
            kind: self.nodes.kind,
            solver: self.logistic.solver.for_selection(),
            progress,
        }
    }

    /// Scores of all edges on weighted rows, divided by the stream with this number.
    ///
    /// W(j → i) = Σ_{n held out} ωₙ log P(yᵢ | x, yⱼ), summed over the divisions. Scores of one label are compared on
    /// the same rows, with and without a parent.
    pub(crate) fn scores(&self, weights: Option<&[f64]>, number: u64, progress: &dyn Progress) -> Result<EdgeScores> {
        let partial = self.observed.as_ref().map(|observed| PartialRows::new(observed, weights));
        let task = self.task(weights, partial.as_ref(), progress);
        let divisions = task.divide(&mut Stream::new(self.seed, "edge-folds", number));
        if let Some(partial) = &partial {
            let splits: Vec<Split> =
                divisions.into_par_iter().map(|rows| task.fit_alone(rows)).collect::<Result<_>>()?;
            return task.partial_scores(&splits, partial);
        }
        let count = self.labels.len();
        let splits = self.splits(divisions, weights, progress)?;
        let mut surprises = self.structure.candidates.limit(count).map(|_| Surprises::new(count));
        let mut alone = vec![0.0; count];
        for split in &splits {
            let scores = task.judge_alone(split, surprises.as_mut());
            alone.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        }
        let children = task.candidates(surprises.as_ref());
        let mut given = DenseMatrix::new(count, count, vec![f64::NEG_INFINITY; count * count]);
        let mut units = Vec::new();
        for (parent, children) in children.iter().enumerate().filter(|(_, children)| !children.is_empty()) {
            children.iter().for_each(|&child| given.row_mut(parent)[child] = 0.0);
            let of_division = |division| Parent { division, parent, children: children.clone() };
            units.extend((0..splits.len()).map(of_division));
        }
        progress.begin("scoring edges", units.len());
        let stage = Edges { weights: weights.map(Cow::Borrowed), splits: Cow::Borrowed(&splits) };
        for (unit, scores) in units.iter().zip(self.answers(&stage, &units, progress)?) {
            unit.children.iter().zip(scores).for_each(|(&child, score)| given.row_mut(unit.parent)[child] += score);
        }
        Ok(EdgeScores { alone, given })
    }

    /// Says what of the search was left out: edges that were not scored, rows they were not scored on.
    pub fn search_notes(&self) -> Vec<String> {
        let labels = self.labels.len();
        let rows = (0..self.design.rows()).filter(|&row| self.row_weight(row) > 0.0).count();
        let mut notes = Vec::new();
        let limit = self.structure.candidates.limit(labels).filter(|limit| limit + 1 < labels);
        if let Some(limit) = limit {
            notes.push(format!(
                "of each label's {} possible parents the {limit} most promising were scored; \
                 structure.candidates=exact scores all",
                labels - 1
            ));
        }
        if let Some(most) = self.structure.scored_rows(rows).filter(|_| labels > 1) {
            notes.push(format!("edges were scored on {most} of the {rows} rows; structure.max_rows=0 scores on all"));
        }
        notes
    }

    /// The divisions with the parentless regressions of all labels.
    fn splits(&self, divisions: Vec<Division>, weights: Option<&[f64]>, progress: &dyn Progress) -> Result<Vec<Split>> {
        let labels: Vec<usize> = (0..self.labels.len()).collect();
        let share = |division: usize| {
            labels.chunks(LABELS_PER_UNIT).map(move |labels| Share { division, labels: labels.to_vec() })
        };
        let units: Vec<Share> = (0..divisions.len()).flat_map(share).collect();
        let stage = Alone { weights: weights.map(Cow::Borrowed), divisions: Cow::Borrowed(&divisions) };
        let mut alone: Vec<Vec<Coefficients>> = vec![Vec::new(); divisions.len()];
        for (unit, solved) in units.iter().zip(self.answers(&stage, &units, progress)?) {
            alone[unit.division].extend(solved);
        }
        Ok(divisions.into_iter().zip(alone).map(|(rows, alone)| Split { rows, alone }).collect())
    }
}
