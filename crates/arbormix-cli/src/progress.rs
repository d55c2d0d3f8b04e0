//! How long work shows itself: a bar with an ETA on a terminal, plain lines in a pipe, nothing when quiet.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arbormix_base::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// Set by Ctrl-C; the work asks for it at every safe point.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// In a pipe, a stage says how far it is at most this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Lets the first Ctrl-C ask the work to stop and the second end the program at once.
pub(crate) fn watch_interrupts() -> Result<(), Failure> {
    let stop = || {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(stop).map_err(|e| Failure::Work(format!("Ctrl-C cannot be watched: {e}")))
}

/// Shows progress on the standard error stream.
pub(crate) enum Reporter {
    /// Shows nothing.
    Quiet,
    /// Plain lines.
    Lines(Mutex<Stage>),
    /// A bar that redraws itself.
    Bar(ProgressBar),
}

/// The stage that plain lines tell about.
pub(crate) struct Stage {
    name: String,
    steps: usize,
    done: usize,
    begun: Instant,
    last_line: Instant,
}

impl Stage {
    fn begin(name: &str, steps: usize) -> Stage {
        let now = Instant::now();
        Stage { name: name.to_string(), steps, done: 0, begun: now, last_line: now }
    }

    /// What is left if the other steps take as long as those so far.
    fn seconds_left(&self) -> f64 {
        self.begun.elapsed().as_secs_f64() / self.done.max(1) as f64 * (self.steps - self.done) as f64
    }
}

/// A time as a person says it.
fn rough(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

impl Reporter {
    /// The way that suits the standard error stream.
    pub(crate) fn new(quiet: bool) -> Reporter {
        if quiet {
            Reporter::Quiet
        } else if std::io::stderr().is_terminal() {
            Reporter::Bar(ProgressBar::no_length())
        } else {
            Reporter::Lines(Mutex::new(Stage::begin("", 0)))
        }
    }

    /// Removes the bar, so that what is printed next begins on a clean line.
    pub(crate) fn finish(&self) {
        if let Reporter::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Reporter {
    fn begin(&self, stage: &str, steps: usize) {
        match self {
            Reporter::Quiet => {}
            Reporter::Lines(current) => {
                let now = Stage::begin(stage, steps);
                if let Ok(mut current) = current.lock() {
                    *current = now;
                }
                match steps {
                    0 | 1 => eprintln!("{stage}"),
                    _ => eprintln!("{stage} ({steps} steps)"),
                }
            }
            Reporter::Bar(bar) => {
                bar.reset();
                bar.set_style(style());
                bar.set_length(steps as u64);
                bar.set_message(stage.to_string());
                bar.tick();
            }
        }
    }

    fn advance(&self, steps: usize) {
        match self {
            Reporter::Quiet => {}
            Reporter::Lines(stage) => {
                let Ok(mut stage) = stage.lock() else { return };
                stage.done += steps;
                if stage.last_line.elapsed() >= LINE_EVERY && stage.done < stage.steps {
                    stage.last_line = Instant::now();
                    let left = rough(stage.seconds_left());
                    eprintln!("{}: {} of {}, about {left} left", stage.name, stage.done, stage.steps);
                }
            }
            Reporter::Bar(bar) => bar.inc(steps as u64),
        }
    }

    fn note(&self, message: &str) {
        match self {
            Reporter::Quiet => {}
            Reporter::Lines(_) => eprintln!("note: {message}"),
            Reporter::Bar(bar) => bar.suspend(|| eprintln!("note: {message}")),
        }
    }

    fn cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::SeqCst)
    }
}

fn style() -> ProgressStyle {
    let template = "{msg:30!} {bar:20} {pos:>6}/{len:6} {eta:>4} left";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Progress of one part of a larger work: stages carry the part's name.
pub(crate) struct Part<'a> {
    /// Name of the part, e.g. "fold 3 of 10".
    pub(crate) name: String,
    /// Where it is shown.
    pub(crate) inner: &'a dyn Progress,
}

impl Progress for Part<'_> {
    fn begin(&self, stage: &str, steps: usize) {
        self.inner.begin(&format!("{}: {stage}", self.name), steps);
    }

    fn advance(&self, steps: usize) {
        self.inner.advance(steps);
    }

    fn note(&self, message: &str) {
        self.inner.note(&format!("{}: {message}", self.name));
    }

    fn cancelled(&self) -> bool {
        self.inner.cancelled()
    }
}
