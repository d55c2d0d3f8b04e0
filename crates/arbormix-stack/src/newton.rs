//! Newton's method for smooth convex functions of a few parameters. All fits above level 0 use it.

/// Newton steps at most.
const MAX_STEPS: usize = 100;
/// A step that promises a smaller decrease, as a share of the value, is the last.
const TOLERANCE: f64 = 1e-12;
/// Halvings of a step at most; after that rounding hides any decrease.
const MAX_HALVINGS: usize = 40;

/// A function at some parameters: its value, its gradient G and the rows H of its Hessian.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expansion<G, H> {
    pub(crate) value: f64,
    pub(crate) gradient: G,
    pub(crate) hessian: H,
}

/// A strongly convex function of a few parameters.
pub(crate) trait Smooth {
    /// The parameters, or a gradient: as many numbers as there are parameters.
    type Numbers: Clone + AsRef<[f64]> + AsMut<[f64]>;
    /// As many of them.
    type Rows: Clone + AsMut<[Self::Numbers]>;

    /// Its value and derivatives. They share their most expensive part, and most steps are accepted, so a value is
    /// rarely needed alone.
    fn expanded(&self, at: &Self::Numbers) -> Expansion<Self::Numbers, Self::Rows>;
}

/// The minimum of the function.
///
/// Steps are halved until the value decreases enough: on rare labels plain Newton steps diverge.
pub(crate) fn minimise<S: Smooth>(function: &S, start: S::Numbers) -> S::Numbers {
    let mut here = function.expanded(&start);
    let mut at = start;
    for _ in 0..MAX_STEPS {
        let Expansion { value, gradient, hessian } = here;
        let (mut system, mut step) = (hessian, gradient.clone());
        solve(system.as_mut(), step.as_mut());
        let slope: f64 = step.as_ref().iter().zip(gradient.as_ref()).map(|(s, g)| s * g).sum();
        if slope <= TOLERANCE * (1.0 + value.abs()) {
            break;
        }
        let moved = descended(value, slope, |length| {
            let mut next = at.clone();
            next.as_mut().iter_mut().zip(step.as_ref()).for_each(|(number, by)| *number -= length * by);
            let reached = function.expanded(&next);
            (reached.value, (next, reached))
        });
        let Some(next) = moved else { break };
        (at, here) = next;
    }
    at
}

/// The first point along a step, halved again and again, where the loss is enough below `loss`. At the start of the step the
/// loss falls by `slope` per length, and `at` gives loss and point at a length. `None` if rounding hides any decrease.
pub(crate) fn descended<P>(loss: f64, slope: f64, mut at: impl FnMut(f64) -> (f64, P)) -> Option<P> {
    let mut length = 1.0;
    (0..MAX_HALVINGS).find_map(|_| {
        let (reached, point) = at(length);
        let enough = reached <= loss - 1e-4 * length * slope;
        length *= 0.5;
        enough.then_some(point)
    })
}

/// Puts A⁻¹ b in the place of b for a positive definite A, by elimination, which overwrites A.
pub(crate) fn solve<R: AsRef<[f64]> + AsMut<[f64]>>(a: &mut [R], b: &mut [f64]) {
    for k in 0..b.len() {
        let (above, below) = a.split_at_mut(k + 1);
        let pivots = above[k].as_ref();
        for (row, i) in below.iter_mut().map(AsMut::as_mut).zip(k + 1..) {
            let factor = row[k] / pivots[k];
            (k..b.len()).for_each(|j| row[j] -= factor * pivots[j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..b.len()).rev() {
        let row = a[k].as_ref();
        let rest: f64 = (k + 1..b.len()).map(|j| row[j] * b[j]).sum();
        b[k] = (b[k] - rest) / row[k];
    }
}
