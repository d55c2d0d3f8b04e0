//! Tests of the search: against plain loops over all pairs of rows.

use super::*;
use crate::data::LabelSet;
use crate::matrix::{DenseMatrix, Matrix, SparseBuilder};
use crate::random::Stream;

/// Rows on a coarse grid, so that many distances tie; far from the origin, so that rounding would show.
fn grid(rows: usize, shift: f64) -> Vec<Vec<f64>> {
    let mut stream = Stream::new(4, "test", 0);
    (0..rows)
        .map(|_| {
            (0..3).map(|_| if stream.uniform() < 0.3 { 0.0 } else { shift + stream.below(4) as f64 / 10.0 }).collect()
        })
        .collect()
}

fn dense(rows: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(DenseMatrix::new(rows.len(), 3, rows.concat()))
}

fn sparse(rows: &[Vec<f64>]) -> Matrix {
    let mut builder = SparseBuilder::default();
    for row in rows {
        row.iter().enumerate().for_each(|(column, &value)| builder.push(column, value));
        builder.end_row();
    }
    Matrix::Sparse(builder.finish(3))
}

fn by_loops(train: &[Vec<f64>], query: &[f64], own: Option<usize>, count: usize) -> Vec<usize> {
    let distance = |row: &[f64]| row.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut order: Vec<usize> = (0..train.len()).filter(|&row| Some(row) != own).collect();
    order.sort_by(|&a, &b| distance(&train[a]).total_cmp(&distance(&train[b])));
    order.truncate(count);
    order
}

#[test]
fn neighbours_equal_those_of_plain_loops_ties_included() {
    for shift in [0.0, 1000.0] {
        let rows = grid(300, shift);
        let (train, queries) = rows.split_at(200);
        let labels = vec![LabelSet::empty(1); 200];
        for (train_matrix, query_matrix) in [(dense(train), dense(queries)), (sparse(train), sparse(queries))] {
            let neighbours = Neighbours::of(train_matrix, labels.clone(), 7);
            for (query, found) in queries.iter().zip(neighbours.nearest(&query_matrix, false)) {
                assert_eq!(found, by_loops(train, query, None, 7));
            }
            for (row, found) in neighbours.nearest(&neighbours.rows, true).into_iter().enumerate() {
                assert_eq!(found, by_loops(train, &train[row], Some(row), 7));
            }
        }
    }
}

#[test]
fn damaged_sparse_rows_are_refused() {
    let neighbours = Neighbours::of(sparse(&grid(20, 1.0)), vec![LabelSet::empty(2); 20], 3);
    let stored = neighbours.stored();
    assert_eq!(Neighbours::load(&stored).unwrap(), neighbours);
    for bad in [-1.0, 0.5, 3.0, f64::NAN] {
        let mut damaged = stored.clone();
        damaged.tensors.get_mut("columns").unwrap().values[1] = bad;
        assert!(Neighbours::load(&damaged).is_err(), "{bad}");
    }
    let mut damaged = stored;
    damaged.tensors.get_mut("row_lengths").unwrap().values[19] = 0.0;
    assert!(Neighbours::load(&damaged).is_err());
}
