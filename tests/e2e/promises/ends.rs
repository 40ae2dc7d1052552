//! What ended says how it ended (§8, §9).

use crate::support::{Home, Team, mock};

#[test]
fn a_workflow_whose_time_is_over_says_so_and_not_that_the_user_stopped_it() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    let file = Team::new("slow", "@ivy begin").agent("ivy", &mock("- fail: hang")).write(&home);
    let ended = home.run(&["run", &file, "--timeout", "300ms"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stderr.contains("timed out after 300ms"), "{ended:?}");
    let shown = home.json(&["info", "@slow"]);
    assert_eq!(shown["outcome_reason"], "timed out after 300ms");
}

#[test]
fn a_stalled_team_stays_stalled_in_the_archive_and_needs_nobody() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file =
        Team::new("news", "@ivy begin").agent("ivy", &mock("- fail: permanent")).write(&home);
    assert_eq!(home.run(&["run", &file]).code, Some(5));
    assert_eq!(home.run(&["run", &file, "--fresh"]).code, Some(5));
    home.ok(&["stop", "@news"]);
    let archived = home.json(&["info", "@news:main.old-1"]);
    assert_eq!(archived["state"], "stalled");
    assert!(!home.ok(&["status"]).contains("stalled: @news:main.old-1"));
}

#[test]
fn a_vote_that_the_end_of_the_run_cuts_off_says_how_many_had_voted() {
    let home = Home::new();
    let _daemon = home.daemon();
    let proposes = "- call: team_proposal_create\n  with: { type: decision, title: Colour, \
                    options: [red, blue], quorum: 3, \
                    binding: false }\n- say: done";
    let file = Team::new("vote", "@ann begin")
        .agent("ann", &mock(proposes))
        .agent("bea", &mock("- say: \"no opinion\""))
        .agent("cem", &mock("- say: \"no opinion\""))
        .write(&home);
    assert_eq!(home.run(&["run", &file, "--timeout", "60s"]).code, Some(0));
    let shown = home.ok(&["proposal", "show", "prop_1"]);
    assert!(shown.contains("workflow ended: 0 of 3 had voted"), "{shown}");
}
