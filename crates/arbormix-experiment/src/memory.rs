//! How many cells may run at a time.

/// Room for cells that run at the same time.
#[derive(Debug)]
pub(crate) struct Room {
    bound: Option<usize>,
    used: usize,
    running: usize,
}

impl Room {
    pub(crate) fn new(bound: Option<usize>) -> Room {
        Room { bound, used: 0, running: 0 }
    }

    /// Whether a cell may begin; one always may, however large, or the work would never end.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        self.running == 0 || self.bound.is_none_or(|bound| self.used.saturating_add(bytes) <= bound)
    }

    pub(crate) fn enter(&mut self, bytes: usize) {
        self.used = self.used.saturating_add(bytes);
        self.running += 1;
    }

    pub(crate) fn leave(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes);
        self.running -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cell_always_fits_and_a_second_only_within_the_bound() {
        let mut room = Room::new(Some(100));
        assert!(room.fits(1000));
        room.enter(60);
        assert!(room.fits(40) && !room.fits(41));
        room.leave(60);
        assert!(room.fits(1000));
        assert!(Room { bound: None, used: usize::MAX, running: 9 }.fits(1));
    }
}
