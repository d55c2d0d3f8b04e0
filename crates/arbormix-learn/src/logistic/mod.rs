//! Logistic regression: one objective, one batched solver for many problems that share X, the choice of the cost C,
//! and the softmax gate.
//!
//! The order of use: a [`Design`] prepares the features once; a [`Block`] is some of its rows; [`solve`] fits a batch
//! of problems on a block; [`choose_costs`] picks each problem's C; [`Gate`] is the softmax over experts. Conventions
//! of signs, shapes and the penalty are stated once, in [`loss`].

mod conjugate;
mod design;
pub mod exponential;
mod fit;
mod gate;
mod linear;
pub mod loss;
mod newton;
mod params;
mod path;
#[cfg(test)]
mod path_tests;
mod ridge;
mod softmax;
#[cfg(test)]
mod tests;

pub use design::{Block, Coefficients, Design, FeatureWeights};
pub use fit::solved_together;
pub use fit::{BATCH, SPARSE_BATCH, improve, solve_fewer_together};
pub use fit::{Problem, Solution, solve};
pub use gate::{Gate, GateFit, fit_gate};
pub use linear::LinearFunctions;
pub use params::{Bias, Criterion, GateParams, LogisticParams, SolverParams};
pub use path::LOG_FLOOR;
pub use path::{Target, choose_costs, cost_folds};
pub use ridge::Ridge;
pub use softmax::Softmax;
