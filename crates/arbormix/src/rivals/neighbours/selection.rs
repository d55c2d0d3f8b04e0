//! The rows that may be among the nearest, by bounds on their distances.

use pulp::{Arch, NullaryFnOnce};

/// Rows that are looked at together: most of the time none of them is near.
const TOGETHER: usize = 16;
/// Rows that are judged by the same limit, so that the loop over them has nothing to load again.
const PART: usize = 128;
/// Rows to keep before those that are no longer near are dropped.
const ROOM: usize = 64;
/// The least of so many shares of the first rows give a first limit, if so many neighbours are asked for at most.
const SHARES: usize = 32;

/// Training rows that are seen together.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    /// Index of the first one.
    pub(super) first: usize,
    /// What a product is taken from twice for a lower bound.
    pub(super) lows: &'a [f32],
    /// From there to an upper bound, beside the query's slack.
    pub(super) widths: &'a [f32],
}

/// The training rows that may be among the nearest of each of some queries, as far as they were seen.
///
/// Bounds leave out what all distances of a query have in common. Which rows are kept in the end does not depend on the
/// order in which they are seen.
pub(super) struct Selections {
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
pub(super) struct Found {
    /// Rows that are among the nearest.
    pub(super) sure: Vec<usize>,
    /// Rows that may be, those above left out.
    pub(super) open: Vec<usize>,
}

impl Selections {
    /// For queries with these slacks, those without bounds have none.
    pub(super) fn new(count: usize, slacks: impl Iterator<Item = Option<f32>>) -> Selections {
        let room = ROOM + 2 * count;
        let start = |slack: Option<f32>| {
            let slack = slack.unwrap_or(f32::NAN);
            let near = Vec::with_capacity(room + 1);
            Selection { count, slack, uppers: Vec::with_capacity(count + 1), near, room }
        };
        let each: Vec<Selection> = slacks.map(start).collect();
        let limit = |selection: &Selection| if selection.slack.is_nan() { f32::NAN } else { f32::INFINITY };
        Selections { limits: each.iter().map(limit).collect(), each }
    }

    /// Sees training rows whose products with the queries from `place` on lie in rows of `stride` numbers, one for each
    /// query. A product that is NaN leaves the training row out.
    pub(super) fn see(&mut self, seen: Seen<'_>, place: usize, products: &[f32], stride: usize) {
        Arch::new().dispatch(See { selections: self, seen, place, products, stride });
    }

    /// Sees training rows whose products with all queries lie in rows of `stride` numbers, one for each *training row*.
    pub(super) fn see_across(&mut self, seen: Seen<'_>, products: &[f32], stride: usize) {
        Arch::new().dispatch(SeeAcross { selections: self, seen, products, stride });
    }

    /// What was found for each query; `None` if it has no bounds.
    pub(super) fn finish(self) -> Vec<Option<Found>> {
        let found = |(mut selection, limit): (Selection, f32)| {
            selection.drop_far(limit);
            (!limit.is_nan()).then(|| selection.finish())
        };
        self.each.into_iter().zip(self.limits).map(found).collect()
    }
}

/// Calls `hit` with the places in `products` for which `near(place, product)`, those of the last numbers last.
#[inline(always)]
fn visit_near(products: &[f32], near: impl Fn(usize, f32) -> bool, mut hit: impl FnMut(usize, f32)) {
    let (whole, rest) = products.as_chunks::<TOGETHER>();
    for (chunk, some) in whole.iter().enumerate() {
        // Without a way out between them: vector registers do that.
        let mut any = false;
        for (lane, &product) in some.iter().enumerate() {
            any |= near(chunk * TOGETHER + lane, product);
        }
        if any {
            for (lane, &product) in some.iter().enumerate() {
                if near(chunk * TOGETHER + lane, product) {
                    hit(chunk * TOGETHER + lane, product);
                }
            }
        }
    }
    for (place, &product) in (whole.len() * TOGETHER..).zip(rest) {
        if near(place, product) {
            hit(place, product);
        }
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
        let widths = &widths[..lows.len()];
        let queries = self.selections.each.iter_mut().zip(&mut self.selections.limits).skip(self.place);
        for ((selection, limit), products) in queries.zip(self.products.chunks(self.stride)) {
            let products = &products[..lows.len()];
            if selection.near.is_empty() {
                *limit = selection.first_limit(*limit, products, self.seen);
            }
            for start in (0..products.len()).step_by(PART) {
                let end = products.len().min(start + PART);
                let (some, lows) = (&products[start..end], &lows[start..end]);
                let now = *limit;
                let near = |place: usize, product: f32| lows[place] - 2.0 * product <= now;
                visit_near(some, near, |place, product| {
                    let lower = lows[place] - 2.0 * product;
                    selection.keep(first + start + place, lower, lower + widths[start + place], limit);
                });
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
            for (chunk, some) in products.chunks(TOGETHER).enumerate() {
                let start = chunk * TOGETHER;
                let limits = &mut limits[start..start + some.len()];
                let mut any = false;
                for (product, limit) in some.iter().zip(limits.iter()) {
                    any |= low - 2.0 * product <= *limit;
                }
                if any {
                    for ((product, limit), selection) in some.iter().zip(limits).zip(&mut each[start..]) {
                        let lower = low - 2.0 * product;
                        if lower <= *limit {
                            selection.keep(row, lower, lower + width, limit);
                        }
                    }
                }
            }
        }
    }
}

impl Selection {
    /// A limit from the first rows: each of as many different rows as there are neighbours has an upper bound no greater.
    #[inline(always)]
    fn first_limit(&self, limit: f32, products: &[f32], seen: Seen<'_>) -> f32 {
        if self.count > SHARES {
            return limit;
        }
        let mut least = [f32::INFINITY; SHARES];
        let some = products.chunks_exact(SHARES).zip(seen.lows.chunks_exact(SHARES));
        for ((products, lows), widths) in some.zip(seen.widths.chunks_exact(SHARES)) {
            for lane in 0..SHARES {
                let upper = lows[lane] - 2.0 * products[lane] + widths[lane];
                least[lane] = if upper < least[lane] { upper } else { least[lane] };
            }
        }
        least.sort_unstable_by(f32::total_cmp);
        // NaN stays.
        if limit.is_nan() { limit } else { least[self.count - 1] + self.slack }
    }

    #[inline(never)]
    fn keep(&mut self, row: usize, lower: f32, upper: f32, limit: &mut f32) {
        self.near.push(Near { lower, upper, row });
        let place = self.uppers.iter().rposition(|&other| other <= upper).map_or(0, |before| before + 1);
        if place < self.count {
            self.uppers.insert(place, upper);
            self.uppers.truncate(self.count);
            if let Some(last) = self.uppers.get(self.count - 1) {
                *limit = limit.min(last + self.slack);
            }
        }
        if self.near.len() > self.room {
            self.drop_far(*limit);
            // If most are near, as where all distances are equal, it would be tried again with every row.
            self.room = self.room.max(2 * self.near.len());
        }
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
