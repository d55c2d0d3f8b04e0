//! `arbormix data list` and `arbormix data fetch NAME`.

mod catalogue;
mod download;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use self::catalogue::{Catalogue, DataSet};
use self::download::Downloader;
use crate::args::Common;
use crate::failure::Failure;
use crate::output::{print, print_json, table};
use crate::progress::Reporter;

/// List public data sets, and fetch them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix data list")]
pub(crate) struct Data {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    List(List),
    Fetch(Fetch),
}

/// List the data sets that can be fetched
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    which: CatalogueArgs,
}

/// Fetch a data set into a cache folder
///
/// Files that are there already are only checked. A download that broke off goes on where it stopped; a file whose
/// SHA-256 is not the catalogue's never gets its name.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix data fetch emotions\n  arbormix data fetch scene --cache data")]
struct Fetch {
    /// Name of the data set; `arbormix data list` shows them
    #[arg(value_name = "NAME")]
    name: String,
    /// Folder for the data sets, made if needed; each gets a folder inside [default: $ARBORMIX_CACHE, or `arbormix` in the
    /// user's folder for caches]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Where to fetch from instead of the catalogue's address: a mirror with the same paths
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    #[command(flatten)]
    which: CatalogueArgs,
}

#[derive(Debug, Args)]
struct CatalogueArgs {
    /// A catalogue of your own, in the form that `data list --json` prints [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    catalogue: Option<PathBuf>,
}

impl CatalogueArgs {
    fn load(&self) -> Result<Catalogue, Failure> {
        self.catalogue.as_deref().map_or_else(Catalogue::built_in, Catalogue::read)
    }
}

impl Data {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        match &self.command {
            DataCommand::List(list) => list.run(common),
            DataCommand::Fetch(fetch) => fetch.run(common, reporter),
        }
    }
}

impl List {
    fn run(&self, common: &Common) -> Result<(), Failure> {
        let catalogue = self.which.load()?;
        if common.json {
            return print_json(&json!(catalogue));
        }
        let row = |set: &DataSet| {
            let numbers = [set.rows, set.features, set.labels].map(|number| number.to_string());
            [set.name.clone(), set.about.clone(), set.source.clone()].into_iter().chain(numbers).collect()
        };
        let header = ["name", "labels are", "source", "rows", "features", "labels"];
        print(&table(&header, 3, catalogue.sets.iter().map(row).collect::<Vec<_>>()))?;
        print(&format!("{}\nFiles from {}\n", catalogue.licence, catalogue.base_url))
    }
}

impl Fetch {
    fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let catalogue = self.which.load()?;
        let set = catalogue.find(&self.name)?;
        let folder = self.cache.clone().map_or_else(default_cache, Ok)?.join(&set.name);
        std::fs::create_dir_all(&folder).map_err(arbormix::Error::io(&folder))?;
        let base = self.base_url.as_ref().unwrap_or(&catalogue.base_url).trim_end_matches('/');
        let downloader = Downloader::new(reporter);
        let mut files = Vec::new();
        for file in &set.files {
            let path = folder.join(file.name());
            let fetched = downloader.fetch(&format!("{base}/{}", file.path), file, &path)?;
            files.push((path, fetched));
        }
        reporter.finish();
        if common.json {
            let line =
                |(path, fetched): &(PathBuf, bool)| json!({"path": path.display().to_string(), "fetched": fetched});
            return print_json(&json!({"name": set.name, "files": files.iter().map(line).collect::<Vec<Value>>()}));
        }
        for (path, fetched) in &files {
            let what = if *fetched { "fetched" } else { "was there already" };
            print(&format!("{}: {what}; its SHA-256 is right\n", path.display()))?;
        }
        let paths: Vec<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
        print(&format!("{}\nNext:\n{}", catalogue.licence, next_steps(&paths)))
    }
}

/// A command for each ARFF file; its label file must be named where the names differ.
fn next_steps(paths: &[&Path]) -> String {
    let has = |path: &Path, ending: &str| path.extension().is_some_and(|found| found == ending);
    let xml = paths.iter().find(|path| has(path, "xml"));
    let step = |path: &&&Path| {
        let other = xml.filter(|xml| path.with_extension("xml") != ***xml);
        let option = other.map_or_else(String::new, |xml| format!(" --xml {}", xml.display()));
        format!("  arbormix describe {}{option}\n", path.display())
    };
    paths.iter().filter(|path| has(path, "arff")).map(|path| step(&path)).collect()
}

fn default_cache() -> Result<PathBuf, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = || {
        let home = || variable("HOME").map(|home| home.join(".cache"));
        variable("XDG_CACHE_HOME").or_else(|| variable("LOCALAPPDATA")).or_else(home)
    };
    let found = variable("ARBORMIX_CACHE").or_else(|| caches().map(|folder| folder.join("arbormix")));
    found.ok_or_else(|| Failure::Usage("this system names no folder for caches; name one with --cache".to_string()))
}
