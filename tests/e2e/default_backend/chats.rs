//! Chats: sessions of an agent beside its main one.

use serde_json::{Value, json};

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::block_on;

const SCENARIO: &str = r#"conversations:
- when: how do bees sleep
  turns: [{ say: In a row., forgets: '(?s)"role":"assistant"' }]
- when: and in winter
  turns: [{ say: In winter too., remembers: '(?s)how do bees sleep.*In a row' }]
- when: and you
  turns: [{ say: I never sleep., forgets: bees }]
"#;

/// Alice, whom nothing was said to yet.
fn stage() -> Stage {
    let stage = Stage::new(SCENARIO, QUICK);
    let team = stage.team(PROVIDERS[0], &[("alice", "")], "hello");
    stage.home.ok(&["start", &team, "--background"]);
    stage
}

#[test]
fn a_chat_is_begun_listed_shown_and_continued_beside_the_main_session() {
    let stage = stage();
    let home = &stage.home;
    let begun = home.run(&["ask", "alice@team", "--new", "how do bees sleep?"]);
    assert_eq!(begun.stdout, "In a row.\n", "{begun:?}");
    let next = "session_1: agent-worker sessions resume session_1 MESSAGE";
    assert!(begun.stderr.contains(next), "{begun:?}");
    assert_eq!(home.ok(&["ask", "alice@team", "and you?"]), "I never sleep.\n");
    let said = home.ok(&["sessions", "resume", "session_1", "and in winter?"]);
    assert_eq!(said, "In winter too.\n");

    let sessions = home.json(&["sessions", "list", "alice@team"])["sessions"].clone();
    let kinds: Vec<_> =
        sessions.as_array().unwrap().iter().map(|one| (&one["id"], &one["kind"])).collect();
    assert_eq!(
        kinds,
        [(&json!("session_2"), &json!("main")), (&json!("session_1"), &json!("chat"))]
    );
    let shown = home.ok(&["sessions", "list", "alice@team"]);
    assert!(shown.contains("4 turns") && shown.contains("how do bees sleep?"), "{shown}");
    assert!(!shown.contains("-n shows more"), "{shown}");
    let newest = home.ok(&["sessions", "list", "alice@team", "-n", "1"]);
    assert!(newest.contains("session_2") && !newest.contains("session_1"), "{newest}");
    assert!(newest.contains("-n shows more"), "{newest}");
    let shown = home.ok(&["sessions", "show", "session_1"]);
    for said in [
        "title    how do bees sleep?",
        "user: how do bees sleep?",
        "answer: In a row.",
        "user: and in winter?",
        "answer: In winter too.",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(!shown.contains("I never sleep"), "{shown}");

    let answer = home.json(&["serve", "alice@team", "--in", "session_2", "and you?"]);
    assert_eq!(answer["session"], "session_2", "the main session is continued by its number too");
    let refused = home.run(&["sessions", "resume", "session_9", "hello"]);
    assert!(refused.stderr.contains("`session_9` not found"), "{refused:?}");
}

#[test]
fn a_chat_over_http_answers_whole_or_as_it_grows() {
    let stage = stage();
    let file = stage.home.daemon_file().unwrap();
    let post = |path: &str, body: &Value, accept: &'static str| {
        let url = format!("http://127.0.0.1:{}{path}", file.port);
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let request = http.post(url).bearer_auth(&file.token).header("accept", accept).json(body);
        block_on(async { request.send().await.unwrap().text().await.unwrap() })
    };
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let begin = json!({ "agent": "alice@team", "message": "how do bees sleep?", "new": true });
    let first = read(&post("/chat", &begin, "application/json"));
    assert_eq!((&first["content"], &first["session"]), (&json!("In a row."), &json!("session_1")));

    // As the document calls it that this product comes from.
    let seed = json!({
        "agentId": "alice@team", "message": "and in winter?", "sessionId": first["session"],
    });
    let second = read(&post("/api/chat", &seed, "*/*"));
    assert_eq!(second["content"], "In winter too.");

    let main = json!({ "agent": "alice@team", "message": "and you?" });
    let events = post("/chat", &main, "text/event-stream");
    for part in ["event: queued", "event: started", "event: chunk", "event: done", "I never sleep"]
    {
        assert!(events.contains(part), "{part}: {events}");
    }
}
