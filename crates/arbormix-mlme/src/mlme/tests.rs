//! Tests of mixtures: monotone EM, and the planted truth.

use super::boosting;
use super::em::{Em, State};
use super::*;
use crate::ctbn::partial::tests::hide;
use crate::ctbn::tests::edges;
use crate::ctbn::{NodeKind, NodeParams, StructureParams, Trainer};
use arbormix_base::params::Group;
use arbormix_base::progress::Silent;
use arbormix_data::Dataset;
use arbormix_data::planted::{Planted, Truth, photos};
use arbormix_joint::learner::{Inference, Learner, Predictor, TrainingSet};
use arbormix_learn::logistic::{Gate, GateParams, LogisticParams, SolverParams};
use arbormix_matrix::Matrix;

fn training(data: &Dataset) -> TrainingSet<'_> {
    TrainingSet { features: data.features(), labels: data.labels(), weights: None, label_names: data.label_names() }
}

fn true_log_likelihood(truth: &Truth, data: &Dataset) -> f64 {
    let Matrix::Dense(x) = data.features() else { panic!("planted densely") };
    (0..data.rows()).map(|n| truth.log_prob(x.row(n), data.labels().row(n))).sum()
}

fn halves(data: &Dataset, train: usize) -> (Dataset, Dataset) {
    let (a, b): (Vec<usize>, Vec<usize>) = (0..data.rows()).partition(|&n| n < train);
    (data.select_rows(&a), data.select_rows(&b))
}

#[test]
fn em_never_decreases_the_penalised_likelihood() {
    let (data, _) = Planted { rows: 400, features: 6, labels: 5, seed: 8, ..Planted::default() }.sample().unwrap();
    // With unknown cells it is the likelihood of the others.
    let hidden = hide(data.labels(), 0.3, 1);
    let kinds = [NodeKind::Switching, NodeKind::ParentFeature];
    for (kind, labels) in kinds.into_iter().flat_map(|kind| [(kind, data.labels()), (kind, &hidden)]) {
        // Partial M-steps must be monotone too: two Newton steps at most.
        let solver = SolverParams::default().tolerance(1e-6).max_iterations(2);
        let (logistic, structure) = (LogisticParams::default(), StructureParams::default());
        let nodes = NodeParams::default().kind(kind);
        let set = TrainingSet { labels, ..training(&data) };
        let trainer = Trainer::new(&set, &logistic, &structure, &nodes, 1);
        let em_params =
            EmParams { max_iterations: 25, tolerance: 0.0, responsibilities: Responsibilities::Plain, solver };
        let em = Em {
            trainer: &trainer,
            gate: GateParams::default().solver(solver),
            params: &em_params,
            held_out: None,
            early_stopping: false,
            progress: &Silent,
        };
        let mut run = boosting::grow(&em, None, 25).unwrap();
        for _ in 0..2 {
            run = boosting::grow(&em, Some(run.state), 25).unwrap();
            assert!(run.trace.len() > 5, "EM must have something to do");
            for pair in run.trace.windows(2) {
                let rise = pair[1].penalised - pair[0].penalised;
                assert!(rise >= -1e-8 * pair[0].penalised.abs(), "{kind:?}: fell by {}", -rise);
            }
        }
    }
}

#[test]
fn identical_experts_do_not_stay_identical() {
    // Rows that nothing predicts: 1 − P is about 1 everywhere, so reweighting alone would return the same tree.
    let (data, _) = Planted { rows: 300, noise: 0.9, seed: 3, ..Planted::default() }.sample().unwrap();
    let params = MixtureParams::paper().experts(Experts::Count(3));
    let (mixture, _) = params.learn(&training(&data), &Silent).unwrap();
    let gates = mixture.gate(data.features()).unwrap();
    let spread = |n: usize| {
        let row = gates.row(n);
        row.iter().copied().fold(0.0, f64::max) - row.iter().copied().fold(1.0, f64::min)
    };
    assert!((0..300).any(|n| spread(n) > 0.01), "the gate stayed uniform");
}

#[test]
fn responsibilities_are_a_distribution_and_follow_the_better_expert() {
    let (data, _) = Planted { rows: 200, seed: 6, ..Planted::default() }.sample().unwrap();
    let (logistic, structure, nodes) = Default::default();
    let trainer = Trainer::new(&training(&data), &logistic, &structure, &nodes, 1);
    let params = MixtureParams::default();
    let em = Em {
        trainer: &trainer,
        gate: GateParams::default(),
        params: &params.em,
        held_out: None,
        early_stopping: false,
        progress: &Silent,
    };
    let tree = trainer.structure(None, 0, &Silent).unwrap();
    let experts = vec![
        trainer.fit_tree(tree.clone(), None, &Silent).unwrap(),
        trainer.fit_tree(arbormix_joint::tree::Branching::isolated(tree.len()), None, &Silent).unwrap(),
    ];
    let alone: Vec<Vec<f64>> = experts.iter().map(|e| e.log_likelihoods(&trainer.design, &trainer.labels)).collect();
    let state = State { gate: Gate::uniform(&trainer.design.block(None, &[]), 2), experts };
    let expectation = em.expectation(&state);
    for n in 0..200 {
        // Eq. 7 by hand with a uniform gate.
        let (p, q) = (alone[0][n].exp(), alone[1][n].exp());
        let h = expectation.responsibilities.get(n, 0);
        assert!((h - p / (p + q)).abs() < 1e-10);
        assert!((expectation.log_likelihoods[n] - (0.5 * p + 0.5 * q).ln()).abs() < 1e-10);
    }
    // An expert's rows weigh what it is responsible for, or, normalised, as much as all rows.
    let own = expectation.responsibilities.column(1);
    let weights = |responsibilities| {
        Em { params: &params.em.clone().responsibilities(responsibilities), ..em }.expert_weights(own)
    };
    assert_eq!(weights(Responsibilities::Plain), own);
    let total: f64 = own.iter().sum();
    let normalised = weights(Responsibilities::Normalised);
    assert!(total < 150.0 && normalised.iter().zip(own).all(|(w, h)| (w - h * 200.0 / total).abs() < 1e-9));
}

#[test]
fn a_planted_mixture_is_recovered() {
    let planted = Planted { rows: 12_000, features: 6, labels: 5, experts: 2, seed: 11, ..Planted::default() };
    let (data, truth) = planted.sample().unwrap();
    let (train, test) = halves(&data, 10_000);
    let params = MixtureParams::paper()
        .experts(Experts::Count(2))
        .start(Start::Regions)
        .restarts(8)
        .refinements(2)
        .em(EmParams { max_iterations: 50, ..MixtureParams::paper().em });
    let (mixture, _) = params.learn(&training(&train), &Silent).unwrap();
    let ours: f64 = mixture.log_prob(test.features(), test.labels().sets()).unwrap().iter().sum();
    let theirs = true_log_likelihood(&truth, &test);
    assert!(ours >= 1.02 * theirs, "{ours} against the true model's {theirs}");
    // Experts come in any order: match each true one with the learned one whose gate agrees more.
    let gates = mixture.gate(test.features()).unwrap();
    let Matrix::Dense(x) = test.features() else { panic!("planted densely") };
    let agreement = |swap: bool| -> f64 {
        (0..test.rows()).map(|n| (gates.get(n, usize::from(swap)) - truth.gate(x.row(n))[0]).abs()).sum::<f64>()
            / test.rows() as f64
    };
    let swap = agreement(true) < agreement(false);
    assert!(agreement(swap) < 0.1, "gates differ by {}", agreement(swap));
    let (mut found, mut planted_edges) = (0, 0);
    for (k, expert) in truth.experts.iter().enumerate() {
        let learned = edges(mixture.trees()[k ^ usize::from(swap)].parents());
        let planted = edges(&expert.parents);
        planted_edges += planted.len();
        found += planted.iter().filter(|edge| learned.contains(edge)).count();
    }
    assert!(found * 10 >= planted_edges * 9, "{found} of {planted_edges} edges");
}

#[test]
fn experts_are_added_while_they_pay() {
    let (data, _) = photos::sample(1500, 1).unwrap();
    for start in [Start::Boosting, Start::LabelClusters] {
        let params = MixtureParams::default().experts(Experts::Auto).start(start).max_experts(6);
        let (mixture, report) = params.learn(&training(&data), &Silent).unwrap();
        assert!((1..=6).contains(&mixture.trees().len()), "{start:?}");
        assert!(report.notes.iter().any(|note| note.starts_with("chosen on 450 held-out rows")), "{:?}", report.notes);
    }
}

#[test]
fn annealing_never_beats_the_proven_best() {
    let (data, _) = photos::sample(600, 4).unwrap();
    let (mixture, _) = MixtureParams::default().learn(&training(&data), &Silent).unwrap();
    let predict = |inference| mixture.predict(data.features(), inference).unwrap();
    let exact = predict(Inference::default());
    assert!(exact.iter().all(|p| p.certificate.unwrap().certified));
    let value = |p: &arbormix_joint::learner::Prediction| p.log_probability.unwrap();
    for other in [Inference::BestExpert, Inference::Annealing { iterations: 150, seed: 3 }] {
        let others = predict(other);
        assert!(exact.iter().zip(&others).all(|(e, o)| value(e) >= value(o) - 1e-12));
        assert_eq!(others, predict(other), "the same seed gives the same walk");
    }
}

#[test]
fn a_stored_mixture_comes_back_bit_by_bit() {
    let (data, _) = photos::sample(300, 2).unwrap();
    let params = MixtureParams::default().experts(Experts::Count(3));
    let (mixture, _) = params.learn(&training(&data), &Silent).unwrap();
    let back = Mixture::load(&mixture.store()).unwrap();
    let predict = |m: &dyn Predictor| m.predict(data.features(), Inference::default()).unwrap();
    assert_eq!(predict(mixture.as_ref()), predict(&back));
}
