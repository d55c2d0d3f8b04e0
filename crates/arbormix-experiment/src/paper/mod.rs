//! The four tables of the ML-ME paper: what was published, and what we get beside it.
//!
//! [`published`] has the figures, transcribed from the paper's tables. Its macro F1 is the one of its authors'
//! evaluator, the harmonic mean of mean precision and mean recall (`macro_f1_of_means`).

mod figures;
mod ranking;
mod tables;

pub use figures::{Figure, published};
pub use tables::{Beside, Column, beside_published, markdown, published_markdown};

use arbormix_model::measure::Direction;

/// The methods in the paper's order, by their names in the registry, with the paper's names.
pub const METHODS: [(&str, &str); 10] = [
    ("br", "BR"),
    ("chf", "CHF"),
    ("mlknn", "MLKNN"),
    ("iblr", "IBLR"),
    ("cc", "CC"),
    ("ecc", "ECC"),
    ("pcc", "PCC"),
    ("mmoc", "MMOC"),
    ("ctbn", "CTBN"),
    ("mlme", "ML-ME"),
];

/// Name under which ML-ME with our defaults runs beside the paper's settings.
pub const OUR_DEFAULT: &str = "mlme@default";

/// One of the paper's tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperTable {
    /// Title, as in the paper.
    pub title: &'static str,
    /// Name in the file of published figures.
    pub published: &'static str,
    /// Our measure.
    pub measure: &'static str,
    /// Whether more is better.
    pub better: Direction,
    /// Digits after the point.
    pub digits: usize,
}

/// The tables in the paper's order.
pub const TABLES: [PaperTable; 4] = [
    table("Exact match accuracy", "exact_match", "exact_match", Direction::Higher, 3),
    table("CLL-loss", "cll_loss", "cll_loss", Direction::Lower, 1),
    table("Micro F1", "micro_f1", "micro_f1", Direction::Higher, 3),
    table("Macro F1", "macro_f1", "macro_f1_of_means", Direction::Higher, 3),
];

const fn table(
    title: &'static str,
    published: &'static str,
    measure: &'static str,
    better: Direction,
    digits: usize,
) -> PaperTable {
    PaperTable { title, published, measure, better, digits }
}

/// A data set of the paper and the files it is found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaperData {
    /// Its name in the paper's tables.
    pub name: &'static str,
    /// Name of the data file without extension. The paper's RCV1 sets have the ten most frequent labels.
    pub file: &'static str,
    /// Name of the fold file without extension.
    pub folds: &'static str,
    /// Name of the file without the defect of the public RCV1 files (label columns shifted in half of the rows).
    pub repaired: Option<&'static str>,
}

/// The data sets in the paper's order.
pub const DATA: [PaperData; 10] = [
    plain("emotions"),
    plain("image"),
    plain("scene"),
    plain("yeast"),
    plain("enron"),
    rcv1("rcv1.sub1", "rcv1subset1-top10", "rcv1subset1", "rcv1subset1-repaired-top10"),
    rcv1("rcv1.sub2", "rcv1subset2-top10", "rcv1subset2", "rcv1subset2-repaired-top10"),
    rcv1("rcv1.sub3", "rcv1subset3-top10", "rcv1subset3", "rcv1subset3-repaired-top10"),
    rcv1("rcv1.sub4", "rcv1subset4-top10", "rcv1subset4", "rcv1subset4-repaired-top10"),
    rcv1("rcv1.sub5", "rcv1subset5-top10", "rcv1subset5", "rcv1subset5-repaired-top10"),
];

const fn plain(name: &'static str) -> PaperData {
    PaperData { name, file: name, folds: name, repaired: None }
}

const fn rcv1(name: &'static str, file: &'static str, folds: &'static str, repaired: &'static str) -> PaperData {
    PaperData { name, file, folds, repaired: Some(repaired) }
}
