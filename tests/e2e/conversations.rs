//! Groups, search and other members' views: from the command line, over HTTP and over MCP.

use std::process::{Command, Stdio};

use agent_worker_protocol::{GroupList, Mode};
use serde_json::{Value, json};

use crate::{
    grammar::pasted,
    support::{Home, Lines, Running, Team, Watch, block_on, mock, python_with, skip},
};

/// A team whose agents answer the sender that wakes them.
fn team() -> (Home, Running) {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        Team::new("team", "hello all of you")
            .agent("alice", &mock("- say: \"alice has read it\""))
            .agent("bob", &mock("- say: \"bob has read it\""))
            .agent("carol", &mock("- say: \"carol has read it\""))
            .with("  ide: { backend: external }")
            .start(&home, &client, Mode::Start)
            .await;
    });
    (home, daemon)
}

fn ids(found: &Value) -> Vec<String> {
    let name = |hit: &Value| {
        let name = hit["message"].as_str().or(hit["file"].as_str()).or(hit["resource"].as_str());
        name.unwrap().to_owned()
    };
    found["hits"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn a_group_of_another_workflow_is_named_with_it() {
    let (home, _daemon) = team();
    home.ok(&["group", "create", "inner", "alice", "bob", "--in", "@team"]);
    for (typed, hint) in [
        (&["peek", "inner"][..], "peek inner@team"),
        (&["send", "inner", "hi"], "send inner@team hi"),
    ] {
        let refused = home.run(typed);
        let told = "`inner` not found in @global, but `inner@team` exists\n";
        assert!(refused.stderr.contains(told), "{refused:?}");
        let hint = format!("hint: agent-worker {hint}\n");
        assert!(refused.stderr.contains(&hint), "{refused:?}");
        pasted(&home, &refused);
    }
}

#[test]
fn a_group_has_its_workflow_behind_its_name() {
    let (home, _daemon) = team();
    home.ok(&["group", "create", "inner", "alice", "--in", "@team"]);
    home.ok(&["group", "add", "inner@team", "bob"]);
    let left = home.json(&["group", "leave", "inner@team", "--in", "@team", "--as", "alice"]);
    assert_eq!(left["members"], json!(["bob", "user"]));
    for named in ["inner@team", "channel@team"] {
        assert_eq!(home.json(&["group", "members", named])["scope"], json!("@team"));
    }
    let refused = home.run(&["group", "members", "inner@team", "--in", "@news"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let told = "unexpected `--in @news`: `@team` is named already\n";
    assert!(refused.stderr.contains(told), "{refused:?}");
}

#[test]
fn a_group_is_made_written_to_read_and_left() {
    let (home, _daemon) = team();
    let made = home.json(&["group", "create", "inner", "alice", "bob", "--in", "@team"]);
    assert_eq!(made["members"], json!(["alice", "bob", "user"]));
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        let sent = home.ok(&["send", "inner@team", "@alice what is in the diff?"]);
        assert!(sent.contains("alice (woken)") && sent.contains("bob"), "{sent}");
        watch.run_ended(|run| run.agent.name.as_ref().is_some_and(|n| n.as_str() == "alice")).await;
    });
    let peeked = home.ok(&["peek", "inner@team"]);
    assert!(peeked.contains("user → inner   @alice what is in the diff?"), "{peeked}");
    assert!(
        peeked.contains("alice has read it") && !peeked.contains("bob has read it"),
        "{peeked}"
    );
    let listed = home.json(&["group", "list", "@team", "--as", "bob"]);
    let groups = listed["groups"].as_array().unwrap();
    let inner = groups.iter().find(|group| group["name"] == "inner").unwrap();
    assert_eq!((&inner["unread"], &inner["joined"]), (&json!(2), &json!(true)));
    let hidden = home.json(&["group", "list", "@team", "--as", "carol"]);
    assert!(!hidden.to_string().contains("inner"), "{hidden}");
    home.ok(&["send", "@team", "for the group", "--to", "inner", "--inform"]);
    home.ok(&["group", "add", "inner", "carol", "--in", "@team"]);
    let left = home.json(&["group", "leave", "inner", "--in", "@team", "--as", "alice"]);
    assert_eq!(left["members"], json!(["bob", "carol", "user"]));
    let members = home.ok(&["group", "members", "inner", "--in", "@team"]);
    assert!(members.contains("user (you)") && !members.contains("alice"), "{members}");
    let refused = home.run(&["peek", "inner@team", "--as", "alice"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("inner"), "{refused:?}");
    home.assert_sound();
}

#[test]
fn a_reply_says_which_message_it_answers() {
    let (home, _daemon) = team();
    home.ok(&["send", "@team", "what is in the diff?", "--inform"]);
    home.ok(&["send", "@team", "a cursor", "--inform", "--reply-to", "msg_2"]);
    home.ok(&["send", "bob@team", "for you alone", "--inform"]);
    home.ok(&["send", "bob@team", "and this", "--inform", "--reply-to", "msg_4"]);
    let said = home.json(&["peek", "@team"]);
    let answered = |message: &Value| message["reply_to"].clone();
    let answered: Vec<_> = said["messages"].as_array().unwrap().iter().map(answered).collect();
    assert_eq!(answered, [json!(null), json!(null), json!("msg_2")]);
    let refused = home.run(&["send", "@team", "not here", "--reply-to", "msg_4"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains("cannot answer msg_4: it is in `bob+user` of @team"),
        "{refused:?}"
    );
    let hidden =
        home.run(&["send", "@team", "I know", "--reply-to", "msg_4", "--as", "carol", "--inform"]);
    assert!(hidden.stderr.contains("message `msg_4` not found"), "{hidden:?}");
    let missing = home.run(&["send", "bob@team", "to what?", "--reply-to", "msg_99"]);
    assert!(pasted(&home, &missing).contains("and this"), "{missing:?}");
    let invalid = home.run(&["send", "@team", "to what?", "--reply-to", "4"]);
    assert_eq!(invalid.code, Some(2), "{invalid:?}");
    home.assert_sound();
}

#[test]
fn what_is_looked_for_is_found_with_the_words_around_it() {
    let (home, _daemon) = team();
    home.ok(&["send", "@team", "the race condition is in the writer's queue", "--inform"]);
    home.ok(&["send", "bob@team", "a race between us", "--inform"]);
    home.ok(&["send", "@team", "请检查并发问题", "--inform"]);
    home.ok(&["doc", "write", "# Races\nThe race is over.", "--file", "races.md", "--in", "@team"]);
    let found = home.json(&["search", "race", "@team"]);
    assert_eq!(ids(&found), ["races.md", "msg_3", "msg_2"]);
    assert_eq!(
        ids(&home.json(&["search", "race from:user in:bob kind:message", "@team"])),
        ["msg_3"]
    );
    assert_eq!(ids(&home.json(&["search", "并发"])), ["msg_4"]);
    assert_eq!(ids(&home.json(&["search", "race", "bob@team"])), ["msg_3"]);
    let shown = home.ok(&["search", "race", "@team"]);
    assert!(shown.contains("msg_2  user in channel of @team\n"), "{shown}");
    assert!(shown.contains("the race condition is in the writer's queue"), "{shown}");
    assert_eq!(
        ids(&home.json(&["search", "race", "@team", "--as", "alice"])),
        ["races.md", "msg_2"]
    );
    let first = home.json(&["search", "race", "@team", "-n", "1"]);
    let next = first["next"].to_string();
    let rest = home.json(&["search", "race", "@team", "--next", &next]);
    assert_eq!(ids(&rest), ["msg_3", "msg_2"]);
    assert!(home.ok(&["search", "absent"]).contains("no results"));
    let wrong = home.run(&["search", "race kind:song"]);
    assert!(wrong.code == Some(1) && wrong.stderr.contains("kind:message"), "{wrong:?}");
}

#[test]
fn resources_are_stored_listed_and_read() {
    let (home, _daemon) = team();
    let made = home.run_with(
        &["resource", "create", "--type", "diff", "--in", "@team"],
        "diff --git a/x b/x\n+1\n",
    );
    assert_eq!((made.code, made.stdout.trim()), (Some(0), "res_1"), "{made:?}");
    assert_eq!(home.ok(&["resource", "read", "res_1"]), "diff --git a/x b/x\n+1\n");
    let listed = home.json(&["resource", "list", "@team", "--type", "diff"]);
    assert_eq!(listed["resources"][0]["id"], "res_1");
    assert!(home.ok(&["resource", "list", "--type", "json"]).contains("no resources"));
}

#[test]
fn lists_of_a_workflow_refuse_the_name_of_an_agent() {
    let (home, _daemon) = team();
    for what in ["group", "proposal", "resource"] {
        let refused = home.run(&[what, "list", "nobody@team"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert_eq!(pasted(&home, &refused), home.ok(&[what, "list", "@team"]));
    }
}

#[test]
fn in_a_members_name_one_sees_and_may_what_it_does() {
    let (home, _daemon) = team();
    home.ok(&["send", "bob@team", "between bob and you", "--inform"]);
    let seen = home.ok(&["peek", "user@team", "--as", "bob"]);
    assert!(seen.contains("between bob and you"), "{seen}");
    assert!(!home.ok(&["peek", "user@team", "--as", "alice"]).contains("between"));
    let inbox = home.json(&["inbox", "bob@team", "--as", "bob"]);
    assert_eq!(inbox["count"], 1);
    for (args, named) in [
        (&["inbox", "bob@team", "--as", "alice"][..], "bob"),
        (&["stop", "bob@team", "--as", "alice"], "you act as alice"),
        (&["stop", "bob@team", "--as", "alice"], "hint: agent-worker stop bob@team\n"),
        (&["new", "zoe", "--backend", "mock", "--as", "alice"], "error: creating an agent: only"),
        (&["status", "--as", "alice"], "you act as alice"),
        (&["events", "--as", "alice"], "you act as alice"),
        (&["doctor", "--as", "alice"], "you act as alice"),
        (&["doctor", "--as", "alice"], "hint: agent-worker doctor\n"),
        (&["list", "@team", "--as", "nobody"], "nobody"),
    ] {
        let refused = home.run(args);
        assert_eq!(refused.code, Some(1), "{args:?}: {refused:?}");
        assert!(refused.stderr.contains(named), "{args:?}: {refused:?}");
    }
    let listed = home.json(&["list", "@team", "--as", "alice"]);
    assert!(!listed.to_string().contains("@global"), "{listed}");
    let after = home.json(&["inbox", "bob@team"]);
    assert_eq!(after["messages"][0]["delivery"]["state"], "pending", "looking acks nothing");
    let unread = block_on(async {
        let client = home.client().at("@team".parse().unwrap()).acting_as("bob".parse().unwrap());
        let groups = client.call(&GroupList {}).await.unwrap().groups;
        groups.iter().find(|group| group.name.to_string() == "bob+user").unwrap().unread
    });
    assert_eq!(unread, 1, "and moves no cursor");
}

#[test]
fn what_only_the_user_does_is_refused_in_a_members_name_without_a_daemon_too() {
    let home = Home::new();
    for args in [
        &["daemon"][..],
        &["daemon", "start"],
        &["daemon", "stop"],
        &["daemon", "restart"],
        &["config", "set", "runs.idle", "12m"],
        &["keys", "set", "SOME_KEY"],
        &["providers", "update", "prices.json"],
        &["restore", "monday.db"],
        &["doctor"],
        &["ask", "bob@team", "why"],
        &["serve", "bob@team", "why"],
        &["home", "show", "bob@team"],
        &["context", "bob@team"],
        &["answer", "q_1", "yes"],
        &["events"],
        &["token", "ide@team"],
        &["web", "--revoke"],
        &["mcp-config", "ide@team"],
        &["providers"],
        &["backends"],
    ] {
        for member in ["ghost", "ghost@team"] {
            let refused = home.run(&[args, &["--as", member][..]].concat());
            assert_eq!(refused.code, Some(1), "{args:?}: {refused:?}");
            let told = " is only for the user: you act as ghost\nhint: agent-worker ";
            let told = format!("{told}{}\n", args.join(" "));
            assert!(refused.stderr.ends_with(&told), "{args:?}: {refused:?}");
        }
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "nothing was done");
    assert!(home.ok(&["config", "get", "runs.idle", "--as", "user"]).contains("10m"));
}

#[test]
fn a_member_token_writes_to_whom_it_names_alone() {
    let home = Home::new();
    let _daemon = home.daemon();
    for name in ["ide", "bob", "eve"] {
        home.ok(&["new", name, "--backend", "external"]);
    }
    let token = home.ok(&["token", "ide"]);
    let as_ide = |args: &[&str]| {
        let ended = home.command(args).env("AGENT_WORKER_TOKEN", token.trim()).output().unwrap();
        assert!(ended.status.success(), "{args:?}: {ended:?}");
        String::from_utf8(ended.stdout).unwrap()
    };
    as_ide(&["send", "bob", "for bob alone"]);
    as_ide(&["send", "user", "for you alone"]);
    assert!(!home.ok(&["peek", "@global"]).contains("alone"), "nothing of it is in the channel");
    assert!(home.ok(&["inbox", "bob"]).contains("for bob alone"));
    assert!(home.ok(&["peek", "ide"]).contains("for you alone"));
    let read = as_ide(&["peek", "bob"]);
    assert!(read.contains("for bob alone") && !read.contains("for you"), "{read}");
    let none = as_ide(&["peek", "eve"]);
    assert!(!none.contains("alone"), "{none}");
}

#[test]
fn a_member_token_means_the_workflow_of_its_member() {
    let (home, _daemon) = team();
    home.ok(&["doc", "write", "plan.md", "@team", "# Plan"]);
    let token = home.ok(&["token", "ide@team"]);
    for args in [
        &["doc", "read", "plan.md"][..],
        &["doc", "list"],
        &["group", "members", "channel"],
        &["resource", "create", "a text"],
    ] {
        let ended = home.command(args).env("AGENT_WORKER_TOKEN", token.trim()).output().unwrap();
        assert!(ended.status.success(), "{args:?}: {ended:?}");
    }
}

#[test]
fn the_settings_of_a_client_are_not_for_the_shell_of_an_agent() {
    let home = Home::new();
    let mut command = home.command(&["mcp-config", "ide"]);
    let refused = command.env("AGENT_WORKER_TOKEN", "token").output().unwrap();
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("printing the settings of a client is only for the user"), "{told}");
}

#[test]
fn the_list_of_what_is_not_a_workflow_is_refused_with_a_hint_that_fits() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "ide", "--backend", "external"]);
    let token = home.ok(&["token", "ide"]);
    for list in ["group", "proposal", "resource"] {
        let args = [list, "list", "nosuch"];
        let refused = home.run(&args);
        assert!(refused.stderr.contains("`nosuch` is not a workflow"), "{refused:?}");
        let hint = format!("hint: agent-worker {list} list @global\n");
        assert!(refused.stderr.ends_with(&hint), "{refused:?}");
        let ended = home.command(&args).env("AGENT_WORKER_TOKEN", token.trim()).output().unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        assert!(told.contains("`nosuch` is not a workflow"), "{told}");
        assert!(!told.contains("@global"), "{told}");
    }
}

#[test]
fn an_official_client_makes_a_group_and_searches() {
    let Some(python) = python_with("mcp") else {
        return skip("an_official_client_makes_a_group_and_searches", "no Python with `mcp`");
    };
    let (home, _daemon) = team();
    let file = home.daemon_file().unwrap();
    let url = format!("http://{}:{}/mcp?agent=ide@team", file.host, file.port);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/conversations.py");
    let ended = Command::new(&python).args([script, &url, &file.token]).output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{stderr}");
    let told: Value = serde_json::from_slice(&ended.stdout).expect(&stderr);
    assert_eq!(told["group"]["members"], json!(["alice", "bob", "ide"]), "{told}");
    let reached = told["sent"]["delivered_to"].as_array().unwrap();
    assert_eq!(reached.len(), 2, "{told}");
    assert_eq!(told["read"]["messages"][0]["group"], "east", "{told}");
    assert_eq!(told["found"]["hits"][0]["message"], told["sent"]["id"], "{told}");
    assert_eq!(told["left"]["members"], json!(["alice", "bob", "carol"]), "{told}");
    assert!(told["refused"].as_str().unwrap().contains("east"), "{told}");
}

#[test]
fn what_is_looked_for_is_found_in_the_whole_of_a_long_message_that_arrives() {
    let home = Home::new();
    home.ok(&["send", "@global", "needle one"]);
    let mut command = home.command(&["peek", "--follow", "--find", "NEEDLE"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    assert!(lines.any(|line| line.ends_with("needle one")));
    let filler = "word ".repeat(500);
    home.ok(&["send", "@global", &format!("a long text {filler}")]);
    home.ok(&["send", "@global", &format!("another one {filler} needle two")]);
    home.ok(&["send", "@global", "needle three"]);
    let shown: Vec<_> = lines.by_ref().take_while(|line| !line.ends_with("three")).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(shown.iter().any(|line| line.contains("another one")), "{shown:?}");
    assert!(!shown.iter().any(|line| line.contains("a long text")), "{shown:?}");
}

#[test]
fn what_is_looked_for_is_found_in_any_case_of_greek_in_messages_that_arrive() {
    let home = Home::new();
    home.ok(&["send", "@global", "ΧΡΗΣ one"]);
    let mut command = home.command(&["peek", "--follow", "--find", "ΧΡΗΣ"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    assert!(lines.any(|line| line.ends_with("ΧΡΗΣ one")));
    home.ok(&["send", "@global", "χρηστος two"]);
    home.ok(&["send", "@global", "ΧΡΗΣ three"]);
    let shown: Vec<_> = lines.by_ref().take_while(|line| !line.ends_with("three")).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(shown.iter().any(|line| line.ends_with("χρηστος two")), "{shown:?}");
}
