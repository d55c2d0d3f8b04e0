//! Data sets from what a program has in memory: rows of numbers, or anything that gives a cell by its place.

use arbormix_matrix::{DenseMatrix, Matrix};

use crate::{Column, DataError, Dataset, LabelSet, Labels, Result};

impl Dataset {
    /// A data set from rows of features and rows of labels; columns are called `x0`, `x1` …, labels `y0`, `y1` … until
    /// [`Dataset::with_names`] says otherwise. NaN means that a feature cell is missing.
    ///
    /// ```
    /// use arbormix_data::Dataset;
    ///
    /// let data = Dataset::from_rows(&[[0.5, 2.0], [-1.0, 0.0]], &[[true, false], [true, true]])?
    ///     .with_names(["size", "age"], ["cat", "pet"])?;
    /// assert_eq!((data.rows(), data.label_names()), (2, ["cat".to_string(), "pet".to_string()].as_slice()));
    /// # Ok::<(), arbormix_data::Error>(())
    /// ```
    pub fn from_rows<X: AsRef<[f64]>, Y: AsRef<[bool]>>(features: &[X], labels: &[Y]) -> Result<Dataset> {
        let columns = features.first().map_or(0, |row| row.as_ref().len());
        let count = labels.first().map_or(0, |row| row.as_ref().len());
        same_length("columns of a row and of the first one", features.iter().map(|row| row.as_ref().len()), columns)?;
        same_length("labels of a row and of the first one", labels.iter().map(|row| row.as_ref().len()), count)?;
        Dataset::from_cells(
            (features.len(), columns),
            |row, column| features[row].as_ref()[column],
            (labels.len(), count),
            |row, label| labels[row].as_ref()[label],
        )
    }

    /// A data set from the cells of any two-dimensional views, such as those of the crate ndarray: the shape of each, and
    /// a function that gives the cell in a row and a column.
    ///
    /// ```
    /// use arbormix_data::Dataset;
    ///
    /// let cells = vec![0.5, 2.0, -1.0, 0.0]; // two rows and two columns
    /// let data = Dataset::from_cells((2, 2), |row, column| cells[2 * row + column], (2, 1), |row, _| row == 0)?;
    /// assert_eq!(data.columns()[1].name, "x1");
    /// # Ok::<(), arbormix_data::Error>(())
    /// ```
    pub fn from_cells(
        (rows, columns): (usize, usize),
        feature: impl Fn(usize, usize) -> f64,
        (label_rows, count): (usize, usize),
        label: impl Fn(usize, usize) -> bool,
    ) -> Result<Dataset> {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let features = DenseMatrix::new(rows, columns, cells.map(|(row, column)| feature(row, column)).collect());
        let set = |row: usize| LabelSet::from_bools(&(0..count).map(|place| label(row, place)).collect::<Vec<_>>());
        let labels = Labels::new(count, (0..label_rows).map(set).collect());
        let names = (0..columns).map(|column| Column::numeric(format!("x{column}"))).collect();
        let label_names = (0..count).map(|place| format!("y{place}")).collect();
        Dataset::with_missing("data", Matrix::Dense(features), names, labels, label_names)
    }

    /// The data set with other names of its columns and labels.
    pub fn with_names<C: Into<String>, L: Into<String>>(
        self,
        columns: impl IntoIterator<Item = C>,
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Dataset> {
        let names: Vec<String> = columns.into_iter().map(Into::into).collect();
        let what = "columns and names for them";
        same_length(what, [names.len()].into_iter(), self.columns().len())?;
        let columns = self.columns().iter().zip(names).map(|(column, name)| Column { name, kind: column.kind.clone() });
        let (columns, label_names) = (columns.collect(), labels.into_iter().map(Into::into).collect());
        let (name, features, labels) = (self.name().to_string(), self.features().clone(), self.labels().clone());
        Dataset::with_missing(name, features, columns, labels, label_names)
    }
}

fn same_length(what: &'static str, mut lengths: impl Iterator<Item = usize>, right: usize) -> Result<(), DataError> {
    match lengths.find(|&length| length != right) {
        None => Ok(()),
        Some(left) => Err(DataError::Sizes { what, left, right }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_different_lengths_are_refused() {
        let ragged: [Vec<f64>; 2] = [vec![1.0], vec![1.0, 2.0]];
        let error = Dataset::from_rows(&ragged, &[[true], [false]]).unwrap_err().to_string();
        assert!(error.contains("columns of a row and of the first one"), "{error}");
        let error = Dataset::from_rows(&[[1.0], [2.0]], &[[true]]).unwrap_err().to_string();
        assert!(error.contains("rows of features and of labels"), "{error}");
        let data = Dataset::from_rows(&[[1.0], [2.0]], &[[true], [false]]).unwrap();
        assert!(data.clone().with_names(["a", "b"], ["y"]).is_err() && data.with_names(["a"], ["y", "z"]).is_err());
    }
}
