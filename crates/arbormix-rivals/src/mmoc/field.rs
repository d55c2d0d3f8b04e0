//! Decoding one row: the distribution exp(−E(y)) / Z over label sets, and its mean field.
//!
//! With A the code's precision, ŷ the regression's prediction and z the log-odds of the labels' own regressions,
//! −E(y) = Σⱼ aⱼyⱼ − Σ_{i<j} Aᵢⱼ yᵢyⱼ + constant, aⱼ = λzⱼ − ½Aⱼⱼ + (Aŷ)ⱼ (since yⱼ² = yⱼ).

use arbormix_data::LabelSet;
use arbormix_learn::logistic::loss::sigmoid;
use arbormix_matrix::DenseMatrix;

/// Exact decoding enumerates 2^d sets for each row; more labels than this are refused.
pub(crate) const MAX_ENUMERATED: usize = 20;
/// Mean-field sweeps at most.
const MAX_SWEEPS: usize = 1000;
/// Changes of a mean below this end the sweeps.
const TOLERANCE: f64 = 1e-9;

/// The evidence about one row.
#[derive(Debug, Clone)]
pub(crate) struct Field<'a> {
    /// a: log-odds of each label when all others are absent.
    alone: Vec<f64>,
    /// A, d × d; the diagonal is not used.
    pairs: &'a DenseMatrix,
    /// The labels' own log-odds, where the mean field starts.
    start: Vec<f64>,
}

/// What enumeration of all label sets says.
#[derive(Debug, Clone)]
pub(crate) struct Enumerated {
    /// log Σ exp(score).
    pub(crate) log_total: f64,
    /// P(yⱼ = 1).
    pub(crate) marginals: Vec<f64>,
}

impl<'a> Field<'a> {
    /// From the code's precision, the regression's prediction, the labels' own log-odds and their weight λ.
    pub(crate) fn new(precision: &'a DenseMatrix, predicted: &[f64], odds: Vec<f64>, balance: f64) -> Field<'a> {
        let pull = |label: usize| precision.row(label).iter().zip(predicted).map(|(a, h)| a * h).sum::<f64>();
        let of = |label: usize| balance * odds[label] - 0.5 * precision.get(label, label) + pull(label);
        Field { alone: (0..odds.len()).map(of).collect(), pairs: precision, start: odds }
    }

    /// Number of labels, d.
    pub(crate) fn labels(&self) -> usize {
        self.alone.len()
    }

    /// −E(y) up to a constant.
    pub(crate) fn score(&self, set: &LabelSet) -> f64 {
        let members: Vec<usize> = set.members().collect();
        let own: f64 = members.iter().map(|&label| self.alone[label]).sum();
        let pair = |(at, &label): (usize, &usize)| {
            members[..at].iter().map(|&earlier| self.pairs.get(earlier, label)).sum::<f64>()
        };
        own - members.iter().enumerate().map(pair).sum::<f64>()
    }

    /// The log-odds of the product of independent labels nearest to the distribution, by coordinate ascent.
    ///
    /// Each update is the optimum of the bound given the other means, so the bound never falls and nothing oscillates.
    pub(crate) fn mean_field(&self) -> Vec<f64> {
        let mut odds = self.start.clone();
        let mut means: Vec<f64> = odds.iter().map(|z| sigmoid(*z)).collect();
        for _ in 0..MAX_SWEEPS {
            let mut largest = 0.0_f64;
            for label in 0..self.labels() {
                let others: f64 = self.pairs.row(label).iter().zip(&means).map(|(a, mean)| a * mean).sum();
                odds[label] = self.alone[label] - others + self.pairs.get(label, label) * means[label];
                let mean = sigmoid(odds[label]);
                largest = largest.max((mean - means[label]).abs());
                means[label] = mean;
            }
            if largest <= TOLERANCE {
                break;
            }
        }
        odds
    }

    /// Calls `visit(bits, score)` for every label set, label j at bit d − 1 − j, in ascending order of `bits`.
    pub(crate) fn enumerate(&self, visit: &mut impl FnMut(u32, f64)) {
        self.extend(0, 0.0, &self.alone, visit);
    }

    /// All completions of a prefix; `rest` has the log-odds of the labels that are not yet decided.
    fn extend(&self, bits: u32, score: f64, rest: &[f64], visit: &mut impl FnMut(u32, f64)) {
        let Some((own, later)) = rest.split_first() else {
            return visit(bits, score);
        };
        self.extend(bits << 1, score, later, visit);
        let label = self.labels() - rest.len();
        let repelled = later.iter().zip(&self.pairs.row(label)[label + 1..]).map(|(z, a)| z - a).collect::<Vec<_>>();
        self.extend(bits << 1 | 1, score + own, &repelled, visit);
    }

    /// The label set with these bits.
    pub(crate) fn to_set(&self, bits: u32) -> LabelSet {
        let labels = self.labels();
        LabelSet::from_bools(&(0..labels).map(|label| bits >> (labels - 1 - label) & 1 == 1).collect::<Vec<_>>())
    }

    /// The best set and its score; ties to the smaller set.
    pub(crate) fn best(&self) -> (LabelSet, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        self.enumerate(&mut |bits, score| {
            if score > best.1 {
                best = (bits, score);
            }
        });
        (self.to_set(best.0), best.1)
    }

    /// The `count` best sets with their scores, best first; ties to the smaller set.
    pub(crate) fn best_sets(&self, count: usize) -> Vec<(LabelSet, f64)> {
        let mut all = Vec::with_capacity(1 << self.labels());
        self.enumerate(&mut |bits, score| all.push((bits, score)));
        let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if count < all.len() {
            all.select_nth_unstable_by(count, order);
            all.truncate(count);
        }
        all.sort_unstable_by(order);
        all.into_iter().map(|(bits, score)| (self.to_set(bits), score)).collect()
    }

    /// The normaliser and the marginals.
    pub(crate) fn enumerated(&self) -> Enumerated {
        let labels = self.labels();
        let mut best = f64::NEG_INFINITY;
        self.enumerate(&mut |_, score| best = best.max(score));
        let (mut total, mut with) = (0.0, vec![0.0; labels]);
        self.enumerate(&mut |bits, score| {
            let mass = (score - best).exp();
            total += mass;
            (0..labels).filter(|label| bits >> (labels - 1 - label) & 1 == 1).for_each(|label| with[label] += mass);
        });
        let marginals = with.into_iter().map(|mass| mass / total).collect();
        Enumerated { log_total: best + total.ln(), marginals }
    }
}
