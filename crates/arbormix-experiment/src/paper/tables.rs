//! The paper's tables with our figures beside the published ones, as Markdown.

use serde::Serialize;

use super::figures::Figure;
use super::ranking;
use super::{DATA, METHODS, OUR_DEFAULT, PaperTable, TABLES};
use crate::cell::{Cell, CellOutcome};
use crate::comparison::{Comparison, Entry, PairedTest};
use crate::report::Footnotes;
use crate::results::Results;
use arbormix_model::measure::Direction;

/// A column of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub title: String,
    /// Name in the published figures; our default was not published.
    pub published: Option<&'static str>,
    /// Number of the method in our results; `None` if it was not run.
    pub method: Option<usize>,
}

impl Column {
    /// The paper's ten methods in its order, whether they were run or not, then our default.
    pub fn all(results: &Results) -> Vec<Column> {
        let find = |name: &str| results.methods().iter().position(|method| method.name == name);
        let of_paper = METHODS.iter().map(|&(name, title)| Column {
            title: title.to_string(),
            published: Some(name),
            method: find(name),
        });
        let ours = Column { title: "ML-ME, our default".to_string(), published: None, method: find(OUR_DEFAULT) };
        of_paper.chain(ours.method.is_some().then_some(ours)).collect()
    }
}

/// How far our mean is from a published figure.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Distance {
    /// Ours minus the paper's.
    difference: f64,
    /// The same in our standard errors, positive if ours is better; `None` without a standard error.
    errors: Option<f64>,
}

impl Distance {
    fn of(entry: &Entry, published: f64, better: Direction) -> Distance {
        let difference = entry.mean - published;
        let sign = if better == Direction::Higher { 1.0 } else { -1.0 };
        let errors = entry.standard_error.filter(|&error| error > 0.0).map(|error| sign * difference / error);
        Distance { difference, errors }
    }

    /// `=` within two standard errors; an arrow beyond, up if ours is better; two beyond three.
    fn mark(self) -> &'static str {
        match self.errors {
            None => "",
            Some(errors) if errors.abs() <= 2.0 => "=",
            Some(errors) if errors > 3.0 => "▲▲",
            Some(errors) if errors > 0.0 => "▲",
            Some(errors) if errors < -3.0 => "▼▼",
            Some(_) => "▼",
        }
    }
}

/// The four tables, the cells that are far from the published ones, and who is best, for `docs/results`.
pub fn markdown(results: &Results, figures: &[Figure]) -> String {
    let columns = Column::all(results);
    let mut out = String::from(
        "# The paper's tables and ours\n\n\
         Each cell: our mean ± standard error over the folds (∗ our ML-ME under the paper's settings is significantly \
         better than this method, ⊛ worse; paired t-test, p < .05); the published figure with the paper's marker; the \
         difference. `=` within two of our standard errors; ▲ ours is better, ▼ worse by more than two; ▲▲ ▼▼ by more \
         than three. A dash: not published, or not run.\n",
    );
    let mut far = Vec::new();
    let mut footnotes = Footnotes::default();
    for table in TABLES {
        let comparison = compare(results, &table, "mlme");
        out.push_str(&format!("\n## {}\n\n", table.title));
        if table.measure != table.published {
            out.push_str(&format!("Ours is `{}`, as the authors' evaluator has it.\n\n", table.measure));
        }
        out.push_str(&heading(columns.iter().map(|column| column.title.as_str())));
        let mut counts = [0; 3];
        for (task, info) in results.data().iter().enumerate() {
            let name = paper_name(&info.name);
            let mut cells = Vec::new();
            for column in &columns {
                let figure = column.published.and_then(|method| find(figures, &table, &name, method));
                let entry = column.method.and_then(|method| comparison.entries[task][method].as_ref());
                let marks = column.method.map_or(String::new(), |method| footnotes.of(results, task, method));
                let distance = entry.zip(figure.and_then(|f| f.value)).map(|(e, p)| Distance::of(e, p, table.better));
                if let Some(errors) = distance.and_then(|distance| distance.errors) {
                    counts[usize::from(errors.abs() > 2.0) + usize::from(errors.abs() > 3.0)] += 1;
                    if let (true, Some(figure), Some(entry)) = (errors.abs() > 3.0, figure, entry) {
                        far.push(far_line(&table, &name, &column.title, entry, figure, errors));
                    }
                }
                cells.push(cell(&table, entry, figure, distance, &marks));
            }
            out.push_str(&format!("| {name} | {} |\n", cells.join(" | ")));
        }
        let [near, beyond, away] = counts;
        out.push_str(&format!(
            "\nOf {} cells with both figures, {near} lie within two standard errors, {beyond} between two and three, \
             {away} beyond three.\n",
            near + beyond + away
        ));
    }
    out.push_str("\n## Cells beyond three standard errors\n\n");
    if far.is_empty() {
        out.push_str("None.\n");
    } else {
        out.push_str(
            "| table | data set | method | published | ours | standard errors |\n|---|---|---|---:|---:|---:|\n",
        );
        out.extend(far);
    }
    out.push_str(&ranking::markdown(results, figures));
    out.push_str(&limits(results, &columns));
    if !footnotes.notes().is_empty() {
        out.push_str("\n## Cells that failed\n\n");
        out.extend(footnotes.notes().iter().enumerate().map(|(at, note)| format!("[{}] {note}\n\n", at + 1)));
    }
    out
}

/// How many fits ended at a limit of iterations instead of by their stop rule.
fn limits(results: &Results, columns: &[Column]) -> String {
    let of = |column: &Column| {
        let method = column.method?;
        let cells: Vec<_> = (0..results.data().len()).flat_map(|task| results.cells(task, method)).collect();
        let ended = |cell: &&&Cell| matches!(&cell.outcome, CellOutcome::Finished(finished) if !finished.converged);
        let count = cells.iter().filter(ended).count();
        (count > 0).then(|| format!("{} {count} of {}", column.title, cells.len()))
    };
    let told: Vec<String> = columns.iter().filter_map(of).collect();
    let told = if told.is_empty() { "none".to_string() } else { told.join(", ") };
    format!("\n## Fits that ended at a limit of iterations\n\nBefore their stop rule was met: {told}.\n")
}

/// A published figure and ours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Beside {
    /// What was published.
    #[serde(flatten)]
    pub figure: Figure,
    /// Our mean.
    pub ours: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// Ours minus the paper's, in our standard errors, positive if ours is better.
    pub standard_errors: Option<f64>,
}

/// Every published figure of the data sets that were run, with ours.
pub fn beside_published(results: &Results, figures: &[Figure]) -> Vec<Beside> {
    let mut out = Vec::new();
    for table in TABLES {
        let comparison = compare(results, &table, "mlme");
        for (task, info) in results.data().iter().enumerate() {
            for (method, of) in results.methods().iter().enumerate() {
                let Some(figure) = find(figures, &table, &paper_name(&info.name), &of.name) else { continue };
                let entry = comparison.entries[task][method].as_ref();
                let distance = entry.zip(figure.value).map(|(e, p)| Distance::of(e, p, table.better));
                out.push(Beside {
                    figure: figure.clone(),
                    ours: entry.map(|entry| entry.mean),
                    standard_error: entry.and_then(|entry| entry.standard_error),
                    standard_errors: distance.and_then(|distance| distance.errors),
                });
            }
        }
    }
    out
}

/// The published tables alone.
pub fn published_markdown(figures: &[Figure]) -> String {
    let mut out = String::from("# The paper's tables\n");
    for table in TABLES {
        out.push_str(&format!("\n## {}\n\n", table.title));
        out.push_str(&heading(METHODS.iter().map(|(_, title)| *title)));
        for data in DATA {
            let text = |(method, _): &(&str, &str)| published_text(&table, find(figures, &table, data.name, method));
            out.push_str(&format!(
                "| {} | {} |\n",
                data.name,
                METHODS.iter().map(text).collect::<Vec<_>>().join(" | ")
            ));
        }
    }
    out
}

/// All methods against one of them by a table's measure.
pub(crate) fn compare(results: &Results, table: &PaperTable, reference: &str) -> Comparison {
    let found = results.methods().iter().position(|method| method.name == reference);
    // Without the reference there is nothing to test against; the first method then only lends its place.
    let reference = found.unwrap_or(0);
    let mut comparison = Comparison::new(results, table.measure, table.better, reference, PairedTest::Paired);
    if found.is_none() {
        comparison.entries.iter_mut().flatten().flatten().for_each(|entry| (entry.test, entry.verdict) = (None, None));
    }
    comparison
}

/// The paper's name of one of our data sets; files without the defect are called repaired.
pub(crate) fn paper_name(file: &str) -> String {
    let repaired = DATA.iter().find(|data| data.repaired == Some(file)).map(|data| format!("{} repaired", data.name));
    let plain = DATA.iter().find(|data| data.file == file).map(|data| data.name.to_string());
    plain.or(repaired).unwrap_or_else(|| file.to_string())
}

pub(crate) fn find<'a>(figures: &'a [Figure], table: &PaperTable, data: &str, method: &str) -> Option<&'a Figure> {
    figures.iter().find(|f| (&*f.measure, &*f.data, &*f.method) == (table.published, data, method))
}

fn heading<'a>(titles: impl Iterator<Item = &'a str>) -> String {
    let titles: Vec<&str> = titles.collect();
    format!("| data set | {} |\n|---|{}\n", titles.join(" | "), "---:|".repeat(titles.len()))
}

fn published_text(table: &PaperTable, figure: Option<&Figure>) -> String {
    let Some((figure, value)) = figure.and_then(|figure| Some((figure, figure.value?))) else {
        return "–".to_string();
    };
    format!("{value:.*} {}", table.digits, figure.verdict.marker()).trim_end().to_string()
}

fn ours_text(table: &PaperTable, entry: &Entry) -> String {
    let error = entry.standard_error.map_or(String::new(), |error| format!(" ± {error:.*}", table.digits));
    let marker = entry.verdict.map_or("", |verdict| verdict.marker());
    let (present, all) = (entry.present(), entry.folds.len());
    let of = if present < all { format!(" ({present} of {all} folds)") } else { String::new() };
    format!("{:.*}{error} {marker}", table.digits, entry.mean).trim_end().to_string() + &of
}

fn cell(
    table: &PaperTable,
    entry: Option<&Entry>,
    figure: Option<&Figure>,
    distance: Option<Distance>,
    marks: &str,
) -> String {
    let ours = match entry {
        Some(entry) => ours_text(table, entry) + marks,
        None if marks.is_empty() => "–".to_string(),
        None => format!("failed{marks}"),
    };
    let mut text = format!("{ours}<br>{}", published_text(table, figure));
    if let Some(distance) = distance {
        text.push_str(&format!("<br>{:+.*} {}", table.digits, distance.difference, distance.mark()));
    }
    text.trim_end().to_string()
}

fn far_line(table: &PaperTable, data: &str, method: &str, entry: &Entry, figure: &Figure, errors: f64) -> String {
    let how = if errors > 0.0 { "better" } else { "worse" };
    let (published, ours) = (published_text(table, Some(figure)), ours_text(table, entry));
    format!("| {} | {data} | {method} | {published} | {ours} | {:.1} {how} |\n", table.title, errors.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_standard_errors_in_the_direction_of_better() {
        let entry = |mean| Entry { mean, standard_error: Some(0.5), folds: vec![], test: None, verdict: None };
        let mark = |mean, better| Distance::of(&entry(mean), 10.0, better).mark();
        assert_eq!(mark(11.0, Direction::Higher), "=");
        assert_eq!(mark(11.2, Direction::Higher), "▲");
        assert_eq!(mark(11.2, Direction::Lower), "▼");
        assert_eq!(mark(8.4, Direction::Lower), "▲▲");
        assert_eq!(mark(8.4, Direction::Higher), "▼▼");
        let one_fold = Entry { standard_error: None, ..entry(12.0) };
        assert_eq!(Distance::of(&one_fold, 10.0, Direction::Higher).mark(), "");
    }

    #[test]
    fn names_of_the_paper_and_of_repaired_files() {
        assert_eq!(paper_name("rcv1subset2-top10"), "rcv1.sub2");
        assert_eq!(paper_name("rcv1subset2-repaired-top10"), "rcv1.sub2 repaired");
        assert_eq!(paper_name("emotions"), "emotions");
    }

    #[test]
    fn the_published_tables_have_the_papers_layout() {
        let text = published_markdown(&super::super::published().unwrap());
        assert!(
            text.contains("| data set | BR | CHF | MLKNN | IBLR | CC | ECC | PCC | MMOC | CTBN | ML-ME |"),
            "{text}"
        );
        assert!(text.contains(
            "| yeast | 1500.3 ∗ | 1491.7 ∗ | 1464.9 ∗ | 1434.2 ∗ | 2303.8 ∗ | – | 932.1 ⊛ | – | 1097.0 ∗ | 989.5 |"
        ));
    }
}
