//! On how many data sets ML-ME is the best.

use super::figures::Figure;
use super::tables::{compare, find, paper_name};
use super::{DATA, METHODS, OUR_DEFAULT, PaperTable, TABLES};
use crate::comparison::Verdict;
use crate::results::Results;
use arbormix_model::measure::Direction;

/// Data sets on which a method leads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lead {
    /// Data sets that were looked at.
    of: usize,
    /// Its mean, rounded as in the paper, is the best or equal to it.
    best_or_equal: usize,
    /// No other method is significantly better.
    unbeaten: usize,
}

impl Lead {
    /// Counts a data set: the method's own mean, and the others' with what the test says about the method.
    fn count(&mut self, table: &PaperTable, own: f64, others: &[(f64, Verdict)]) {
        let scale = 10_f64.powi(table.digits as i32) * if table.better == Direction::Higher { 1.0 } else { -1.0 };
        let rounded = |value: f64| (value * scale).round();
        self.of += 1;
        self.best_or_equal += usize::from(others.iter().all(|&(other, _)| rounded(own) >= rounded(other)));
        self.unbeaten += usize::from(others.iter().all(|&(_, verdict)| verdict != Verdict::Inferior));
    }

    fn text(self) -> String {
        match self.of {
            0 => "– | –".to_string(),
            of => format!("{} of {of} | {} of {of}", self.best_or_equal, self.unbeaten),
        }
    }
}

/// The section of the ranking.
pub(crate) fn markdown(results: &Results, figures: &[Figure]) -> String {
    let mut out = String::from(
        "\n## How often ML-ME is the best\n\n\
         *Best*: no other method has a better mean, at the paper's digits. *Unbeaten*: no other method is significantly \
         better by the paired t-test. Against all rivals that were run, also those without a column in the paper's table \
         (our ECC has a CLL-loss, the paper's has none), and against those of the table alone; the repaired RCV1 files \
         apart.\n",
    );
    for table in &TABLES[..2] {
        out.push_str(&format!("\n### {}\n\n| | best | unbeaten |\n|---|---:|---:|\n", table.title));
        out.push_str(&format!("| the paper | {} |\n", of_paper(table, figures).text()));
        for (reference, title) in [("mlme", "ours, the paper's settings"), (OUR_DEFAULT, "ours, our default")] {
            let listed = |method: &str| figures.iter().any(|f| f.measure == table.published && f.method == method);
            for (which, all) in [("", true), (", rivals of the table", false)] {
                for (place, repaired) in [("", false), (", repaired RCV1", true)] {
                    let lead = of_results(table, results, reference, repaired, |rival| all || listed(rival));
                    if lead.of > 0 || !repaired {
                        out.push_str(&format!("| {title}{which}{place} | {} |\n", lead.text()));
                    }
                }
            }
        }
    }
    out
}

fn of_paper(table: &PaperTable, figures: &[Figure]) -> Lead {
    let mut lead = Lead::default();
    for data in DATA {
        let value = |method: &str| find(figures, table, data.name, method).and_then(|f| Some((f.value?, f.verdict)));
        let others: Vec<(f64, Verdict)> =
            METHODS.iter().filter(|(method, _)| *method != "mlme").filter_map(|(method, _)| value(method)).collect();
        if let Some((own, _)) = value("mlme") {
            lead.count(table, own, &others);
        }
    }
    lead
}

/// `reference` is one of the two ML-MEs; the other one does not compete with it.
fn of_results(
    table: &PaperTable,
    results: &Results,
    reference: &str,
    repaired: bool,
    rival: impl Fn(&str) -> bool,
) -> Lead {
    let mut lead = Lead::default();
    let Some(own) = results.methods().iter().position(|method| method.name == reference) else { return lead };
    let comparison = compare(results, table, reference);
    for (task, info) in results.data().iter().enumerate() {
        let Some(entry) = &comparison.entries[task][own] else { continue };
        if paper_name(&info.name).ends_with(" repaired") != repaired {
            continue;
        }
        let competes = |name: &str| name != "mlme" && rival(name);
        let rivals =
            results.methods().iter().zip(&comparison.entries[task]).filter(|(method, _)| competes(&method.method));
        let others: Vec<(f64, Verdict)> =
            rivals.filter_map(|(_, other)| Some((other.as_ref()?.mean, other.as_ref()?.verdict?))).collect();
        if !others.is_empty() {
            lead.count(table, entry.mean, &others);
        }
    }
    lead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_own_count_is_that_of_its_text() {
        // Section 6.4: ML-ME has the best or an equal EMA on nine of ten data sets, the best CLL-loss on eight.
        let figures = super::super::published().unwrap();
        assert_eq!(of_paper(&TABLES[0], &figures), Lead { of: 10, best_or_equal: 9, unbeaten: 10 });
        assert_eq!(of_paper(&TABLES[1], &figures), Lead { of: 10, best_or_equal: 8, unbeaten: 9 });
    }
}
