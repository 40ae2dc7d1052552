//! Starts that go wrong: who is the daemon, where it is, and what its folder is (§§13, 14).

use crate::support::Home;

#[test]
fn a_daemon_that_is_told_to_end_as_soon_as_it_is_ready_ends_as_it_should() {
    let home = Home::new();
    for _ in 0..5 {
        home.daemon().stop();
        assert!(home.daemon_file().is_none(), "it takes back what it said of itself");
    }
}
