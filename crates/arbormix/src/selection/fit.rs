//! Choosing.

use super::candidates::Candidate;
use super::params::AutoParams;
use super::race::{Race, SHORTER, Score, race_rows};
use arbormix_base::params::ParamError;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_joint::learner::{Choice, Entrant, Selection};
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;
use arbormix_joint::{Error, Result};

/// Where there are this many times the rows of the race, its leads need not last.
const FAR: usize = 8;

impl Learner for AutoParams {
    learner_head!("auto", check);

    /// The race, and the most that a candidate takes.
    fn seconds(&self, size: &Size) -> f64 {
        (1.0 + self.race_share) * self.candidates.iter().map(|one| one.seconds(self, size)).fold(0.0, f64::max)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        let of = |one: &Candidate| one.learner(self, size.sparse).bytes(size, workers);
        self.candidates.iter().map(of).max().unwrap_or(0)
    }

    fn learn(&self, _data: &TrainingSet<'_>, _progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        let reason = "its candidates encode rows in different ways; use fit, which asks it to choose first";
        Err(Error::Unsupported { method: self.method(), what: "a fit to encoded rows", reason })
    }

    fn select(&self, data: &Dataset, weights: Option<&[f64]>, progress: &dyn Progress) -> Result<Option<Selection>> {
        let counts = |row: usize| weights.is_none_or(|weights| weights[row] > 0.0);
        let is_known = |row: usize| data.labels().mask().is_none_or(|masks| masks[row].count() > 0);
        let positive: Vec<usize> = (0..data.rows()).filter(|&row| counts(row) && is_known(row)).collect();
        let size = if positive.len() < data.rows() { Size::of(&data.select_rows(&positive)) } else { Size::of(data) };
        let mut entrants: Vec<Entrant> = self.candidates.iter().map(|&c| self.entrant(c, &size)).collect();
        let able: Vec<usize> = (0..entrants.len()).filter(|&place| entrants[place].left_out.is_none()).collect();
        let mut racing: Vec<usize> =
            able.iter().copied().filter(|&place| entrants[place].nominal_seconds <= self.budget).collect();
        for &place in able.iter().filter(|place| !racing.contains(place)) {
            entrants[place].left_out = Some(format!("over the budget of {} s", self.budget));
        }
        self.leave_out_the_dear(&mut entrants, &mut racing, &size);
        let (mut race_size, mut held_out) = (0, 0);
        let verdict = match racing.as_slice() {
            [] => self.cheapest(&entrants, &able)?,
            [alone] if self.candidates.len() == 1 => (*alone, "it was named".to_string()),
            [alone] => (*alone, "no other candidate can take part".to_string()),
            _ => {
                let candidates: Vec<Candidate> = racing.iter().map(|&place| self.candidates[place]).collect();
                match race_rows(self, &size, &candidates, positive.len()) {
                    Err(why) => (racing[0], format!("the richest: {why}")),
                    Ok(rows) => {
                        let race = Race::draw(data, weights, &positive, rows, rows, self);
                        (race_size, held_out) = (rows, race.held_out());
                        let mut scores = self.raced(&race, &racing, &mut entrants, progress)?;
                        if positive.len() >= FAR * rows && self.is_challenged(&race, &scores) {
                            let shorter = Race::draw(data, weights, &positive, rows / SHORTER, rows, self);
                            progress.begin("looking at how the lead grows", scores.len());
                            for contest in &mut scores {
                                progress.check()?;
                                contest.shorter = shorter.run(self.candidates[contest.place], self, progress)?.ok();
                                progress.advance(1);
                            }
                        }
                        self.winner(&race, &scores, &entrants, racing[0], positive.len())
                    }
                }
            }
        };
        let (place, reason) = verdict;
        entrants[place].left_out = None;
        let choice = Choice {
            chosen: entrants[place].name.clone(),
            reason,
            budget: self.budget,
            race_rows: race_size,
            held_out_rows: held_out,
            candidates: entrants,
        };
        Ok(Some(Selection { learner: self.candidates[place].learner(self, data.features().is_sparse()), choice }))
    }
}

impl AutoParams {
    fn entrant(&self, candidate: Candidate, size: &Size) -> Entrant {
        let needed = candidate.rows_needed();
        let left_out = (size.rows < needed).then(|| format!("needs {needed} rows"));
        Entrant {
            name: candidate.word().to_string(),
            nominal_seconds: candidate.seconds(self, size),
            log_likelihood: None,
            exact_match: None,
            left_out,
        }
    }

    /// Leaves out who would take more than the race's share of the cost in the smallest race: with hundreds of labels trees of
    /// regressions cost more on sixty rows than the richest candidate on all. Nobody is left out for less than a second.
    fn leave_out_the_dear(&self, entrants: &mut [Entrant], racing: &mut Vec<usize>, size: &Size) {
        let Some(&richest) = racing.first() else { return };
        let share = (self.race_share * entrants[richest].nominal_seconds).max(1.0);
        let smallest = size.with_rows(self.min_race_rows.min(size.rows / 2));
        racing.retain(|&place| {
            let cost = self.candidates[place].seconds(self, &smallest);
            let dear = place != richest && cost > share;
            if dear {
                let reason =
                    format!("too dear to race: about {cost:.0} s on {} rows, {share:.0} s are allowed", smallest.rows);
                entrants[place].left_out = Some(reason);
            }
            !dear
        });
    }

    /// The cheapest of those who can learn from the data, where the budget is too small for all.
    fn cheapest(&self, entrants: &[Entrant], able: &[usize]) -> Result<(usize, String)> {
        let seconds = |place: usize| entrants[place].nominal_seconds;
        let found = able.iter().copied().min_by(|&a, &b| seconds(a).total_cmp(&seconds(b)));
        let Some(place) = found else {
            let reasons: Vec<String> =
                entrants.iter().map(|e| format!("{} {}", e.name, e.left_out.as_deref().unwrap_or_default())).collect();
            let message = format!(
                "none of them can learn from the rows that have a positive weight and a known label: {}",
                reasons.join("; ")
            );
            return Err(ParamError::Form { name: "candidates".to_string(), message }.into());
        };
        let (needed, budget) = (seconds(place), self.budget);
        Ok((place, format!("the cheapest: about {needed:.0} s, and the budget of {budget} s is too small for all")))
    }

    /// Those who finished the race, the richest first; why the others did not is written down.
    fn raced(
        &self,
        race: &Race,
        racing: &[usize],
        entrants: &mut [Entrant],
        progress: &dyn Progress,
    ) -> Result<Vec<Contest>> {
        let mut scores = Vec::new();
        progress.begin("choosing the method", racing.len());
        for &place in racing {
            progress.check()?;
            match race.run(self.candidates[place], self, progress)? {
                Ok(score) => {
                    entrants[place].log_likelihood = Some(score.log_likelihood);
                    entrants[place].exact_match = score.exact_match;
                    scores.push(Contest { place, score, shorter: None });
                }
                Err(reason) => entrants[place].left_out = Some(reason),
            }
            progress.advance(1);
        }
        Ok(scores)
    }

    /// Whether a simpler candidate is clearly ahead of the richest.
    fn is_challenged(&self, race: &Race, scores: &[Contest]) -> bool {
        scores.split_first().is_some_and(|(richest, rest)| rest.iter().any(|one| self.leads(race, one, richest)))
    }

    fn leads(&self, race: &Race, first: &Contest, second: &Contest) -> bool {
        race.lead(&first.score, &second.score) > self.clear_lead
    }

    /// The richest, unless a simpler one is clearly ahead, and not so that its lead would be gone with all `rows`; `richest`
    /// where nobody finished the race.
    pub(super) fn winner(
        &self,
        race: &Race,
        scores: &[Contest],
        entrants: &[Entrant],
        richest: usize,
        rows: usize,
    ) -> (usize, String) {
        let Some((first, rest)) = scores.split_first() else {
            return (richest, "the richest: nobody finished the race".to_string());
        };
        let lasts = |next: &Contest, best: &Contest| match (&next.shorter, &best.shorter) {
            (Some(a), Some(b)) => race.projected([&next.score, &best.score], [a, b], rows) > 0.0,
            _ => true,
        };
        let beats = |next: &Contest, best: &Contest| self.leads(race, next, best) && lasts(next, best);
        let best = rest.iter().fold(first, |best, next| if beats(next, best) { next } else { best });
        let others = scores.iter().filter(|other| other.place != best.place);
        let ahead = others.clone().all(|other| best.score.log_likelihood >= other.score.log_likelihood);
        let reason = match others.max_by(|a, b| a.score.log_likelihood.total_cmp(&b.score.log_likelihood)) {
            None => "the others failed in the race".to_string(),
            Some(next) => {
                let (gain, name) = (best.score.log_likelihood - next.score.log_likelihood, &entrants[next.place].name);
                if ahead {
                    let errors = race.lead(&best.score, &next.score);
                    format!(
                        "the best log-likelihood per held-out row, {gain:.3} ({errors:.1} standard errors) before {name}"
                    )
                } else if self.leads(race, next, best) {
                    format!(
                        "richer than {name}, whose log-likelihood per held-out row is better by {:.3} when fitted to {} rows, \
                         but by the difference to a race with a quarter of them would not be with all {rows}",
                        -gain,
                        race.fitted()
                    )
                } else {
                    format!(
                        "richer than {name}, whose log-likelihood per held-out row is better by {:.3} only: less than {} \
                         standard errors",
                        -gain, self.clear_lead
                    )
                }
            }
        };
        (best.place, reason)
    }
}

/// A candidate in the race, and in a shorter one if that was run.
pub(super) struct Contest {
    pub(super) place: usize,
    pub(super) score: Score,
    pub(super) shorter: Option<Score>,
}
