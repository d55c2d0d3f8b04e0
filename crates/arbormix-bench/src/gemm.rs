//! The share of matrix-multiply peak over a whole dense structure search.
//!
//! Above the line: the multiplications and additions of the products of a CTBN fit with one cost (all edges in three
//! folds, then the tree's own regressions), counted where the products are made; the rotation to principal axes, losses
//! and line searches are not counted, though their time is. Below: faer's matrix product on one thread, for the shapes
//! of these products and for a large square, in turns with the search.

use std::hint::black_box;

use arbormix::registry::{Preset, learner};
use arbormix_base::progress::Silent;
use arbormix_base::random::Stream;
use arbormix_learn::features::FeatureParams;
use arbormix_matrix::{Columns, Matrix, Operator, flops};
use clap::Args;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use serde_json::{Value, json};

use crate::clock;
use crate::failure::Result;
use crate::problem::{Problem, Source};

/// Problems that the solver works on together.
const TOGETHER: usize = 16;
/// Side of the large square.
const SQUARE: usize = 1024;

/// Dense rows.
#[derive(Debug, Args)]
pub(crate) struct GemmArgs {
    #[command(flatten)]
    source: Source,
}

pub(crate) fn run(args: &GemmArgs) -> Result<()> {
    let problem = args.source.problem(&FeatureParams::default())?;
    let Matrix::Dense(dense) = &problem.features else { return Err("the share of peak is of dense rows".into()) };
    // A block of the search holds the training rows of a fold; parents divide them further.
    let rows = dense.rows() * 2 / 3;
    let shape = [rows, dense.cols() + 1, TOGETHER];
    clock::serve(&problem.facts(), || {
        let tall = faer_speed(shape)?;
        let transposed = faer_speed([shape[1], shape[0], TOGETHER])?;
        let square = faer_speed([SQUARE; 3])?;
        let (kernels, search) = (own_kernels(shape)?, structure_search(&problem)?);
        let speed = search["gigaflops"].as_f64().unwrap_or(f64::NAN);
        let mut answer = search;
        answer["peak_comparable"] = json!(tall.max(transposed));
        answer["peak_square"] = json!(square);
        answer["share_of_comparable"] = json!(speed / tall.max(transposed));
        answer["share_of_square"] = json!(speed / square);
        answer["own_kernels"] = kernels;
        Ok(answer)
    })
}

/// Gigaflops of the products within a CTBN fit, per CPU second of the whole fit.
fn structure_search(problem: &Problem) -> Result<Value> {
    let learner = learner("ctbn", Preset::Default, &json!({"logistic": {"costs": [1.0]}}))?;
    let before = flops();
    let (_, seconds) = clock::once(|| Ok(learner.learn(&problem.set(), &Silent)?))?;
    let done = (flops() - before) as f64;
    let mut answer = seconds.json();
    answer["flops"] = json!(done);
    answer["gigaflops"] = json!(done * 1e-9 / seconds.cpu);
    Ok(answer)
}

fn random_matrix(rows: usize, columns: usize) -> Mat<f64> {
    let mut stream = Stream::new(1, "bench-gemm", 0);
    Mat::from_fn(rows, columns, |_, _| stream.uniform())
}

/// Gigaflops of faer's product of an n × m with an m × p matrix on one thread.
fn faer_speed([n, m, p]: [usize; 3]) -> Result<f64> {
    let (left, right) = (random_matrix(n, m), random_matrix(m, p));
    let mut target = Mat::<f64>::zeros(n, p);
    let ((), seconds) = clock::timed(|| {
        matmul(target.as_mut(), Accum::Replace, left.as_ref(), right.as_ref(), 1.0, Par::Seq);
        black_box(&target);
        Ok(())
    })?;
    Ok(2e-9 * (n * m * p) as f64 / seconds.cpu)
}

/// Gigaflops of our kernels alone, by their own count.
fn own_kernels([rows, columns, together]: [usize; 3]) -> Result<Value> {
    let mut stream = Stream::new(1, "bench-kernels", 0);
    let cells = (0..rows * columns).map(|_| stream.uniform()).collect();
    let operator = Operator::new(Matrix::Dense(arbormix_matrix::DenseMatrix::new(rows, columns, cells)));
    let mut filled = |size: usize| {
        let mut out = Columns::zeros(size, together);
        out.values_mut().iter_mut().for_each(|value| *value = stream.uniform());
        out
    };
    let (right, left) = (filled(columns), filled(rows));
    let factors: Vec<&[f64]> = (0..together).map(|p| left.column(p)).collect();
    let mut out = json!({});
    let few = right.to_precision::<f32>();
    let single = operator.single().ok_or("random cells are moderate")?;
    let work: [(&str, &dyn Fn()); 4] = [
        ("product", &|| drop(black_box(operator.product(&right)))),
        ("transposed_product", &|| drop(black_box(operator.transposed_product(&left)))),
        ("curved_product", &|| drop(black_box(operator.double().curved_product(&right.all(), &factors)))),
        // In single precision operations count half.
        ("curved_product_single", &|| drop(black_box(single.curved_product(&few.all(), &factors)))),
    ];
    for (name, run) in work {
        let before = flops();
        let ((), seconds) = clock::timed(|| {
            run();
            Ok(())
        })?;
        let per_run = (flops() - before) as f64 / seconds.repetitions as f64;
        out[name] = json!(per_run * 1e-9 / seconds.cpu);
    }
    Ok(out)
}
