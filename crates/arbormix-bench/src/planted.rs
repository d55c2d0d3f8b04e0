//! One fit to planted rows, with its time and its largest memory: a point of a growth curve, or the large problem.

use std::io::Write;
use std::time::Instant;

use arbormix::registry::{Preset, learner};
use arbormix_base::progress::{Progress, Silent};
use arbormix_joint::learner::TrainingSet;
use arbormix_learn::features::FeatureMap;
use arbormix_matrix::Matrix;
use arbormix_model::model::{Model, Schema};
use clap::Args;
use serde_json::{Value, json};

use crate::clock;
use crate::failure::Result;
use crate::generate::Size;

/// A method and the size of its problem.
#[derive(Debug, Args)]
pub(crate) struct PlantedArgs {
    /// Name of the method
    method: String,
    #[command(flatten)]
    size: Size,
    /// Parameters to set, as a JSON object laid over the defaults
    #[arg(long, default_value = "{}")]
    set: Value,
    /// Say on standard error which stage begins when
    #[arg(long)]
    verbose: bool,
}

/// Stages as they begin, for long runs.
struct Stages(Instant);

impl Progress for Stages {
    fn begin(&self, stage: &str, steps: usize) {
        eprintln!("{:8.1} s  {stage} ({steps} steps)", self.0.elapsed().as_secs_f64());
        let _ = std::io::stderr().flush();
    }

    fn note(&self, message: &str) {
        eprintln!("            {message}");
    }
}

pub(crate) fn run(args: &PlantedArgs) -> Result<()> {
    let learner = learner(&args.method, Preset::Default, &args.set)?;
    let data = args.size.sample()?;
    let map = FeatureMap::fit(&data, learner.features())?;
    // The raw rows stay, as in a user's program.
    let features = map.encode(&data)?;
    let (labels, names) = (data.labels().clone(), data.label_names().to_vec());
    let data_bytes = bytes_of(&features) + labels.rows() * labels.count().div_ceil(8);
    let set = TrainingSet { features: &features, labels: &labels, weights: None, label_names: &names };
    clock::forget_peak();
    let resident = clock::resident_bytes();
    let progress: &dyn Progress = if args.verbose { &Stages(Instant::now()) } else { &Silent };
    let ((predictor, report), seconds) = clock::once(|| Ok(learner.learn(&set, progress)?))?;
    let peak = clock::peak_bytes();
    let schema = Schema { label_names: names.clone(), trained_on: "planted".to_string(), rows: features.rows() };
    let iterations = report.trace.len();
    let model = Model::new(schema, map, learner.params(), predictor, report);
    let model_bytes = model.to_bytes()?.len();
    let mut answer = seconds.json();
    answer["peak_bytes"] = json!(peak);
    answer["resident_bytes_before"] = json!(resident);
    answer["data_bytes"] = json!(data_bytes);
    answer["model_bytes"] = json!(model_bytes);
    answer["memory_ratio"] = json!(peak.map(|peak| peak as f64 / (data_bytes + model_bytes) as f64));
    answer["em_steps"] = json!(iterations);
    answer["params"] = learner.params();
    println!("{answer}");
    Ok(())
}

/// What the cells take as they are stored.
fn bytes_of(features: &Matrix) -> usize {
    match features {
        Matrix::Dense(dense) => size_of_val(dense.values()),
        Matrix::Sparse(sparse) => {
            sparse.stored() * (size_of::<f64>() + size_of::<u32>()) + (sparse.rows() + 1) * size_of::<usize>()
        }
    }
}
