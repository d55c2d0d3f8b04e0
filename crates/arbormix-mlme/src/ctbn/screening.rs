//! Which parents of a label are worth a fit, judged from the labels' regressions without a parent.

use std::cmp::Reverse;

use super::scores::Task;
use arbormix_learn::logistic::loss::sigmoid;
use arbormix_matrix::DenseMatrix;

/// Sums over held-out rows that tell how far each label's surprises go with each other label.
///
/// Let pᵢ(x) be the probability of label i without a parent. If label j tells something about i that x does not, the
/// log-odds of i are off by some δᵤ on the rows where yⱼ = u. To second order, the penalised log-likelihood of these
/// rows gains most at δᵤ = S / (B + 1/C), and that is ½ S² / (B + 1/C), where S = Σ ωₙ (yᵢ − pᵢ) and
/// B = Σ ωₙ pᵢ (1 − pᵢ) over them. All S and B cost one addition per row, label that it has, and other label. What
/// different weights of the features for the two values of j would gain is not seen. Where j is unknown a row
/// says nothing. Gains are not scaled to all rows: what is seldom known would look promising by chance.
pub(crate) struct Surprises {
    /// Over the rows that have a label.
    present: Sums,
    /// Over the rows on which it is unknown.
    unknown: Sums,
    /// S and B of every label over all rows.
    totals: Vec<[f64; 2]>,
}

/// S and B, by the label that rows are chosen by (row) and surprised label (column).
struct Sums {
    slope: DenseMatrix,
    bend: DenseMatrix,
}

impl Sums {
    fn add(&mut self, chosen_by: usize, child: usize, [slope, bend]: [f64; 2]) {
        self.slope.row_mut(chosen_by)[child] += slope;
        self.bend.row_mut(chosen_by)[child] += bend;
    }

    fn get(&self, chosen_by: usize, child: usize) -> [f64; 2] {
        [self.slope.get(chosen_by, child), self.bend.get(chosen_by, child)]
    }
}

/// For every label the places, among some rows, of those that have it, and of those on which it is unknown.
pub(crate) struct Holders {
    present: Vec<Vec<usize>>,
    unknown: Vec<Vec<usize>>,
}

impl Task<'_> {
    pub(crate) fn holders(&self, rows: &[usize]) -> Holders {
        let places = |is_one: &dyn Fn(usize) -> bool| (0..rows.len()).filter(|&place| is_one(rows[place])).collect();
        let unknown = |label: usize| match self.partial {
            Some(partial) => places(&|row| !partial.observed.has(row, label)),
            None => Vec::new(),
        };
        Holders {
            present: self.labels.iter().map(|label| places(&|row| label[row])).collect(),
            unknown: (0..self.labels.len()).map(unknown).collect(),
        }
    }
}

impl Surprises {
    pub(crate) fn new(labels: usize) -> Surprises {
        let nothing = || Sums { slope: DenseMatrix::zeros(labels, labels), bend: DenseMatrix::zeros(labels, labels) };
        Surprises { present: nothing(), unknown: nothing(), totals: vec![[0.0; 2]; labels] }
    }

    /// Adds a label's surprises on the held-out rows of a division, from its log-odds there; `holders` is
    /// [`Task::holders`] of the rows.
    pub(crate) fn add(&mut self, task: &Task<'_>, held: &[usize], holders: &Holders, child: usize, margins: &[f64]) {
        let weights = task.weights_of(child);
        let here: Vec<[f64; 2]> = held
            .iter()
            .zip(margins)
            .map(|(&row, &z)| {
                let (weight, p) = (weights.map_or(1.0, |weights| weights[row]), sigmoid(z));
                [weight * (f64::from(task.labels[child][row]) - p), weight * p * (1.0 - p)]
            })
            .collect();
        let plus = |[slope, bend]: [f64; 2], next: &[f64; 2]| [slope + next[0], bend + next[1]];
        let sum = |places: &[usize]| places.iter().map(|&place| &here[place]).fold([0.0; 2], plus);
        for (parent, (present, unknown)) in holders.present.iter().zip(&holders.unknown).enumerate() {
            self.present.add(parent, child, sum(present));
            self.unknown.add(parent, child, sum(unknown));
        }
        self.totals[child] = here.iter().fold(self.totals[child], plus);
    }

    /// What a parent would gain for a child.
    fn gain(&self, parent: usize, child: usize, cost: f64) -> f64 {
        let [slope, bend] = self.present.get(parent, child);
        let [unknown_slope, unknown_bend] = self.unknown.get(parent, child);
        let [all_slope, all_bend] = self.totals[child];
        let side = |slope: f64, bend: f64| 0.5 * slope * slope / (bend.max(0.0) + 1.0 / cost);
        side(slope, bend) + side(all_slope - unknown_slope - slope, all_bend - unknown_bend - bend)
    }

    /// For every parent the labels that have it among their `count` most promising parents, ascending; ties go to the
    /// parent with the lower number.
    pub(crate) fn children(&self, count: usize, cost: f64) -> Vec<Vec<usize>> {
        let labels = self.totals.len();
        let mut children = vec![Vec::new(); labels];
        for child in 0..labels {
            let mut parents: Vec<(f64, Reverse<usize>)> = (0..labels)
                .filter(|&parent| parent != child)
                .map(|parent| (self.gain(parent, child, cost), Reverse(parent)))
                .collect();
            parents.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            parents.truncate(count);
            parents.iter().for_each(|(_, Reverse(parent))| children[*parent].push(child));
        }
        children
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::ctbn::{Candidates, NodeParams, StructureParams, Trainer};
    use arbormix_base::progress::Silent;
    use arbormix_base::random::Stream;
    use arbormix_data::Dataset;
    use arbormix_data::formats::{ReadOptions, read};
    use arbormix_data::planted::Planted;
    use arbormix_joint::learner::TrainingSet;
    use arbormix_joint::tree::{Branching, EdgeScores};
    use arbormix_learn::features::{FeatureMap, FeatureParams};
    use arbormix_learn::logistic::LogisticParams;

    /// Calls `work` with a trainer on this data.
    fn with_trainer<T>(data: &Dataset, candidates: Candidates, work: impl FnOnce(&Trainer<'_>) -> T) -> T {
        with_structure(data, StructureParams::default().candidates(candidates), work)
    }

    fn with_structure<T>(data: &Dataset, structure: StructureParams, work: impl FnOnce(&Trainer<'_>) -> T) -> T {
        let features = FeatureMap::fit(data, &FeatureParams::default()).unwrap().encode(data).unwrap();
        let set =
            TrainingSet { features: &features, labels: data.labels(), weights: None, label_names: data.label_names() };
        work(&Trainer::new(&set, &LogisticParams::default(), &structure, &NodeParams::default(), 1))
    }

    fn planted(labels: usize, seed: u64) -> Dataset {
        Planted { rows: 1500, labels, experts: 1, seed, ..Planted::default() }.sample().unwrap().0
    }

    /// The children of every parent for each number of candidates.
    fn screened(trainer: &Trainer<'_>, number: u64, counts: &[usize]) -> Vec<Vec<Vec<usize>>> {
        let task = trainer.task(None, None, &Silent);
        let mut surprises = Surprises::new(trainer.labels.len());
        for rows in task.divide(&mut Stream::new(trainer.seed, "edge-folds", number)) {
            task.judge_alone(&task.fit_alone(rows).unwrap(), Some(&mut surprises));
        }
        counts.iter().map(|&count| surprises.children(count, trainer.structure.cost)).collect()
    }

    #[test]
    fn all_parents_as_candidates_give_the_exact_scores_and_fewer_give_some_of_them() {
        let data = planted(8, 3);
        let scores = |candidates| with_trainer(&data, candidates, |trainer| trainer.scores(None, 0, &Silent).unwrap());
        let (exact, few) = (scores(Candidates::Exact), scores(Candidates::Screened(2)));
        assert_eq!(scores(Candidates::Screened(7)), exact);
        assert_eq!(few.alone, exact.alone);
        for child in 0..8 {
            let scored: Vec<usize> = (0..8).filter(|&parent| few.given.get(parent, child).is_finite()).collect();
            assert!(scored.len() == 2 && !scored.contains(&child), "{scored:?}");
            scored.iter().for_each(|&parent| assert_eq!(few.given.get(parent, child), exact.given.get(parent, child)));
        }
    }

    #[test]
    fn gains_are_those_of_a_shift_on_each_side() {
        let data = planted(5, 4);
        with_trainer(&data, Candidates::Auto, |trainer| {
            let weights: Vec<f64> = (0..data.rows()).map(|row| 0.5 + (row % 3) as f64).collect();
            let task = trainer.task(Some(&weights), None, &Silent);
            let split = task.fit_alone(task.divide(&mut Stream::new(1, "edge-folds", 0)).remove(0)).unwrap();
            let coefficients: Vec<_> = split.alone.iter().collect();
            let margins = trainer.design.block(Some(&split.rows.held), &[]).margins(&coefficients);
            let mut surprises = Surprises::new(5);
            task.judge_alone(&split, Some(&mut surprises));
            for (parent, child) in [(0, 1), (3, 2), (4, 0)] {
                let mut gain = 0.0;
                for value in [false, true] {
                    // Newton's decrement of the shift at 0, by differences of the penalised log-likelihood.
                    let log_likelihood = |shift: f64| {
                        let of = |(local, &row): (usize, &usize)| {
                            let z = margins.get(local, child) + shift;
                            let y = if trainer.labels[child][row] { z } else { -z };
                            -weights[row] * (-y).exp().ln_1p()
                        };
                        let held = split.rows.held.iter().enumerate();
                        let sum: f64 = held.filter(|&(_, &row)| trainer.labels[parent][row] == value).map(of).sum();
                        sum - 0.5 * shift * shift / trainer.structure.cost
                    };
                    let step = 1e-4;
                    let [below, here, above] = [-step, 0.0, step].map(log_likelihood);
                    let (slope, bend) = ((above - below) / (2.0 * step), (above - 2.0 * here + below) / (step * step));
                    gain -= 0.5 * slope * slope / bend;
                }
                let ours = surprises.gain(parent, child, trainer.structure.cost);
                assert!((ours - gain).abs() < 1e-3 * gain.max(0.1), "{ours} against {gain}");
            }
        });
    }

    fn total(scores: &EdgeScores, tree: &Branching) -> f64 {
        let of = |(child, parent): (usize, &Option<usize>)| match parent {
            Some(parent) => scores.given.get(*parent, child),
            None => scores.alone[child],
        };
        tree.parents().iter().enumerate().map(of).sum()
    }

    /// What the tree with so many candidates loses of what the exact tree's edges gain.
    fn share_lost(data: &Dataset, candidates: usize) -> f64 {
        let tree = |candidates| with_trainer(data, candidates, |t| t.structure(None, 0, &Silent).unwrap());
        let scores = with_trainer(data, Candidates::Exact, |t| t.scores(None, 0, &Silent).unwrap());
        let best = total(&scores, &tree(Candidates::Exact));
        let alone: f64 = scores.alone.iter().sum();
        (best - total(&scores, &tree(Candidates::Screened(candidates)))) / (best - alone)
    }

    #[test]
    fn five_candidates_lose_next_to_nothing_and_one_loses_more() {
        for seed in 0..3 {
            let data = planted(12, seed);
            let (five, one) = (share_lost(&data, 5), share_lost(&data, 1));
            assert!(five < 0.01 && one > five, "seed {seed}: {five} with five, {one} with one");
        }
    }

    /// A tree found on at most so many rows.
    fn tree_of(data: &Dataset, max_rows: usize, number: u64) -> Branching {
        let structure = StructureParams::default().max_rows(max_rows);
        with_structure(data, structure, |trainer| trainer.structure(None, number, &Silent).unwrap())
    }

    #[test]
    fn edges_are_scored_on_as_many_rows_as_are_wanted() {
        let data = planted(6, 5);
        let divisions = |max_rows| {
            let structure = StructureParams::default().max_rows(max_rows);
            let stream = &mut Stream::new(1, "edge-folds", 0);
            with_structure(&data, structure, |trainer| trainer.task(None, None, &Silent).divide(stream))
        };
        let (all, some) = (divisions(0), divisions(300));
        for (all, some) in all.iter().zip(&some) {
            assert_eq!([all.train.len() + all.held.len(), some.train.len(), some.held.len()], [1500, 200, 100]);
            assert!(
                some.train.iter().all(|row| all.train.contains(row))
                    && some.held.iter().all(|row| all.held.contains(row))
            );
        }
        // Rows without weight do not take the places of others.
        let weights: Vec<f64> = (0..1500).map(|row| f64::from(row % 5 == 0)).collect();
        let structure = StructureParams::default().max_rows(150);
        let weighted = with_structure(&data, structure, |trainer| {
            trainer.task(Some(&weights), None, &Silent).divide(&mut Stream::new(1, "edge-folds", 0))
        });
        assert_eq!([weighted[0].train.len(), weighted[0].held.len()], [100, 50]);
        assert!(weighted[0].train.iter().all(|row| row % 5 == 0));
        assert_eq!(tree_of(&data, 1500, 0), tree_of(&data, 0, 0));
        assert_eq!(tree_of(&data, 1000, 0), tree_of(&data, 0, 0));
    }

    /// What `docs/results/screening.md` shows of rows.
    #[test]
    #[ignore = "minutes of work: compares trees found on some rows with those found on all"]
    fn how_often_the_tree_of_some_rows_is_that_of_all() {
        println!(
            "| planted experts | labels | scored on | same tree | same edges | score lost, share of what edges gain |"
        );
        println!("|---|---|---|---|---|---|");
        const MOST: [usize; 4] = [500, 2_000, 5_000, 20_000];
        const TIMES: u64 = 3;
        for (experts, labels) in [(1, 10), (1, 20), (3, 10), (3, 20)] {
            let data = Planted { rows: 60_000, labels, experts, seed: 7, ..Planted::default() }.sample().unwrap().0;
            let mut lines = [(0, 0, 0.0); MOST.len()];
            let mut edges = 0;
            for number in 0..TIMES {
                let structure = StructureParams::default().max_rows(0);
                let scores = with_structure(&data, structure, |t| t.scores(None, number, &Silent).unwrap());
                let all = Branching::best(&scores, 0.0);
                let gain = total(&scores, &all) - scores.alone.iter().sum::<f64>();
                edges += all.parents().iter().flatten().count();
                for (line, most) in lines.iter_mut().zip(MOST) {
                    let some = tree_of(&data, most, number);
                    let both = some.parents().iter().zip(all.parents());
                    line.0 += usize::from(some == all);
                    line.1 += both.filter(|(ours, theirs)| ours == theirs && ours.is_some()).count();
                    line.2 += (total(&scores, &all) - total(&scores, &some)) / gain / TIMES as f64;
                }
            }
            for (most, (same, kept, lost)) in MOST.iter().zip(lines) {
                let lost = 100.0 * lost;
                println!("| {experts} | {labels} | {most} | {same} of {TIMES} | {kept} of {edges} | {lost:.2} % |");
            }
        }
    }

    /// What `docs/results/screening.md` shows of candidates.
    #[test]
    #[ignore = "minutes of work: compares screened trees with exact ones"]
    fn how_often_the_screened_tree_is_the_exact_one() {
        const COUNTS: [usize; 5] = [1, 3, 5, 10, 20];
        let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
        let folder = std::env::var_os("ARBORMIX_DATA").map_or(beside, PathBuf::from);
        let mut sets: Vec<(String, Dataset)> =
            [10, 20, 40].map(|d| (format!("planted, {d} labels"), planted(d, 7))).to_vec();
        for file in ["yeast.arff.gz", "rcv1subset1-top10.arff.gz", "enron.arff"] {
            match folder.join(file) {
                path if path.is_file() => sets.push((file.to_string(), read(&path, &ReadOptions::default()).unwrap())),
                path => println!("SKIPPED: there is no {}; set ARBORMIX_DATA", path.display()),
            }
        }
        println!("| data | labels | candidates | same tree | same edges | score lost, share of what edges gain |");
        println!("|---|---|---|---|---|---|");
        for (name, data) in sets {
            let labels = data.labels().count();
            let divisions = if labels > 40 { 3 } else { 5 };
            let mut lines: Vec<(usize, usize, f64)> = vec![(0, 0, 0.0); COUNTS.len()];
            let mut edges = 0;
            with_trainer(&data, Candidates::Exact, |trainer| {
                for number in 0..divisions {
                    let scores = trainer.scores(None, number, &Silent).unwrap();
                    let exact = Branching::best(&scores, 0.0);
                    let gain = total(&scores, &exact) - scores.alone.iter().sum::<f64>();
                    edges += exact.parents().iter().flatten().count();
                    for (line, children) in lines.iter_mut().zip(screened(trainer, number, &COUNTS)) {
                        let mut some = EdgeScores { given: scores.given.clone(), ..scores.clone() };
                        for parent in 0..labels {
                            for child in (0..labels).filter(|child| !children[parent].contains(child)) {
                                some.given.row_mut(parent)[child] = f64::NEG_INFINITY;
                            }
                        }
                        let tree = Branching::best(&some, 0.0);
                        let both = tree.parents().iter().zip(exact.parents());
                        line.0 += usize::from(tree == exact);
                        line.1 += both.filter(|(ours, theirs)| ours == theirs && ours.is_some()).count();
                        line.2 += (total(&scores, &exact) - total(&scores, &tree)) / gain / divisions as f64;
                    }
                }
            });
            for (count, (same, kept, lost)) in COUNTS.iter().zip(lines).filter(|(count, _)| **count < labels) {
                let lost = 100.0 * lost;
                println!("| {name} | {labels} | {count} | {same} of {divisions} | {kept} of {edges} | {lost:.2} % |");
            }
        }
    }
}
