//! What needs the user is what waits for the user, the most pressing first (§15).

use agent_worker_protocol::EventBody;

use crate::support::{Home, Team, Watch, block_on, mock};

#[test]
fn asks_come_first_and_messages_of_ended_workflows_are_only_unread() {
    let home = Home::with_config("[runs]\nattempts = 1\n");
    let _daemon = home.daemon();
    let done = Team::new("done", "@ann begin").agent("ann", &mock("- say: \"@user it is done\""));
    home.ok(&["run", &done.write(&home)]);
    let broken = Team::new("broken", "@bea begin").agent("bea", &mock("- fail: permanent"));
    assert_eq!(home.run(&["run", &broken.write(&home)]).code, Some(5));
    let asks = "- call: ask_person\n  with: { question: \"Deploy now?\" }";
    let asks = Team::new("asks", "@cem begin").agent("cem", &mock(asks));
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["start", &asks.write(&home), "--background"]);
        watch
            .wait("it is asked", |event| match &event.body {
                EventBody::QuestionChanged(question) => Some(question.id),
                _ => None,
            })
            .await;
    });
    let status = home.json(&["status"]);
    let items = status["attention"].as_array().unwrap();
    let kinds: Vec<_> = items.iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["question", "paused", "stalled"], "{items:#?}");
    assert_eq!(status["unread"], 1);
    assert!(home.ok(&["status"]).ends_with("1 unread message: agent-worker inbox reads them\n"));
    home.ok(&["stop", "--all"]);
}
