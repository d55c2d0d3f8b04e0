//! Runs the cells of an experiment.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::cell::{Cell, CellOutcome, Finished, digest_of_task};
use super::checkpoint::Checkpoint;
use super::error::ExperimentError;
use super::fold::run_fold;
use super::memory::Room;
use super::plan::{Contestant, Experiment, Task};
use super::results::Results;
use crate::error::{Error, Result};
use arbormix_base::progress::{Cancelled, OnlyStops, Progress};

/// How cells are run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Bytes that the cells running at a time may need by [`arbormix_model::fit_bytes`]; no bound if `None`.
    pub memory: Option<usize>,
    /// Cells that may run at a time; one per thread of rayon's pool if `None`.
    pub at_a_time: Option<usize>,
    /// Whether failed cells of the checkpoint are tried again.
    pub retry: bool,
}

/// A cell that is to be run.
struct Job<'a> {
    task: &'a Task,
    method: &'a Contestant,
    planned: Cell,
    bytes: usize,
}

/// What the runners share.
struct State<'a> {
    /// Largest first.
    pending: Vec<Job<'a>>,
    room: Room,
    done: HashMap<String, Cell>,
    /// Why no further cell may begin.
    stopped: Option<Error>,
}

/// Runs every cell that the checkpoint does not hold, largest data first.
///
/// A cell that fails, or even panics, is a result with its reason; the others go on. An error means that the work was
/// stopped or that the checkpoint cannot be read or written.
pub fn run(
    experiment: &Experiment,
    checkpoint: Option<&Checkpoint>,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<Results> {
    let runners = options.at_a_time.unwrap_or_else(rayon::current_num_threads).max(1);
    let mut done = HashMap::new();
    let mut pending: Vec<Job<'_>> = Vec::new();
    let mut layout = Vec::new();
    for task in &experiment.tasks {
        let needs = |method: &Contestant| {
            arbormix_model::fit_bytes(method.learner.as_ref(), &task.data, rayon::current_num_threads())
        };
        // One number for all methods, so that the cells of a data set stay together.
        let (divided, bytes) = (digest_of_task(task), experiment.methods.iter().map(needs).max().unwrap_or(0));
        for method in &experiment.methods {
            for fold in experiment.folds(task) {
                progress.check()?;
                let planned = Cell::planned(task, &divided, method, fold);
                layout.push((planned.digest.clone(), planned.data.clone()));
                // Two names for one method with the same parameters share their cells.
                if done.contains_key(&planned.digest) || pending.iter().any(|job| job.planned.digest == planned.digest)
                {
                    continue;
                }
                let stored = checkpoint.map(|checkpoint| checkpoint.load(&planned)).transpose()?.flatten();
                match stored.filter(|cell| cell.failure().is_none() || !options.retry) {
                    Some(cell) => drop(done.insert(planned.digest, cell)),
                    None => pending.push(Job { task, method, planned, bytes }),
                }
            }
        }
    }
    // A stable sort: cells of one data set stay in their order.
    pending.sort_by_key(|job| std::cmp::Reverse(job.bytes));
    // Counted apart: cells that took no time would spoil the estimate of what is left.
    if !done.is_empty() {
        progress.note(&format!("{} of {} cells are finished already", done.len(), done.len() + pending.len()));
    }
    progress.begin("cells", pending.len());
    let runners = runners.min(pending.len());
    let state = Mutex::new(State { pending, room: Room::new(options.memory), done, stopped: None });
    let freed = Condvar::new();
    // Threads of their own, not tasks of rayon's pool: a worker that waits inside one cell would take up another cell
    // on top of it, and then neither the memory bound nor the order of the cells could be kept.
    std::thread::scope(|scope| {
        for _ in 0..runners {
            scope.spawn(|| work(&state, &freed, checkpoint, progress));
        }
    });
    let mut state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.stopped.take() {
        Some(error) => Err(error),
        None => {
            // The name of the data is not part of the digest: two files may have the same contents.
            let cells = layout.into_iter().map(|(digest, data)| Cell { data, ..state.done[&digest].clone() }).collect();
            Ok(Results::new(experiment, cells))
        }
    }
}

/// Takes cell after cell until none is left or the work is stopped.
fn work(state: &Mutex<State<'_>>, freed: &Condvar, checkpoint: Option<&Checkpoint>, progress: &dyn Progress) {
    while let Some(job) = next(state, freed, progress) {
        let finished = attempt(job.task, job.method, &job.planned, progress).and_then(|cell| {
            checkpoint.map_or(Ok(()), |checkpoint| checkpoint.save(&cell))?;
            Ok(cell)
        });
        let mut state = lock(state);
        state.room.leave(job.bytes);
        match finished {
            Ok(cell) => {
                if let Some(reason) = cell.failure() {
                    progress.note(&format!("{}, {}, fold {} failed: {reason}", cell.data, job.method.name, cell.fold));
                }
                state.done.insert(cell.digest.clone(), cell);
                progress.advance(1);
            }
            // The first reason counts: a cell that was cancelled because another failed to be stored says nothing.
            Err(error) => drop(state.stopped.get_or_insert(error)),
        }
        drop(state);
        freed.notify_all();
    }
}

/// The first pending cell that fits beside those that run; waits for room if none does.
fn next<'a>(state: &Mutex<State<'a>>, freed: &Condvar, progress: &dyn Progress) -> Option<Job<'a>> {
    let mut state = lock(state);
    loop {
        if progress.cancelled() {
            state.stopped.get_or_insert(Cancelled.into());
        }
        if state.stopped.is_some() || state.pending.is_empty() {
            return None;
        }
        if let Some(place) = state.pending.iter().position(|job| state.room.fits(job.bytes)) {
            let job = state.pending.remove(place);
            state.room.enter(job.bytes);
            return Some(job);
        }
        state = freed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Poisoning needs a panic while the lock is held, and no method runs then.
fn lock<'m, 'a>(state: &'m Mutex<State<'a>>) -> MutexGuard<'m, State<'a>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One cell by itself: a pure function of the data, the folds, the method and its seed (but for the seconds it took), for
/// programs that spread cells over machines. A cell that fails is a result with its reason; see [`gather`].
///
/// ```
/// use arbormix_data::{planted::Planted, splits::Folds};
/// use arbormix_experiment::{Contestant, Experiment, Task, gather, run_cell};
/// use arbormix_base::progress::Silent;
/// use arbormix_rivals::br::BinaryRelevanceParams;
///
/// let (data, _truth) = Planted { rows: 60, seed: 1, ..Planted::default() }.sample()?;
/// let task = || Task { data: data.clone(), folds: Folds::from_ids((0..60).map(|row| row % 2).collect()).unwrap() };
/// let method = || Contestant { name: "br".to_string(), learner: Box::new(BinaryRelevanceParams::default()) };
/// let cells = vec![run_cell(&task(), &method(), 1, &Silent)?, run_cell(&task(), &method(), 0, &Silent)?];
/// let results = gather(&Experiment::new(vec![task()], vec![method()])?, &cells)?;
/// assert_eq!(results.cells(0, 0)[1].measure("exact_match"), cells[0].measure("exact_match"));
/// # Ok::<(), arbormix_experiment::Error>(())
/// ```
pub fn run_cell(task: &Task, method: &Contestant, fold: usize, progress: &dyn Progress) -> Result<Cell> {
    if fold >= task.folds.count() {
        let (data, last) = (task.data.name().to_string(), task.folds.count() - 1);
        return Err(ExperimentError::NoFold { data, fold, last }.into());
    }
    attempt(task, method, &Cell::planned(task, &digest_of_task(task), method, fold), progress)
}

/// The results of an experiment whose cells were run elsewhere, in any order; each is recognised by its digest.
pub fn gather(experiment: &Experiment, cells: &[Cell]) -> Result<Results> {
    let known: HashMap<&str, &Cell> = cells.iter().map(|cell| (cell.digest.as_str(), cell)).collect();
    let mut found = Vec::new();
    for task in &experiment.tasks {
        let divided = digest_of_task(task);
        for method in &experiment.methods {
            for fold in experiment.folds(task) {
                let planned = Cell::planned(task, &divided, method, fold);
                let absent = || {
                    let (data, method) = (task.data.name().to_string(), method.name.clone());
                    ExperimentError::NoCell { data, method, fold }
                };
                let cell = known.get(planned.digest.as_str()).ok_or_else(absent)?;
                // The name of the data is not part of the digest.
                found.push(Cell { data: planned.data, ..(*cell).clone() });
            }
        }
    }
    Ok(Results::new(experiment, found))
}

fn attempt(task: &Task, method: &Contestant, planned: &Cell, progress: &dyn Progress) -> Result<Cell> {
    // Notes are kept in the cells.
    let (learner, quiet) = (method.learner.as_ref(), OnlyStops(progress));
    let attempt = || run_fold(learner, &task.data, &task.folds, planned.fold, &quiet);
    // A method that panics is a defect of ours, but no reason to lose hours of other cells.
    let outcome = match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(round)) => CellOutcome::Finished(Finished::of(&round)),
        Ok(Err(Error::Model(arbormix_joint::Error::Cancelled))) => return Err(Cancelled.into()),
        Ok(Err(error)) => CellOutcome::Failed(error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            CellOutcome::Failed(format!("it panicked, which is a defect of arbormix: {text}"))
        }
    };
    Ok(Cell { outcome, ..planned.clone() })
}
