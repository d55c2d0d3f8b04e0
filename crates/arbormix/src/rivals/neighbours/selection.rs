//! The rows that may be among the nearest, by bounds on their distances.

/// Rows that are looked at together: most of the time none of them is near.
const TOGETHER: usize = 32;
/// Rows to keep before those that are no longer near are dropped.
const ROOM: usize = 64;

/// The training rows that may be among the nearest of one row, as far as they were seen.
///
/// Bounds leave out what all distances of the row have in common. Which rows are kept in the end does not depend on the
/// order in which they are seen.
pub(super) struct Selection {
    count: usize,
    /// What the bounds lie apart, beside a part for each training row.
    slack: f32,
    /// The `count` smallest upper bounds, ascending.
    uppers: Vec<f32>,
    /// No row whose lower bound is above is among the nearest.
    limit: f32,
    /// Lower bound and index of the rows that may be.
    near: Vec<(f32, usize)>,
    room: usize,
}

impl Selection {
    pub(super) fn new(count: usize, slack: f32) -> Selection {
        let room = ROOM + 2 * count;
        Selection { count, slack, uppers: Vec::with_capacity(count + 1), limit: f32::INFINITY, near: Vec::new(), room }
    }

    /// Sees the training rows from `first` on, but not row `own`; all slices have one length.
    pub(super) fn see(&mut self, first: usize, products: &[f32], lows: &[f32], widths: &[f32], own: Option<usize>) {
        if self.uppers.is_empty() {
            return self.begin(first, products, lows, widths, own);
        }
        for start in (0..products.len()).step_by(TOGETHER) {
            let end = products.len().min(start + TOGETHER);
            let (some, lows) = (&products[start..end], &lows[start..end]);
            // Without a way out between them: vector registers do that.
            let mut any = false;
            for (product, low) in some.iter().zip(lows) {
                any |= low - 2.0 * product <= self.limit;
            }
            if !any {
                continue;
            }
            for (place, (product, low)) in some.iter().zip(lows).enumerate() {
                let (lower, row) = (low - 2.0 * product, first + start + place);
                if lower <= self.limit && Some(row) != own {
                    self.keep(row, lower, lower + widths[start + place]);
                }
            }
        }
    }

    /// Sees the first rows: together they set a limit sooner than one by one.
    fn begin(&mut self, first: usize, products: &[f32], lows: &[f32], widths: &[f32], own: Option<usize>) {
        let lowers = lows.iter().zip(products).map(|(low, product)| low - 2.0 * product);
        let bounds = (first..).zip(lowers.zip(widths)).filter(|(row, _)| Some(*row) != own);
        self.uppers.extend(bounds.clone().map(|(_, (lower, width))| lower + width));
        if self.uppers.len() > self.count {
            self.uppers.select_nth_unstable_by(self.count - 1, f32::total_cmp);
            self.uppers.truncate(self.count);
        }
        self.uppers.sort_unstable_by(f32::total_cmp);
        self.set_limit();
        let near = bounds.map(|(row, (lower, _))| (lower, row)).filter(|(lower, _)| *lower <= self.limit);
        self.near.extend(near);
        self.room = self.room.max(2 * self.near.len());
    }

    fn set_limit(&mut self) {
        if self.uppers.len() == self.count {
            self.limit = self.uppers[self.count - 1] + self.slack;
        }
    }

    fn keep(&mut self, row: usize, lower: f32, upper: f32) {
        self.near.push((lower, row));
        let place = self.uppers.iter().rposition(|&other| other <= upper).map_or(0, |before| before + 1);
        if place < self.count {
            self.uppers.insert(place, upper);
            self.uppers.truncate(self.count);
            self.set_limit();
        }
        if self.near.len() > self.room {
            self.drop_far();
            // If most are near, as where all distances are equal, it would be tried again with every row.
            self.room = self.room.max(2 * self.near.len());
        }
    }

    fn drop_far(&mut self) {
        let limit = self.limit;
        self.near.retain(|&(lower, _)| lower <= limit);
    }

    /// The rows that may be among the nearest, ascending; all of them were seen.
    pub(super) fn finish(mut self) -> Vec<usize> {
        self.drop_far();
        let mut rows: Vec<usize> = self.near.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows
    }
}
