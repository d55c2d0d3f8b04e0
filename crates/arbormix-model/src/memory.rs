//! What a fit needs, roughly, and fits that keep to a bound.

use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_joint::learner::{Learner, Size, Workers};
use arbormix_joint::{Error, Result};
use arbormix_learn::logistic::{BATCH, solve_fewer_together};

/// Regressions that a thread solves at a time, where memory is short: with fewer, products no longer share what they read.
const FEWER_TOGETHER: [usize; 3] = [BATCH, BATCH / 2, BATCH / 4];

/// Bytes that a fit on so many threads needs by estimate, see [`Learner::bytes`].
pub fn fit_bytes(learner: &dyn Learner, data: &Dataset, threads: usize) -> usize {
    learner.bytes(&Size::of(data), Workers::threads(threads))
}

/// Runs `work`, which fits `learner` to `data`, on as many threads as are reckoned to keep within `bound` bytes, each with as
/// many regressions at a time; a model has the same bits with any number of both.
///
/// Errs if even one thread with the fewest regressions would need more. See [`fit_bytes`] for what the reckoning is worth.
///
/// ```
/// use arbormix_base::progress::Silent;
/// use arbormix_data::planted::Planted;
/// use arbormix_mlme::ctbn::TreeParams;
/// use arbormix_model::fit;
/// use arbormix_model::within_memory;
///
/// let (train, _truth) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
/// let learner = TreeParams::default();
/// let bounded = |bound| {
///     within_memory(bound, &learner, &train, &Silent, || fit(&learner, &train, None, &Silent))
/// };
/// assert!(bounded(1 << 30).is_ok());
/// assert!(bounded(1000).unwrap_err().to_string().contains("the bound is 1000 bytes"));
/// # Ok::<(), arbormix_joint::Error>(())
/// ```
pub fn within_memory<T: Send>(
    bound: usize,
    learner: &dyn Learner,
    data: &Dataset,
    progress: &dyn Progress,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let all = rayon::current_num_threads();
    let size = Size::of(data);
    let needed = |&(threads, batch): &(usize, usize)| learner.bytes(&size, Workers { threads, batch });
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
    use arbormix_matrix::{DenseMatrix, Matrix};
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
            let size = Size::of(&data);
            let bytes = |threads, batch| learner.bytes(&size, Workers { threads, batch });
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
