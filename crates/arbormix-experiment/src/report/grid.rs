//! The table of one measure.

use super::super::comparison::{Comparison, Entry, LEVEL, PairedTest};
use super::super::results::Results;
use arbormix_joint::learner::Joint;
use arbormix_model::measure::Direction;

/// Where a method has no value.
const NOTHING: &str = "–";
/// The measure that needs probabilities of label sets.
const LIKELIHOOD: &str = "cll_loss";

/// A table with a title, and notes that belong under it.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What the table shows.
    pub title: String,
    /// Names of the columns; the first is that of the data sets.
    pub header: Vec<String>,
    /// One row per data set, then the average ranks.
    pub rows: Vec<Vec<String>>,
    /// Markers, footnotes of failed cells, tests over all data sets.
    pub notes: Vec<String>,
}

impl Grid {
    /// The table of a comparison: mean ± standard error, the paper's markers, average ranks.
    pub fn new(results: &Results, comparison: &Comparison) -> Grid {
        let mut header = vec!["data set".to_string()];
        header.extend(results.methods().iter().map(|method| method.name.clone()));
        let mut footnotes = Footnotes::default();
        let mut rows = Vec::new();
        for (task, info) in results.data().iter().enumerate() {
            let mut row = vec![info.name.clone()];
            for method in 0..results.methods().len() {
                let marks = footnotes.of(results, task, method);
                row.push(cell(comparison.entries[task][method].as_ref(), &marks));
            }
            rows.push(row);
        }
        let mut notes = legend(results, comparison);
        notes.extend(footnotes.0.iter().enumerate().map(|(at, note)| format!("[{}] {note}", at + 1)));
        notes.extend(kinds(results, comparison));
        notes.extend(ranks(results, comparison, &mut rows));
        notes.extend(over_data(results, comparison));
        let better = if comparison.better == Direction::Higher { "higher" } else { "lower" };
        Grid { title: format!("{} ({better} is better)", comparison.measure), header, rows, notes }
    }

    /// As Markdown, with the title as a heading of the given depth.
    pub fn markdown(&self, depth: usize) -> String {
        let line = |cells: &[String]| {
            let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", escaped.join(" | "))
        };
        let mut out = format!("{} {}\n\n{}", "#".repeat(depth), self.title, line(&self.header));
        out.push_str(&format!("|---|{}\n", "---:|".repeat(self.header.len() - 1)));
        self.rows.iter().for_each(|row| out.push_str(&line(row)));
        for note in &self.notes {
            out.push_str(&format!("\n{note}\n"));
        }
        out
    }

    /// As a LaTeX table; the markers need the package `amssymb`.
    pub fn latex(&self) -> String {
        let line =
            |cells: &[String]| format!("  {} \\\\\n", cells.iter().map(|c| tex(c)).collect::<Vec<_>>().join(" & "));
        let mut out = format!(
            "% needs \\usepackage{{amssymb}}\n\\begin{{table}}\n\\caption{{{}}}\n\\centering\n",
            tex(&self.title)
        );
        out.push_str(&format!("\\begin{{tabular}}{{l{}}}\n\\hline\n", "r".repeat(self.header.len() - 1)));
        out.push_str(&line(&self.header));
        out.push_str("\\hline\n");
        self.rows.iter().for_each(|row| out.push_str(&line(row)));
        out.push_str("\\hline\n\\end{tabular}\n");
        for note in &self.notes {
            out.push_str(&format!("\\par\\footnotesize {}\n", tex(note)));
        }
        out.push_str("\\end{table}\n");
        out
    }
}

/// Mean ± standard error with the digits of the paper: three behind the point for shares, one for sums of logarithms.
fn figure(mean: f64, error: Option<f64>) -> String {
    let digits = if mean.abs() >= 10.0 { 1 } else { 3 };
    match error {
        Some(error) => format!("{mean:.digits$} ± {error:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}

fn cell(entry: Option<&Entry>, marks: &str) -> String {
    let Some(entry) = entry else {
        return if marks.is_empty() { NOTHING.to_string() } else { format!("failed{marks}") };
    };
    let marker = entry.verdict.map_or("", |verdict| verdict.marker());
    let space = if marker.is_empty() { "" } else { " " };
    let (present, all) = (entry.present(), entry.folds.len());
    let of = if present < all { format!(" ({present} of {all} folds)") } else { String::new() };
    format!("{}{space}{marker}{of}{marks}", figure(entry.mean, entry.standard_error))
}

/// What went wrong, each reason once per data set and method.
#[derive(Debug, Default)]
pub(in super::super) struct Footnotes(Vec<String>);

impl Footnotes {
    /// The notes, numbered from 1.
    pub(in super::super) fn notes(&self) -> &[String] {
        &self.0
    }

    /// The marks of a cell; its reasons are added unless they are there.
    pub(in super::super) fn of(&mut self, results: &Results, task: usize, method: usize) -> String {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for cell in results.cells(task, method) {
            let Some(reason) = cell.failure() else { continue };
            match reasons.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, folds)) => folds.push(cell.fold.to_string()),
                None => reasons.push((reason, vec![cell.fold.to_string()])),
            }
        }
        let mut marks = String::new();
        for (reason, folds) in reasons {
            let (data, name) = (&results.data()[task].name, &results.methods()[method].name);
            let note = format!("{data}, {name}, fold {}: {reason}", folds.join(", "));
            let place = self.0.iter().position(|other| *other == note).unwrap_or(self.0.len());
            if place == self.0.len() {
                self.0.push(note);
            }
            marks.push_str(&format!(" [{}]", place + 1));
        }
        marks
    }
}

fn legend(results: &Results, comparison: &Comparison) -> Vec<String> {
    let used = |marker| {
        let entries = comparison.entries.iter().flatten().flatten();
        entries.filter_map(|entry| entry.verdict).any(|verdict| verdict.marker() == marker)
    };
    let name = &results.methods()[comparison.reference].name;
    let meanings = [("∗", "better"), ("⊛", "worse")].into_iter().filter(|(marker, _)| used(*marker));
    let texts: Vec<String> =
        meanings.map(|(marker, how)| format!("{marker} {name} is significantly {how} than this method")).collect();
    if texts.is_empty() {
        Vec::new()
    } else {
        let test = match comparison.test {
            PairedTest::Paired => "paired t-test on the folds",
            PairedTest::Corrected => "corrected resampled t-test on the folds",
        };
        vec![format!("{} ({test}, p < {LEVEL}).", texts.join("; "))]
    }
}

/// Adds the row of average ranks and tells what Friedman's and Nemenyi's tests say.
fn ranks(results: &Results, comparison: &Comparison, rows: &mut Vec<Vec<String>>) -> Vec<String> {
    let Some(ranking) = &comparison.ranking else { return Vec::new() };
    let rank = |method: usize| {
        let place = ranking.methods.iter().position(|&other| other == method);
        place.map_or(NOTHING.to_string(), |place| format!("{:.2}", ranking.mean_ranks[place]))
    };
    let mut row = vec!["average rank".to_string()];
    row.extend((0..results.methods().len()).map(rank));
    rows.push(row);
    let (all, ranked) = (results.data().len(), ranking.data.len());
    let names = |methods: &[usize]| {
        methods.iter().map(|&method| results.methods()[method].name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut notes = Vec::new();
    if ranked < all {
        notes.push(format!("Ranks are over the {ranked} of {all} data sets that every ranked method has in full."));
    }
    if !ranking.left_out.is_empty() {
        let lacks = names(&ranking.left_out);
        notes.push(format!("Not ranked, because some of their cells have no value: {lacks}."));
    }
    if let Some((friedman, distance)) = ranking.friedman.as_ref().zip(ranking.critical_difference) {
        // With all data sets ranked alike F is infinite, which says nothing more than that.
        let davenport = match friedman.f.is_finite() {
            true => format!("Iman-Davenport: F = {:.2}, p = {}", friedman.f, chance(friedman.f_p)),
            false => "Iman-Davenport: no F, all data sets rank the methods alike".to_string(),
        };
        notes.push(format!(
            "Friedman: χ² = {:.2}, p = {}; {davenport}; Nemenyi: ranks further apart than {distance:.2} differ \
             (p < {LEVEL}).",
            friedman.chi_square,
            chance(friedman.chi_square_p),
        ));
    }
    notes
}

/// A p-value, small ones by their power of ten.
fn chance(p: f64) -> String {
    if p < 1e-3 { format!("{p:.1e}") } else { format!("{p:.3}") }
}

/// Which methods' likelihoods are something else than that of the distribution they predict from.
fn kinds(results: &Results, comparison: &Comparison) -> Option<String> {
    if comparison.measure != LIKELIHOOD {
        return None;
    }
    let kind = |method: usize| {
        let cells = (0..results.data().len()).flat_map(|task| results.cells(task, method));
        let joint = cells.filter_map(|cell| cell.joint()).find(|joint| *joint != Joint::Distribution)?;
        Some(format!("{} {}", results.methods()[method].name, joint.describe()))
    };
    let told: Vec<String> = (0..results.methods().len()).filter_map(kind).collect();
    (!told.is_empty()).then(|| format!("Not the likelihood of what is predicted from: {}.", told.join("; ")))
}

/// What Wilcoxon's test says about the reference over the data sets.
fn over_data(results: &Results, comparison: &Comparison) -> Option<String> {
    if results.data().len() < 2 {
        return None;
    }
    let told: Vec<String> = comparison
        .wilcoxon
        .iter()
        .zip(results.methods())
        .filter_map(|(test, method)| Some(format!("{} {:.3}", method.name, test.as_ref()?.p_value)))
        .collect();
    let name = &results.methods()[comparison.reference].name;
    (!told.is_empty()).then(|| format!("Wilcoxon over the data sets, p of {name} against: {}.", told.join(", ")))
}

/// Text for LaTeX.
fn tex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '±' => out.push_str("$\\pm$"),
            '∗' => out.push_str("$\\ast$"),
            '⊛' => out.push_str("$\\circledast$"),
            '<' => out.push_str("$<$"),
            '–' => out.push_str("--"),
            'χ' => out.push_str("$\\chi$"),
            '²' => out.push_str("$^2$"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_escape_what_their_language_would_read() {
        let grid = Grid {
            title: "exact_match".to_string(),
            header: vec!["data set".to_string(), "a|b".to_string()],
            rows: vec![vec!["50 %".to_string(), "0.5 ± 0.1 ∗".to_string()]],
            notes: vec!["p < 0.05".to_string()],
        };
        let expected = "## exact_match\n\n| data set | a\\|b |\n|---|---:|\n| 50 % | 0.5 ± 0.1 ∗ |\n\np < 0.05\n";
        assert_eq!(grid.markdown(2), expected);
        let latex = grid.latex();
        assert!(latex.contains("50 \\% & 0.5 $\\pm$ 0.1 $\\ast$ \\\\"), "{latex}");
        assert!(latex.contains("\\caption{exact\\_match}"), "{latex}");
    }
}
