//! The width of registers in each precision, and loops compiled for the instruction set found at run time.

use pulp::{Arch, NullaryFnOnce, Simd};

use crate::Real;

/// Numbers of double precision in a register.
pub(crate) const REGISTER: usize = 4;
/// Vectors of double precision in a tile: two registers.
pub const TILE: usize = 2 * REGISTER;

/// A precision with the width of its registers.
pub trait Tiled: Real {
    /// The cells of one column in the rows of a strip: a cache line.
    #[doc(hidden)]
    type Line: Copy + std::fmt::Debug + Send + Sync + AsRef<[Self]> + AsMut<[Self]>;
    /// A vector register.
    #[doc(hidden)]
    type Register<S: Simd>: Copy;
    /// Rows of a strip.
    const HEIGHT: usize;
    /// A line of zeros.
    #[doc(hidden)]
    const EMPTY: Self::Line;

    /// Runs a kernel with this width, compiled for the instruction set found.
    #[doc(hidden)]
    fn run<K: Kernel>(kernel: K) -> K::Output;

    /// Cells as registers; cells beyond the last whole register are left out.
    #[doc(hidden)]
    fn registers<S: Simd>(cells: &[Self]) -> &[Self::Register<S>];

    /// Cells as registers, to change.
    #[doc(hidden)]
    fn registers_mut<S: Simd>(cells: &mut [Self]) -> &mut [Self::Register<S>];

    /// A register with the same number in all lanes.
    #[doc(hidden)]
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Register<S>;

    /// a · b + c, rounded once.
    #[doc(hidden)]
    fn mul_add<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>, c: Self::Register<S>)
    -> Self::Register<S>;
}

/// A cache line.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Line<T, const H: usize>([T; H]);

impl<T, const H: usize> AsRef<[T]> for Line<T, H> {
    #[inline(always)]
    fn as_ref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const H: usize> AsMut<[T]> for Line<T, H> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

/// Implements [`Tiled`] with pulp's names for a precision.
macro_rules! tiled {
    ($real:ty, $height:literal, $width:expr, $register:ident, $cells:ident, $cells_mut:ident, $splat:ident, $fused:ident) => {
        impl Tiled for $real {
            type Line = Line<$real, $height>;
            type Register<S: Simd> = S::$register;
            const HEIGHT: usize = $height;
            const EMPTY: Self::Line = Line([0.0; $height]);

            fn run<K: Kernel>(kernel: K) -> K::Output {
                Arch::new().dispatch(Within::<K, { $width }, { 2 * $width }>(kernel))
            }

            #[inline(always)]
            fn registers<S: Simd>(cells: &[$real]) -> &[S::$register] {
                S::$cells(cells).0
            }

            #[inline(always)]
            fn registers_mut<S: Simd>(cells: &mut [$real]) -> &mut [S::$register] {
                S::$cells_mut(cells).0
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: $real) -> S::$register {
                simd.$splat(value)
            }

            #[inline(always)]
            fn mul_add<S: Simd>(simd: S, a: S::$register, b: S::$register, c: S::$register) -> S::$register {
                simd.$fused(a, b, c)
            }
        }
    };
}

tiled!(f64, 8, REGISTER, f64s, as_simd_f64s, as_mut_simd_f64s, splat_f64s, mul_add_f64s);
tiled!(f32, 16, 2 * REGISTER, f32s, as_simd_f32s, as_mut_simd_f32s, splat_f32s, mul_add_f32s);

/// Loops that are compiled for registers of W numbers, and tiles of two registers.
#[doc(hidden)]
pub trait Kernel {
    /// What it computes.
    type Output;

    /// Computes it; always inlined.
    fn call<const W: usize, const TWO: usize>(self) -> Self::Output;
}

struct Within<K, const W: usize, const TWO: usize>(K);

impl<K: Kernel, const W: usize, const TWO: usize> NullaryFnOnce for Within<K, W, TWO> {
    type Output = K::Output;

    #[inline(always)]
    fn call(self) -> K::Output {
        self.0.call::<W, TWO>()
    }
}
