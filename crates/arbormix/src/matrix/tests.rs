//! The kernels against sums written out, and against themselves in other batches.

use super::{Columns, DenseMatrix, Matrix, Operator, PackedColumns, SparseBuilder, SparseMatrix};
use crate::random::Stream;

/// Cells of a matrix with `density` of them set.
fn cells(rows: usize, cols: usize, density: f64, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, "kernels", 0);
    let cell = |_| if stream.uniform() < density { stream.uniform() - 0.5 } else { 0.0 };
    (0..rows * cols).map(cell).collect()
}

fn dense(rows: usize, cols: usize, cells: &[f64]) -> Matrix {
    Matrix::Dense(DenseMatrix::new(rows, cols, cells.to_vec()))
}

fn sparse(cols: usize, cells: &[f64]) -> SparseMatrix {
    let mut builder = SparseBuilder::default();
    for row in cells.chunks(cols) {
        row.iter().enumerate().for_each(|(column, &value)| builder.push(column, value));
        builder.end_row();
    }
    builder.finish(cols)
}

fn columns(rows: usize, cols: usize, seed: u64) -> Columns {
    let cells = cells(rows, cols, 1.0, seed);
    Columns::from_columns(rows, cells.chunks(rows))
}

fn close(ours: &Columns, expected: impl Fn(usize, usize) -> f64) {
    for column in 0..ours.cols() {
        for row in 0..ours.rows() {
            let (a, b) = (ours.get(row, column), expected(row, column));
            assert!((a - b).abs() < 1e-12, "({row}, {column}): {a} against {b}");
        }
    }
}

/// Shapes with rests of every kind: rows beyond groups of four and strips, vectors beyond tiles of eight and four.
const SHAPES: [(usize, usize, usize); 6] = [(1, 1, 1), (5, 3, 2), (49, 7, 4), (50, 20, 5), (101, 6, 9), (97, 11, 21)];

#[test]
fn products_are_the_sums_they_stand_for() {
    for (rows, cols, count) in SHAPES {
        let x = cells(rows, cols, 0.5, 1);
        let at = |n: usize, j: usize| x[n * cols + j];
        let (right, left) = (columns(cols, count, 2), columns(rows, count, 3));
        let factors: Vec<&[f64]> = (0..count).map(|p| left.column(p)).collect();
        let inner = |n: usize, p: usize| (0..cols).map(|j| at(n, j) * right.get(j, p)).sum::<f64>();
        for matrix in [dense(rows, cols, &x), Matrix::Sparse(sparse(cols, &x))] {
            let operator = Operator::new(matrix);
            close(&operator.product(&right), inner);
            close(&operator.transposed_product(&left), |j, p| (0..rows).map(|n| at(n, j) * left.get(n, p)).sum());
            close(&operator.squares_transposed_product(&left), |j, p| {
                (0..rows).map(|n| at(n, j) * at(n, j) * left.get(n, p)).sum()
            });
            let (curved, along) = operator.curved_product(&right, &factors);
            close(&along, inner);
            close(&curved, |j, p| (0..rows).map(|n| at(n, j) * left.get(n, p) * inner(n, p)).sum());
        }
    }
}

#[test]
fn a_batch_gives_the_bits_of_its_vectors_one_by_one() {
    for (rows, cols, count) in SHAPES {
        let x = cells(rows, cols, 0.5, 4);
        let (right, left) = (columns(cols, count, 5), columns(rows, count, 6));
        for matrix in [dense(rows, cols, &x), Matrix::Sparse(sparse(cols, &x))] {
            let operator = Operator::new(matrix);
            let factors: Vec<&[f64]> = (0..count).map(|p| left.column(p)).collect();
            let (curved, along) = operator.curved_product(&right, &factors);
            let (down, squares) = (operator.transposed_product(&left), operator.squares_transposed_product(&left));
            for p in 0..count {
                let alone = Columns::from_columns(cols, [right.column(p)]);
                let (one_curved, one_along) = operator.curved_product(&alone, &factors[p..=p]);
                assert_eq!(curved.column(p), one_curved.column(0));
                assert_eq!(along.column(p), one_along.column(0));
                assert_eq!(along.column(p), operator.product(&alone).column(0));
                let alone = Columns::from_columns(rows, [left.column(p)]);
                assert_eq!(down.column(p), operator.transposed_product(&alone).column(0));
                assert_eq!(squares.column(p), operator.squares_transposed_product(&alone).column(0));
            }
        }
    }
}

#[test]
fn a_row_alone_gives_the_bits_of_the_row_among_others() {
    let (rows, cols) = (50, 20);
    let x = cells(rows, cols, 0.5, 7);
    let right = columns(cols, 6, 8);
    for matrix in [dense(rows, cols, &x), Matrix::Sparse(sparse(cols, &x))] {
        let all = matrix.product(&right);
        for row in 0..rows {
            let alone = matrix.select_rows(&[row]).product(&right);
            (0..6).for_each(|p| assert_eq!(all.get(row, p), alone.get(0, p)));
        }
    }
}

#[test]
fn packed_columns_give_the_bits_of_plain_ones() {
    for (rows, cols, count) in SHAPES {
        let x = cells(rows, cols, 0.5, 10);
        let right = columns(cols, count, 11);
        let packed = PackedColumns::new(&right);
        assert_eq!(packed.to_columns(), right);
        for matrix in [dense(rows, cols, &x), Matrix::Sparse(sparse(cols, &x))] {
            let (plain, by_rows) = (matrix.product(&right), matrix.packed_product(&packed));
            assert_eq!((by_rows.rows(), by_rows.cols()), (rows, count));
            for row in 0..rows {
                (0..count).for_each(|p| assert_eq!(by_rows.get(row, p), plain.get(row, p)));
            }
        }
    }
}

#[test]
fn chunks_cover_all_rows_in_order() {
    for rows in [0, 1, 48, 49, 200] {
        let matrix = dense(rows, 1, &(0..rows).map(|row| row as f64).collect::<Vec<_>>());
        let seen = matrix.in_chunks(|first, some| {
            let Matrix::Dense(some) = some else { unreachable!("dense rows stay dense") };
            some.values().iter().enumerate().map(|(row, &value)| (first + row, value)).collect()
        });
        assert_eq!(seen, (0..rows).map(|row| (row, row as f64)).collect::<Vec<_>>());
    }
}

#[test]
fn transposing_twice_changes_nothing_and_empty_columns_go() {
    let x = cells(30, 40, 0.03, 9);
    let matrix = sparse(40, &x);
    assert_eq!(matrix.transposed().transposed(), matrix);
    let (compact, kept) = matrix.clone().without_empty_columns();
    let full: Vec<usize> = (0..40).filter(|&j| (0..30).any(|n| x[n * 40 + j] != 0.0)).collect();
    assert!(full.len() < 40, "the test needs an empty column");
    assert_eq!(kept.iter().map(|&column| column as usize).collect::<Vec<_>>(), full);
    for row in 0..30 {
        let ((columns, values), (before, same)) = (compact.row(row), matrix.row(row));
        assert_eq!(values, same);
        assert!(columns.iter().zip(before).all(|(&to, &from)| kept[to as usize] == from));
    }
}
