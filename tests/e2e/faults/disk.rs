//! A disk without room: writes are refused, reads go on, and all goes on by itself when there is
//! room again (§§2, 13).

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{
    ChannelSend, ErrorCode, Heartbeat, MessageId, Mode, Peek, RunId, RunShow, RunState, Target,
    Why, WorkflowState, daemon::disk_full,
};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use serde_json::json;

use super::room::Room;
use crate::{
    grammar::in_shell,
    support::{Home, Ledger, PROGRAM, Team, Watch, block_on, mock, transcript, wait_until, within},
};

fn at_team(client: &Client) -> Client {
    client.at("@team".parse::<Target>().unwrap())
}

/// Sends until the disk is full; returns what was acknowledged.
async fn send_until_full(client: &Client) -> Vec<MessageId> {
    let mut acknowledged = Vec::new();
    loop {
        let message = format!("number {} {}", acknowledged.len(), "x".repeat(20_000));
        let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        match at_team(client).call(&send).await {
            Ok(stored) => acknowledged.push(stored.id),
            Err(ClientError::Refused(body)) => {
                assert_eq!(body.code, ErrorCode::StorageFull, "{body:?}");
                assert!(body.message.contains("disk full"), "{body:?}");
                return acknowledged;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// A script that says `count` words, each a while after the other.
fn words(count: usize) -> String {
    let word = |n: usize| format!("- say: \"word {n}.\"\n- sleep: 50ms\n");
    let steps: Vec<_> = (0..count).map(word).collect();
    mock(&format!("- think: hm\n- sleep: 300ms\n{}", steps.concat()))
}

#[test]
fn a_full_disk_refuses_writes_and_loses_nothing() {
    const WORDS: usize = 30;
    let home = Home::with_config("[runs]\nmax_runs = 8\n");
    let test = "a_full_disk_refuses_writes_and_loses_nothing";
    let Some(room) = Room::mount(test, &home, 8) else { return };
    // Started by a command, it has its standard error on the full disk too.
    home.ok(&["list"]);
    let daemon = home.daemon_file().unwrap().pid;
    let client = home.client();
    let (run, acknowledged) = block_on(async {
        let team = Team::new("team", "@alice go").agent("alice", &words(WORDS));
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_works("alice").await;
        home.ok(&["doc", "write", "plan.md", "@team", "# Plan"]);
        room.fill();
        let acknowledged = send_until_full(&client).await;
        assert!(home.ok(&["doc", "read", "plan.md", "@team"]).contains("# Plan"));
        let page = Peek { limit: Some(5), ..Peek::default() };
        assert!(!at_team(&client).call(&page).await.unwrap().messages.is_empty(), "reads go on");
        client.snapshot().await.unwrap();
        (run.id, acknowledged)
    });
    // Its worker comes to its end while nothing can be stored of it.
    wait_until("the worker ends", || home.members().beginning("agent-worker worker").is_empty());
    assert_eq!(home.daemon_file().unwrap().pid, daemon);
    block_on(async {
        let live = client.call(&RunShow { id: run }).await.unwrap().run;
        assert!(live.state.is_live(), "its end is not stored yet: {live:?}");
        room.clear();
        let mut watch = Watch::all(&client).await;
        let ended = watch.run_ended(|ended| ended.id == run).await;
        assert_eq!(ended.state, RunState::Succeeded, "{ended:?}");
        watch.workflow(WorkflowState::Completed).await;
        assert_transcript_is_whole(&client, run, WORDS).await;
        home.assert_promises_kept().await;
    });
    kill_process(Pid::from_raw(daemon.cast_signed()).unwrap(), Signal::KILL).unwrap();
    home.assert_nobody_is_left();
    let daemon = home.daemon();
    let log = std::fs::read_to_string(home.path().join("daemon.log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
    block_on(async {
        let ledger = home.assert_promises_kept().await;
        assert!(acknowledged.iter().all(|id| ledger.messages.contains_key(id)));
    });
    daemon.stop();
    home.assert_sound();
}

async fn assert_transcript_is_whole(client: &Client, run: RunId, words: usize) {
    let blocks = transcript(client, run).await;
    let text: String = blocks.iter().map(|(_, text)| text.as_str()).collect();
    for n in 0..words {
        assert_eq!(text.matches(&format!("word {n}.")).count(), 1, "word {n}: {blocks:?}");
    }
}

#[test]
fn a_link_into_the_web_chat_is_not_used_up_while_the_disk_is_full() {
    let home = Home::new();
    let test = "a_link_into_the_web_chat_is_not_used_up_while_the_disk_is_full";
    let Some(room) = Room::mount(test, &home, 8) else { return };
    let _daemon = home.daemon();
    let file = home.daemon_file().unwrap();
    let url = format!("http://{}:{}/web/enter", file.host, file.port);
    let links: Vec<_> = (0..16).map(|_| home.ok(&["web", "--no-open"])).collect();
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let enter = async |link: &str| {
            let code = link.trim().split_once("/#").unwrap().1;
            let request = http.post(&url).json(&json!({ "code": code }));
            request.send().await.unwrap().status().as_u16()
        };
        let client = home.client();
        let team = Team::new("team", "").agent("alice", &mock("- think: hm"));
        team.start(&home, &client, Mode::Start).await;
        room.fill();
        send_until_full(&client).await;
        // A few still find room in pages that are there.
        let mut refused = None;
        for link in &links {
            match enter(link).await {
                200 => {}
                507 => {
                    refused = Some(link);
                    break;
                }
                other => panic!("{other}"),
            }
        }
        let link = refused.expect("the disk is full");
        room.clear();
        assert_eq!(enter(link).await, 200);
        assert_eq!(enter(link).await, 401, "it is good once");
    });
}

#[test]
fn a_start_without_room_is_told_and_loses_nothing() {
    let home = Home::new();
    let test = "a_start_without_room_is_told_and_loses_nothing";
    let Some(room) = Room::mount(test, &home, 8) else { return };
    let daemon = home.daemon();
    let acknowledged = block_on(async {
        let team = Team::new("team", "").agent("alice", &mock("- say: done"));
        team.start(&home, &home.client(), Mode::Start).await;
        room.fill();
        send_until_full(&home.client()).await
    });
    daemon.kill();
    home.assert_nobody_is_left();
    let finished = home.run(&["daemon"]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(finished.stderr.contains("full") || finished.stderr.contains("space"), "{finished:?}");
    assert!(home.daemon_file().is_none());
    let drafts = std::fs::read_dir(home.path()).unwrap().flatten();
    let left = drafts.filter(|file| file.file_name().to_string_lossy().starts_with("daemon.json"));
    assert_eq!(left.count(), 0);
    room.clear();
    let daemon = home.daemon();
    block_on(async {
        let ledger = Ledger::read(&home.client()).await;
        assert!(acknowledged.iter().all(|id| ledger.messages.contains_key(id)));
    });
    daemon.stop();
    home.assert_sound();
}

/// A setup ends while the disk is full.
#[test]
fn a_setup_that_ends_without_room_is_ended_when_there_is_room() {
    let home = Home::new();
    let test = "a_setup_that_ends_without_room_is_ended_when_there_is_room";
    let Some(room) = Room::mount(test, &home, 8) else { return };
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let step = "touch begun; until [ -e go ]; do sleep 0.02; done; touch ended; echo hello";
        let team = Team::new("team", "@alice ${{ said }}")
            .with(&format!("setup: [ {{ shell: \"{step}\", as: said }} ]"))
            .agent("alice", &mock("- say: done"));
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.workflow(WorkflowState::SettingUp).await;
        wait_until("the step runs", || home.work().join("begun").exists());
        room.fill();
        send_until_full(&client).await;
        home.write("go", "");
        wait_until("the step ends", || {
            home.work().join("ended").exists()
                && home.members().beginning("agent-worker worker").is_empty()
        });
        // The daemon has heard of that long before it has answered all these.
        for _ in 0..100 {
            client.snapshot().await.unwrap();
        }
        room.clear();
        watch.workflow(WorkflowState::Completed).await;
    });
    daemon.stop();
    home.assert_sound();
}

#[test]
fn a_daemon_that_cannot_start_on_a_full_disk_says_why() {
    let home = Home::new();
    let test = "a_daemon_that_cannot_start_on_a_full_disk_says_why";
    let Some(room) = Room::mount(test, &home, 8) else { return };
    home.ok(&["list"]);
    home.ok(&["daemon", "stop"]);
    room.fill();
    let refused = home.run(&["list"]);
    let is_told = ["disk full", "No space left"].iter().any(|why| refused.stderr.contains(why));
    assert!(refused.code == Some(3) && is_told, "{refused:?}");
    room.clear();
    home.ok(&["list"]);
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_full_disk_is_told_by_why_and_by_the_feed_until_something_is_saved() {
    let home = Home::with_config(
        "[feed]\nheartbeat = \"100ms\"\n[runs]\nstop_grace = \"100ms\"\nkill_grace = \"1s\"\n",
    );
    let test = "a_full_disk_is_told_by_why_and_by_the_feed_until_something_is_saved";
    let Some(room) = Room::mount(test, &home, 8) else { return };
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go").agent("alice", &mock("- fail: hang"));
        team.watched(&home, &client, Mode::Run).await.run_works("alice").await;
        room.fill();
        let full = disk_full(&home.path().canonicalize().unwrap().display().to_string());
        let is_told = async || {
            send_until_full(&client).await;
            let why = client.call(&Why { subject: "alice@team".to_owned() }).await.unwrap();
            why.because.iter().any(|link| link.text == full) && beat(&client).await.disk_full
        };
        // What is small may still find room in pages that are there.
        within("a full disk is told", async { while !is_told().await {} }).await;
        room.clear();
        home.ok(&["send", "@team", "hello"]);
        assert!(!beat(&client).await.disk_full);
    });
    daemon.stop();
}

/// The next heartbeat of the feed.
async fn beat(client: &Client) -> Heartbeat {
    let mut feed = Feed::follow(client, FeedFilter::default(), None);
    loop {
        if let FeedItem::Heartbeat(beat) = feed.next().await.unwrap().unwrap() {
            return beat;
        }
    }
}

#[test]
fn a_first_start_without_inodes_says_so_and_the_next_one_finishes_it() {
    let test = "a_first_start_without_inodes_says_so_and_the_next_one_finishes_it";
    // None is left for the database, for its log, or for the index of that.
    for inodes in 4..=6 {
        let home = Home::new();
        let Some(room) = Room::mount_with_inodes(test, &home, inodes) else { return };
        let refused = home.run(&["daemon"]);
        assert_eq!(refused.code, Some(1), "{inodes}: {refused:?}");
        let told = "disk full: the daemon cannot start without free inodes at";
        assert!(refused.stderr.contains(told), "{inodes}: {refused:?}");
        home.assert_sound();
        room.give_inodes();
        home.daemon().stop();
        home.assert_sound();
    }
}

#[test]
fn a_read_only_state_directory_is_examined_and_found_broken() {
    let home = Home::new();
    let test = "a_read_only_state_directory_is_examined_and_found_broken";
    let Some(room) = Room::mount(test, &home, 8) else { return };
    home.daemon().stop();
    room.set_read_only();
    let examined = home.run(&["doctor"]);
    assert_eq!(examined.code, Some(1), "{examined:?}");
    for told in ["no daemon is running", "broken files.writable: ", "hint: mount "] {
        assert!(examined.stdout.contains(told), "{examined:?}");
    }
}

#[test]
fn at_the_limit_for_the_size_of_files_writes_are_refused_and_reads_go_on() {
    let home = Home::new();
    let daemon = home.daemon();
    let own = getrlimit(Resource::Fsize);
    let limit = |current| {
        prlimit(Some(daemon.pid()), Resource::Fsize, Rlimit { current, ..own }).unwrap();
    };
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "").agent("alice", &mock("- say: done"));
        team.start(&home, &client, Mode::Start).await;
        limit(Some(1 << 20));
        let acknowledged = send_until_full(&client).await;
        let refused = home.run(&["send", "@team", &"x".repeat(20_000)]);
        assert!(refused.stderr.contains("(ulimit -f)"), "{refused:?}");
        let ledger = Ledger::read(&client).await;
        assert!(acknowledged.iter().all(|id| ledger.messages.contains_key(id)));
        limit(own.current);
        home.ok(&["send", "@team", "hello"]);
    });
    daemon.stop();
    home.assert_sound();
}

#[test]
fn a_start_at_the_limit_for_the_size_of_files_says_so() {
    let home = Home::new();
    in_shell(&home, &format!("ulimit -f 200; ! {PROGRAM} daemon 2>told"));
    let told = std::fs::read_to_string(home.work().join("told")).unwrap();
    for part in ["disk full: the daemon cannot start", "(ulimit -f)"] {
        assert!(told.contains(part), "{told}");
    }
}
