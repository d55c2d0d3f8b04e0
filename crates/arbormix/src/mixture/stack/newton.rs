//! Newton's method for smooth convex functions of three parameters: every stage above level 0 has such fits.

/// Newton steps at most.
const MAX_STEPS: usize = 100;
/// A step that promises less than this share of the value is the last.
const TOLERANCE: f64 = 1e-12;
/// Halvings of a step at most; after that rounding hides any decrease.
const MAX_HALVINGS: usize = 40;

/// Three parameters, or a gradient in them.
pub(super) type Triple = [f64; 3];

/// A function at some parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expansion {
    pub(super) value: f64,
    pub(super) gradient: Triple,
    pub(super) hessian: [Triple; 3],
}

/// A strongly convex function of three parameters.
pub(super) trait Smooth {
    /// Its value and derivatives, which share their dearest part: most steps are taken as they are, so a value is
    /// hardly ever wanted without them.
    fn expanded(&self, at: Triple) -> Expansion;
}

/// Where the function is least.
///
/// Steps are halved until the value decreases enough: on rare labels plain Newton steps diverge.
pub(super) fn minimise(function: &impl Smooth, start: Triple) -> Triple {
    let (mut at, mut here) = (start, function.expanded(start));
    for _ in 0..MAX_STEPS {
        let Expansion { value, gradient, hessian } = here;
        let step = solve(hessian, gradient);
        let slope: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        if slope <= TOLERANCE * (1.0 + value.abs()) {
            break;
        }
        let mut length = 1.0;
        let moved = (0..MAX_HALVINGS).find_map(|_| {
            let next = [0, 1, 2].map(|j| at[j] - length * step[j]);
            let reached = function.expanded(next);
            let enough = reached.value <= value - 1e-4 * length * slope;
            length *= 0.5;
            enough.then_some((next, reached))
        });
        let Some(next) = moved else { break };
        (at, here) = next;
    }
    at
}

/// A⁻¹ b for a positive definite A, by elimination.
fn solve(mut a: [Triple; 3], mut b: Triple) -> Triple {
    for k in 0..3 {
        for i in k + 1..3 {
            let factor = a[i][k] / a[k][k];
            for j in k..3 {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..3).rev() {
        let rest: f64 = (k + 1..3).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k][k];
    }
    b
}
