//! Fits with weights, progress or a bound on memory.

use arbormix_base::progress::{Progress, Silent};
use arbormix_data::Dataset;
use arbormix_joint::Result;
use arbormix_joint::learner::Learner;
use arbormix_model::{Model, within_memory};

/// Fits a model to a data set.
///
/// ```
/// use arbormix::{Mlme, data::photos, fit};
///
/// let (photos, _truth) = photos::sample(200, 1)?;
/// let model = fit(&Mlme::default().experts(2), &photos)?;
/// assert_eq!(model.predict(&photos)?.len(), 200);
/// # Ok::<(), arbormix::Error>(())
/// ```
pub fn fit(learner: &dyn Learner, data: &Dataset) -> Result<Model> {
    Fitting::new(learner).run(data)
}

/// A fit with more than a learner and data.
///
/// ```
/// use arbormix::{Ctbn, Fitting, data::photos};
///
/// let (photos, _truth) = photos::sample(100, 1)?;
/// let weights = vec![1.0; 100];
/// let model = Fitting::new(&Ctbn::default()).weights(&weights).memory(1 << 30).run(&photos)?;
/// assert_eq!(model.method(), "ctbn");
/// # Ok::<(), arbormix::Error>(())
/// ```
#[must_use]
pub struct Fitting<'a> {
    learner: &'a dyn Learner,
    weights: Option<&'a [f64]>,
    progress: &'a dyn Progress,
    memory: Option<usize>,
}

impl<'a> Fitting<'a> {
    /// A fit of this learner, in which every row has weight 1.
    pub fn new(learner: &'a dyn Learner) -> Fitting<'a> {
        Fitting { learner, weights: None, progress: &Silent, memory: None }
    }

    /// Weight of each row.
    pub fn weights(self, weights: &'a [f64]) -> Fitting<'a> {
        Fitting { weights: Some(weights), ..self }
    }

    /// Who is shown how far the fit is, and can stop it.
    pub fn progress(self, progress: &'a dyn Progress) -> Fitting<'a> {
        Fitting { progress, ..self }
    }

    /// Bytes that the fit may need by estimate. Fewer threads work if need be, and a fit that would need more even so is
    /// refused.
    pub fn memory(self, bytes: usize) -> Fitting<'a> {
        Fitting { memory: Some(bytes), ..self }
    }

    /// Fits the model.
    pub fn run(self, data: &Dataset) -> Result<Model> {
        let Fitting { learner, weights, progress, memory } = self;
        let work = || arbormix_model::fit(learner, data, weights, progress);
        match memory {
            Some(bound) => within_memory(bound, learner, data, progress, work),
            None => work(),
        }
    }
}
