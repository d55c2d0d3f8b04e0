//! The kernels against sums written out, and against themselves in other batches.

use super::{Columns, DenseMatrix, Matrix, Operator, PackedColumns, Real, SparseBuilder, SparseMatrix};
use arbormix_base::random::Stream;

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

/// Shapes with rests of every kind: rows beyond strips, cells beyond registers, vectors beyond shares and tiles.
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
            let (curved, along) = operator.double().curved_product(&right.all(), &factors);
            close(&along, inner);
            close(&curved, |j, p| (0..rows).map(|n| at(n, j) * left.get(n, p) * inner(n, p)).sum());
        }
    }
}

#[test]
fn single_precision_gives_the_same_sums_to_its_digits() {
    for (rows, cols, count) in SHAPES {
        let x = cells(rows, cols, 0.5, 12);
        let (right, left) = (columns(cols, count, 13), columns(rows, count, 14));
        let (few_right, few_left) = (right.to_precision::<f32>(), left.to_precision::<f32>());
        for matrix in [dense(rows, cols, &x), Matrix::Sparse(sparse(cols, &x))] {
            let operator = Operator::new(matrix);
            let (double, single) = (operator.double(), operator.single().expect("moderate cells"));
            let near = |few: &Columns<f32>, all: &Columns| {
                let worst = few.values().iter().zip(all.values()).map(|(a, b)| (f64::from(*a) - b).abs());
                assert!(worst.fold(0.0, f64::max) < 1e-6 * rows.max(cols) as f64);
            };
            near(&single.product(&few_right.all()), &operator.product(&right));
            near(&single.transposed_product(&few_left.all()), &operator.transposed_product(&left));
            near(&single.squares_transposed_product(&few_left.all()), &operator.squares_transposed_product(&left));
            let (few, few_along) = single.curved_product(&few_right.all(), &left.all());
            let (all, along) = double.curved_product(&right.all(), &left.all());
            near(&few, &all);
            near(&few_along, &along);
            for p in 0..count {
                let (one, one_along) = single.curved_product(&few_right.all()[p..=p], &left.all()[p..=p]);
                assert_eq!((few.column(p), few_along.column(p)), (one.column(0), one_along.column(0)));
            }
        }
    }
}

#[test]
fn dense_rows_are_found_again_in_strips_and_with_further_columns() {
    for (rows, cols) in [(1, 3), (16, 5), (37, 4), (70, 9)] {
        let x = cells(rows, cols, 1.0, 30);
        let (operator, extra) = (Operator::new(dense(rows, cols, &x)), cells(rows, 1, 1.0, 31));
        let picked: Vec<usize> = (0..rows).rev().step_by(2).chain([0, 0]).collect();
        for some in [None, Some(picked.as_slice())] {
            let (more, kept) = operator.append(some, &[&extra]);
            assert_eq!((kept, more.cols()), (None, cols + 1));
            let chosen: Vec<usize> = some.map_or_else(|| (0..rows).collect(), <[usize]>::to_vec);
            assert_eq!(more.rows(), chosen.len());
            // A unit vector picks a column.
            for column in 0..=cols {
                let unit: Vec<f64> = (0..=cols).map(|j| f64::from(u8::from(j == column))).collect();
                let cell = |&row: &usize| if column < cols { x[row * cols + column] } else { extra[row] };
                let expected: Vec<f64> = chosen.iter().map(cell).collect();
                assert_eq!(more.product(&Columns::from_columns(cols + 1, [unit.as_slice()])).values(), expected);
                let single = Columns::from_columns(cols + 1, [unit.as_slice()]).to_precision::<f32>();
                let rounded: Vec<f32> = expected.iter().map(|&cell| f32::of(cell)).collect();
                assert_eq!(more.single().expect("moderate cells").product(&single.all()).values(), rounded);
            }
        }
    }
}

#[test]
fn cells_beyond_single_precision_have_none() {
    for cell in [1e200, 1e-200] {
        assert!(Operator::new(dense(1, 2, &[cell, 0.0])).single().is_none());
    }
    assert!(Operator::new(dense(1, 2, &[255.0, 0.0])).single().is_some());
}

#[test]
fn a_batch_gives_the_bits_of_its_vectors_one_by_one() {
    for (rows, cols, count) in SHAPES {
        let x = cells(rows, cols, 0.5, 4);
        let (right, left) = (columns(cols, count, 5), columns(rows, count, 6));
        for matrix in [dense(rows, cols, &x), Matrix::Sparse(sparse(cols, &x))] {
            let operator = Operator::new(matrix);
            let factors: Vec<&[f64]> = (0..count).map(|p| left.column(p)).collect();
            let (curved, along) = operator.double().curved_product(&right.all(), &factors);
            let (down, squares) = (operator.transposed_product(&left), operator.squares_transposed_product(&left));
            for p in 0..count {
                let alone = Columns::from_columns(cols, [right.column(p)]);
                let (one_curved, one_along) = operator.double().curved_product(&alone.all(), &factors[p..=p]);
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
fn packed_columns_give_the_products_of_plain_ones() {
    for (rows, cols, count) in SHAPES {
        let x = cells(rows, cols, 0.5, 10);
        let right = columns(cols, count, 11);
        let packed = PackedColumns::new(&right);
        assert_eq!(packed.to_columns(), right);
        for matrix in [dense(rows, cols, &x), Matrix::Sparse(sparse(cols, &x))] {
            let (plain, by_rows) = (matrix.product(&right), matrix.packed_product(&packed));
            assert_eq!((by_rows.rows(), by_rows.cols()), (rows, count));
            for row in 0..rows {
                for p in 0..count {
                    let (packed, plain) = (by_rows.get(row, p), plain.get(row, p));
                    assert_eq!(packed, plain);
                    let sum: f64 = (0..cols).map(|j| x[row * cols + j] * right.get(j, p)).sum();
                    assert!((packed - sum).abs() <= 1e-13 * cols as f64, "{packed} {sum}");
                }
            }
            let part = matrix.packed_product_of(rows / 3..rows, &packed);
            assert_eq!(part.values(), &by_rows.values()[rows / 3 * count..]);
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
        for large in [rows, 10 * rows] {
            assert_eq!(
                dense(large, 1, &vec![0.0; large]).by_chunks(|rows| rows.collect()),
                (0..large).collect::<Vec<_>>()
            );
        }
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

/// All products of both operators are the same bits, in both precisions.
fn same_products(a: &Operator<'_>, b: &Operator<'_>) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for count in [1, 3, 11] {
        let (right, left) = (columns(a.cols(), count, 21), columns(a.rows(), count, 22));
        assert_eq!(a.product(&right), b.product(&right));
        assert_eq!(a.transposed_product(&left), b.transposed_product(&left));
        assert_eq!(a.squares_transposed_product(&left), b.squares_transposed_product(&left));
        let curved = |operator: &Operator<'_>| operator.double().curved_product(&right.all(), &left.all());
        assert_eq!(curved(a), curved(b));
        let few = right.to_precision::<f32>();
        let curved =
            |operator: &Operator<'_>| operator.single().expect("moderate").curved_product(&few.all(), &left.all());
        assert_eq!(curved(a), curved(b));
    }
}

#[test]
fn a_column_of_ones_need_not_be_stored() {
    let (rows, cols) = (60, 40);
    let x = cells(rows, cols, 0.05, 20);
    let with_ones: Vec<f64> = x.chunks(cols).flat_map(|row| row.iter().copied().chain([1.0])).collect();
    let matrix = sparse(cols, &x);
    let stored = sparse(cols + 1, &with_ones);
    let (implicit, explicit) = (Operator::with_ones(&matrix), Operator::new(Matrix::Sparse(stored.clone())));
    same_products(&implicit, &explicit);
    let some: Vec<usize> = (0..rows).filter(|row| row % 3 == 0).collect();
    same_products(&implicit.with_rows(&some), &explicit.with_rows(&some));
    // Asked for in either order of precisions, and the columns that stay.
    for double_first in [false, true] {
        let ((few, kept), (other, same)) = (implicit.select_rows(&some), explicit.select_rows(&some));
        assert!(kept.as_ref().is_some_and(|kept| kept.len() < cols + 1), "the test needs an empty column");
        assert_eq!(kept, same);
        if double_first {
            few.double();
        }
        assert!(few.single().is_some());
        same_products(&few, &other);
        let (compact, _) = stored.select_rows(&some).without_empty_columns();
        same_products(&few, &Operator::new(Matrix::Sparse(compact)));
    }
    let extra: Vec<f64> = (0..rows).map(|row| row as f64).collect();
    for rows in [None, Some(some.as_slice())] {
        let ((few, kept), (other, same)) = (implicit.append(rows, &[&extra]), explicit.append(rows, &[&extra]));
        assert_eq!(kept, same);
        same_products(&few, &other);
    }
}

#[test]
fn many_sparse_rows_give_the_sums_they_stand_for_without_copies() {
    // More cells than are copied, in rows that outnumber the columns and in rows that do not.
    for (rows, cols) in [(1500, 1000), (1000, 1500)] {
        let x = cells(rows, cols, 0.75, 23);
        let (many, plain) = (Operator::new(Matrix::Sparse(sparse(cols, &x))), Operator::new(dense(rows, cols, &x)));
        let count = 5;
        let (right, left) = (columns(cols, count, 24), columns(rows, count, 25));
        let near = |a: &Columns, b: &Columns| {
            let miss = a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(miss < 1e-10, "{miss}");
        };
        near(&many.product(&right), &plain.product(&right));
        near(&many.transposed_product(&left), &plain.transposed_product(&left));
        near(&many.squares_transposed_product(&left), &plain.squares_transposed_product(&left));
        let (curved, along) = many.double().curved_product(&right.all(), &left.all());
        let (plain_curved, plain_along) = plain.double().curved_product(&right.all(), &left.all());
        near(&curved, &plain_curved);
        near(&along, &plain_along);
        let single = many.single().expect("moderate cells");
        let (few_right, few_left) = (right.to_precision::<f32>(), left.to_precision::<f32>());
        let (few, few_along) = single.curved_product(&few_right.all(), &left.all());
        let rough = |a: &Columns<f32>, b: &Columns| {
            let size = b.values().iter().fold(0.0_f64, |size, v| size.max(v.abs()));
            let miss = a.values().iter().zip(b.values()).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
            assert!(miss < 1e-5 * size, "{miss} of {size}");
        };
        rough(&few, &curved);
        rough(&few_along, &along);
        rough(&single.transposed_product(&few_left.all()), &many.transposed_product(&left));
        rough(&single.squares_transposed_product(&few_left.all()), &many.squares_transposed_product(&left));
        // A batch gives the bits of its vectors one by one.
        for p in 0..count {
            let (one, one_along) = single.curved_product(&few_right.all()[p..=p], &left.all()[p..=p]);
            assert_eq!((few.column(p), few_along.column(p)), (one.column(0), one_along.column(0)));
            let alone = many.double().transposed_product(&left.all()[p..=p]);
            assert_eq!(many.transposed_product(&left).column(p), alone.column(0));
        }
    }
}
