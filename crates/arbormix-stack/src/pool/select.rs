//! Which plan each part gets: chosen on the rows of the first held-out fold.

use std::sync::Arc;

use super::held_out::{HeldOutFold, Split, fit_all};
use super::mixture::MixtureFit;
use crate::level1::sample::Stacking;
use crate::level1::{Level1Part, Plan, Series};
use arbormix_data::splits::Folds;
use arbormix_joint::Result;

/// With fewer held-out rows only the first plans are used.
const MIN_HELD_OUT: usize = 10;

/// The plans of one place of the mixture.
struct Place {
    first: Arc<dyn Plan>,
    others: Vec<Series>,
}

/// The first held-out fold, and the plan of every place that its rows prefer.
pub(crate) struct Selected {
    pub(crate) fold: HeldOutFold,
    pub(crate) plans: Vec<Arc<dyn Plan>>,
}

/// The best mixture so far.
struct Best {
    selected: Selected,
    mixture: MixtureFit,
}

impl Stacking<'_> {
    /// Fits level 1 without the first fold with the first plan of every place. Then tries the other plans, one place after the
    /// other, and keeps those that are clearly ahead on the fold's rows, with exponents and weights fitted anew.
    pub(crate) fn select(&self, folds: &Folds, parts: &[&dyn Level1Part]) -> Result<Selected> {
        let split = self.split(folds, 0)?;
        let places = self.places(&split, parts)?;
        let plans: Vec<Arc<dyn Plan>> = places.iter().map(|place| place.first.clone()).collect();
        let fits = fit_all(&plans, &split.fitting(self, true))?;
        let selected = Selected { fold: self.held_out_fold(&split, fits), plans };
        let mut best = Best { mixture: self.mixture(&selected.fold), selected };
        if split.held.len() >= MIN_HELD_OUT {
            for (place, Place { others, .. }) in places.into_iter().enumerate() {
                for series in others {
                    self.try_series(&split, place, &series, &mut best)?;
                }
            }
        }
        Ok(best.selected)
    }

    fn mixture(&self, fold: &HeldOutFold) -> MixtureFit {
        MixtureFit::new(std::slice::from_ref(fold), self.params.pool.ridge)
    }

    /// The places of the mixture with the plans of all parts that can take them.
    fn places(&self, split: &Split, parts: &[&dyn Level1Part]) -> Result<Vec<Place>> {
        let first = split.fitting(self, true);
        let mut places: Vec<(&str, Place)> = Vec::new();
        for part in parts {
            let mut series = part.plans(&first, &split.held)?;
            let taken = part.instead_of();
            if let Some((_, place)) = places.iter_mut().find(|(name, _)| Some(*name) == taken) {
                place.others.extend(series);
            } else if let Some(plans) = series.first_mut().map(|series| &mut series.plans).filter(|own| !own.is_empty())
            {
                let first = plans.remove(0);
                places.push((part.name(), Place { first, others: series }));
            }
        }
        Ok(places.into_iter().map(|(_, place)| place).collect())
    }

    /// Tries plans of one place until one of them is not ahead.
    fn try_series(&self, split: &Split, place: usize, series: &Series, best: &mut Best) -> Result<()> {
        if best.mixture.table_weight >= series.max_table_weight {
            return Ok(());
        }
        for plan in &series.plans {
            let fold = &mut best.selected.fold;
            let mut fit = plan.fit(&split.fitting(self, true))?;
            let mut fits = fold.fits.clone();
            fits[place] = fit.clone();
            let wanted: Vec<bool> = (0..fits.len()).map(|own| own == place || fold.is_read(place, own)).collect();
            let mut answers = self.answers(split, &fits, &wanted);
            fold.swap(place, &mut fit, &mut answers);
            let mixture = self.mixture(fold);
            let is_ahead = mixture.lead(&best.mixture) >= series.min_lead;
            if !is_ahead {
                fold.swap(place, &mut fit, &mut answers);
                break;
            }
            best.selected.plans[place] = plan.clone();
            best.mixture = mixture;
        }
        Ok(())
    }
}
