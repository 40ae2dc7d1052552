//! Chance that repeats itself: the same seed gives the same numbers.

/// Numbers that look random (`SplitMix64`).
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number that is less than `most`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % most as u64).expect("it is below a usize")
    }

    /// How much of something is let through: as often little as much.
    pub fn amount(&mut self) -> usize {
        let most = 1 << (4 + self.below(14));
        1 + self.below(most)
    }
}
