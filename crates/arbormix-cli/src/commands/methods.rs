//! `arbormix methods`.

use arbormix::registry::{METHODS, Preset};
use clap::Args;
use serde_json::{Value, json};

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
            let [default, paper] = [Preset::Default, Preset::Paper].map(|preset| flatten(&method.defaults(preset)));
            let mut names: Vec<&String> = default.iter().chain(&paper).map(|(name, _)| name).collect();
            names.sort();
            names.dedup();
            let value = |params: &[(String, Value)], name: &String| {
                let found = params.iter().find(|(other, _)| other == name);
                found.map_or_else(|| "-".to_string(), |(_, value)| plain(value))
            };
            let rows = names.iter().map(|&name| vec![name.clone(), value(&default, name), value(&paper, name)]);
            print(&table(&["parameter (--set)", "default", "--preset paper"], 3, rows.collect::<Vec<_>>()))?;
            print("\n")?;
        }
        Ok(())
    }
}
