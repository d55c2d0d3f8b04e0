//! `arbormix inspect MODEL`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arbormix::Model;
use arbormix_joint::learner::TraceStep;
use clap::Args;
use serde_json::json;

use super::fit::features_of;
use crate::args::{Common, FileArgs};
use crate::drawing;
use crate::failure::Failure;
use crate::output::{fixed, flatten, plain, print, print_json, table};
use crate::progress::Reporter;

/// Show what a model file holds: sizes, parameters, trees, gate, the course of training
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix inspect photos.model\n  arbormix inspect photos.model --dot\n  \
    arbormix inspect three.model --gate-on photos-test.arff")]
pub(crate) struct Inspect {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Print the trees as a DOT graph and nothing else
    #[arg(long)]
    dot: bool,
    /// Show how the gate shares the rows of this data file among the experts
    #[arg(long, value_name = "DATA")]
    gate_on: Option<PathBuf>,
    #[command(flatten)]
    how: FileArgs,
}

impl Inspect {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let model = arbormix::load(&self.model)?;
        let names = &model.schema().label_names;
        let trees = model.predictor().trees();
        if self.dot {
            if common.json {
                return Err(Failure::Usage("--dot gives DOT, not JSON; leave one of --dot and --json out".to_string()));
            }
            return print(&drawing::dot(&model.schema().trained_on, &trees, names));
        }
        let gate = self.gate(&model, reporter)?;
        if common.json {
            let parents: Vec<_> = trees.iter().map(|tree| tree.parents()).collect();
            return print_json(&json!({
                "method": model.method(),
                "schema": model.schema(),
                "params": model.params(),
                "columns": model.features().columns().len(),
                "features": model.predictor().feature_count(),
                "joint": model.predictor().joint(),
                "trees": parents,
                "gate": gate,
                "tensors": tensors(&model).into_iter().collect::<BTreeMap<_, _>>(),
                "thresholds": model.thresholds(),
                "choice": model.choice(),
                "report": model.report(),
            }));
        }
        print(&overview(&model))?;
        for (number, tree) in trees.iter().enumerate() {
            let share = gate.as_ref().map(|shares| format!(", gate {:.1} %", 100.0 * shares[number]));
            let title = format!("\ntree {} of {}{}\n", number + 1, trees.len(), share.unwrap_or_default());
            print(&(title + &drawing::text(tree, names)))?;
        }
        print(&trace(&model.report().trace))
    }

    /// Mean weight of each expert over the rows of `--gate-on`.
    fn gate(&self, model: &Model, reporter: &Reporter) -> Result<Option<Vec<f64>>, Failure> {
        let Some(path) = &self.gate_on else {
            return Ok(None);
        };
        let data = self.how.read_for(path, model, reporter)?;
        let Some(weights) = model.predictor().gate(model.encode(&data)?.as_ref()) else {
            return Err(Failure::Usage(format!("--gate-on: {} has no gate; leave it out", model.method())));
        };
        let mean =
            |expert| (0..weights.rows()).map(|row| weights.get(row, expert)).sum::<f64>() / weights.rows() as f64;
        Ok(Some((0..weights.cols()).map(mean).collect()))
    }
}

/// Name and shape of everything that was learned.
fn tensors(model: &Model) -> Vec<(String, Vec<usize>)> {
    model.predictor().store().tensors.into_iter().map(|(name, tensor)| (name, tensor.shape)).collect()
}

/// Tensors that differ only in a number in their names, such as an expert's, with how many there are of each shape.
fn families(model: &Model) -> BTreeMap<(String, Vec<usize>), usize> {
    let mut out = BTreeMap::new();
    for (name, shape) in tensors(model) {
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = name.split('.').map(|part| if is_number(part) { "*" } else { part }).collect();
        *out.entry((parts.join("."), shape)).or_default() += 1;
    }
    out
}

fn overview(model: &Model) -> String {
    let (schema, report) = (model.schema(), model.report());
    let numbers: usize = tensors(model).iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
    let mut out = String::new();
    let mut line = |name: &str, value: String| out.push_str(&format!("{name:<12} {value}\n"));
    line("method", model.method().to_string());
    line("trained on", format!("{} ({} rows)", schema.trained_on, schema.rows));
    line("features", features_of(model));
    line("labels", format!("{}: {}", schema.label_names.len(), schema.label_names.join(", ")));
    // A stacked mixture's one tree is shared by many experts.
    let (trees, experts) = (model.predictor().trees().len(), model.predictor().experts().len());
    if trees > 0 {
        line(if experts > 0 { "experts" } else { "trees" }, trees.to_string());
    }
    line("joint", model.predictor().joint().describe().to_string());
    line("numbers", numbers.to_string());
    line("converged", if report.converged { "yes" } else { "no" }.to_string());
    for thresholds in model.thresholds() {
        let (reached, rows) = (fixed(thresholds.reached), thresholds.rows);
        line(
            thresholds.measure.word(),
            format!("thresholds reach {reached} on the {rows} unseen rows they were fitted to"),
        );
    }
    model.features().notes().iter().chain(&report.notes).for_each(|note| line("note", note.clone()));
    out.push('\n');
    let params = flatten(model.params()).into_iter().map(|(name, value)| vec![name, plain(&value)]);
    out.push_str(&table(&["parameter", "value"], 2, params));
    let by_shape = |shape: &[usize]| shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    let sizes =
        families(model).into_iter().map(|((name, shape), count)| vec![name, count.to_string(), by_shape(&shape)]);
    out.push('\n');
    out.push_str(&table(&["tensor", "number", "shape"], 1, sizes.collect::<Vec<_>>()));
    out
}

fn trace(steps: &[TraceStep]) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let rows = steps.iter().map(|step| {
        vec![
            step.experts.to_string(),
            step.iteration.to_string(),
            fixed(step.log_likelihood),
            fixed(step.penalised),
            step.validation.map(fixed).unwrap_or_default(),
        ]
    });
    format!("\n{}", table(&["experts", "iteration", "log-likelihood", "penalised", "validation"], 0, rows))
}
