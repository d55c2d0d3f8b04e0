//! Rows, features or labels that do not fit together.

/// Rows, features or labels that do not fit together.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Two parts of a data set, or a data set and a model, disagree in size.
    #[error("{what}: {left} against {right}")]
    Sizes {
        /// What was compared, e.g. "rows of features and of labels".
        what: &'static str,
        /// The first number.
        left: usize,
        /// The second number.
        right: usize,
    },
    /// A feature cell is not a finite number.
    #[error(
        "feature {column:?} is {value} in row {row} (counted from 0); \
         remove the row, or mark the cell as missing (`?` or an empty cell in files, Dataset::with_missing in Rust)"
    )]
    NotFinite {
        /// Name of the column.
        column: String,
        /// The row.
        row: usize,
        /// NaN or an infinity.
        value: f64,
    },
    /// A feature cell is finite but cannot be scaled: the result, or the column's mean or range, overflows.
    #[error(
        "feature {column:?} is {value:e} in row {row} (counted from 0), too large to compute with \
         under scaling {scaling:?}; give the column in another unit, remove the row, or mark the cell as missing"
    )]
    TooLarge {
        /// Name of the column.
        column: String,
        /// The row.
        row: usize,
        /// The cell.
        value: f64,
        /// Name of the scaling.
        scaling: &'static str,
    },
    /// A nominal cell is not an index of a category.
    #[error("feature {column:?} has {count} categories, but row {row} (counted from 0) holds {value}")]
    NotACategory {
        /// Name of the column.
        column: String,
        /// How many categories the column has.
        count: usize,
        /// The row.
        row: usize,
        /// The cell.
        value: f64,
    },
    /// Two columns or two labels have one name.
    #[error("the {what} name {name:?} occurs twice; rename one of them")]
    DuplicateName {
        /// "feature" or "label".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// There are too few rows, features or labels for the work.
    #[error("{what}: {found} found, at least {needed} needed{remedy}")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
        /// What to do, beginning with "; ".
        remedy: &'static str,
    },
    /// The model needs features that the data does not have.
    #[error(
        "the data lacks {} of the model's {needed} features: {}; features are matched by name", missing.len(), first_names(missing)
    )]
    MissingFeatures {
        /// Their names.
        missing: Vec<String>,
        /// How many the model has.
        needed: usize,
    },
    /// A category at prediction that training did not see.
    #[error(
        "feature {column:?} holds the category {category:?} in row {row} (counted from 0), which the model has never seen; \
         it knows {known}. Mark the cell as missing, or fit again with such rows"
    )]
    UnknownCategory {
        /// Name of the column.
        column: String,
        /// The category.
        category: String,
        /// The row.
        row: usize,
        /// The categories the model knows.
        known: String,
    },
    /// A column is numeric in the model and nominal in the data, or the reverse.
    #[error("feature {column:?} is {expected} in the model but {found} in the data")]
    ColumnKind {
        /// Name of the column.
        column: String,
        /// Kind in the model.
        expected: &'static str,
        /// Kind in the data.
        found: &'static str,
    },
    /// Labels of the model that the data does not have, where they are needed.
    #[error(
        "the data lacks {} of the model's {needed} labels: {}; labels are matched by name, and one without a known cell counts as lacking", missing.len(), first_names(missing)
    )]
    MissingLabels {
        /// Their names.
        missing: Vec<String>,
        /// How many the model has.
        needed: usize,
    },
    /// Label cells are unknown where the method needs them.
    #[error("{cells} label cells are unknown, and {method} needs every cell; {remedy}")]
    UnknownLabels {
        /// How many.
        cells: usize,
        /// Who needs them.
        method: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A way of scaling that does not suit the kind of features.
    #[error("scaling {scaling:?} {reason}")]
    Scaling {
        /// Name of the scaling.
        scaling: &'static str,
        /// Why, and what to use instead.
        reason: &'static str,
    },
    /// Two data sets cannot be joined because their columns differ.
    #[error("{first:?} and {second:?} cannot be joined: their {what} differ")]
    Joined {
        /// Name of the first.
        first: String,
        /// Name of the second.
        second: String,
        /// "features" or "labels".
        what: &'static str,
    },
    /// A fold file does not fit the data.
    #[error("fold file: {message}")]
    Folds {
        /// What is wrong, with the line.
        message: String,
    },
}

/// The first few of a list of names.
fn first_names(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("{name:?}")).collect();
    shown.join(", ") + if names.len() > 5 { ", …" } else { "" }
}
