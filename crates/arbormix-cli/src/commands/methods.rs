//! `arbormix methods`.

use arbormix::registry::{METHODS, Preset};
use clap::Args;
use serde_json::json;

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{flatten, plain, print, print_json, table};

/// List the methods with their parameters and defaults
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  arbormix methods")]
pub(crate) struct Methods {}

impl Methods {
    pub(crate) fn run(&self, common: &Common) -> Result<(), Failure> {
        if common.json {
            let describe = |method: &arbormix::registry::Method| {
                json!({
                    "name": method.name,
                    "title": method.title,
                    "summary": method.summary,
                    "default": method.defaults(Preset::Default),
                    "paper": method.defaults(Preset::Paper),
                })
            };
            return print_json(&METHODS.iter().map(describe).collect());
        }
        for method in METHODS {
            print(&format!("{} ({}): {}\n", method.name, method.title, method.summary))?;
            let paper = method.defaults(Preset::Paper);
            let row = |(name, value): (String, serde_json::Value)| {
                let same = name.split('.').try_fold(&paper, |at, part| at.get(part));
                let in_paper = same.map_or_else(|| "another form".to_string(), plain);
                vec![name, plain(&value), in_paper]
            };
            let rows = flatten(&method.defaults(Preset::Default)).into_iter().map(row);
            print(&table(&["parameter (--set)", "default", "--preset paper"], 3, rows))?;
            print("\n")?;
        }
        Ok(())
    }
}
