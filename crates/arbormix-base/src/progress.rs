//! How long work reports progress and is stopped. The library knows no terminal.

/// The work was stopped by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the work was finished")]
pub struct Cancelled;

/// Receives what a long computation reports; all methods may be called from several threads.
pub trait Progress: Send + Sync {
    /// A stage of `steps` steps begins; it ends when the next one begins or the work returns.
    fn begin(&self, _stage: &str, _steps: usize) {}
    /// `steps` more steps of the current stage are done.
    fn advance(&self, _steps: usize) {}
    /// Something a person should read: a label that is constant, an iteration limit that was reached.
    fn note(&self, _message: &str) {}
    /// Whether the work should stop as soon as it can.
    fn cancelled(&self) -> bool {
        false
    }
    /// `Err(Cancelled)` once [`Progress::cancelled`] says so; called at every safe point.
    fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// Reports nothing and never cancels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}

/// Passes on only the request to stop. For fits inside of others, whose stages and notes do not concern the user, and
/// for parallel work, whose stages would overwrite each other.
pub struct OnlyStops<'a>(pub &'a dyn Progress);

impl Progress for OnlyStops<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
