//! One named, portable generator for everything random.
//!
//! Every random choice in arbormix is drawn from a *stream*: a PCG-64 generator derived from the user's seed, a
//! purpose and a number. Streams do not depend on each other or on the order in which they are used, so the same
//! seed gives the same bits on any number of threads. The sampling routines are our own because those of general
//! libraries may change between versions.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream(Pcg64);

impl Stream {
    /// The stream of `seed` for one purpose, e.g. `Stream::new(7, "edge-folds", tree)`.
    ///
    /// ```
    /// use arbormix_base::random::Stream;
    /// let mut a = Stream::new(7, "split", 0);
    /// let mut b = Stream::new(7, "split", 0);
    /// assert_eq!(a.uniform(), b.uniform());
    /// ```
    pub fn new(seed: u64, purpose: &str, number: u64) -> Stream {
        // FNV-1a over the purpose: stable, and different purposes get unrelated streams.
        let tag =
            purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        let mut key = [0_u8; 32];
        for (part, word) in key.chunks_exact_mut(8).zip([seed, tag, number, seed ^ tag.rotate_left(17)]) {
            part.copy_from_slice(&mix(word).to_le_bytes());
        }
        Stream(Pcg64::from_seed(key))
    }

    /// Sixty-four random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform among `0..bound` without bias; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound <= 1 {
            return 0;
        }
        let bound = bound as u64;
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            // Lemire's method rejects values below 2^64 mod bound, so that every result is equally likely. The
            // remainder is less than bound, so the division is rarely needed.
            if wide as u64 >= bound || wide as u64 >= bound.wrapping_neg() % bound {
                return (wide >> 64) as usize;
            }
        }
    }

    /// Standard normal, by the Box-Muller transform.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Index drawn with probability proportional to `weights` (not all zero).
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        // Rounding can leave a small remainder; the last possible index gets it.
        weights.iter().rposition(|&w| w > 0.0).unwrap_or(0)
    }

    /// Fisher-Yates shuffle.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// A random order of `0..count`.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.shuffle(&mut order);
        order
    }
}

/// The finaliser of SplitMix64: every input bit changes about half of the output bits.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_number() {
        let first = |seed, purpose, number| Stream::new(seed, purpose, number).bits();
        let all = [first(1, "a", 0), first(2, "a", 0), first(1, "b", 0), first(1, "a", 1)];
        for i in 0..4 {
            for j in 0..i {
                assert_ne!(all[i], all[j]);
            }
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut stream = Stream::new(3, "test", 0);
        let mut counts = [0_usize; 6];
        for _ in 0..60_000 {
            counts[stream.below(6)] += 1;
        }
        assert!(counts.iter().all(|&c| (9_600..10_400).contains(&c)), "{counts:?}");
    }

    #[test]
    fn normal_has_mean_zero_and_variance_one() {
        let mut stream = Stream::new(3, "test", 1);
        let draws: Vec<f64> = (0..50_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 50_000.0;
        let variance = draws.iter().map(|d| d * d).sum::<f64>() / 50_000.0 - mean * mean;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn permutations_hold_every_index_once() {
        let mut order = Stream::new(1, "p", 0).permutation(100);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100));
    }
}
