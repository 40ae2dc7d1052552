//! A silent run is shown as silent, by every command and however late it is viewed (§6).

use std::time::Instant;

use agent_worker_protocol::{AttentionKind, EventBody, run::SILENT};

use crate::support::{Home, Team, Watch, block_on, mock, wait_until};

#[test]
fn a_run_that_hangs_is_shown_as_silent_with_what_it_is_in_and_needs_the_user() {
    let home = Home::with_config("[runs]\nsilent = \"1s\"\n");
    let _daemon = home.daemon();
    let file = Team::new("news", "@ivy begin")
        .agent("ivy", &mock("- shell: \"tail -f /dev/null\""))
        .write(&home);
    let begun = block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["start", &file, "--background"]);
        let begun = Instant::now();
        watch
            .wait("the run needs the user", |event| match &event.body {
                EventBody::AttentionChanged(body) => {
                    body.items.iter().any(|item| item.kind == AttentionKind::Silent).then_some(())
                }
                _ => None,
            })
            .await;
        begun
    });
    // No command shows it sooner, and each that asks takes time of a processor.
    wait_until("it has been silent for long", || begun.elapsed() >= SILENT);
    wait_until("silence is shown", || home.ok(&["list"]).contains("calling shell, silent for 1"));
    let status = home.ok(&["status"]);
    assert!(status.contains("silent: ivy@news: run_1 is silent: calling shell"), "{status}");
    for command in [&["status"][..], &["why", "ivy@news"], &["info", "ivy@news"]] {
        let shown = home.ok(command);
        assert!(shown.contains("calling shell, silent for 1"), "{command:?}: {shown}");
    }
    home.ok(&["stop", "ivy@news"]);
    home.ok(&["cancel", "run_1"]);
    // Its end is decided by then, and begins a moment later.
    wait_until("no silence needs the user", || !home.ok(&["status"]).contains("is silent"));
}
