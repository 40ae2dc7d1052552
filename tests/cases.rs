//! How often a property is tried: the same cases every time, unless the caller wants others.

use proptest::test_runner::{Config, RngSeed};

/// Tries a property with this number of cases. `PROPTEST_CASES=25600` tries a hundred times as
/// many, and `PROPTEST_RNG_SEED=7` tries other cases.
pub fn cases(count: u32) -> Config {
    const USUAL: u32 = 256;
    let asked = Config::default();
    let rng_seed = match asked.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        chosen @ RngSeed::Fixed(_) => chosen,
    };
    let cases = (count.saturating_mul(asked.cases) / USUAL).max(1);
    Config { cases, rng_seed, failure_persistence: None, ..asked }
}
