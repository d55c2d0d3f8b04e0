//! The two precisions of matrices and products.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `f64`, or `f32` where fewer digits are enough and half the memory pays.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Div<Output = Self>
    + Mul<Output = Self>
    + MulAssign
    + Neg<Output = Self>
    + Sub<Output = Self>
    + SubAssign
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// The smallest positive normal number.
    const TINY: Self;

    /// The nearest number of this precision.
    fn of(value: f64) -> Self;

    /// The same number in double precision.
    fn wide(self) -> f64;

    /// `self · by + to`, rounded once.
    fn times_plus(self, by: Self, to: Self) -> Self;
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const TINY: f64 = f64::MIN_POSITIVE;

    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn times_plus(self, by: f64, to: f64) -> f64 {
        self.mul_add(by, to)
    }
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const TINY: f32 = f32::MIN_POSITIVE;

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
    fn of(value: f64) -> f32 {
        value as f32
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn times_plus(self, by: f32, to: f32) -> f32 {
        self.mul_add(by, to)
    }
}
