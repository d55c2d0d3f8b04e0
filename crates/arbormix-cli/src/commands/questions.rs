//! `arbormix questions`.

use arbormix_model::ask::{Argument, Default, Kind, QUESTIONS};
use arbormix_model::decide::RULES;
use clap::Args;

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{print, print_json, table};

/// List the questions that `predict --ask` answers, with their arguments
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  arbormix questions")]
pub(crate) struct Questions {}

impl Questions {
    pub(crate) fn run(&self, common: &Common) -> Result<(), Failure> {
        if common.json {
            return print_json(&QUESTIONS.iter().map(|question| question.describe()).collect());
        }
        for question in QUESTIONS {
            print(&format!("{}: {}\n", question.name, question.meaning))?;
            if !question.arguments.is_empty() {
                let rows = question.arguments.iter().map(row);
                print(&table(&["argument", "kind", "default", "meaning"], 4, rows))?;
            }
            print("\n")?;
        }
        print("Decision rules, also for --for:\n")?;
        let rule = |form: &&arbormix_model::decide::RuleForm| {
            [form.written, form.expected, form.meaning].map(String::from).to_vec()
        };
        print(&table(&["rule", "expected value", "decision"], 3, RULES.iter().map(rule)))
    }
}

fn row(argument: &Argument) -> Vec<String> {
    let default = match argument.default {
        Default::Required => "(needed)",
        Default::Absent => "(none)",
        Default::Is(text) => text,
    };
    let kind = if argument.kind == Kind::Rule { "rule, see below" } else { argument.kind.words() };
    [argument.name, kind, default, argument.meaning].map(String::from).to_vec()
}

/// A line per question, for the help of other commands.
pub(crate) fn summary() -> String {
    let width = QUESTIONS.iter().map(|question| question.name.len()).max().unwrap_or_default();
    QUESTIONS.iter().map(|question| format!("  {:width$}  {}\n", question.name, question.meaning)).collect()
}
