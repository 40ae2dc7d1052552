//! What the terminal of the tests needs to wait.

use std::time::{Duration, Instant};

/// The longest that anything is waited for.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// Waits until something is true that no event reports.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
