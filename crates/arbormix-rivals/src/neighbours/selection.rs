//! The rows that may be among the nearest, by bounds on their distances.

use pulp::{Arch, NullaryFnOnce};

/// Rows that are looked at together: most of the time none of them is near.
const TOGETHER: usize = 32;
/// Rows to keep before those that are no longer near are dropped.
const ROOM: usize = 64;
/// Neighbours for which few numbers give a good first limit.
const FEW: usize = 11;

/// Training rows that are seen together.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    /// Index of the first one.
    pub(crate) first: usize,
    /// What a product is taken from twice for a lower bound.
    pub(crate) lows: &'a [f32],
    /// From there to an upper bound, beside the query's slack.
    pub(crate) widths: &'a [f32],
}

/// The training rows that may be among the nearest of each of some queries, as far as they were seen.
///
/// Bounds leave out what all distances of a query have in common. Which rows are kept in the end does not depend on the
/// order in which they are seen.
pub(crate) struct Selections {
    /// No row whose lower bound is above is among the nearest; NaN if a query has no bounds.
    limits: Vec<f32>,
    each: Vec<Selection>,
}

struct Selection {
    count: usize,
    /// What the bounds lie apart, beside a part for each training row.
    slack: f32,
    /// The `count` smallest upper bounds, without the slack, ascending.
    uppers: Vec<f32>,
    near: Vec<Near>,
    room: usize,
}

/// A row that may be near.
#[derive(Debug, Clone, Copy)]
struct Near {
    lower: f32,
    /// Without the slack.
    upper: f32,
    row: usize,
}

/// What bounds say of a query.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Rows that are among the nearest.
    pub(crate) sure: Vec<usize>,
    /// Rows that may be, those above left out.
    pub(crate) open: Vec<usize>,
}

impl Selections {
    /// For queries with these slacks, those without bounds have none.
    pub(crate) fn new(count: usize, slacks: impl Iterator<Item = Option<f32>>) -> Selections {
        let room = ROOM + 2 * count;
        let start = |slack: Option<f32>| {
            let slack = slack.unwrap_or(f32::NAN);
            let near = Vec::with_capacity(room + 1);
            Selection { count, slack, uppers: vec![f32::INFINITY; count], near, room }
        };
        let each: Vec<Selection> = slacks.map(start).collect();
        let limit = |selection: &Selection| if selection.slack.is_nan() { f32::NAN } else { f32::INFINITY };
        Selections { limits: each.iter().map(limit).collect(), each }
    }

    /// Sees training rows whose products with the queries from `place` on lie in rows of `stride` numbers, one for each
    /// query. A product that is NaN leaves the training row out.
    pub(crate) fn see(&mut self, seen: Seen<'_>, place: usize, products: &[f32], stride: usize) {
        Arch::new().dispatch(See { selections: self, seen, place, products, stride });
    }

    /// Sees training rows whose products with all queries lie in rows of `stride` numbers, one for each *training row*.
    pub(crate) fn see_across(&mut self, seen: Seen<'_>, products: &[f32], stride: usize) {
        Arch::new().dispatch(SeeAcross { selections: self, seen, products, stride });
    }

    /// What was found for each query; `None` if it has no bounds.
    pub(crate) fn finish(self) -> Vec<Option<Found>> {
        let found = |(mut selection, limit): (Selection, f32)| {
            selection.drop_far(limit);
            (!limit.is_nan()).then(|| selection.finish())
        };
        self.each.into_iter().zip(self.limits).map(found).collect()
    }
}

struct See<'a> {
    selections: &'a mut Selections,
    seen: Seen<'a>,
    place: usize,
    products: &'a [f32],
    stride: usize,
}

impl NullaryFnOnce for See<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Seen { first, lows, widths } = self.seen;
        let queries = self.selections.each.iter_mut().zip(&mut self.selections.limits).skip(self.place);
        for ((selection, limit), products) in queries.zip(self.products.chunks(self.stride)) {
            let products = &products[..lows.len()];
            if selection.near.is_empty() {
                *limit = selection.first_limit(*limit, products, self.seen);
            }
            for start in (0..lows.len()).step_by(TOGETHER) {
                let end = lows.len().min(start + TOGETHER);
                let now = *limit;
                let mut near =
                    marks(&products[start..end], &lows[start..end], |product, low| low - 2.0 * product <= now);
                while near != 0 {
                    let at = start + near.trailing_zeros() as usize;
                    let lower = lows[at] - 2.0 * products[at];
                    *limit = selection.keep(first + at, lower, lower + widths[at], *limit);
                    near &= near - 1;
                }
            }
        }
    }
}

struct SeeAcross<'a> {
    selections: &'a mut Selections,
    seen: Seen<'a>,
    products: &'a [f32],
    stride: usize,
}

impl NullaryFnOnce for SeeAcross<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Selections { limits, each } = self.selections;
        let rows = self.seen.lows.iter().zip(self.seen.widths).zip(self.products.chunks(self.stride));
        for (row, ((low, width), products)) in (self.seen.first..).zip(rows) {
            let products = &products[..limits.len()];
            for start in (0..products.len()).step_by(TOGETHER) {
                let end = products.len().min(start + TOGETHER);
                let (some, now) = (&products[start..end], &limits[start..end]);
                let mut near = marks(some, now, |product, limit| low - 2.0 * product <= limit);
                while near != 0 {
                    let at = start + near.trailing_zeros() as usize;
                    let lower = low - 2.0 * products[at];
                    limits[at] = each[at].keep(row, lower, lower + width, limits[at]);
                    near &= near - 1;
                }
            }
        }
    }
}

/// A bit for each of at most [`TOGETHER`] pairs: whether it is near.
#[inline(always)]
fn marks(left: &[f32], right: &[f32], near: impl Fn(f32, f32) -> bool) -> u32 {
    let mut bits = 0;
    match (left.first_chunk::<TOGETHER>(), right.first_chunk::<TOGETHER>()) {
        // Their number is known: vector registers do that.
        (Some(left), Some(right)) => {
            for lane in 0..TOGETHER {
                bits |= u32::from(near(left[lane], right[lane])) << lane;
            }
        }
        _ => {
            for (lane, (&left, &right)) in left.iter().zip(right).enumerate() {
                bits |= u32::from(near(left, right)) << lane;
            }
        }
    }
    bits
}

impl Selection {
    /// A limit from the first rows: each of as many different rows as there are neighbours has an upper bound no greater.
    #[inline(always)]
    fn first_limit(&self, limit: f32, products: &[f32], seen: Seen<'_>) -> f32 {
        let limits = match self.count {
            1..=FEW => self.least_limit::<16>(products, seen),
            _ => self.least_limit::<64>(products, seen),
        };
        // Without bounds there is no limit.
        if limit.is_nan() { limit } else { limits }
    }

    /// The limit by the least upper bounds of S shares of the rows.
    #[inline(always)]
    fn least_limit<const S: usize>(&self, products: &[f32], seen: Seen<'_>) -> f32 {
        let mut least = [f32::INFINITY; S];
        let lows = seen.lows.chunks_exact(S).zip(seen.widths.chunks_exact(S));
        for (products, (lows, widths)) in products.chunks_exact(S).zip(lows) {
            for lane in 0..S {
                let upper = lows[lane] - 2.0 * products[lane] + widths[lane];
                least[lane] = if upper < least[lane] { upper } else { least[lane] };
            }
        }
        if self.count > S {
            return f32::INFINITY;
        }
        let (_, last, _) = least.select_nth_unstable_by(self.count - 1, f32::total_cmp);
        *last + self.slack
    }

    /// Keeps a row; the limit that follows.
    #[inline(always)]
    fn keep(&mut self, row: usize, lower: f32, upper: f32, limit: f32) -> f32 {
        self.near.push(Near { lower, upper, row });
        // Into its place among the others, the last of which falls out; where that is cannot be foretold, so no branch asks.
        let uppers = &mut self.uppers[..self.count];
        for place in (1..uppers.len()).rev() {
            let (before, own) = (uppers[place - 1], uppers[place]);
            let least = if upper < own { upper } else { own };
            uppers[place] = if before > least { before } else { least };
        }
        uppers[0] = if upper < uppers[0] { upper } else { uppers[0] };
        let limit = limit.min(uppers[uppers.len() - 1] + self.slack);
        if self.near.len() > self.room {
            self.make_room(limit);
        }
        limit
    }

    #[cold]
    fn make_room(&mut self, limit: f32) {
        self.drop_far(limit);
        // If most are near, as where all distances are equal, it would be tried again with every row.
        self.room = self.room.max(2 * self.near.len());
    }

    fn drop_far(&mut self, limit: f32) {
        self.near.retain(|near| near.lower <= limit);
    }

    /// What bounds say; all rows were seen.
    fn finish(mut self) -> Found {
        if self.near.len() <= self.count {
            return Found { sure: self.near.into_iter().map(|near| near.row).collect(), open: Vec::new() };
        }
        // Of the rows with this lower bound or a greater one, none is as near as one whose upper bound is below it. There are
        // `count` others, so that those are among the nearest.
        let (_, next, _) = self.near.select_nth_unstable_by(self.count, |a, b| a.lower.total_cmp(&b.lower));
        let bound = next.lower;
        let (sure, open): (Vec<Near>, Vec<Near>) =
            self.near.into_iter().partition(|near| near.upper + self.slack < bound);
        let rows = |near: Vec<Near>| near.into_iter().map(|near| near.row).collect();
        Found { sure: rows(sure), open: rows(open) }
    }
}
