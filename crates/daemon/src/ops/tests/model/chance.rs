//! Chance that repeats itself: the same seed gives the same numbers.

/// Numbers that look random (`SplitMix64`).
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_F491_4F6C_DD1D).wrapping_add(0x9E37_79B9))
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 on that is less than `most`.
    pub fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.number() % most as u64).expect("it is below a usize")
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = usize::try_from(high - low + 1).expect("low is not above high");
        low + i64::try_from(self.below(span)).expect("it is small")
    }

    /// True once in `times` times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A number that something is picked by: see [`picked`].
    pub fn pointer(&mut self) -> u32 {
        u32::try_from(self.number() >> 40).expect("24 bits")
    }
}

/// The one of some things that a random number points to.
pub fn picked<T: Copy>(from: &[T], pointer: u32) -> Option<T> {
    (!from.is_empty()).then(|| from[pointer as usize % from.len()])
}
