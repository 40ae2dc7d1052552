//! The line that tells the person what was done, or what went wrong.

/// A line for the person, until a key or for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    /// Whether it is bad news: it stays until a key is pressed
    pub is_error: bool,
    /// When it came, ms
    pub since: i64,
    /// What ends it before a key does
    pub until: Option<Until>,
}

/// What puts right what a line tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// A picture of the daemon
    Picture,
    /// What was to be shown first
    Arrival,
}

/// Whether this many milliseconds have passed since then. They have too if the clock was set back
/// behind it: waiting for the clock could take hours.
pub fn has_passed(now: i64, since: i64, ms: i64) -> bool {
    !(0..ms).contains(&now.saturating_sub(since))
}
