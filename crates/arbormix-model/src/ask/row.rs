//! What one row's questions are answered from.

use std::borrow::Cow;
use std::cell::RefCell;
use std::time::Duration;

use arbormix_joint::Result;
use arbormix_joint::joint::map::Found;
use arbormix_joint::joint::{RowMixture, Rows};

/// How long a search for the most probable set may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// So many nodes; 0: no limit.
    Nodes(usize),
    /// So long.
    Time(Duration),
}

/// The distribution of one row, given what is known of it; only its marginals for methods that give no more.
#[derive(Debug)]
pub struct Row<'a> {
    /// Its number among all rows.
    pub number: usize,
    /// log P(known | x).
    pub log_known: f64,
    method: &'static str,
    mixture: Option<&'a RowMixture<'a>>,
    marginals: Option<&'a [f64]>,
    /// Several questions need the most probable set: the last search, and what it found.
    best: RefCell<Option<(Search, Found)>>,
}

impl<'a> Row<'a> {
    /// The row with this joint distribution.
    pub fn of_joint(number: usize, method: &'static str, mixture: &'a RowMixture<'a>, log_known: f64) -> Row<'a> {
        Row { number, log_known, method, mixture: Some(mixture), marginals: None, best: RefCell::default() }
    }

    /// The row of which only the marginals are there.
    pub fn of_marginals(number: usize, method: &'static str, marginals: &'a [f64]) -> Row<'a> {
        let best = RefCell::default();
        Row { number, log_known: 0.0, method, mixture: None, marginals: Some(marginals), best }
    }

    /// The joint distribution; errs for methods that have none to ask.
    pub fn joint(&self) -> Result<&'a RowMixture<'a>> {
        self.mixture.ok_or_else(|| Rows::unsupported(self.method))
    }

    /// P(label present) of every label.
    pub fn marginals(&self) -> Result<Cow<'a, [f64]>> {
        match self.marginals {
            Some(marginals) => Ok(Cow::Borrowed(marginals)),
            None => Ok(Cow::Owned(self.joint()?.marginals())),
        }
    }

    /// The most probable set, as far as the search goes.
    pub fn best(&self, search: Search) -> Result<Found> {
        Ok(self.best_of(self.joint()?, search))
    }

    /// The same, of the row's own distribution.
    pub(super) fn best_of(&self, mixture: &RowMixture<'_>, search: Search) -> Found {
        if let Some((last, found)) = &*self.best.borrow()
            && *last == search
        {
            return found.clone();
        }
        let found = match search {
            Search::Nodes(limit) => mixture.map(limit),
            Search::Time(time) => mixture.map_within(time),
        };
        self.best.replace(Some((search, found.clone())));
        found
    }
}
