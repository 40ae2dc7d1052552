//! Agents that go in a circle are stopped early (§7).

use crate::support::{Home, Team, mock};

#[test]
fn two_agents_that_repeat_themselves_are_stopped_after_three_rounds() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file = Team::new("circle", "@ann please begin")
        .agent("ann", &mock("- say: \"@bea could you check this?\""))
        .agent("bea", &mock("- say: \"@ann I could not, could you?\""))
        .write(&home);
    let ended = home.run(&["run", &file]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(
        ended.stderr.contains("repetition") || ended.stdout.contains("repetition"),
        "{ended:?}"
    );
    let runs = home.json(&["runs", "@circle"])["runs"].as_array().unwrap().len();
    assert!(runs <= 6, "{runs} runs");
    let status = home.ok(&["status"]);
    assert!(status.contains("repetition: ann told bea the same 3 times"), "{status}");
    home.ok(&["release", "@circle"]);
}
