//! What a fit needs, roughly, and fits that keep to a bound.

use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_data::describe::memory;
use arbormix_joint::learner::Learner;
use arbormix_joint::{Error, Result};
use arbormix_learn::features::width;
use arbormix_learn::logistic::{BATCH, solve_fewer_together};
use arbormix_matrix::{Matrix, sparse_copies};

/// Copies of dense encoded features that live as long as the fit: themselves, those rotated to principal axes, and these in
/// single precision, which takes half. The data come on top. Of sparse ones: themselves, and as [`sparse_copies`] says.
const LASTING_DENSE: usize = 3;
/// Copies on each thread: the rows of a fold or of a parent's value, which are part of all rows, with their columns, and
/// another unit of work that the thread takes up while it waits for a part of the first.
const COPIES_PER_THREAD: usize = 2;
/// Vectors over rows and columns that a regression in work has, about.
const VECTORS: usize = 10;
/// Regressions that a thread solves at a time, where memory is short: with fewer, products no longer share what they read.
const FEWER_TOGETHER: [usize; 3] = [BATCH, BATCH / 2, BATCH / 4];
/// Copies of a mixture's regressions: the last, the best and the next step of EM.
const STATES: usize = 3;

/// Bytes that a fit is reckoned to need on so many threads: the features as often as they are copied, the Gram matrix of
/// dense ones, the regressions in work on every thread, and those of the model.
///
/// An estimate of the order of magnitude, for methods made of logistic regressions; it can be wrong by a factor of two.
/// How many experts there are comes from the method's parameter `experts`, at most `max_experts` if that is `auto`.
pub fn fit_bytes(learner: &dyn Learner, data: &Dataset, threads: usize) -> usize {
    bytes_in_batches(learner, data, threads, BATCH)
}

/// [`fit_bytes`], with so many regressions at a time on each thread.
fn bytes_in_batches(learner: &dyn Learner, data: &Dataset, threads: usize, batch: usize) -> usize {
    let (rows, labels) = (data.rows(), data.labels().count());
    let columns: usize = data.columns().iter().map(|column| width(&column.kind)).sum();
    let float = size_of::<f64>();
    let params = learner.params();
    let number = |name: &str| params.get(name).and_then(serde_json::Value::as_u64);
    let experts = number("experts").or_else(|| number("max_experts")).unwrap_or(1) as usize;
    let (gram, coordinates) = match data.features() {
        Matrix::Dense(_) => (2 * columns * columns * float, columns.min(rows)),
        Matrix::Sparse(_) => (0, columns),
    };
    let (encoded, lasting) = match data.features() {
        Matrix::Dense(_) => (rows * columns * float, LASTING_DENSE),
        Matrix::Sparse(sparse) => (memory(data), 1 + sparse_copies(rows, columns, sparse.stored())),
    };
    let per_thread = COPIES_PER_THREAD * encoded + batch * VECTORS * (rows + columns) * float;
    let states = if experts > 1 { STATES } else { 1 };
    // Two regressions for each label and expert, and the parentless ones of three folds that edges are scored with.
    let regressions = (2 * experts * states + 3) * labels * coordinates * float;
    memory(data) + lasting * encoded + gram + threads.max(1) * per_thread + regressions
}

/// Runs `work`, which fits `learner` to `data`, on as many threads as are reckoned to keep within `bound` bytes, each with as
/// many regressions at a time; a model has the same bits with any number of both.
///
/// Errs if even one thread with the fewest regressions would need more. See [`fit_bytes`] for what the reckoning is worth.
///
/// ```
/// use arbormix::{fit, progress::Silent, registry, within_memory};
/// use arbormix::data::planted::Planted;
///
/// let (train, _truth) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
/// let learner = registry::learner("ctbn", registry::Preset::Default, &serde_json::json!({}))?;
/// let bounded = |bound| {
///     within_memory(bound, learner.as_ref(), &train, &Silent, || fit(learner.as_ref(), &train, None, &Silent))
/// };
/// assert!(bounded(1 << 30).is_ok());
/// assert!(bounded(1000).unwrap_err().to_string().contains("the bound is 1000 bytes"));
/// # Ok::<(), arbormix::Error>(())
/// ```
pub fn within_memory<T: Send>(
    bound: usize,
    learner: &dyn Learner,
    data: &Dataset,
    progress: &dyn Progress,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let all = rayon::current_num_threads();
    let needed = |&(threads, batch): &(usize, usize)| bytes_in_batches(learner, data, threads, batch);
    let mut plans = (1..=all).rev().flat_map(|threads| FEWER_TOGETHER.map(|batch| (threads, batch)));
    let least = (1, FEWER_TOGETHER[FEWER_TOGETHER.len() - 1]);
    let Some((threads, batch)) = plans.find(|plan| needed(plan) <= bound) else {
        return Err(Error::Memory { needed: needed(&least), bound });
    };
    if (threads, batch) == (all, BATCH) {
        return work();
    }
    progress.note(&format!(
        "{threads} of {all} threads work, on {batch} regressions at a time, to keep within the bound on memory"
    ));
    let fewer = move |_| solve_fewer_together(batch);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(fewer).build();
    pool.map_err(|error| Error::Threads { message: error.to_string() })?.install(work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::fit;
    use crate::testing::learner;
    use arbormix_base::params::Preset;
    use arbormix_data::planted::Planted;
    use arbormix_data::{Column, ColumnKind, LabelSet, Labels};
    use arbormix_learn::logistic::solved_together;
    use arbormix_matrix::DenseMatrix;
    use std::sync::Mutex;

    /// Keeps the notes.
    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Progress for Notes {
        fn note(&self, message: &str) {
            self.0.lock().unwrap().push(message.to_string());
        }
    }

    #[test]
    fn fewer_threads_work_within_a_bound_and_give_the_same_bits() {
        let (data, _) = Planted { rows: 150, seed: 2, ..Planted::default() }.sample().unwrap();
        let learner = learner("ctbn", Preset::Default, &serde_json::json!({})).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| {
            let together = |bound| {
                let seen = || Ok(solved_together());
                within_memory(bound, learner.as_ref(), &data, &Notes::default(), seen).unwrap()
            };
            let bytes = |threads, batch| bytes_in_batches(learner.as_ref(), &data, threads, batch);
            let bounded = |bound, notes: &Notes| {
                within_memory(bound, learner.as_ref(), &data, notes, || fit(learner.as_ref(), &data, None, notes))
            };
            let free = fit(learner.as_ref(), &data, None, &Notes::default()).unwrap();
            for (bound, said) in [
                (bytes(3, 16), None),
                (bytes(3, 16) - 1, Some("3 of 3 threads work, on 8 regressions")),
                (bytes(3, 4), Some("3 of 3 threads work, on 4 regressions")),
                (bytes(3, 4) - 1, Some("2 of 3 threads")),
                (bytes(1, 4), Some("1 of 3")),
            ] {
                let notes = Notes::default();
                assert_eq!(bounded(bound, &notes).unwrap().to_bytes().unwrap(), free.to_bytes().unwrap());
                let notes = notes.0.into_inner().unwrap();
                let note = notes.iter().find(|note| note.contains("bound on memory"));
                assert_eq!(note.map(|note| said.is_some_and(|said| note.starts_with(said))), said.map(|_| true));
            }
            assert_eq!([16, 8, 4].map(|batch| together(bytes(3, batch))), [16, 8, 4]);
            let least = bytes(1, 4);
            let error = bounded(least - 1, &Notes::default()).unwrap_err();
            assert!(matches!(error, Error::Memory { needed, bound } if needed == least && bound == needed - 1));
        });
    }

    #[test]
    fn nominal_columns_count_as_the_features_they_become() {
        let bytes = |categories: usize| {
            let kind = ColumnKind::Nominal((0..categories).map(|c| c.to_string()).collect());
            let (cells, labels) = (DenseMatrix::zeros(50, 1), Labels::new(1, vec![LabelSet::empty(1); 50]));
            let columns = vec![Column { name: "x".into(), kind }];
            let data = Dataset::new("nominal", Matrix::Dense(cells), columns, labels, vec!["y".into()]).unwrap();
            fit_bytes(learner("br", Preset::Default, &serde_json::json!({})).unwrap().as_ref(), &data, 1)
        };
        assert_eq!(bytes(2), bytes(1));
        assert!(bytes(500) > 100 * 50 * 8 + bytes(2));
    }

    #[test]
    fn more_of_anything_needs_more() {
        let base = Planted { rows: 100, ..Planted::default() };
        let bytes = |planted: &Planted, experts: usize| {
            let overrides = serde_json::json!({ "experts": experts });
            let learner = learner("mlme", Preset::Default, &overrides).unwrap();
            fit_bytes(learner.as_ref(), &planted.sample().unwrap().0, 1)
        };
        let least = bytes(&base, 2);
        assert!(bytes(&Planted { rows: 200, ..base.clone() }, 2) > least);
        assert!(bytes(&Planted { features: 20, ..base.clone() }, 2) > least);
        assert!(bytes(&Planted { labels: 8, ..base.clone() }, 2) > least);
        assert!(bytes(&base, 3) > least);
    }
}
