//! Tests of the search: against plain loops over all pairs of rows.

use proptest::prelude::*;

use super::*;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

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
    order.sort();
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
            for (query, found) in queries.iter().zip(neighbours.nearest(&query_matrix)) {
                assert_eq!(found, by_loops(train, query, None, 7));
            }
            for (row, found) in neighbours.training_nearest().into_iter().enumerate() {
                assert_eq!(found, by_loops(train, &train[row], Some(row), 7));
            }
        }
    }
}

/// Rows of one width: cells on a grid (ties, duplicates) or anywhere, moved and scaled.
fn any_rows() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let cell = prop_oneof![Just(0.0), (-2..=2_i32).prop_map(f64::from), -1.0..1.0_f64];
    let shift = prop_oneof![Just(0.0), Just(1e3), Just(-1e7)];
    let scale = prop_oneof![Just(1.0), Just(1e-3), Just(1e-30), Just(1e60), Just(1e120)];
    let rows = (1..6_usize)
        .prop_flat_map(move |width| proptest::collection::vec(proptest::collection::vec(cell.clone(), width), 12..80));
    (rows, shift, scale, 0..12_usize).prop_map(|(mut rows, shift, scale, copied)| {
        rows.iter_mut().flatten().for_each(|cell| *cell = if *cell == 0.0 { 0.0 } else { scale * (*cell + shift) });
        let copies = rows[..copied].to_vec();
        rows.extend(copies);
        rows
    })
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(DenseMatrix::new(rows.len(), rows[0].len(), rows.concat()))
}

proptest! {
    #[test]
    fn neighbours_equal_those_of_plain_loops_on_any_rows(rows in any_rows(), count in 1..5_usize, far in 0..3_usize) {
        let (queries, train) = rows.split_at(6);
        let mut queries = queries.to_vec();
        // Queries far from all training rows, up to where single precision ends.
        queries[0].iter_mut().for_each(|cell| *cell *= [1.0, 1e12, 1e25][far]);
        let neighbours = Neighbours::of(matrix(train), vec![LabelSet::empty(1); train.len()], count);
        for (query, found) in queries.iter().zip(neighbours.nearest(&matrix(&queries))) {
            prop_assert_eq!(found, by_loops(train, query, None, count));
        }
        for (row, found) in neighbours.training_nearest().into_iter().enumerate() {
            prop_assert_eq!(found, by_loops(train, &train[row], Some(row), count));
        }
    }
}

#[test]
fn few_and_many_neighbours_of_long_rows_equal_those_of_plain_loops() {
    // Lengths differ by far, so that rounding to whole numbers matters for the short ones.
    let mut stream = Stream::new(6, "test", 0);
    let mut row = |index: usize| {
        let length = [1.0, 1e-2, 30.0][index % 3];
        (0..41).map(|_| length * (stream.uniform() - 0.3)).collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = (0..310).map(&mut row).collect();
    let (train, queries) = rows.split_at(270);
    for count in [1, 11, 12, 64, 65, 269] {
        let neighbours = Neighbours::of(matrix(train), vec![LabelSet::empty(1); train.len()], count);
        for (query, found) in queries.iter().zip(neighbours.nearest(&matrix(queries))) {
            assert_eq!(found, by_loops(train, query, None, count));
        }
        for (row, found) in neighbours.training_nearest().into_iter().enumerate() {
            assert_eq!(found, by_loops(train, &train[row], Some(row), count));
        }
    }
}

#[test]
fn blocks_of_rows_meet_each_other_on_any_number_of_threads() {
    // More than two blocks, the last one short; seven columns of ties and noise.
    let mut stream = Stream::new(5, "test", 0);
    let mut cell = |column: usize| if column < 4 { stream.below(3) as f64 } else { stream.uniform() };
    let rows: Vec<Vec<f64>> = (0..600).map(|_| (0..7).map(&mut cell).collect()).collect();
    let neighbours = Neighbours::of(matrix(&rows), vec![LabelSet::empty(1); rows.len()], 10);
    let expected: Vec<Vec<usize>> =
        rows.iter().enumerate().map(|(row, query)| by_loops(&rows, query, Some(row), 10)).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| neighbours.training_nearest()), expected);
        // As with more rows.
        assert_eq!(pool.install(|| neighbours.nearest_by_blocks(&neighbours.rows, true)), expected);
        let found = pool.install(|| neighbours.nearest(&matrix(&rows)));
        assert!(found.iter().zip(&rows).all(|(found, query)| *found == by_loops(&rows, query, None, 10)));
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
