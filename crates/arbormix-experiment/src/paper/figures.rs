//! The published figures, a data file of this crate.

use serde::{Deserialize, Serialize};

use crate::comparison::Verdict;
use crate::error::ExperimentError;
use crate::error::Result;

const FILE: &str = include_str!("published.csv");

/// One cell of the paper's tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The table: `exact_match`, `cll_loss`, `micro_f1` or `macro_f1`.
    pub measure: String,
    /// The data set, by its name in the paper.
    pub data: String,
    /// The method, by its name in the registry.
    pub method: String,
    /// The figure; `None` where the paper has a dash.
    pub value: Option<f64>,
    /// What the paper's marker says about ML-ME against this method.
    pub verdict: Verdict,
}

#[derive(Deserialize)]
struct Line {
    measure: String,
    data: String,
    method: String,
    value: Option<f64>,
    marker: String,
}

/// All figures of the paper's four tables.
///
/// ```
/// let figures = arbormix_experiment::paper::published()?;
/// let mlme = figures.iter().find(|f| (&*f.measure, &*f.data, &*f.method) == ("exact_match", "scene", "mlme"));
/// assert_eq!(mlme.and_then(|figure| figure.value), Some(0.711));
/// # Ok::<(), arbormix_experiment::Error>(())
/// ```
pub fn published() -> Result<Vec<Figure>> {
    let mut reader = csv::Reader::from_reader(FILE.as_bytes());
    let mut figures = Vec::new();
    for (index, line) in reader.deserialize::<Line>().enumerate() {
        let wrong = |message: String| ExperimentError::Published { line: index as u64 + 2, message };
        let line = line.map_err(|error| wrong(error.to_string()))?;
        let verdict = match line.marker.as_str() {
            "" => Verdict::Tied,
            "superior" => Verdict::Superior,
            "inferior" => Verdict::Inferior,
            other => return Err(wrong(format!("the marker {other:?} is none")).into()),
        };
        let Line { measure, data, method, value, .. } = line;
        figures.push(Figure { measure, data, method, value, verdict });
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::super::{DATA, METHODS, TABLES};
    use super::*;

    #[test]
    fn every_cell_of_the_paper_is_there_once() {
        let figures = published().unwrap();
        for table in TABLES {
            for data in DATA {
                for (method, _) in METHODS {
                    let found = figures.iter().filter(|figure| {
                        (&*figure.measure, &*figure.data, &*figure.method) == (table.published, data.name, method)
                    });
                    // ECC and MMOC have no likelihood, and so no column.
                    let expected = usize::from(table.published != "cll_loss" || !["ecc", "mmoc"].contains(&method));
                    assert_eq!(found.count(), expected, "{} {} {method}", table.published, data.name);
                }
            }
        }
        // Dashes: PCC on enron in four tables, MMOC on enron and the five RCV1 sets in three.
        assert_eq!(figures.iter().filter(|figure| figure.value.is_none()).count(), 4 + 3 * 6);
        // The paper's text: "EMA" has no method that beats ML-ME; yeast's CLL-loss is PCC's.
        let beaten = |measure: &str| {
            let worse = figures.iter().filter(|f| f.measure == measure && f.verdict == Verdict::Inferior);
            worse.map(|f| (f.data.as_str(), f.method.as_str())).collect::<Vec<_>>()
        };
        assert!(beaten("exact_match").is_empty());
        assert_eq!(beaten("cll_loss"), [("yeast", "pcc")]);
    }
}
