//! `arbormix methods`.

use arbormix::registry::{self, METHODS, Method, Preset};
use arbormix_base::params::{Leaf, Level, describe_leaf};
use clap::Args;
use serde_json::{Value, json};

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{plain, print, print_json};

/// List the methods, or the parameters of one
///
/// Without a name: every method with the parameters that matter. With a name: all parameters of that method, with their
/// defaults in both presets, what is allowed and what they mean.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix methods\n  arbormix methods mlme")]
pub(crate) struct Methods {
    /// A method
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

impl Methods {
    pub(crate) fn run(&self, common: &Common) -> Result<(), Failure> {
        let chosen = match &self.name {
            Some(name) => std::slice::from_ref(registry::method(name).map_err(arbormix::Error::from)?),
            None => METHODS,
        };
        if common.json {
            return print_json(&chosen.iter().map(described).collect());
        }
        for method in chosen {
            print(&format!("{} ({}): {}\n", method.name, method.title, method.summary))?;
            let leaves = method.parameters();
            let shown = leaves.iter().filter(|leaf| self.name.is_some() || leaf.level == Level::Main);
            let lines: Vec<String> = shown.map(line).collect();
            let hidden = leaves.len() - lines.len();
            print(&lines.concat())?;
            if hidden > 0 {
                print(&format!("  and {hidden} more for experts: arbormix methods {}\n", method.name))?;
            }
            print("\n")?;
        }
        Ok(())
    }
}

/// A parameter with its defaults, and what it means below.
fn line(leaf: &Leaf) -> String {
    let paper = if leaf.paper == leaf.default { String::new() } else { format!(" (paper: {})", plain(&leaf.paper)) };
    let meaning = wrapped(&explained(leaf), 4);
    format!("  {} = {}{paper}\n{meaning}", leaf.path, plain(&leaf.default))
}

/// Text in lines of at most 100 characters, each indented.
fn wrapped(text: &str, indent: usize) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > 100 {
            lines += &format!("{:indent$}{line}\n", "");
            line.clear();
        }
        line += if line.is_empty() { "" } else { " " };
        line += word;
    }
    lines + &format!("{:indent$}{line}\n", "")
}

/// What a parameter means, its words, and what is allowed.
fn explained(leaf: &Leaf) -> String {
    let words = leaf.field.kind.words();
    let words = if words.is_empty() { String::new() } else { format!(" One of {}.", words.join(", ")) };
    let rule = leaf.field.allowed.rule();
    let rule = if rule.is_empty() { String::new() } else { format!(" It {rule}.") };
    format!("{}{words}{rule}", leaf.meaning())
}

fn described(method: &Method) -> Value {
    json!({
        "name": method.name,
        "title": method.title,
        "summary": method.summary,
        "default": method.defaults(Preset::Default),
        "paper": method.defaults(Preset::Paper),
        "parameters": method.parameters().iter().map(describe_leaf).collect::<Vec<_>>(),
    })
}
