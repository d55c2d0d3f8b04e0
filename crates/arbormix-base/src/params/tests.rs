//! Declared parameters: what can be set, what is refused and how it is said.
#![allow(unreachable_pub)]

use serde_json::json;

use super::*;

crate::choices! {
    /// How to search.
    pub enum Search: Copy {
        /// Everything.
        All = "all",
        /// Only so many.
        Some(usize) = "some",
        /// A walk.
        Walk {
            /// Steps.
            steps: usize,
            /// Seed.
            seed: u64,
        } = "walk",
    }
}

crate::params! {
    /// An inner group.
    pub struct Inner: Copy {
        /// A share.
        /// It has two lines.
        share: f64 = 0.3, allowed = Allowed::Between(0.0, 1.0), level = main;
        /// A seed.
        seed: u64 = 0, python = "random_state";
    }
}

crate::params! {
    /// An outer group.
    pub struct Outer {
        /// How to search.
        search: Search = Search::All, paper = Search::Walk { steps: 150, seed: 0 }, level = main;
        /// Costs.
        costs: Vec<f64> = vec![1.0, 2.0], allowed = Allowed::Ascending;
        /// The inner group.
        inner: Inner = Inner::default(), paper = Inner::default().share(0.5), level = main;
        /// An inner group that may be absent.
        extra: Option<Inner> = None;
        /// A flag.
        plus: bool = true;
    }
}

fn message(outcome: Result<(), ParamError>) -> String {
    outcome.unwrap_err().to_string()
}

#[test]
fn presets_differ_where_it_is_declared() {
    let (default, paper) = (Outer::default(), Outer::paper());
    assert_eq!((default.search, paper.search), (Search::All, Search::Walk { steps: 150, seed: 0 }));
    assert_eq!((default.inner.share, paper.inner.share), (0.3, 0.5));
    assert_eq!(default.costs, paper.costs);
}

#[test]
fn what_is_written_comes_back() {
    let mut outer = Outer::default().search(Search::Some(3)).extra(Inner::default().seed(9)).plus(false);
    outer.inner.share = 0.9;
    let mut back = Outer::paper();
    back.set(&outer.write(), "").unwrap();
    assert_eq!(back, outer);
    assert_eq!(serde_json::from_value::<Outer>(outer.write()).unwrap(), outer);
    assert_eq!(serde_json::to_value(&outer).unwrap(), outer.write());
}

#[test]
fn a_group_keeps_what_is_not_given() {
    let mut outer = Outer::paper();
    outer.set(&json!({"inner": {"seed": 4}, "search": {"walk": {"seed": 7}}}), "").unwrap();
    assert_eq!(outer.inner, Inner::default().share(0.5).seed(4));
    assert_eq!(outer.search, Search::Walk { steps: 150, seed: 7 });
    outer.set(&json!({"extra": {"share": 0.1}}), "").unwrap();
    assert_eq!(outer.extra, Some(Inner::default().share(0.1)));
    outer.set(&json!({"extra": null}), "").unwrap();
    assert_eq!(outer.extra, None);
}

#[test]
fn refusals_name_the_place_and_the_remedy() {
    let refused = |given: serde_json::Value| message(Outer::default().set(&given, ""));
    assert_eq!(
        refused(json!({"inner": {"sead": 1}})),
        "unknown parameter \"inner.sead\"; did you mean \"inner.seed\"?; known here: share, seed"
    );
    assert_eq!(refused(json!({"plus": 1})), "parameter plus: expected true or false, found 1");
    assert_eq!(refused(json!({"costs": [1, "x"]})), "parameter costs: expected a number, found \"x\"");
    assert_eq!(
        refused(json!({"search": "nowhere"})),
        "parameter search: expected one of all, some, walk, found \"nowhere\""
    );
    assert_eq!(refused(json!({"search": "some"})), "parameter search: some needs a value of its own: set search.some");
    assert_eq!(
        refused(json!({"search": {"walk": {"steps": 2}}})),
        "parameter search: walk needs a value of its own: set search.walk.seed"
    );
    assert_eq!(
        refused(json!({"search": {"walk": {"step": 2}}})),
        "unknown parameter \"search.walk.step\"; did you mean \"search.walk.steps\"?; known here: steps, seed"
    );
    assert_eq!(refused(json!({"inner": 3})), "parameter inner: expected a group with share, seed, found 3");
}

#[test]
fn values_that_cannot_be_used_are_found_in_every_group() {
    assert!(check(&Outer::default(), "").is_ok() && check(&Outer::paper(), "").is_ok());
    let refused = |outer: Outer| message(check(&outer, ""));
    let wrong = Outer::default().inner(Inner::default().share(1.0));
    assert_eq!(refused(wrong), "parameter inner.share = 1.0: must be between 0 and 1");
    let wrong = Outer::default().extra(Inner::default().share(f64::NAN));
    assert_eq!(refused(wrong), "parameter extra.share = NaN or infinity: must be finite");
    let wrong = Outer::default().costs([1.0, f64::INFINITY]);
    assert_eq!(refused(wrong), "parameter costs = NaN or infinity: must be finite");
    assert_eq!(
        refused(Outer::default().costs(vec![2.0, 1.0])),
        "parameter costs = [2.0,1.0]: needs positive numbers in ascending order"
    );
    assert_eq!(
        refused(Outer::default().costs(Vec::new())),
        "parameter costs = []: needs positive numbers in ascending order"
    );
}

#[test]
fn parameters_for_everyone_come_first_and_groups_hide_theirs() {
    let leaves = leaves::<Outer>();
    let names: Vec<(&str, &str, bool)> =
        leaves.iter().map(|leaf| (leaf.path.as_str(), leaf.python.as_str(), leaf.level == Level::Main)).collect();
    assert_eq!(
        names,
        [
            ("search", "search", true),
            ("inner.share", "inner_share", true),
            ("costs", "costs", false),
            ("inner.seed", "inner_random_state", false),
            ("extra", "extra", false),
            ("plus", "plus", false),
        ]
    );
    assert_eq!(leaves[1].meaning(), "A share. It has two lines.");
    assert_eq!((&leaves[1].default, &leaves[1].paper), (&json!(0.3), &json!(0.5)));
}
