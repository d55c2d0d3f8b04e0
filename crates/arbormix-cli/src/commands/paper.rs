//! `arbormix paper --data FOLDER`.

use std::path::{Path, PathBuf};

use arbormix::data::formats::{ReadOptions, read};
use arbormix::data::splits::Folds;
use arbormix::experiment::paper::{DATA, METHODS, OUR_DEFAULT, PaperData, markdown, published, published_markdown};
use arbormix::experiment::report::{csv, json};
use arbormix::experiment::{Contestant, Experiment, PairedTest, Task};
use arbormix::progress::Progress;
use arbormix::registry;
use clap::Args;

use super::runner::{RunArgs, require_outputs, write_text};
use crate::args::Common;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::overrides::LearnerArgs;
use crate::progress::Reporter;

/// Where finished cells go.
const CELLS: &str = "arbormix-paper.cells";
/// Folds of the paper.
const FOLDS: usize = 10;

/// Reproduce the tables of the ML-ME paper, with the published figures beside ours
///
/// Every method with the paper's settings, and ML-ME with our defaults, on the paper's ten data sets. --data is a folder
/// with NAME.arff or NAME.arff.gz and NAME.xml: emotions, image, scene, yeast, enron, rcv1subset1-top10 and so on; those
/// that are not there are left out. Every finished (data set, method, fold) is kept in a folder, `arbormix-paper.cells`
/// unless --checkpoint names another: killed at any moment and started again, the work goes on. The tables are Markdown.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  arbormix paper --published\n\nThe whole experiment, which takes hours:\n  \
    arbormix paper --data data --folds folds -o paper.md --csv paper.csv")]
pub(crate) struct Paper {
    /// Folder with the data files
    #[arg(long, value_name = "FOLDER", required_unless_present = "published")]
    data: Option<PathBuf>,
    /// Folder with the fold of each row, in emotions.txt … rcv1subset5.txt [default: ten folds by --seed]
    #[arg(long, value_name = "FOLDER")]
    folds: Option<PathBuf>,
    /// Folder with rcv1subset1-repaired-top10 … : RCV1 without the defect of the public files, reported beside
    #[arg(long, value_name = "FOLDER")]
    repaired: Option<PathBuf>,
    /// Only these data sets, by their names in the paper, separated by commas: emotions … rcv1.sub5
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Only these methods, separated by commas; `mlme@default` is ML-ME with our defaults
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Option<Vec<String>>,
    /// Only show the published tables
    #[arg(long)]
    published: bool,
    /// Where the tables go [default: the standard output]
    #[arg(long, short, value_name = "FILE.md")]
    output: Option<PathBuf>,
    /// Also write one line per cell with all measures
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Add seconds of fitting and testing to CSV and JSON; they differ from run to run
    #[arg(long)]
    timings: bool,
    #[command(flatten)]
    run: RunArgs,
}

impl Paper {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let figures = published()?;
        let Some(folder) = self.data.as_deref().filter(|_| !self.published) else {
            return self.tell(&published_markdown(&figures));
        };
        let methods = self.contestants(common.seed, reporter)?;
        require_outputs([&self.output, &self.csv].map(Option::as_ref), &[])?;
        let tasks = self.tasks(folder, common.seed.unwrap_or_default(), reporter)?;
        let results = self.run.run(Experiment::new(tasks, methods)?, CELLS, reporter)?;
        if let Some(path) = &self.csv {
            write_text(path, &csv(&results, self.timings))?;
        }
        if common.json {
            let reference = results.methods().iter().position(|method| method.name == "mlme").unwrap_or(0);
            return print_json(&json(&results, reference, PairedTest::Paired, self.timings));
        }
        self.tell(&markdown(&results, &figures))
    }

    fn tell(&self, text: &str) -> Result<(), Failure> {
        match &self.output {
            Some(path) => write_text(path, text),
            None => print(text),
        }
    }

    /// The paper's methods in its order, then our default; a method that does not exist yet is an empty column.
    fn contestants(&self, seed: Option<u64>, reporter: &Reporter) -> Result<Vec<Contestant>, Failure> {
        let known: Vec<&str> = METHODS.iter().map(|(name, _)| *name).chain([OUR_DEFAULT]).collect();
        if let Some(wrong) = self.methods.iter().flatten().find(|name| !known.contains(&name.as_str())) {
            return Err(Failure::Usage(format!("--methods {wrong}: the paper has {}", known.join(", "))));
        }
        let wanted = |name: &&str| self.methods.as_ref().is_none_or(|names| names.iter().any(|other| other == name));
        let mut names = Vec::new();
        for name in known.into_iter().filter(wanted) {
            if name == OUR_DEFAULT || registry::method(name).is_ok() {
                names.push(name.to_string());
            } else {
                reporter.note(&format!("this version has no {name}: its column stays empty"));
            }
        }
        let learners = LearnerArgs::paper().learners(&names, seed)?;
        Ok(names.into_iter().zip(learners).map(|(name, learner)| Contestant { name, learner }).collect())
    }

    fn tasks(&self, folder: &Path, seed: u64, reporter: &Reporter) -> Result<Vec<Task>, Failure> {
        if let Some(wrong) = self.only.iter().flatten().find(|name| DATA.iter().all(|data| data.name != **name)) {
            let names: Vec<&str> = DATA.iter().map(|data| data.name).collect();
            return Err(Failure::Usage(format!("--only {wrong}: the paper has {}", names.join(", "))));
        }
        let wanted =
            |data: &&PaperData| self.only.as_ref().is_none_or(|names| names.iter().any(|name| name == data.name));
        let plain = DATA.iter().filter(wanted).map(|data| (folder, data, data.file));
        let repaired = self.repaired.iter().flat_map(|folder| {
            DATA.iter().filter(wanted).filter_map(move |data| Some((folder.as_path(), data, data.repaired?)))
        });
        let mut tasks = Vec::new();
        for (folder, data, file) in plain.chain(repaired) {
            match find(folder, file) {
                Some(path) => tasks.push(self.task(&path, data, seed)?),
                None if self.only.is_some() => return Err(lacks(folder, file)),
                None => reporter.note(&lacks(folder, file).to_string()),
            }
        }
        if tasks.is_empty() {
            return Err(Failure::Work(format!("{}: none of the paper's data sets is there", folder.display())));
        }
        Ok(tasks)
    }

    fn task(&self, path: &Path, names: &PaperData, seed: u64) -> Result<Task, Failure> {
        let data = read(path, &ReadOptions::default())?;
        let folds = match &self.folds {
            Some(folder) => Folds::from_file(&folder.join(format!("{}.txt", names.folds)), data.rows())?,
            None => Folds::shuffled(data.rows(), FOLDS, seed)?,
        };
        Ok(Task { data, folds })
    }
}

fn find(folder: &Path, file: &str) -> Option<PathBuf> {
    ["arff", "arff.gz"].iter().map(|end| folder.join(format!("{file}.{end}"))).find(|path| path.is_file())
}

fn lacks(folder: &Path, file: &str) -> Failure {
    Failure::Work(format!("{}: there is no {file}.arff or {file}.arff.gz", folder.display()))
}
