//! `arbormix paper --data FOLDER`.

use std::path::{Path, PathBuf};

use arbormix::registry;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_data::formats::{ReadOptions, label_file, read};
use arbormix_data::splits::Folds;
use arbormix_experiment::paper::{
    DATA, METHODS, OUR_DEFAULT, PaperData, beside_published, markdown, published, published_markdown,
};
use arbormix_experiment::report::{csv, json as report};
use arbormix_experiment::{Contestant, Experiment, PairedTest, Task};
use clap::Args;
use serde_json::json;

use super::runner::{RunArgs, inputs_of, require_outputs, write_text};
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
/// with NAME.arff or NAME.arff.gz and NAME.xml: emotions, image, scene, yeast, enron, rcv1subset1-top10 and so on, or the
/// cache of `arbormix data fetch` (which has emotions, enron, scene and yeast; image comes from its authors, and the
/// RCV1 files are Mulan's rcv1subset1 … reduced to their ten most frequent labels); those that are not there are left
/// out. Every finished (data set, method, fold) is kept in a folder, `arbormix-paper.cells`
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
    #[arg(long, conflicts_with_all = ["csv", "only", "methods", "repaired", "folds", "timings"])]
    published: bool,
    /// Where the tables go [default: the standard output, unless --json wants that]
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
            require_outputs([self.output.as_ref()], &[])?;
            if common.json {
                return print_json(&json!(figures));
            }
            return self.tell(&published_markdown(&figures));
        };
        let methods = self.contestants(common.seed, reporter)?;
        let files = self.files(folder, reporter)?;
        let inputs: Vec<PathBuf> = files.iter().flat_map(|file| file.inputs(self.folds.as_deref())).collect();
        require_outputs([&self.output, &self.csv].map(Option::as_ref), &inputs)?;
        let seed = common.seed.unwrap_or_default();
        let tasks = files.iter().map(|file| self.task(file, seed)).collect::<Result<_, _>>()?;
        let results = self.run.run(Experiment::new(tasks, methods)?, CELLS, reporter)?;
        if let Some(path) = &self.csv {
            write_text(path, &csv(&results, self.timings))?;
        }
        if common.json {
            let reference = results.methods().iter().position(|method| method.name == "mlme").unwrap_or(0);
            let mut all = report(&results, reference, PairedTest::Paired, self.timings);
            all["published"] = json!(beside_published(&results, &figures));
            if let Some(path) = &self.output {
                write_text(path, &markdown(&results, &figures))?;
            }
            return print_json(&all);
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
        let chosen: Vec<&String> = self.methods.iter().flatten().collect();
        if let Some(twice) = (0..chosen.len()).find(|&at| chosen[..at].contains(&chosen[at])) {
            return Err(Failure::Usage(format!("--methods {}: named twice", chosen[twice])));
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

    /// The data files that are there.
    fn files(&self, folder: &Path, reporter: &Reporter) -> Result<Vec<File>, Failure> {
        if let Some(wrong) = self.only.iter().flatten().find(|name| DATA.iter().all(|data| data.name != **name)) {
            let names: Vec<&str> = DATA.iter().map(|data| data.name).collect();
            return Err(Failure::Usage(format!("--only {wrong}: the paper has {}", names.join(", "))));
        }
        let wanted =
            |data: &&PaperData| self.only.as_ref().is_none_or(|names| names.iter().any(|name| name == data.name));
        if let Some(folder) = &self.repaired {
            if !folder.is_dir() {
                return Err(Failure::Usage(format!("--repaired {}: there is no such folder", folder.display())));
            }
            if DATA.iter().filter(wanted).all(|data| data.repaired.is_none()) {
                return Err(Failure::Usage("--repaired is for RCV1, which --only leaves out".to_string()));
            }
        }
        let plain = DATA.iter().filter(wanted).map(|data| (folder, data, data.file));
        let repaired = self.repaired.iter().flat_map(|folder| {
            DATA.iter().filter(wanted).filter_map(move |data| Some((folder.as_path(), data, data.repaired?)))
        });
        let mut files = Vec::new();
        for (folder, data, file) in plain.chain(repaired) {
            match find(folder, file) {
                Some(paths) => files.push(File { paths, name: file, folds: data.folds }),
                None if self.only.is_some() => return Err(lacks(folder, file)),
                None => reporter.note(&lacks(folder, file).to_string()),
            }
        }
        if files.is_empty() {
            return Err(Failure::Work(format!(
                "{}: none of the paper's data sets is there; `arbormix data fetch emotions` fetches one of them",
                folder.display()
            )));
        }
        Ok(files)
    }

    fn task(&self, file: &File, seed: u64) -> Result<Task, Failure> {
        let data = file.read()?;
        let folds = match &self.folds {
            Some(folder) => Folds::from_file(&file.folds_in(folder), data.rows())?,
            None => Folds::shuffled(data.rows(), FOLDS, seed)?,
        };
        Ok(Task { data, folds })
    }
}

/// A data set of the paper where it was found.
struct File {
    /// One file, or its training and its test part.
    paths: Vec<PathBuf>,
    /// Name of the data set.
    name: &'static str,
    /// Name of its fold file, without extension.
    folds: &'static str,
}

impl File {
    fn folds_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.txt", self.folds))
    }

    /// Every file that is read.
    fn inputs(&self, folds: Option<&Path>) -> Vec<PathBuf> {
        let mut inputs: Vec<PathBuf> = self.paths.iter().flat_map(|path| inputs_of(path)).collect();
        inputs.extend(self.xml());
        inputs.extend(folds.map(|folder| self.folds_in(folder)));
        inputs
    }

    /// The label file that two parts share.
    fn xml(&self) -> Option<PathBuf> {
        let whole = |path: &PathBuf| label_file(&path.with_file_name(format!("{}.arff", self.name)));
        self.paths.first().filter(|_| self.paths.len() > 1).map(whole)
    }

    /// The rows of all parts.
    fn read(&self) -> Result<Dataset, Failure> {
        let options = ReadOptions { xml: self.xml(), ..ReadOptions::default() };
        let mut parts = self.paths.iter().map(|path| read(path, &options));
        let first = parts.next().ok_or_else(|| Failure::Work(format!("{}: no file", self.name)))??;
        Ok(parts.try_fold(first, |all, part| all.followed_by(&part?))?.renamed(self.name))
    }
}

/// The file in the folder, or in a folder of its own as `data fetch` leaves it, perhaps in two parts.
fn find(folder: &Path, file: &str) -> Option<Vec<PathBuf>> {
    let own = folder.join(file);
    let whole = [folder, &own]
        .into_iter()
        .flat_map(|place| ["arff", "arff.gz"].map(|end| vec![place.join(format!("{file}.{end}"))]));
    let parts = ["train", "test"].map(|part| own.join(format!("{file}-{part}.arff"))).to_vec();
    whole.chain([parts]).find(|paths| paths.iter().all(|path| path.is_file()))
}

fn lacks(folder: &Path, file: &str) -> Failure {
    Failure::Work(format!("{}: there is no {file}.arff or {file}.arff.gz", folder.display()))
}
