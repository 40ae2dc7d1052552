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

/// Reads `FAILPOINTS`, which holds as long as the guard.
#[cfg(feature = "fail-points")]
pub fn begin() -> fail::FailScenario<'static> {
    fail::FailScenario::setup()
}

/// Reads nothing.
#[cfg(not(feature = "fail-points"))]
pub fn begin() {}
