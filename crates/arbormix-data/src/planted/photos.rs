//! The data of the demo: photos with tags. Indoors a cat is a *pet*, outdoors a *wild animal*.

use super::{Score, TrueExpert, Truth};
use crate::Dataset;
use crate::error::Result;

/// What was measured on each photo.
pub const FEATURES: [&str; 8] =
    ["furniture", "greenery", "whiskers", "fur", "skin tone", "snout", "lamp light", "open sky"];
/// The tags.
pub const LABELS: [&str; 7] = ["cat", "dog", "pet", "wild animal", "person", "indoor", "grass"];

/// Photos and the distribution their tags were drawn from.
pub fn sample(rows: usize, seed: u64) -> Result<(Dataset, Truth)> {
    let truth = truth();
    let names = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    let data = truth.sample("photos", names(&FEATURES), names(&LABELS), rows, 1.0, seed)?;
    Ok((data, truth))
}

/// A score from the features that count.
fn score(bias: f64, terms: &[(&str, f64)]) -> Score {
    let weight = |name: &&str| terms.iter().find(|(term, _)| term == name).map_or(0.0, |(_, weight)| *weight);
    Score { weights: FEATURES.iter().map(weight).collect(), bias }
}

fn expert(gate: Score, nodes: [(Option<usize>, [Score; 2]); 7]) -> TrueExpert {
    let (parents, log_odds) = nodes.into_iter().unzip();
    TrueExpert { gate, parents, log_odds }
}

/// A tag without a parent.
fn root(own: Score) -> (Option<usize>, [Score; 2]) {
    (None, [own.clone(), own])
}

/// Two contexts with different trees over the same tags.
fn truth() -> Truth {
    let [cat, dog] = [Some(0), Some(1)];
    let home = expert(
        score(0.0, &[("furniture", 2.5), ("greenery", -2.5), ("lamp light", 1.0)]),
        [
            root(score(-0.2, &[("whiskers", 2.5), ("fur", 1.0)])),
            (cat, [score(0.2, &[("snout", 2.5), ("fur", 1.0)]), score(-3.0, &[("snout", 1.5)])]),
            (cat, [score(-1.0, &[("snout", 2.0), ("fur", 1.0)]), score(3.5, &[("fur", 0.5)])]),
            root(score(-4.5, &[("fur", 0.3)])),
            root(score(0.0, &[("skin tone", 3.0)])),
            root(score(2.5, &[("lamp light", 1.5), ("open sky", -1.5)])),
            root(score(-3.5, &[("greenery", 1.0)])),
        ],
    );
    let nature = expert(
        score(0.0, &[]),
        [
            root(score(-0.5, &[("whiskers", 2.5), ("fur", 1.0)])),
            (cat, [score(-0.8, &[("snout", 2.5)]), score(-4.0, &[("snout", 1.0)])]),
            (dog, [score(-4.0, &[("fur", 0.3)]), score(2.0, &[("skin tone", 1.0)])]),
            (cat, [score(-2.0, &[("fur", 1.5)]), score(3.5, &[("fur", 0.5)])]),
            (dog, [score(-1.5, &[("skin tone", 2.5)]), score(0.5, &[("skin tone", 2.5)])]),
            root(score(-4.0, &[("lamp light", 0.5)])),
            root(score(1.0, &[("greenery", 2.5), ("open sky", 0.5)])),
        ],
    );
    Truth { experts: vec![home, nature] }
}
