//! How long ago something was, by a clock that may be set.

/// Whether this many milliseconds have passed since then. They have too if the clock was set back
/// behind it: waiting for the clock could take hours.
pub fn has_passed(now: i64, since: i64, ms: i64) -> bool {
    !(0..ms).contains(&now.saturating_sub(since))
}
