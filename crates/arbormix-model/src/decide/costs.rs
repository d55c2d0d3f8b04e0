//! Costs of errors, the same for every label or one pair per label.

use std::path::Path;

use arbormix_base::files::FileError;
use arbormix_base::params::ParamError;
use arbormix_joint::Result;

/// What one label's errors cost: `[false positive, false negative]`.
type Pair = [f64; 2];

/// The header of a file with costs.
const COLUMNS: [&str; 3] = ["label", "false_positive", "false_negative"];

/// Costs of errors.
#[derive(Debug, Clone, PartialEq)]
pub enum Costs {
    /// The same for every label.
    Same(Pair),
    /// One pair per label of the model.
    PerLabel(Vec<Pair>),
}

impl Costs {
    /// Reads a CSV file with the columns `label`, `false_positive`, `false_negative` and one line for each of `names`.
    pub fn read(path: &Path, names: &[String]) -> Result<Costs> {
        let text = std::fs::read_to_string(path).map_err(FileError::at(path))?;
        Ok(Costs::PerLabel(parse(&path.display().to_string(), &text, names)?))
    }
}

/// What a cost must be.
pub(crate) const UNUSABLE: &str = "costs must be finite and not negative";

pub(crate) fn usable(cost: f64) -> bool {
    cost.is_finite() && cost >= 0.0
}

fn parse(file: &str, text: &str, names: &[String]) -> Result<Vec<Pair>, ParamError> {
    let wrong = |line: u64, message: String| ParamError::Form { name: format!("cost={file}, line {line}"), message };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut costs: Vec<Option<Pair>> = vec![None; names.len()];
    let mut last = 1;
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(last, error.to_string()))?;
        last = record.position().map_or(last, csv::Position::line);
        let cells: Vec<&str> = record.iter().map(str::trim).collect();
        if index == 0 {
            if cells != COLUMNS {
                return Err(wrong(
                    last,
                    format!("expected the header {}, found {}", COLUMNS.join(","), cells.join(",")),
                ));
            }
            continue;
        }
        let &[name, positive, negative] = cells.as_slice() else {
            return Err(wrong(last, format!("expected 3 cells, found {}", cells.len())));
        };
        let Some(label) = names.iter().position(|other| other == name) else {
            return Err(wrong(last, format!("no label is called {name:?}; the model's labels: {}", names.join(", "))));
        };
        let number = |word: &str| {
            let cost = word.parse().ok().filter(|&cost| usable(cost));
            cost.ok_or_else(|| wrong(last, format!("{word:?}: {UNUSABLE}")))
        };
        if costs[label].replace([number(positive)?, number(negative)?]).is_some() {
            return Err(wrong(last, format!("label {name:?} occurs a second time; remove one of the two")));
        }
    }
    let missing: Vec<&str> = names.iter().zip(&costs).filter(|(_, c)| c.is_none()).map(|(n, _)| n.as_str()).collect();
    if !missing.is_empty() {
        return Err(wrong(
            last,
            format!("the file ends without costs for {}; add a line for each", missing.join(", ")),
        ));
    }
    Ok(costs.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Pair>, String> {
        parse("c.csv", text, &["cat", "big dog"].map(String::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_may_stand_in_any_order() {
        let costs = read("label,false_positive,false_negative\nbig dog,1,5\n\"cat\", 0.5, 2\n").unwrap();
        assert_eq!(costs, [[0.5, 2.0], [1.0, 5.0]]);
    }

    #[test]
    fn errors_name_the_line() {
        let head = "label,false_positive,false_negative\n";
        for (text, message) in [
            ("", "line 1: the file ends without costs for cat, big dog; add a line for each"),
            ("label,fp,fn\n", "line 1: expected the header label,false_positive,false_negative, found label,fp,fn"),
            (&format!("{head}cat,1\n"), "line 2: expected 3 cells, found 2"),
            (&format!("{head}cow,1,1\n"), "line 2: no label is called \"cow\"; the model's labels: cat, big dog"),
            (&format!("{head}cat,1,-1\n"), "line 2: \"-1\": costs must be finite and not negative"),
            (&format!("{head}cat,1,1\ncat,1,1\n"), "line 3: label \"cat\" occurs a second time; remove one of the two"),
            (&format!("{head}cat,1,1\n"), "line 2: the file ends without costs for big dog; add a line for each"),
        ] {
            assert_eq!(read(text).unwrap_err(), format!("parameter cost=c.csv, {message}"));
        }
    }
}
