//! Kernels run a fixed number of times on fixed rows, so that their instructions can be counted.
//!
//! Only what happens inside [`measured`] counts: `valgrind --tool=callgrind --toggle-collect=...measured*`. Instructions
//! do not depend on what else the machine does, so a regression shows where seconds are too noisy.

use std::hint::black_box;

use arbormix::registry::{Preset, learner};
use arbormix_base::progress::Silent;
use arbormix_data::Dataset;
use arbormix_data::formats::{Format, LabelSource, ReadOptions, read, write};
use arbormix_joint::learner::TrainingSet;
use arbormix_learn::logistic::{Bias, Design, Problem, SolverParams, solve};
use arbormix_matrix::{Columns, Operator};
use arbormix_model::fit;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::failure::Result;
use crate::generate::Size;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kernel {
    DenseProduct,
    DenseTransposed,
    DenseCurved,
    SparseProduct,
    SparseTransposed,
    SolveDense,
    SolveSparse,
    StructureSearch,
    PredictExact,
    ReadArff,
    ReadLibsvm,
    ReadCsv,
}

/// A kernel by its name.
#[derive(Debug, Args)]
pub(crate) struct KernelArgs {
    #[arg(value_enum, required_unless_present = "list")]
    name: Option<Kernel>,
    /// Print the names
    #[arg(long)]
    list: bool,
}

const DENSE: Size = Size { rows: 600, features: 100, labels: 8, true_experts: 2, non_zeros: None, seed: 1 };
const SPARSE: Size = Size { rows: 1000, features: 2000, labels: 8, true_experts: 2, non_zeros: Some(40), seed: 1 };

pub(crate) fn run(args: &KernelArgs) -> Result<()> {
    let Some(kernel) = args.name else {
        for kernel in Kernel::value_variants() {
            println!("{}", kernel.to_possible_value().map_or(String::new(), |value| value.get_name().to_string()));
        }
        return Ok(());
    };
    // Work of other threads would not be counted.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    let sparse = matches!(kernel, Kernel::SparseProduct | Kernel::SparseTransposed | Kernel::SolveSparse)
        || kernel == Kernel::ReadLibsvm;
    let data = if sparse { SPARSE.sample()? } else { DENSE.sample()? };
    match kernel {
        Kernel::SolveDense | Kernel::SolveSparse => solve_labels(&data),
        Kernel::StructureSearch => search(&data)?,
        Kernel::PredictExact => predict(&data)?,
        Kernel::ReadArff => read_file(&data, "rows.arff", Format::ARFF)?,
        Kernel::ReadLibsvm => read_file(&data, "rows.svm", Format::LIBSVM)?,
        Kernel::ReadCsv => read_file(&data, "rows.csv", Format::CSV)?,
        products => product(products, &data),
    }
    Ok(())
}

/// The part that is counted.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
}

fn product(kernel: Kernel, data: &Dataset) {
    let operator = Operator::new(data.features().clone());
    let block = |rows: usize| {
        let mut out = Columns::zeros(rows, 16);
        out.values_mut().iter_mut().enumerate().for_each(|(at, value)| *value = (at % 17) as f64 / 17.0);
        out
    };
    let (right, left) = (block(data.features().cols()), block(data.rows()));
    let factors: Vec<&[f64]> = (0..left.cols()).map(|column| left.column(column)).collect();
    // The first transposed product of sparse rows makes their columns.
    black_box(operator.transposed_product(&left));
    measured(&mut || match kernel {
        Kernel::DenseCurved => drop(black_box(operator.double().curved_product(&right.all(), &factors))),
        Kernel::DenseTransposed | Kernel::SparseTransposed => drop(black_box(operator.transposed_product(&left))),
        _ => drop(black_box(operator.product(&right))),
    });
}

fn solve_labels(data: &Dataset) {
    let columns: Vec<Vec<bool>> = (0..data.labels().count()).map(|label| data.labels().column(label)).collect();
    let problem = |targets| Problem { targets, weights: None, only: None, cost: 1.0, start: None, coordinates: None };
    let problems: Vec<Problem<'_>> = columns.iter().map(|column| problem(column.as_slice())).collect();
    measured(&mut || {
        let design = Design::new(data.features(), Bias::Penalised);
        drop(black_box(solve(&design.block(None, &[]), &problems, &SolverParams::default(), &Silent)));
    });
}

fn search(data: &Dataset) -> Result<()> {
    let learner = learner("ctbn", Preset::Default, &json!({"logistic": {"costs": [1.0]}}))?;
    let (features, labels, label_names) = (data.features(), data.labels(), data.label_names());
    let set = TrainingSet { features, labels, weights: None, label_names };
    let mut fitted = Ok(());
    measured(&mut || fitted = learner.learn(&set, &Silent).map(|result| drop(black_box(result))));
    Ok(fitted?)
}

fn predict(data: &Dataset) -> Result<()> {
    let set =
        json!({"logistic": {"costs": [1.0]}, "gate": {"penalties": [1.0]}, "experts": 2, "em": {"max_iterations": 3}});
    let model = fit(learner("mlme", Preset::Default, &set)?.as_ref(), data, None, &Silent)?;
    let rows = model.encode(data)?;
    let predictor = model.predictor();
    let mut predicted = Ok(());
    measured(&mut || predicted = predictor.predict(&rows, predictor.inference()).map(|sets| drop(black_box(sets))));
    Ok(predicted?)
}

fn read_file(data: &Dataset, name: &str, format: Format) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("arbormix-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(name);
    write(data, &path, format)?;
    let labels = format!("last:{}", data.labels().count()).parse()?;
    // The other formats say themselves which columns are labels.
    let labels = if format == Format::CSV { labels } else { LabelSource::Auto };
    let options = ReadOptions { labels, ..ReadOptions::default() };
    let mut got = Ok(());
    measured(&mut || got = read(&path, &options).map(|data| drop(black_box(data))));
    std::fs::remove_dir_all(&folder)?;
    Ok(got?)
}
