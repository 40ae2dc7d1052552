//! What is typed as other programs have it is answered with what it is here.

use agent_worker_client::Endpoint;
use serde_json::json;

use crate::{
    grammar::{in_shell, pasted},
    mistakes::{mends, news},
    support::{Home, PROGRAM, block_on},
};

#[test]
fn a_command_of_another_name_is_answered_with_ours() {
    let home = Home::new();
    for (other, ours) in [
        ("send_to_agent", "agent-worker send --help"),
        ("send_message", "agent-worker send --help"),
        ("kill", "agent-worker stop --help"),
        ("hire", "agent-worker new --help"),
    ] {
        let refused = home.run(&[other, "ivy"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(&format!("hint: {ours}\n")), "{refused:?}");
        pasted(&home, &refused);
    }
    let mut hire = home.command(&["hire", "ivy"]);
    let refused = hire.env("AGENT_WORKER_TOKEN", "x").output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("hint: call the tool `agent_create`\n"), "{told}");
    assert!(home.ok(&["daemon", "start"]).contains("http://127.0.0.1:"));
    home.ok(&["status"]);
}

#[test]
fn a_daemon_that_may_not_be_started_is_not_started_by_a_restart() {
    let home = Home::new();
    for action in ["start", "restart"] {
        let refused = home.run(&["daemon", action, "--no-start"]);
        assert_eq!(refused.code, Some(3), "{refused:?}");
        let told = format!("no daemon is running\nhint: agent-worker daemon {action}\n");
        assert!(refused.stderr.contains(&told), "{refused:?}");
        assert!(home.members().is_empty());
    }
    home.ok(&["daemon", "start"]);
    home.ok(&["daemon", "restart", "--no-start"]);
}

#[test]
fn a_log_that_no_daemon_has_written_yet_is_told_of() {
    let home = Home::new();
    let read = home.run(&["daemon", "logs"]);
    assert_eq!(
        (read.code, read.stdout.as_str(), read.stderr.as_str()),
        (Some(0), "", "no log yet\n")
    );
    home.ok(&["daemon", "start"]);
    assert_eq!(home.run(&["daemon", "logs"]).stderr, "");
}

#[test]
fn a_command_in_a_removed_folder_says_to_leave_it() {
    let home = Home::new();
    for command in ["run", "new bob --backend mock", "init", "backup b.db", "restore b.db"] {
        let told = home.work().join("told");
        let gone = "mkdir gone && cd gone && rmdir ../gone";
        in_shell(&home, &format!("{gone} && ! {PROGRAM} {command} 2>'{}'", told.display()));
        let told = std::fs::read_to_string(told).unwrap();
        assert!(told.starts_with("error: cannot find the current folder: "), "{told}");
        assert!(told.ends_with("hint: cd ~\n"), "{told}");
    }
}

#[test]
fn what_only_the_user_may_do_is_not_offered_to_a_member_of_a_workflow() {
    let home = news();
    for typed in [
        "status",
        "questions",
        "new bob --backend external",
        "wake ivy@news",
        "limits @news hops=9",
        "schedule ivy@news set 1h",
        "resume ivy@news",
    ] {
        let words: Vec<_> = typed.split(' ').chain(["--as", "ivy@news"]).collect();
        let refused = home.run(&words);
        assert!(refused.stderr.contains("you act as ivy"), "{refused:?}");
        mends(&home, &words, typed);
    }
    for typed in ["retry ivy@news", "release ivy@news", "drop ivy@news", "cancel run_9"] {
        let words: Vec<_> = typed.split(' ').chain(["--as", "ivy@news"]).collect();
        let refused = home.run(&words);
        assert!(refused.stderr.ends_with(&format!("hint: agent-worker {typed}\n")), "{refused:?}");
    }
    mends(&home, &["schedule", "list", "--as", "ivy@news"], "schedule list @news --as ivy");
    let own = ["sessions", "list", "ivy@news", "--as", "ivy@news"];
    mends(&home, &own, "sessions list ivy@news --as ivy");
}

#[test]
fn a_file_or_a_member_that_is_missing_is_told_with_where_to_look() {
    let home = Home::new();
    home.write("teams/news.yaml", "");
    let list = |typed: &[&str]| {
        let refused = home.run(typed);
        let hint = refused.stderr.lines().find_map(|line| line.strip_prefix("hint: "));
        in_shell(&home, hint.unwrap_or_else(|| panic!("no hint: {refused:?}")))
    };
    assert_eq!(list(&["fake-model", "teams/scenario"]), "news.yaml\n");
    assert_eq!(list(&["fake-model", "nowhere/scenario"]), "teams\n");
    assert_eq!(list(&["providers", "update", "teams/prices"]), "news.yaml\n");
    mends(&home, &["send", "nosuch", "hi"], "list");
}

#[test]
fn the_list_of_schedules_is_meant_by_another_name_of_it() {
    let home = news();
    mends(&home, &["schedule", "ls"], "schedule list");
    home.ok(&["new", "ls", "--backend", "external"]);
    home.ok(&["schedule", "ls"]);
}

#[test]
fn an_agent_behind_the_action_of_a_schedule_is_put_before_it() {
    let home = news();
    home.ok(&["new", "bob", "--backend", "mock"]);
    home.ok(&["schedule", "bob", "set", "30m"]);
    mends(&home, &["schedule", "pause", "bob"], "schedule bob pause");
    mends(&home, &["schedule", "clear", "bob"], "schedule bob clear");
    home.ok(&["schedule", "ivy@news", "set", "30m"]);
    mends(&home, &["schedule", "clear", "ivy@news"], "schedule ivy@news clear");
    for action in [&["clear"][..], &["set", "30m"]] {
        let refused = home.run(&[&["schedule"], action].concat());
        let line = format!("hint: agent-worker schedule AGENT {}\n", action.join(" "));
        assert!(refused.stderr.contains(&line), "{refused:?}");
    }
}

#[test]
fn only_a_name_that_an_agent_has_is_told_to_be_one_without_limits() {
    let home = news();
    mends(&home, &["limits", "nosuch"], "list");
    let refused = home.run(&["limits", "nosuch"]);
    assert!(refused.stderr.contains("no agent or workflow named `nosuch`\n"), "{refused:?}");
    mends(&home, &["limits", "ivy@news"], "limits @news");
}

#[test]
fn a_path_of_one_machine_is_one_mistake() {
    let home = Home::new();
    let agent = "a: { backend: external, system_prompt: /etc/nosuch.txt }";
    home.write("m.yaml", &format!("agents:\n  {agent}\nkickoff: '@a go'\n"));
    let refused = home.run(&["check", "m.yaml"]);
    let told = refused.stdout + &refused.stderr;
    assert!(told.contains("`/etc/nosuch.txt` is a path of one machine"), "{told}");
    assert!(!told.contains("no such file"), "{told}");
}

/// What a program is told that asks over HTTP.
async fn told(home: &Home, method: reqwest::Method, path: &str, body: serde_json::Value) -> String {
    let Endpoint { base, token } = home.client().endpoint();
    let request =
        agent_worker_http::client().build().unwrap().request(method, format!("{base}{path}"));
    let answer = request.bearer_auth(token).json(&body).send().await.unwrap();
    let answer: serde_json::Value = answer.json().await.unwrap();
    answer["error"]["hint"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_request_with_its_place_in_the_body_is_told_where_it_belongs() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let post = reqwest::Method::POST;
        let send = json!({ "target": "@news", "message": "hi" });
        assert_eq!(told(&home, post.clone(), "/send", send).await, "in the query: ?target=@news");
        let retry = told(&home, post.clone(), "/deliveries/retry", json!({ "agent": "dave" }));
        assert_eq!(retry.await, r#"in the body: {"target": "dave"}"#);
        let start = json!({ "workflow": "news.yaml" });
        assert!(told(&home, post.clone(), "/workflows", start).await.starts_with("`source` is"));
        let hint = told(&home, reqwest::Method::GET, "/agent", json!({})).await;
        assert!(hint.contains("`GET|POST /agents`"), "{hint}");
        let hint = told(&home, reqwest::Method::DELETE, "/agents", json!({})).await;
        assert_eq!(hint, "did you mean `GET|POST /agents`?");
    });
}

#[test]
fn a_document_with_its_workflow_is_taken_apart() {
    let home = news();
    home.ok(&["doc", "write", "plan.md", "@news", "# Plan"]);
    let told = mends(&home, &["doc", "read", "plan.md@news"], "doc read plan.md @news");
    assert_eq!(told, "# Plan");
    mends(&home, &["doc", "history", "plan.md@news"], "doc history plan.md @news");
    mends(&home, &["doc", "read", "--file=plan.md@news"], "doc read --file=plan.md @news");
    mends(&home, &["doc", "read", "notes@home"], "doc list @global");
    mends(&home, &["doc", "read", "other.md@news"], "doc list @news");
    home.ok(&["doc", "write", "plan.md@news", "@global", "its own"]);
    assert_eq!(home.ok(&["doc", "read", "plan.md@news"]), "its own");
}

#[test]
fn a_message_from_a_standard_input_without_text_is_refused() {
    let home = news();
    for command in ["send", "ask", "serve"] {
        for input in ["", " \n\n"] {
            let refused = home.run_with(&[command, "ivy@news", "-"], input);
            assert_eq!(refused.code, Some(1), "{refused:?}");
            let told = "error: nothing was sent: standard input has no text\n\
                        hint: write the message in the place of `-`, or pipe it in\n";
            assert_eq!(refused.stderr, told);
        }
    }
}

#[test]
fn members_of_a_group_may_stand_with_commas_between_them_as_elsewhere() {
    let home = news();
    home.ok(&["new", "bob", "--backend", "mock"]);
    let made = home.ok(&["group", "create", "team-a", "bob,user"]);
    assert!(made.contains("team-a in @global: bob, user"), "{made}");
    home.ok(&["group", "create", "team-b", "--in", "@news"]);
    home.ok(&["new", "eve", "--backend", "external", "--in", "@news"]);
    let added = home.ok(&["group", "add", "team-b@news", "ivy,eve"]);
    assert!(added.contains("ivy") && added.contains("eve"), "{added}");
}

#[test]
fn a_workflow_among_the_members_of_a_group_is_taken_apart() {
    let home = news();
    home.ok(&["new", "bob", "--backend", "mock"]);
    let create = ["group", "create", "team-a", "ivy", "@news"];
    mends(&home, &create, "group create team-a ivy --in @news");
    mends(&home, &["group", "add", "team-a", "@news", "ivy"], "group add team-a ivy --in @news");
    let create = ["group", "create", "team-b", "@ivy", "@news"];
    mends(&home, &create, "group create team-b @ivy --in @news");
    for other in ["all", "carl", "@global"] {
        let create = ["group", "create", "team-c", "@news", other];
        mends(&home, &create, "list @news");
        assert_eq!(home.run(&create).code, Some(1));
    }
    home.ok(&["group", "create", "team-b", "@bob"]);
    for word in ["@carl", "@news"] {
        let refused = home.run(&["group", "add", "team-b", word]);
        let told = format!("no member named `{word}` in @global\n");
        assert!(refused.stderr.contains(&told), "{refused:?}");
    }
}

#[test]
fn a_name_that_is_given_beside_an_unknown_one_is_not_guessed() {
    let home = news();
    for name in ["bob-1", "carl-1"] {
        home.ok(&["new", name, "--backend", "mock"]);
    }
    for other in ["carl-1", "bob-1@news"] {
        let refused = home.run(&["stop", "bob-2", other]);
        let told = "no agent named `bob-2` in @global\nhint: did you mean `bob-1`?\n";
        assert!(refused.stderr.contains(told), "{refused:?}");
    }
    let refused = home.run(&["rm", "bob-2", "bob-1"]);
    let told = "no agent named `bob-2` in @global\nhint: agent-worker list\n";
    assert!(refused.stderr.contains(told), "{refused:?}");
    pasted(&home, &refused);
    assert_eq!(home.run(&["info", "bob-1"]).code, Some(1));
}
