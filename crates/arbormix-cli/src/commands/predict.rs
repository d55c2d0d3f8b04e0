//! `arbormix predict MODEL DATA`.

mod asked;
mod record;

use std::io::Write;
use std::path::{Path, PathBuf};

use arbormix::{Inference, Model, Result};
use arbormix_base::files::AtomicFile;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_joint::question::Known;
use arbormix_matrix::Matrix;
use arbormix_model::Needs;
use arbormix_model::ask::{About, Answer, Asked, Asking};
use arbormix_model::decide::RULES;
use arbormix_model::scoring::in_blocks;
use clap::Args;

use self::record::{gap, header, to_json, to_record, unwrapped};

use crate::args::{Common, FileArgs};
use crate::commands::questions;
use crate::failure::Failure;
use crate::output::{require_output, stdout};
use crate::overrides;
use crate::progress::Reporter;

/// Predict the label sets of a data file's rows
///
/// Writes CSV, or JSON lines with --json. For each row: the label set, its probability, whether it is proven to be
/// the most probable one (with the bound no other set can exceed, the gap between the two as a share of the
/// probability, and the search nodes it took), and the marginal probability of every label. In CSV the names of a set are
/// joined by `;` (a `;` or `\` in a name gets a `\` before it).
///
/// The options from --given on ask more of the joint distribution; with any of them the most probable set is searched
/// for exactly.
#[derive(Debug, Args)]
#[command(after_help = format!("Questions for --ask (`arbormix questions` has their arguments):\n{}\n\
    Examples:\n  arbormix predict photos.model photos-test.arff -o predictions.csv\n  \
    arbormix predict photos.model photos-test.arff --json --top 3\n  \
    arbormix predict photos.model photos-test.arff --inference best-expert\n  \
    arbormix predict photos.model photos-test.arff --time-limit 5 --top 3\n  \
    arbormix predict photos.model photos-test.arff --for f1\n  \
    arbormix predict photos.model photos-test.arff --given pet=1,dog=0 --counts\n  \
    arbormix predict photos.model photos-test.arff --json --ask samples:count=3,seed=7", questions::summary()))]
pub(crate) struct Predict {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The data file; its columns are matched to the model's by name, and labels need not be there
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Where the predictions go; `-` is the standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Also give the K most probable label sets of each row, each with what is proven (that no set which is not listed
    /// before it has more than its bound), and the probability that they cover together
    #[arg(long, value_name = "K", default_value_t = 0)]
    top: usize,
    /// How the most probable set is searched for [default: as the model was fitted]
    #[arg(long, value_name = "HOW", value_parser = ["exact", "best-expert", "annealing"])]
    #[arg(conflicts_with_all = ["given", "use_known", "rule", "event", "counts", "label_counts", "gate", "pairs", "sample", "mass", "ask"])]
    inference: Option<String>,
    /// Search at most MS milliseconds for a row's most probable set, and as long again for those of --top and of --mass;
    /// where that is not enough, the gap says how much is left open. What is found in a time depends on the machine
    #[arg(long, value_name = "MS", conflicts_with = "inference")]
    time_limit: Option<u64>,
    /// Look at N nodes at most in a search (0: no limit); the same on every machine [default: as the model was fitted]
    #[arg(long, value_name = "N", conflicts_with_all = ["inference", "time_limit"])]
    node_limit: Option<usize>,
    #[command(flatten)]
    how: FileArgs,
    /// Labels that are already known, `cat=1,dog=0`: everything is answered given these
    #[arg(long, value_name = "LABELS")]
    given: Option<String>,
    /// Take the labels that the data file holds as known; where --given says otherwise, that counts
    #[arg(long)]
    use_known: bool,
    // Its help is made of the rules' declarations.
    #[arg(long = "for", value_name = "RULE", help = rule_help())]
    rule: Option<String>,
    /// Also give the probability of an event, `cat & !pet | dog`; may be given several times
    #[arg(long, value_name = "EXPRESSION")]
    event: Vec<String>,
    /// Also give the distribution of the number of labels
    #[arg(long)]
    counts: bool,
    /// Also give, for every label, the probability that it is present and so many labels are
    #[arg(long)]
    label_counts: bool,
    /// Also give the weights of the experts: the gate's, or, given known labels, how far each is responsible for them
    #[arg(long)]
    gate: bool,
    /// Also give the probability of every pair of labels
    #[arg(long)]
    pairs: bool,
    /// Also draw N label sets of each row at random (see --seed)
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Also list the most probable sets that together have this probability, at most 1000 (and within --time-limit)
    #[arg(long, value_name = "P", value_parser = share)]
    mass: Option<f64>,
    /// Also answer a question by its name, `samples:count=3,seed=7`; may be given several times
    #[arg(long, value_name = "NAME[:ARGUMENT=VALUE,...]")]
    ask: Vec<String>,
}

impl Predict {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        require_output(&self.output, &[&self.model, &self.data])?;
        let model = arbormix::load(&self.model)?;
        let inference = match self.node_limit {
            Some(node_limit) => {
                overrides::chosen_inference(Some("exact"), &model, None).map_err(|_| {
                    Failure::Usage(format!("--node-limit: {} searches for nothing; leave it out", model.method()))
                })?;
                Inference::Exact { node_limit }
            }
            None => overrides::chosen_inference(self.inference.as_deref(), &model, common.seed)?,
        };
        let data = self.how.read_for(&self.data, &model, reporter)?;
        let features = model.encode(&data)?;
        let known = self.known(&model, &data)?;
        let asking = Asking { model: &model, features: features.as_ref(), known: known.as_deref() };
        let extra = self.extra(known.is_some())?;
        // A limit holds for the sets of --top too, which predictors search for in their own way.
        let has_joint = model.predictor().has_distributions();
        let limited = self.time_limit.is_some() || self.node_limit.is_some() && has_joint;
        // With questions everything is answered from the joint distribution, if there is one.
        let node_limit = (has_joint && (limited || !extra.is_empty())).then_some(match inference {
            Inference::Exact { node_limit } => node_limit,
            _ => 0,
        });
        let asked = self.asked(&About::from(&model), extra, node_limit, common.seed)?;
        let from_joint =
            limited || node_limit.is_some() || asked[1..].iter().any(|asked| asked.needs() == Needs::Joint);
        let answers = if from_joint {
            let mut answers = Vec::with_capacity(data.rows());
            asking.from_joint(&asked, reporter, &mut |row| answers.push(row))?;
            answers
        } else {
            self.predicted(&asking, inference, &asked, reporter)?
        };
        self.note_unproven(&answers, reporter);
        reporter.finish();
        let write = |out: &mut dyn Write| self.write(out, common.json, &model, &asked, &answers);
        if self.output == Path::new("-") {
            let mut out = stdout();
            write(&mut out)?;
            out.flush()?;
        } else {
            let mut out = AtomicFile::create(&self.output)?;
            write(&mut out).map_err(arbormix::Error::io(&self.output))?;
            out.commit()?;
        }
        Ok(())
    }

    /// What is known of each row, if anything may be.
    fn known(&self, model: &Model, data: &Dataset) -> Result<Option<Vec<Known>>, Failure> {
        if self.given.is_none() && !self.use_known {
            return Ok(None);
        }
        let names = &model.schema().label_names;
        let given = match &self.given {
            Some(text) => Known::parse(text, names).map_err(arbormix::Error::from)?,
            None => Known::nothing(names.len()),
        };
        if !self.use_known {
            return Ok(Some(vec![given; data.rows()]));
        }
        let known = model.known(data);
        if known.iter().all(Known::is_nothing) {
            return Err(Failure::Work("--use-known: the data file holds no label of the model".to_string()));
        }
        // What the command line says stands above what the file says.
        Ok(Some(known.into_iter().map(|known| known.and(&given)).collect()))
    }

    /// The method's own predictions, and its answers to questions that need no joint distribution.
    fn predicted(
        &self,
        asking: &Asking<'_>,
        inference: Inference,
        asked: &[Asked],
        reporter: &Reporter,
    ) -> Result<Vec<Vec<Answer>>> {
        let predictor = asking.model.predictor();
        let work = |_, some: &Matrix| predictor.predict_with_marginals(some, inference);
        let (predictions, marginals): (Vec<_>, Vec<_>) =
            in_blocks(asking.features, inference, "predicting", reporter, work)?.into_iter().unzip();
        let base = |(prediction, marginals): (_, &Vec<f64>)| {
            vec![Answer::Best(prediction), Answer::PerLabel(marginals.clone())]
        };
        let mut answers: Vec<Vec<Answer>> = predictions.into_iter().zip(&marginals).map(base).collect();
        for asked in &asked[2..] {
            let stage = if asked.name() == "top" { "searching the best sets" } else { "answering" };
            let mut rows = answers.iter_mut();
            let mut take = |answer: Answer| {
                if let Some(row) = rows.next() {
                    row.push(answer);
                }
            };
            asking.by_method(asked, Some(&marginals), stage, reporter, &mut take)?;
        }
        self.note_short(&answers, predictor.label_count(), reporter);
        Ok(answers)
    }

    /// Says how many rows list fewer sets than asked for.
    fn note_short(&self, answers: &[Vec<Answer>], labels: usize, reporter: &Reporter) {
        // Of few labels there may be fewer sets than asked for.
        let possible = 1_usize.checked_shl(labels as u32).unwrap_or(usize::MAX);
        let wanted = |answer: &Answer| match answer {
            Answer::Ranked { sets, count } if sets.len() < possible.min(*count) => Some(*count),
            _ => None,
        };
        let short: Vec<usize> = answers.iter().filter_map(|row| row.iter().find_map(wanted)).collect();
        if let Some(count) = short.first() {
            let what = format!("{} rows list fewer than {count} sets", short.len());
            reporter.note(&format!("{what}: the search reached its node limit before it had proven more"));
        }
    }

    /// Says how many rows a limit left without a proof.
    fn note_unproven(&self, answers: &[Vec<Answer>], reporter: &Reporter) {
        let open: Vec<f64> = answers.iter().filter_map(|row| gap(row)).filter(|&gap| gap > 0.0).collect();
        if !open.is_empty() {
            let (rows, all) = (open.len(), answers.len());
            let most = 100.0 * open.iter().copied().fold(0.0, f64::max);
            let what = format!("{rows} of {all} rows reached the limit before their set was proven");
            reporter.note(&format!("{what}; no other set is more than {most:.3} % more probable"));
        }
    }

    fn write(
        &self,
        out: &mut dyn Write,
        as_json: bool,
        model: &Model,
        asked: &[Asked],
        answers: &[Vec<Answer>],
    ) -> std::io::Result<()> {
        let names = &model.schema().label_names;
        let mut answers = answers.iter().enumerate();
        if as_json {
            return answers.try_for_each(|(row, answers)| writeln!(out, "{}", to_json(row, names, asked, answers)));
        }
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(header(names, asked)).map_err(unwrapped)?;
        for (row, answers) in answers {
            csv.write_record(to_record(row, names, answers)).map_err(unwrapped)?;
        }
        csv.flush()
    }
}

/// The rules as they are declared.
fn rule_help() -> String {
    let rules: Vec<String> = RULES.iter().map(|form| format!("{}: {}", form.written, form.meaning)).collect();
    let needed = "macro-f1 and micro-f1 need thresholds: `stack` finds them, others need `fit --thresholds`.";
    format!("Also give the best decision for a loss, and its expected value. {} {needed}", rules.join(" "))
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a probability from 0 to 1".to_string()),
    }
}
