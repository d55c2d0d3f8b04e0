//! What a feature adds where no weight says it: the label's log-odds less those without the feature.

use super::{Model, Push};
use arbormix_data::{Dataset, LabelSet, Labels};
use arbormix_joint::Result;
use arbormix_learn::logistic::loss::clamped_log_odds;
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

/// Copies of the row that are answered at once; each lacks another feature.
const COPIES: usize = 256;
/// Probabilities nearer to 0 or 1 than this count as this near: log-odds stay finite.
const NEAREST: f64 = 1e-12;

/// log p / (1 − p), finite.
pub(crate) fn finite_log_odds(p: f64) -> f64 {
    clamped_log_odds(p, NEAREST)
}

/// For every label, what each column of the one row of `row` added to its log-odds, strongest first; `marginals` are the
/// labels' probabilities at the row. A column that adds nothing to a label is left out.
pub(crate) fn occlusions(model: &Model, row: &Dataset, marginals: &[f64]) -> Result<Vec<Vec<Push>>> {
    let mut out: Vec<Vec<(usize, f64)>> = vec![Vec::new(); marginals.len()];
    let mut columns = Vec::new();
    row.features().visit_row(0, |column, _| columns.push(column));
    for some in columns.chunks(COPIES) {
        let without = model.marginals(&copies_without(row, some)?)?;
        for (copy, &column) in some.iter().enumerate() {
            for ((pushes, p), q) in out.iter_mut().zip(marginals).zip(without.row(copy)) {
                let added = finite_log_odds(*p) - finite_log_odds(*q);
                if added != 0.0 {
                    pushes.push((column, added));
                }
            }
        }
    }
    let push = |(column, log_odds): (usize, f64)| Push { feature: row.columns()[column].name.clone(), log_odds };
    let sorted = |mut pushes: Vec<(usize, f64)>| {
        pushes.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        pushes.into_iter().map(push).collect()
    };
    Ok(out.into_iter().map(sorted).collect())
}

/// Copies of a row, each without one of its columns: unknown in dense rows, zero in sparse ones, where most are.
fn copies_without(row: &Dataset, columns: &[usize]) -> Result<Dataset> {
    let width = row.columns().len();
    let cells = match row.features() {
        Matrix::Dense(cells) => {
            let mut copies = DenseMatrix::zeros(columns.len(), width);
            for (copy, &column) in columns.iter().enumerate() {
                copies.row_mut(copy).copy_from_slice(cells.row(0));
                copies.row_mut(copy)[column] = f64::NAN;
            }
            Matrix::Dense(copies)
        }
        Matrix::Sparse(cells) => {
            let (stored, values) = cells.row(0);
            let mut copies = SparseBuilder::default();
            for &without in columns {
                let others = stored.iter().zip(values).filter(|(column, _)| **column as usize != without);
                others.for_each(|(column, value)| copies.push(*column as usize, *value));
                copies.end_row();
            }
            Matrix::Sparse(copies.finish(width))
        }
    };
    let labels = Labels::new(row.labels().count(), vec![LabelSet::empty(row.labels().count()); columns.len()]);
    let names = row.label_names().to_vec();
    let copies = Dataset::with_missing(row.name(), cells, row.columns().to_vec(), labels, names)?;
    Ok(if row.implicit_columns() { copies.with_implicit_columns() } else { copies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::learner;
    use arbormix_base::params::Preset;
    use arbormix_base::progress::Silent;
    use arbormix_data::planted::Planted;

    /// The row with one cell changed, as a data set of its own.
    fn changed(row: &Dataset, column: usize, value: f64) -> Dataset {
        let mut cells = DenseMatrix::zeros(1, row.columns().len());
        row.features().visit_row(0, |place, value| cells.row_mut(0)[place] = value);
        cells.row_mut(0)[column] = value;
        let (columns, labels) = (row.columns().to_vec(), row.labels().clone());
        Dataset::with_missing("changed", Matrix::Dense(cells), columns, labels, row.label_names().to_vec()).unwrap()
    }

    #[test]
    fn a_feature_added_what_is_lost_without_it() {
        for density in [1.0, 0.5] {
            let planted = Planted { rows: 120, features: 6, density, seed: 5, ..Planted::default() };
            let (data, _) = planted.sample().unwrap();
            for method in ["lp", "mlknn"] {
                let own = learner(method, Preset::Default, &serde_json::json!({})).unwrap();
                let model = crate::fit(own.as_ref(), &data, None, &Silent).unwrap();
                let why = model.explain(&data, 3, 6).unwrap();
                let row = data.select_rows(&[3]);
                let here = model.marginals(&row).unwrap();
                let mut told = 0;
                for (label, reason) in why.reasons.iter().enumerate() {
                    assert!(reason.log_odds.is_finite() && reason.times_less_probable_otherwise >= 1.0);
                    let sizes: Vec<f64> = reason.features.iter().map(|push| push.log_odds.abs()).collect();
                    assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes.iter().all(|size| *size > 0.0));
                    for push in &reason.features {
                        let column = row.columns().iter().position(|column| column.name == push.feature).unwrap();
                        let unknown = if data.features().is_sparse() { 0.0 } else { f64::NAN };
                        let without = model.marginals(&changed(&row, column, unknown)).unwrap();
                        let lost = finite_log_odds(here.get(0, label)) - finite_log_odds(without.get(0, label));
                        assert!((push.log_odds - lost).abs() < 1e-9, "{method}: {push:?} against {lost}");
                        told += 1;
                    }
                }
                assert!(told > 0, "{method} tells no reason");
            }
        }
    }
}
