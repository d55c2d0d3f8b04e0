//! What compare writes.

use std::path::PathBuf;

use arbormix_experiment::report::{Grid, critical_difference, csv, json};
use arbormix_experiment::{Comparison, PairedTest, Results};
use arbormix_model::measure::{Direction, MeasureOptions};
use clap::Args;

use crate::commands::runner::{require_outputs, write_text};
use crate::failure::Failure;
use crate::output::{print, print_json, table};

/// Which tables, and where they go.
#[derive(Debug, Clone, Args)]
pub(crate) struct Outputs {
    /// The measures that tables show, separated by commas, or `all`; CSV and JSON hold all of them anyway
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "exact_match,cll_loss,micro_f1,macro_f1")]
    measures: Vec<String>,
    /// Add seconds of fitting and testing to CSV and JSON; they differ from run to run
    #[arg(long)]
    timings: bool,
    /// Also write one line per cell with all measures
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also write the tables as LaTeX
    #[arg(long, value_name = "FILE")]
    latex: Option<PathBuf>,
    /// Also write the tables as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Also draw the average ranks by the first of the measures, with the critical difference of Nemenyi's test
    #[arg(long, value_name = "FILE.svg")]
    cd_diagram: Option<PathBuf>,
}

impl Outputs {
    /// Errs before the work if a measure does not exist, a diagram would be empty or a file cannot be written.
    pub(super) fn require(&self, inputs: &[PathBuf], data: usize, methods: usize) -> Result<(), Failure> {
        if self.cd_diagram.is_some() && (data < 2 || methods < 2) {
            let message = "--cd-diagram ranks methods over data sets; give at least two of each";
            return Err(Failure::Usage(message.to_string()));
        }
        let known = MeasureOptions::default().names()?;
        if let Some(name) = self.measures.iter().find(|name| *name != "all" && !known.contains(name)) {
            let known = known.join(", ");
            return Err(Failure::Usage(format!("--measures {name}: no measure has this name; known: all, {known}")));
        }
        require_outputs([&self.csv, &self.latex, &self.markdown, &self.cd_diagram].map(Option::as_ref), inputs)
    }

    pub(super) fn write(
        &self,
        results: &Results,
        reference: usize,
        test: PairedTest,
        as_json: bool,
    ) -> Result<(), Failure> {
        let compare = |(name, better): (String, Direction)| Comparison::new(results, &name, better, reference, test);
        let comparisons: Vec<Comparison> = self.chosen(results)?.into_iter().map(compare).collect();
        let grids: Vec<Grid> = comparisons.iter().map(|comparison| Grid::new(results, comparison)).collect();
        if let Some(path) = &self.csv {
            write_text(path, &csv(results, self.timings))?;
        }
        if let Some(path) = &self.latex {
            write_text(path, &grids.iter().map(Grid::latex).collect::<Vec<_>>().join("\n"))?;
        }
        if let Some(path) = &self.markdown {
            write_text(path, &grids.iter().map(|grid| grid.markdown(2)).collect::<Vec<_>>().join("\n"))?;
        }
        if as_json {
            print_json(&json(results, reference, test, self.timings))?;
        } else {
            let texts: Vec<String> = grids.iter().map(text).collect();
            print(&texts.join("\n"))?;
        }
        // Last: a diagram that failed cells leave empty must not cost the tables.
        match &self.cd_diagram {
            Some(path) => write_text(path, &diagram(results, comparisons.first())?),
            None => Ok(()),
        }
    }

    /// The measures that are asked for. A cell that failed has none, so a name is only wrong if others are there.
    fn chosen(&self, results: &Results) -> Result<Vec<(String, Direction)>, Failure> {
        let known = results.measures();
        if self.measures.iter().any(|name| name == "all") {
            return Ok(known);
        }
        let find = |name: &String| known.iter().find(|(other, _)| other == name).cloned();
        // The default names a likelihood, which methods that vote do not have.
        let found: Vec<(String, Direction)> = self.measures.iter().filter_map(find).collect();
        let unknown = self.measures.iter().find(|name| find(name).is_none() && *name != "cll_loss");
        match unknown {
            Some(name) if !known.is_empty() => {
                let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
                let found = names.join(", ");
                Err(Failure::Usage(format!("--measures {name}: not defined for any cell; these are: {found}")))
            }
            _ if known.is_empty() => Err(every_cell_failed(results)),
            _ => Ok(found),
        }
    }
}

fn every_cell_failed(results: &Results) -> Failure {
    let reason = results.failures().next().map_or(String::new(), |(data, method, cell)| {
        format!(", {}, {}, fold {} because {}", data.name, method.name, cell.fold, cell.failure().unwrap_or_default())
    });
    Failure::Work(format!("every cell failed{reason}"))
}

fn diagram(results: &Results, comparison: Option<&Comparison>) -> Result<String, Failure> {
    let drawn = comparison.and_then(|comparison| {
        critical_difference(&comparison.measure, results.methods(), comparison.ranking.as_ref()?)
    });
    let needs = "--cd-diagram: not drawn, because fewer than two methods have values on at least two data sets";
    drawn.ok_or_else(|| Failure::Work(needs.to_string()))
}

/// A grid for the terminal.
pub(crate) fn text(grid: &Grid) -> String {
    let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
    let notes: String = grid.notes.iter().map(|note| format!("{note}\n")).collect();
    format!("{}\n{}{notes}", grid.title, table(&header, 1, grid.rows.clone()))
}
