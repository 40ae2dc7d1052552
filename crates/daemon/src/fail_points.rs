//! Places where a test can end the daemon as a crash would. Only test builds have them (the
//! feature `fail-points`); elsewhere [`reach`] is nothing.
//!
//! `FAILPOINTS=claim.committed=2*off->return` ends it the third time that it comes to
//! `claim.committed`. The tests know every point by name, and miss none.

/// Comes to a point.
#[cfg(feature = "fail-points")]
pub fn reach(point: &str) {
    fail::fail_point!(point, |_| std::process::abort());
}

/// Comes to a point.
#[cfg(not(feature = "fail-points"))]
#[inline]
pub fn reach(_point: &str) {}

/// Waits where a disk may hang: `FAILPOINTS=home.read=sleep(4000)`.
#[cfg(feature = "fail-points")]
pub fn hang(point: &str) {
    fail::fail_point!(point);
}

/// Waits where a disk may hang: it does not.
#[cfg(not(feature = "fail-points"))]
#[inline]
pub fn hang(_point: &str) {}

/// By how many milliseconds the clock is wrong: `FAILPOINTS=clock=50*off->return(-86400000)` sets
/// it back by a day when it has been looked at fifty times.
#[cfg(feature = "fail-points")]
pub fn clock_error() -> i64 {
    fail::fail_point!("clock", |told| told.and_then(|told| told.parse().ok()).unwrap_or(0));
    0
}

/// By how many milliseconds the clock is wrong: it is right.
#[cfg(not(feature = "fail-points"))]
#[inline]
pub fn clock_error() -> i64 {
    0
}

/// Reads `FAILPOINTS`, which holds as long as the guard.
#[cfg(feature = "fail-points")]
pub fn begin() -> fail::FailScenario<'static> {
    fail::FailScenario::setup()
}

/// Reads nothing.
#[cfg(not(feature = "fail-points"))]
pub fn begin() {}
