//! Who may do what: every route with every kind of token (`semantics.md` §14).

use std::collections::BTreeSet;

use agent_worker_protocol::{ChannelSend, DocWrite, Mode, ResourceCreate};
use serde_json::Value;

use super::wire::{Ask, Door};
use crate::support::{Home, Team, Watch, block_on, mock};

/// Who may call a route, beside the operator, who may call all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Any client, also without a token
    All,
    /// A run, for its own agent and scope
    Run,
    /// Only the operator
    Person,
}
use Who::{All, Person, Run};

/// Every route: its method, its path as it is described, how it is called by a run of alice in
/// @team, its body, and who may call it.
const ROUTES: &[(&str, &str, &str, &str, Who)] = &[
    ("GET", "/health", "/health", "", All),
    ("GET", "/openapi.json", "/openapi.json", "", Run),
    ("GET", "/agents", "/agents", "", Run),
    ("GET", "/agents/{target}", "/agents/alice", "", Run),
    ("GET", "/agents/{target}/inbox", "/agents/alice/inbox", "", Run),
    ("GET", "/agents/{target}/queue", "/agents/alice/queue", "", Run),
    ("POST", "/send", "/send", r#"{"message":"hello"}"#, Run),
    ("GET", "/peek", "/peek", "", Run),
    ("GET", "/messages/{id}", "/messages/msg_1", "", Run),
    ("GET", "/workflows", "/workflows", "", Run),
    ("GET", "/workflows/{key}", "/workflows/team:main", "", Run),
    ("GET", "/runs", "/runs", "", Run),
    ("GET", "/runs/{id}", "/runs/$RUN", "", Run),
    ("POST", "/runs/{id}/context", "/runs/$RUN/context", "{}", Run),
    ("GET", "/runs/{id}/output", "/runs/$RUN/output", "", Run),
    ("GET", "/runs/{id}/blocks", "/runs/$RUN/blocks", "", Run),
    ("GET", "/runs/{id}/blocks/{n}", "/runs/$RUN/blocks/0", "", Run),
    ("GET", "/agents/{target}/sessions", "/agents/alice/sessions", "", Run),
    ("GET", "/sessions/{id}", "/sessions/session_1", "", Run),
    ("GET", "/docs/{scope}", "/docs/@team", "", Run),
    ("GET", "/docs/{scope}/{file}", "/docs/@team/notes.md", "", Run),
    ("PUT", "/docs/{scope}/{file}", "/docs/@team/notes.md", r#"{"content":"a"}"#, Run),
    ("POST", "/docs/{scope}/{file}", "/docs/@team/notes.md", r#"{"content":"b"}"#, Run),
    ("PUT", "/doc-owners/{scope}/{file}", "/doc-owners/@team/notes.md", "{}", Person),
    ("GET", "/doc-versions/{scope}/{file}", "/doc-versions/@team/notes.md", "", Run),
    ("POST", "/proposals", "/proposals", r#"{"type":"approval","title":"so?"}"#, Run),
    ("GET", "/proposals", "/proposals", "", Run),
    ("GET", "/proposals/{proposal}", "/proposals/prop_99", "", Run),
    (
        "POST",
        "/proposals/{proposal}/votes",
        "/proposals/prop_99/votes",
        r#"{"choice":"approve"}"#,
        Run,
    ),
    ("POST", "/proposals/{proposal}/cancel", "/proposals/prop_99/cancel", "{}", Run),
    ("GET", "/schedules", "/schedules", "", Run),
    ("GET", "/agents/{target}/schedule", "/agents/alice/schedule", "", Run),
    ("PUT", "/agents/{target}/schedule", "/agents/alice/schedule", r#"{"spec":"24h"}"#, Person),
    ("POST", "/agents/{target}/schedule/run", "/agents/alice/schedule/run", "{}", Person),
    ("POST", "/agents/{target}/schedule/pause", "/agents/alice/schedule/pause", "{}", Person),
    ("POST", "/agents/{target}/schedule/resume", "/agents/alice/schedule/resume", "{}", Person),
    ("DELETE", "/agents/{target}/schedule", "/agents/alice/schedule", "", Person),
    ("POST", "/resources", "/resources", r#"{"content":"a"}"#, Run),
    ("GET", "/resources/{id}", "/resources/res_1", "", Run),
    ("GET", "/resources", "/resources", "", Run),
    ("GET", "/search", "/search?text=go", "", Run),
    ("POST", "/groups", "/groups", r#"{"name":"inner","members":["bob"]}"#, Run),
    ("GET", "/groups", "/groups", "", Run),
    ("GET", "/groups/{group}/members", "/groups/channel/members", "", Run),
    ("POST", "/groups/{group}/members", "/groups/none/members", r#"{"members":["bob"]}"#, Run),
    ("POST", "/groups/{group}/leave", "/groups/none/leave", "{}", Run),
    ("GET", "/why/{subject}", "/why/alice", "", Run),
    ("POST", "/mcp", "/mcp", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Run),
    ("POST", "/permissions", "/permissions", r#"{"tool":"shell"}"#, Run),
    ("GET", "/questions", "/questions", "", Person),
    ("GET", "/questions/{id}", "/questions/q_1", "", Person),
    ("POST", "/questions/{id}/answer", "/questions/q_1/answer", r#"{"answer":"allow"}"#, Person),
    ("GET", "/status", "/status", "", Person),
    ("GET", "/attention", "/attention", "", Person),
    ("GET", "/snapshot", "/snapshot", "", Person),
    ("GET", "/events", "/events", "", Person),
    ("GET", "/event-log", "/event-log", "", Person),
    (
        "POST",
        "/check",
        "/check",
        r#"{"source":{"file_name":"a.yaml","text":"","folder":"/"}}"#,
        Person,
    ),
    ("POST", "/backup", "/backup", "{}", Person),
    ("GET", "/doctor", "/doctor", "", Person),
    ("GET", "/providers", "/providers", "", Person),
    ("GET", "/backends", "/backends", "", Person),
    ("POST", "/agents", "/agents", r#"{"name":"carol"}"#, Person),
    ("POST", "/agents/{target}/resume", "/agents/alice/resume", "{}", Person),
    ("POST", "/agents/{target}/new-session", "/agents/alice/new-session", "{}", Person),
    ("POST", "/agents/{target}/token", "/agents/alice/token", "{}", Person),
    ("DELETE", "/agents/{target}/token", "/agents/alice/token", "", Person),
    ("POST", "/web/links", "/web/links", "{}", Person),
    ("DELETE", "/web/browsers", "/web/browsers", "", Person),
    ("GET", "/agents/{target}/context", "/agents/alice/context", "", Person),
    ("GET", "/agents/{target}/home", "/agents/alice/home", "", Person),
    (
        "PUT",
        "/agents/{target}/home",
        "/agents/alice/home",
        r#"{"file":"USER.md","content":"a"}"#,
        Person,
    ),
    ("POST", "/agents/{target}/home/reset", "/agents/alice/home/reset", "{}", Person),
    ("GET", "/agents/{target}/home/history", "/agents/alice/home/history", "", Person),
    (
        "POST",
        "/agents/{target}/home/restore",
        "/agents/alice/home/restore",
        r#"{"file":"USER.md","version":1}"#,
        Person,
    ),
    ("POST", "/agents/{target}/wake", "/agents/alice/wake", "{}", Person),
    ("PUT", "/cursors/{conversation}", "/cursors/channel", r#"{"until":"msg_1"}"#, Person),
    ("POST", "/deliveries/retry", "/deliveries/retry", r#"{"target":"alice"}"#, Person),
    ("POST", "/deliveries/release", "/deliveries/release", r#"{"target":"alice"}"#, Person),
    ("POST", "/deliveries/drop", "/deliveries/drop", r#"{"target":"alice"}"#, Person),
    ("POST", "/messages/{message}/hide", "/messages/msg_999/hide", "{}", Person),
    (
        "PUT",
        "/workflows/{key}/limits",
        "/workflows/team:main/limits",
        r#"{"limits":{"hops":9}}"#,
        Person,
    ),
    ("POST", "/workflows/{key}/resume", "/workflows/team:main/resume", "{}", Person),
    ("POST", "/run", "/run", r#"{"agent":"nobody","message":"hello"}"#, Person),
    ("POST", "/serve", "/serve", r#"{"agent":"nobody","message":"hello"}"#, Person),
    ("POST", "/chat", "/chat", r#"{"agent":"ghost","message":"hello"}"#, Person),
    ("POST", "/api/chat", "/api/chat", r#"{"agent":"ghost","message":"hello"}"#, Person),
    ("POST", "/runs/{id}/retry", "/runs/$RUN/retry", "{}", Person),
    ("POST", "/runs/{id}/cancel", "/runs/$RUN/cancel", "{}", Person),
    ("POST", "/agents/{target}/stop", "/agents/alice/stop", "{}", Person),
    ("DELETE", "/agents/{target}", "/agents/alice", "", Person),
    ("DELETE", "/workflows/{key}", "/workflows/team:main", "", Person),
    (
        "POST",
        "/workflows",
        "/workflows",
        r#"{"source":{"file_name":"a.yaml","text":"","folder":"/"}}"#,
        Person,
    ),
    ("POST", "/shutdown", "/shutdown", "", Person),
];

/// A daemon with a run of alice that is live, one of bob that is over, and their tokens.
pub struct Scene {
    pub door: Door,
    pub live: String,
    pub live_run: String,
    pub ended: String,
    pub ended_run: String,
}

impl Scene {
    pub fn set() -> Self {
        let door = Door::open_in(Home::with_config(
            "[runs]\nstop_grace = \"50ms\"\n[questions]\nexpires = \"50ms\"\n",
        ));
        let tells = |name: &str, then: &str| {
            mock(&format!(
                "- shell: \"printenv AGENT_WORKER_TOKEN >{name}.token\"\n- think: hm\n{then}"
            ))
        };
        let (live_run, ended_run) = block_on(async {
            let client = door.home.client();
            let mut watch = Watch::now(&client).await;
            let team = Team::new("team", "@alice @bob go")
                .agent("alice", &tells("alice", "- sleep: 10m"))
                .agent("bob", &tells("bob", "- say: done"))
                .with("  ide: { backend: external }");
            team.start(&door.home, &client, Mode::Run).await;
            let other = Team::new("other", "").agent("alice", &mock("- say: done"));
            other.start(&door.home, &client, Mode::Start).await;
            let ended = watch.run_ended(|_| true).await;
            let mut watch = Watch::all(&client).await;
            (watch.run_is("alice", "thinking").await.id.to_string(), ended.id.to_string())
        });
        let token = |name: &str| {
            let path = door.home.work().join(format!("{name}.token"));
            std::fs::read_to_string(path).unwrap().trim().to_owned()
        };
        let (live, ended) = (token("alice"), token("bob"));
        Self { door, live, live_run, ended, ended_run }
    }

    fn ask(&self, (method, _, path, body, _): &(&str, &str, &str, &str, Who)) -> Ask {
        let ask = Ask::new(method, &path.replace("$RUN", &self.live_run));
        let ask = ask.with("Accept: application/json, text/event-stream");
        if body.is_empty() { ask } else { ask.json(body) }
    }
}

#[test]
fn the_table_names_every_route() {
    let door = Door::open();
    let described = door.ask(&Ask::get("/openapi.json")).json();
    let undescribed = [("GET", "/openapi.json"), ("POST", "/mcp")];
    let mut known: BTreeSet<_> =
        undescribed.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned())).collect();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            known.insert((method.to_uppercase(), path.clone()));
        }
    }
    let table: BTreeSet<_> = ROUTES
        .iter()
        .map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned()))
        .collect();
    assert_eq!(table, known);
}

/// Whether a route is described with a parameter; `None` for a route that is not described.
fn has_parameter(described: &Value, method: &str, path: &str, name: &str) -> Option<bool> {
    let parameters = described["paths"][path][method.to_lowercase()]["parameters"].as_array()?;
    Some(parameters.iter().any(|parameter| parameter["name"] == name))
}

#[test]
fn a_target_is_described_where_it_is_looked_at_and_nowhere_else() {
    let scene = Scene::set();
    let described = scene.door.ask(&Ask::get("/openapi.json")).json();
    for &(method, path, called, body, who) in ROUTES {
        let is_described = has_parameter(&described, method, path, "target");
        let Some(is_described) = is_described else { continue };
        // What a path names has its own scope, and only a run asks for a permission.
        if path.contains('{') || path == "/permissions" {
            continue;
        }
        let mark = if called.contains('?') { '&' } else { '?' };
        let called = format!("{called}{mark}target=@nowhere");
        let answer = scene.door.ask(&scene.ask(&(method, path, called.as_str(), body, who)));
        let is_looked_at = answer.json()["error"]["message"].to_string().contains("@nowhere");
        assert_eq!(is_described, is_looked_at, "{method} {path}: {answer:?}");
    }
}

#[test]
fn acting_as_a_member_is_described_where_members_may_act_and_nowhere_else() {
    let scene = Scene::set();
    let described = scene.door.ask(&Ask::get("/openapi.json")).json();
    // Only runs call these, and their token says who they are.
    let of_runs = ["/permissions", "/runs/{id}/context"];
    for &(method, path, called, body, who) in ROUTES {
        let Some(is_described) = has_parameter(&described, method, path, "as") else { continue };
        if who == All || of_runs.contains(&path) {
            continue;
        }
        let mark = if called.contains('?') { '&' } else { '?' };
        let called = format!("{called}{mark}target=@team&as=alice");
        let called = called.replace("$RUN", &scene.ended_run);
        let answer = scene.door.ask(&scene.ask(&(method, path, called.as_str(), body, who)));
        let is_refused = answer.body.contains("only the user can");
        assert_eq!(is_described, !is_refused, "{method} {path}: {answer:?}");
    }
}

#[test]
fn every_route_lets_in_whom_it_should_and_nobody_else() {
    let scene = Scene::set();
    let door = &scene.door;
    for row in ROUTES {
        let (method, path, .., who) = row;
        let ask = scene.ask(row);
        let long = "x".repeat(20_000);
        let almost = format!("{}x", &door.token[..door.token.len() - 1]);
        for token in ["wrong", "", " ", &long, &almost, &format!("{}x", door.token), "\u{fc}"] {
            let status = door.status(&ask.clone().token(token));
            assert_eq!(status == 200, *who == All, "{method} {path} {token}: {status}");
            assert!(matches!(status, 200 | 401), "{method} {path} {token}: {status}");
        }
        let bare = ask.clone().without("Authorization");
        assert_eq!(door.status(&bare), if *who == All { 200 } else { 401 }, "{method} {path}");
        if *who == All {
            continue;
        }
        // The tools answer a run that is over so that its model can read it.
        if *path != "/mcp" {
            door.ask(&ask.clone().token(&scene.ended)).refusal(410, "run_ended");
        }
        let live = ask.token(&scene.live);
        match who {
            Person => drop(door.ask(&live).refusal(403, "denied")),
            _ => assert!(matches!(door.status(&live), 200 | 404), "{method} {path}"),
        }
    }
    // A member outside has a run's rights and no more.
    let outside = door.home.ok(&["token", "ide@team"]).trim().to_owned();
    for row in ROUTES {
        let (method, path, .., who) = row;
        let ask = scene.ask(row).token(&outside);
        match who {
            All => {}
            Run => assert!(!matches!(door.status(&ask), 401 | 410 | 500..), "{method} {path}"),
            Person => drop(door.ask(&ask).refusal(403, "denied")),
        }
    }
    for row in ROUTES {
        let status = door.status(&scene.ask(row));
        assert!(!matches!(status, 401 | 403 | 410 | 500..), "{row:?}: {status}");
    }
}

#[test]
fn what_only_the_user_does_is_named_in_words_where_it_is_refused_in_a_members_name() {
    let scene = Scene::set();
    for &(method, path, called, body, who) in ROUTES.iter().filter(|row| row.4 == Person) {
        let mark = if called.contains('?') { '&' } else { '?' };
        let called = format!("{called}{mark}as=alice&target=@team");
        let answer = scene.door.ask(&scene.ask(&(method, path, called.as_str(), body, who)));
        let told = answer.refusal(403, "denied");
        assert!(told.ends_with(" can do this, and you act as alice"), "{method} {path}: {told}");
        assert!(!told.contains('/'), "{method} {path}: {told}");
        let hint = "leave `?as=` out to act as yourself";
        assert_eq!(answer.json()["error"]["hint"], hint, "{method} {path}");
    }
    scene.door.assert_calm();
}

/// Where a run of alice in @team asks in vain: elsewhere, or in another's name.
const NOT_ITS_OWN: &[(&str, &str, &str)] = &[
    ("GET", "/agents?target=@other", ""),
    ("GET", "/agents/alice@other", ""),
    ("GET", "/agents/alice@other/inbox", ""),
    ("GET", "/agents/user@global", ""),
    ("GET", "/agents/bob/inbox", ""),
    ("GET", "/agents/user/inbox", ""),
    ("GET", "/agents/alice@other/queue", ""),
    ("GET", "/agents/bob/queue", ""),
    ("POST", "/send?target=@other", r#"{"message":"hello"}"#),
    ("POST", "/send?target=alice@other", r#"{"message":"hello"}"#),
    ("GET", "/peek?target=@other", ""),
    ("GET", "/peek?target=@global", ""),
    ("GET", "/workflows/other:main", ""),
    ("GET", "/runs?target=@other", ""),
    ("POST", "/runs/$ENDED/context", "{}"),
    ("GET", "/runs/$ENDED/output", ""),
    ("GET", "/runs/$ENDED/blocks", ""),
    ("GET", "/runs/$ENDED/blocks/0", ""),
    ("GET", "/docs/@other", ""),
    ("GET", "/docs/@other/notes.md", ""),
    ("PUT", "/docs/@other/notes.md", r#"{"content":"mine"}"#),
    ("GET", "/doc-versions/@other/notes.md", ""),
    ("POST", "/resources?target=@other", r#"{"content":"a"}"#),
    ("GET", "/resources/res_1?target=@other", ""),
    ("GET", "/why/@other", ""),
    ("GET", "/search?text=go&target=@other", ""),
    ("GET", "/search?text=in:@other", ""),
    ("GET", "/groups?target=@other", ""),
    ("POST", "/groups?target=@other", r#"{"name":"inner"}"#),
    ("GET", "/resources?target=@other", ""),
    ("GET", "/groups?as=bob", ""),
    ("GET", "/search?text=go&as=bob", ""),
    ("GET", "/runs/$RUN/output?as=bob", ""),
    ("GET", "/why/alice@other", ""),
    // Another member's name, and its own.
    ("GET", "/peek?as=bob", ""),
    ("POST", "/send?as=user", r#"{"message":"hello"}"#),
    ("GET", "/agents?as=bob", ""),
    ("GET", "/docs/@team/notes.md?as=bob", ""),
];

/// Where it may look.
const ITS_OWN: &[&str] = &[
    "/peek?as=alice",
    "/peek?target=@team",
    "/agents/alice@team/inbox",
    "/agents/alice@team/queue",
    "/messages/msg_1",
    "/runs/$RUN/output",
    "/runs/$RUN/blocks",
    "/runs/$RUN/blocks/0",
];

fn say(text: &str) -> ChannelSend {
    ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None }
}

#[test]
fn a_runs_token_is_good_for_its_own_agent_and_scope_alone() {
    let scene = Scene::set();
    let door = &scene.door;
    let theirs = block_on(async {
        let client = door.home.client();
        let other = client.at("@other".parse().unwrap());
        let secret = "the secret of another scope".to_owned();
        other.call(&ResourceCreate { content: secret.clone(), content_type: None }).await.unwrap();
        let file = Some("notes.md".to_owned());
        other.call(&DocWrite { content: secret, file, if_version: None }).await.unwrap();
        other.call(&say("a message of another scope")).await.unwrap().id
    });
    for (method, path, body) in NOT_ITS_OWN {
        let path = path.replace("$ENDED", &scene.ended_run).replace("$RUN", &scene.live_run);
        let ask = Ask::new(method, &path).token(&scene.live);
        let ask = if body.is_empty() { ask } else { ask.json(body) };
        door.ask(&ask).refusal(403, "denied");
    }
    // What lies elsewhere does not exist.
    for path in ["/resources/res_1", &format!("/messages/{theirs}")] {
        door.ask(&Ask::get(path).token(&scene.live)).refusal(404, "not_found");
    }
    for own in ITS_OWN {
        let path = own.replace("$RUN", &scene.live_run);
        assert_eq!(door.status(&Ask::get(&path).token(&scene.live)), 200, "{own}");
    }
    for (path, list) in [("/agents", "agents"), ("/workflows", "workflows"), ("/runs", "runs")] {
        let shown = door.ask(&Ask::get(path).token(&scene.live)).json();
        let shown = shown[list].as_array().unwrap().clone();
        let is_own = |item: &Value| item["scope"] == "@team";
        assert!(!shown.is_empty() && shown.iter().all(is_own), "{path}: {shown:?}");
    }
    door.assert_calm();
}

#[test]
fn a_runs_token_does_not_learn_whether_a_file_is_there() {
    let scene = Scene::set();
    let file = scene.door.home.work().join("alice.token");
    let asked = |home: &std::path::Path| {
        let body = serde_json::json!({ "name": "carol", "home": home }).to_string();
        let ask = Ask::post("/agents", body).token(&scene.live);
        scene.door.ask(&ask).refusal(403, "denied")
    };
    assert!(file.is_file());
    assert_eq!(asked(&file), asked(&file.with_extension("missing")));
    scene.door.assert_calm();
}

#[test]
fn a_token_is_taken_from_its_header_alone() {
    let door = Door::open();
    let bare = |path: &str| Ask::get(path).without("Authorization");
    for path in [
        "/agents?token=$TOKEN",
        "/agents?access_token=$TOKEN",
        "/agents?authorization=Bearer%20$TOKEN",
        "/events?token=$TOKEN",
        "/mcp?token=$TOKEN",
    ] {
        door.ask(&bare(path)).refusal(401, "unauthorized");
    }
    for header in [
        "Cookie: token=$TOKEN",
        "X-Authorization: Bearer $TOKEN",
        "Proxy-Authorization: Bearer $TOKEN",
        "Authorization: $TOKEN",
        "Authorization: Bearer$TOKEN",
        "Authorization: Bearer:$TOKEN",
        "Authorization: Basic $TOKEN",
        "Authorization: Bearer $TOKEN, Bearer $TOKEN",
        "Authorization: Bearer \"$TOKEN\"",
    ] {
        door.ask(&bare("/agents").with(header)).refusal(401, "unauthorized");
    }
    let in_body = Ask::post("/send", format!("{{\"message\":\"a\",\"token\":\"{}\"}}", door.token));
    door.ask(&in_body.without("Authorization")).refusal(401, "unauthorized");
    door.assert_calm();
}

#[test]
fn a_run_is_offered_tools_alone_and_a_member_outside_resources_too() {
    let scene = Scene::set();
    let outside = scene.door.home.ok(&["token", "ide@team"]).trim().to_owned();
    let hello = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } } });
    let declared = |token: &str| {
        let ask = Ask::post("/mcp", hello.to_string()).token(token);
        let ask = ask.with("Accept: application/json, text/event-stream");
        let begun = scene.door.ask(&ask).json();
        let found = begun["result"]["capabilities"].as_object().expect("it begins").clone();
        found.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(declared(&scene.live), ["tools"]);
    assert_eq!(declared(&outside), ["resources", "tools"]);
}
