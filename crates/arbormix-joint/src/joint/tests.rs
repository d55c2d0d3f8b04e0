//! The search for the most probable sets against enumeration.

use std::time::Duration;

use arbormix_data::LabelSet;
use proptest::prelude::*;

use super::map::Found;
use super::questions::tests::parts;
use crate::testing::{all_sets, assembled};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn the_search_finds_what_enumeration_finds(
        parts in parts(7),
        clamps in prop::collection::vec(0_u8..5, 7),
    ) {
        let mixture = assembled(&parts);
        let d = mixture.labels();
        let allowed: Vec<[bool; 2]> = clamps[..d].iter().map(|c| match c { 0 => [true, false], 1 => [false, true], _ => [true; 2] }).collect();
        let fits = |set: &LabelSet| (0..d).all(|i| allowed[i][usize::from(set.get(i))]);
        let sets: Vec<(LabelSet, f64)> = all_sets(d).into_iter().map(|s| { let l = mixture.log_prob(&s); (s, l) }).collect();
        prop_assert!((sets.iter().map(|(_, l)| l.exp()).sum::<f64>() - 1.0).abs() < 1e-9);
        let close = |a: f64, b: f64| a == b || (a - b).abs() < 1e-9 * (1.0 + b.abs());
        let best = sets.iter().filter(|(s, _)| fits(s)).map(|(_, l)| *l).fold(f64::NEG_INFINITY, f64::max);
        let found = mixture.best_set(&allowed, 0);
        prop_assert!(fits(&found.labels) && found.certificate.certified);
        prop_assert!(close(found.log_probability, best), "{} {best}", found.log_probability);
        // A search that is cut short proves less, never something false.
        let cut = mixture.best_set(&allowed, 1);
        prop_assert!(cut.certificate.log_bound >= best - 1e-9 * (1.0 + best.abs()));
        let mut values: Vec<f64> = sets.iter().map(|(_, l)| *l).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        let top = mixture.best_sets(6, 0);
        prop_assert_eq!(top.len(), values.len().min(6));
        for ((_, value), expected) in top.iter().zip(&values) {
            prop_assert!(close(*value, *expected), "{value} {expected}");
        }
        let same = |found: &Found, (set, value): &(LabelSet, f64)| found.labels == *set && found.log_probability == *value;
        let proven = mixture.ranked_sets(6, 0);
        prop_assert!(proven.iter().zip(&top).all(|(found, listed)| found.certificate.certified && same(found, listed)));
        prop_assert_eq!(&mixture.ranked_sets_within(6, Duration::from_secs(600)), &proven);
        // Whatever ends the searches: no set that is not listed before has more than the bound.
        for hasty in [mixture.ranked_sets(6, 1), mixture.ranked_sets_within(6, Duration::ZERO)] {
            prop_assert_eq!(hasty.len(), top.len());
            for (place, found) in hasty.iter().enumerate() {
                let listed = |set: &LabelSet| hasty[..place].iter().any(|earlier| earlier.labels == *set);
                let left = sets.iter().filter(|(set, _)| !listed(set)).map(|(_, l)| *l).fold(f64::NEG_INFINITY, f64::max);
                let bound = found.certificate.log_bound;
                prop_assert!(bound >= left - 1e-9 * (1.0 + left.abs()), "{bound} {left}");
                prop_assert!(!found.certificate.certified || close(found.log_probability, left));
                prop_assert!(close(found.log_probability, mixture.log_prob(&found.labels)) && !listed(&found.labels));
            }
        }
        for (i, p) in mixture.marginals().iter().enumerate() {
            let direct: f64 = sets.iter().filter(|(s, _)| s.get(i)).map(|(_, l)| l.exp()).sum();
            prop_assert!((p - direct).abs() < 1e-9);
        }
    }
}
