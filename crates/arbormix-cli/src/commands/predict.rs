//! `arbormix predict MODEL DATA`.

mod question;
mod record;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arbormix::data::Dataset;
use arbormix::joint::RowMixture;
use arbormix::joint::Rows;
use arbormix::matrix::Matrix;
use arbormix::progress::Progress;
use arbormix::question::{Event, Known};
use arbormix::{AtomicFile, Inference, Model, Prediction, Result};
use arbormix_model::scoring::in_blocks;
use clap::Args;

use self::question::{Asked, Question};
use self::record::{Answer, gap, header, unwrapped};

use crate::args::{Common, FileArgs};
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
#[command(after_help = "Examples:\n  arbormix predict photos.model photos-test.arff -o predictions.csv\n  \
    arbormix predict photos.model photos-test.arff --json --top 3\n  \
    arbormix predict photos.model photos-test.arff --inference best-expert\n  \
    arbormix predict photos.model photos-test.arff --time-limit 5 --top 3\n  \
    arbormix predict photos.model photos-test.arff --for f1\n  \
    arbormix predict photos.model photos-test.arff --given pet=1,dog=0 --counts")]
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
    #[arg(conflicts_with_all = ["given", "use_known", "rule", "event", "counts", "label_counts", "gate", "pairs", "sample", "mass"])]
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
    /// Also give the best decision for a loss, and its expected value: subset, hamming, f1, fbeta=B, jaccard, rank,
    /// precision@K, recall@K, macro-f1, micro-f1 (both need thresholds: `stack` finds them, others need `fit --thresholds`),
    /// cost=FP:FN, cost=FILE (CSV: label,false_positive,false_negative), abstain=C. F, Jaccard and recall of a row without labels are 1 if none is said
    #[arg(long = "for", value_name = "RULE")]
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
        let questions = self.questions(&model, known.is_some(), common.seed)?;
        // A limit holds for the sets of --top too, which predictors search for in their own way.
        let limited = self.time_limit.is_some() || self.node_limit.is_some() && model.predictor().has_distributions();
        let answers = if !limited && self.needs_no_joint(&model, &questions)? {
            self.predicted(&model, &features, inference, &questions, reporter)?
        } else {
            let limit = if let Inference::Exact { node_limit } = inference { node_limit } else { 0 };
            let names = &model.schema().label_names;
            let mut done = 0;
            in_blocks(&features, Inference::default(), "answering", reporter, |some| {
                let first = done;
                done += some.rows();
                let answer = |row: usize, mixture: &RowMixture<'_>| {
                    let known = known.as_ref().map(|rows| &rows[first + row]);
                    self.asked(first + row, mixture, known, &questions, names, limit)
                };
                Rows::of(model.predictor(), some)?.ask(answer).into_iter().collect()
            })?
        };
        self.note_unproven(&answers, reporter);
        reporter.finish();
        let write = |out: &mut dyn Write| self.write(out, common.json, &model, &questions, &answers);
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

    fn questions(&self, model: &Model, known: bool, seed: Option<u64>) -> Result<Vec<Question>, Failure> {
        let mut out = Vec::new();
        out.extend(known.then_some(Question::Known));
        let rule = self.rule.as_ref().map(|text| model.rule(text)).transpose()?;
        out.extend(rule.map(Question::Rule));
        for text in &self.event {
            let event = Event::parse(text, &model.schema().label_names).map_err(arbormix::Error::from)?;
            out.push(Question::Event(text.clone(), event));
        }
        out.extend(self.counts.then_some(Question::Counts));
        out.extend(self.label_counts.then_some(Question::LabelCounts));
        out.extend(self.gate.then_some(Question::Gate));
        out.extend(self.pairs.then_some(Question::Pairs));
        out.extend(self.sample.map(|count| Question::Sample { count, seed: seed.unwrap_or_default() }));
        out.extend(self.mass.map(Question::Mass));
        Ok(out)
    }

    /// The predictor's own answers.
    fn predicted(
        &self,
        model: &Model,
        features: &Matrix,
        inference: Inference,
        questions: &[Question],
        reporter: &Reporter,
    ) -> Result<Vec<Answer>> {
        let predictor = model.predictor();
        let work = |some: &_| predictor.predict_with_marginals(some, inference);
        let predictions = in_blocks(features, inference, "predicting", reporter, work)?;
        let top = match self.top {
            0 => vec![Vec::new(); features.rows()],
            count => {
                let work = |some: &_| predictor.top_predictions(some, count);
                in_blocks(features, Inference::default(), "searching the best sets", reporter, work)?
            }
        };
        // Of few labels there may be fewer sets than asked for.
        let sets = 1_usize.checked_shl(predictor.label_count() as u32).unwrap_or(usize::MAX);
        let short = top.iter().filter(|listed| listed.len() < self.top.min(sets)).count();
        if short > 0 {
            reporter.note(&format!(
                "{short} rows list fewer than {} sets: the search reached its node limit before it had proven more",
                self.top
            ));
        }
        let answer = |((prediction, marginals), top): ((Prediction, Vec<f64>), Vec<Prediction>)| {
            let decided = |question: &Question| question.by_marginals(&marginals, &model.schema().label_names);
            let more = questions.iter().filter_map(|question| decided(question).transpose()).collect::<Result<_>>()?;
            Ok(Answer { prediction, marginals, top, more })
        };
        predictions.into_iter().zip(top).map(answer).collect()
    }

    /// Whether the method's own predictions and marginals answer everything: always without questions, and for rules that
    /// rest on the marginals where there is no joint distribution to ask.
    fn needs_no_joint(&self, model: &Model, questions: &[Question]) -> Result<bool> {
        if questions.is_empty() || model.predictor().has_distributions() {
            return Ok(questions.is_empty());
        }
        let (names, unknown) = (&model.schema().label_names, vec![0.5; model.predictor().label_count()]);
        let answered: Vec<bool> = questions
            .iter()
            .map(|question| Ok(question.by_marginals(&unknown, names)?.is_some()))
            .collect::<Result<_>>()?;
        Ok(answered.iter().all(|&answered| answered))
    }

    /// Says how many rows a limit left without a proof.
    fn note_unproven(&self, answers: &[Answer], reporter: &Reporter) {
        let open: Vec<f64> =
            answers.iter().filter_map(|answer| gap(&answer.prediction)).filter(|&gap| gap > 0.0).collect();
        if !open.is_empty() {
            let (rows, all) = (open.len(), answers.len());
            let most = 100.0 * open.iter().copied().fold(0.0, f64::max);
            let what = format!("{rows} of {all} rows reached the limit before their set was proven");
            reporter.note(&format!("{what}; no other set is more than {most:.3} % more probable"));
        }
    }

    /// A row's answers from its joint distribution.
    fn asked(
        &self,
        row: usize,
        mixture: &RowMixture<'_>,
        known: Option<&Known>,
        questions: &[Question],
        names: &[String],
        node_limit: usize,
    ) -> Result<Answer> {
        let given = known.map(|known| mixture.given(known)).transpose()?;
        let log_known = given.as_ref().map_or(0.0, |given| given.log_probability);
        let mixture = given.as_ref().map_or(mixture, |given| &given.mixture);
        let time = self.time_limit.map(Duration::from_millis);
        let (best, top) = match time {
            Some(time) => (mixture.map_within(time), mixture.ranked_sets_within(self.top, time)),
            None => (mixture.map(node_limit), mixture.ranked_sets(self.top, node_limit)),
        };
        let asked = Asked { row, mixture, log_known, names, best: &best, time };
        Ok(Answer {
            marginals: mixture.marginals(),
            top: top.into_iter().map(Prediction::from).collect(),
            more: questions.iter().map(|question| question.answer(&asked)).collect::<Result<_>>()?,
            prediction: best.into(),
        })
    }

    fn write(
        &self,
        out: &mut dyn Write,
        as_json: bool,
        model: &Model,
        questions: &[Question],
        answers: &[Answer],
    ) -> std::io::Result<()> {
        let names = &model.schema().label_names;
        let mut answers = answers.iter().enumerate();
        if as_json {
            return answers.try_for_each(|(row, answer)| writeln!(out, "{}", answer.to_json(row, names, questions)));
        }
        let mut csv = csv::Writer::from_writer(out);
        let more = questions.iter().flat_map(|question| question.header(names));
        csv.write_record(header(names, self.top).into_iter().chain(more)).map_err(unwrapped)?;
        for (row, answer) in answers {
            csv.write_record(answer.to_record(row, names, self.top)).map_err(unwrapped)?;
        }
        csv.flush()
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a probability from 0 to 1".to_string()),
    }
}
