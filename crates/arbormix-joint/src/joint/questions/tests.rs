//! Every answer against enumeration of all label sets.

use proptest::prelude::*;

use super::*;
use crate::testing::{Parts, all_sets, assembled, enumerated};
use crate::tree::Branching;
use crate::tree::cliques::tests::row_cliques;
use crate::tree::tests::row_tree;

/// Random parts of a mixture: up to `labels` labels, 5 trees, a table of a third of the sets and a tree of cliques, some of
/// which have almost no weight.
pub(crate) fn parts(labels: usize) -> impl Strategy<Value = Parts> {
    (1..=labels, 1_usize..=5)
        .prop_flat_map(|(d, k)| {
            let score = prop_oneof![3 => -3.0..3.0_f64, 1 => Just(-1000.0)];
            let mass = prop_oneof![1 => 0.01..1.0_f64, 2 => Just(0.0)];
            let trees = prop::collection::vec(row_tree(d), k);
            (trees, row_cliques(d), prop::collection::vec(mass, 1 << d), prop::collection::vec(score, k + 2))
        })
        .prop_map(|(trees, cliques, mut masses, scores)| {
            let mut sets = all_sets(trees[0].0.len());
            sets.sort();
            masses[0] += 0.01; // a distribution needs a set
            let total: f64 = masses.iter().sum();
            let shares = (0..).zip(masses).map(|(set, mass)| (set, mass / total)).collect();
            Parts { trees, cliques, sets, shares, scores }
        })
}

/// The probability of the sets for which something holds.
fn mass(sets: &[(LabelSet, f64)], holds: impl Fn(&LabelSet) -> bool) -> f64 {
    sets.iter().filter(|(set, _)| holds(set)).map(|(_, p)| p).sum()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Checks every question that has no known labels against the enumerated distribution.
fn check(mixture: &RowMixture<'_>, sets: &[(LabelSet, f64)]) -> Result<(), TestCaseError> {
    let d = mixture.labels();
    prop_assert!(near(mass(sets, |_| true), 1.0), "the sum is {}", mass(sets, |_| true));
    let group = LabelSet::from_bools(&(0..d).map(|i| i % 3 != 1).collect::<Vec<_>>());
    let in_group = |set: &LabelSet| set.members().filter(|&i| group.get(i)).count();
    let (all, some, pairs, marginals) =
        (mixture.label_counts(), mixture.counts(&group), mixture.pairs(), mixture.marginals());
    for s in 0..=d {
        prop_assert!(near(all.sizes[s], mass(sets, |set| set.count() == s)));
    }
    for i in 0..d {
        prop_assert!(near(marginals[i], mass(sets, |set| set.get(i))));
        for s in 0..=d {
            prop_assert!(near(all.with[i][s], mass(sets, |set| set.get(i) && set.count() == s)));
        }
        for s in 0..=group.count() {
            prop_assert!(near(some.with[i][s], mass(sets, |set| set.get(i) && in_group(set) == s)));
        }
        for j in 0..d {
            let both = mass(sets, |set| set.get(i) && set.get(j));
            prop_assert!(near(pairs.both.get(j, i), both));
            match &pairs.conditional[j] {
                Some(rest) if marginals[j] > 1e-3 => prop_assert!(near(rest[i], both / mass(sets, |set| set.get(j)))),
                Some(rest) => prop_assert!((0.0..=1.0 + 1e-9).contains(&rest[i])),
                None => prop_assert_eq!(marginals[j], 0.0),
            }
        }
    }
    let map = mixture.map(0);
    let top = sets.iter().map(|(_, p)| *p).fold(0.0, f64::max);
    prop_assert!(map.certificate.certified && map.gap() == 0.0 && near(map.log_probability.exp(), top));
    for (i, found) in mixture.alternatives(&map.labels, 0).iter().enumerate() {
        let other = sets.iter().filter(|(set, _)| set.get(i) != map.labels.get(i)).map(|(_, p)| *p).fold(0.0, f64::max);
        prop_assert!(found.labels.get(i) != map.labels.get(i) && near(found.log_probability.exp(), other));
    }
    let credible = mixture.credible_sets(0.9, 1000, 0);
    let mut sorted: Vec<f64> = sets.iter().map(|(_, p)| *p).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    prop_assert!(credible.reached && credible.mass >= 0.9 - 1e-9);
    for ((_, log), p) in credible.sets.iter().zip(&sorted) {
        prop_assert!(near(log.exp(), *p));
    }
    let without_last: f64 = sorted[..credible.sets.len() - 1].iter().sum();
    prop_assert!(without_last < 0.9 + 1e-9, "fewer sets would do");
    let mut stream = Stream::new(1, "test", 0);
    for _ in 0..5 {
        prop_assert!(mixture.log_prob(&mixture.sample(&mut stream)) > f64::NEG_INFINITY);
    }
    let shares = mixture.responsibilities(&map.labels);
    prop_assert!(near(shares.iter().sum(), 1.0) && shares.iter().all(|share| *share >= 0.0));
    Ok(())
}

/// Parts in which some probabilities are exactly 0 or 1.
fn degenerate_parts(labels: usize) -> impl Strategy<Value = Parts> {
    let choices = prop::collection::vec(0_u8..8, 5 * labels * 2);
    (parts(labels), choices).prop_map(|(mut parts, choices)| {
        let sides = parts.trees.iter_mut().flat_map(|(_, tables)| tables.iter_mut().flatten());
        for (side, choice) in sides.zip(choices) {
            match choice {
                0 | 1 => *side = [0.0, f64::NEG_INFINITY],
                2 => *side = [f64::NEG_INFINITY, 0.0],
                _ => {}
            }
        }
        parts
    })
}

/// Checks every question without known labels, and with those of which `clamps` says 0 (absent) or 1 (present).
fn check_with_known(mixture: &RowMixture<'_>, clamps: &[u8]) -> Result<(), TestCaseError> {
    check(mixture, &enumerated(mixture))?;
    let d = mixture.labels();
    let known = (0..d).filter(|&i| clamps[i] < 2).fold(Known::nothing(d), |known, i| known.with(i, clamps[i] == 1));
    let fits = |set: &LabelSet| (0..d).all(|i| known.allowed()[i][usize::from(set.get(i))]);
    let logs: Vec<f64> = all_sets(d).iter().filter(|set| fits(set)).map(|set| mixture.log_prob(set)).collect();
    prop_assert!(logs.iter().all(|log| !log.is_nan()));
    let direct = log_sum_exp(&logs);
    let Ok(given) = mixture.given(&known) else {
        prop_assert_eq!(direct, f64::NEG_INFINITY);
        return Ok(());
    };
    prop_assert!((given.log_probability - direct).abs() < 1e-9 * (1.0 + direct.abs()));
    // Conditioned by hand, in log space: what is known may be as improbable as e⁻⁸⁰⁰.
    let share = |set: LabelSet| {
        let p = if fits(&set) { (mixture.log_prob(&set) - direct).exp() } else { 0.0 };
        (set, p)
    };
    check(&given.mixture, &all_sets(d).into_iter().map(share).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn probabilities_of_zero_and_one_and_ten_labels(
        parts in degenerate_parts(10),
        clamps in prop::collection::vec(0_u8..6, 10),
    ) {
        let mixture = assembled(&parts);
        check_with_known(&mixture, &clamps)?;
        // A search without time proves less, never something false.
        let (found, best) = (mixture.map_within(std::time::Duration::ZERO), mixture.map(0));
        let slack = 1e-9 * (1.0 + best.log_probability.abs());
        prop_assert!(found.certificate.log_bound >= best.log_probability - slack);
        prop_assert!(found.log_probability <= best.log_probability + slack && found.gap() >= 0.0);
        prop_assert_eq!(mixture.map_within(std::time::Duration::from_secs(600)), best);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn every_answer_equals_enumeration(parts in parts(8), clamps in prop::collection::vec(0_u8..6, 8)) {
        check_with_known(&assembled(&parts), &clamps)?;
    }

    #[test]
    fn events_equal_enumeration(parts in parts(7), picks in prop::collection::vec(any::<prop::sample::Index>(), 4)) {
        let mixture = assembled(&parts);
        let sets = enumerated(&mixture);
        let d = mixture.labels();
        let names: Vec<String> = (0..d).map(|i| format!("l{i}")).collect();
        let [a, b, c, e] = [0, 1, 2, 3].map(|i| picks[i].index(d));
        let ask = |text: String| mixture.event(&Event::parse(&text, &names).unwrap());
        let first = ask(format!("l{a} & !l{b} | l{c}"));
        prop_assert!(near(first, mass(&sets, |s| s.get(a) && !s.get(b) || s.get(c))));
        let second = ask(format!("!(l{a} | l{b}) & (l{c} | !l{e})"));
        prop_assert!(near(second, mass(&sets, |s| !(s.get(a) || s.get(b)) && (s.get(c) || !s.get(e)))));
        let (always, never) = (ask(format!("l{a} | !l{a}")), ask(format!("l{a} & !l{a}")));
        prop_assert!(near(always, 1.0) && never == 0.0);
    }
}

#[test]
fn certainty_and_impossibility_are_no_special_case() {
    // Label 1 copies label 0, label 2 never occurs: probabilities that are exactly 0 and 1.
    let (never, always) = ([0.0, f64::NEG_INFINITY], [f64::NEG_INFINITY, 0.0]);
    let half = [0.5_f64.ln(); 2];
    let tree = Branching::new(vec![None, Some(0), Some(1)]).unwrap();
    let mixture = RowMixture {
        log_gate: vec![0.0, f64::NEG_INFINITY],
        experts: vec![
            RowExpert::tree(&tree, vec![[half, half], [never, always], [never, never]]),
            RowExpert::tree(&tree, vec![[half, half]; 3]),
        ],
    };
    check(&mixture, &enumerated(&mixture)).unwrap();
    assert!(mixture.pairs().conditional[2].is_none());
    let known = Known::nothing(3).with(1, true);
    let given = mixture.given(&known).unwrap();
    check(&given.mixture, &enumerated(&given.mixture)).unwrap();
    assert_eq!(given.mixture.marginals(), [1.0, 1.0, 0.0]);
    assert_eq!(given.mixture.best_sets(9, 0).len(), 1, "impossible sets are not listed");
    let impossible = |known: Known| mixture.given(&known).unwrap_err().to_string();
    assert!(impossible(Known::nothing(3).with(2, true)).contains("probability 0"));
    assert!(impossible(known.with(0, false)).contains("probability 0"));
    let message = mixture.given(&Known::nothing(2)).unwrap_err().to_string();
    assert!(message.contains('2') && message.contains('3'), "{message}");
}

#[test]
fn samples_come_as_often_as_they_are_probable() {
    let tree = Branching::new(vec![None, Some(0)]).unwrap();
    let side = |p: f64| [(1.0 - p).ln(), p.ln()];
    let tables = |p: f64| vec![[side(p), side(p)], [side(0.2), side(0.9)]];
    let mixture = RowMixture {
        log_gate: vec![0.3_f64.ln(), 0.7_f64.ln()],
        experts: vec![RowExpert::tree(&tree, tables(0.1)), RowExpert::tree(&tree, tables(0.6))],
    };
    let mut stream = Stream::new(7, "sample", 0);
    let drawn: Vec<LabelSet> = (0..40_000).map(|_| mixture.sample(&mut stream)).collect();
    for (set, p) in enumerated(&mixture) {
        let share = drawn.iter().filter(|other| **other == set).count() as f64 / 40_000.0;
        // Five standard deviations.
        assert!((share - p).abs() < 5.0 * (p * (1.0 - p) / 40_000.0).sqrt(), "{set:?}: {share} {p}");
    }
}

#[test]
fn the_one_responsible_is_the_one_who_could() {
    let tree = Branching::isolated(1);
    let side = |p: f64| vec![[[(1.0 - p).ln(), p.ln()]; 2]];
    let mixture = RowMixture {
        log_gate: vec![0.5_f64.ln(); 2],
        experts: [0.9, 0.3].map(|p| RowExpert::tree(&tree, side(p))).to_vec(),
    };
    let shares = mixture.responsibilities(&LabelSet::from_bools(&[true]));
    assert!(near(shares[0], 0.75) && near(shares[1], 0.25));
}
