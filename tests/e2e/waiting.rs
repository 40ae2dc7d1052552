//! `ask` and `run` say what they wait for.

use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicBool, Ordering},
};

use agent_worker_protocol::{DaemonFile, Mode, Run, RunState, WorkflowState};
use rustix::process::Signal;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch::{self, Receiver},
};

use crate::support::{Home, Lines, Team, Watch, block_on, mock, wait_until};

/// Waits for a line on standard error of a command, which is ended then, and gives it.
fn says(mut command: std::process::Command, text: &str) -> String {
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stderr.take().unwrap());
    let is_said = |line: &String| line.contains("waiting: ") && line.contains(text);
    let line = lines.find(is_said).unwrap_or_else(|| panic!("it does not say {text}"));
    child.kill().unwrap();
    child.wait().unwrap();
    line
}

#[test]
fn a_question_says_that_it_is_queued_behind_another_run() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\nmax_runs = 1\n");
    let _daemon = home.daemon();
    home.write("ivy.yaml", &mock("- think: hm\n- sleep: 10m"));
    for name in ["ivy", "bob"] {
        home.ok(&["new", name, "--backend", "mock", "--script", "ivy.yaml"]);
    }
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "ivy", "work"]);
        watch.run_works("ivy").await;
    });
    let mut command = home.command(&["ask", "bob", "are you there?"]);
    command.stdout(std::process::Stdio::null());
    says(command, "1");
}

#[test]
fn a_run_says_that_it_waits_for_an_answer() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    let steps =
        "- call: ask_person\n  with: { question: \"Which?\" }\n  as: a\n- say: \"${{ a.answer }}\"";
    let file = Team::new("news", "@ivy go").agent("ivy", &mock(steps)).write(&home);
    let mut command = home.command(&["run", &file]);
    command.stdout(std::process::Stdio::null());
    says(command, "agent-worker answer q_1");
}

#[test]
fn a_question_at_work_is_not_said_to_wait_for_what_else_its_agent_has() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    home.write("ivy.yaml", &mock("- think: hm\n- sleep: 10m"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "ivy", "work"]);
        let run = watch.run_works("ivy").await;
        home.ok(&["cancel", &run.id.to_string()]);
        watch.run_ended(|ended| ended.id == run.id).await;
    });
    let mut command = home.command(&["ask", "ivy", "are you there?"]);
    command.stdout(std::process::Stdio::null());
    let said = says(command, "at work");
    assert!(!said.contains("held"), "{said}");
}

/// Stands before a daemon, and keeps its answers to requests that begin so until it may go on.
async fn keep_answers(
    listener: TcpListener,
    daemon: u16,
    begins: &'static [&'static str],
    go_on: Receiver<bool>,
) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut go_on = go_on.clone();
        tokio::spawn(async move {
            let mut daemon = TcpStream::connect((Ipv4Addr::LOCALHOST, daemon)).await.unwrap();
            let (mut asks, mut is_told) = client.split();
            let (mut said, mut is_asked) = daemon.split();
            let is_kept = AtomicBool::new(false);
            let asking = async {
                let mut bytes = vec![0; 1 << 16];
                while let Ok(length @ 1..) = asks.read(&mut bytes).await {
                    let part = &bytes[..length];
                    if begins.iter().any(|begin| part.starts_with(begin.as_bytes())) {
                        is_kept.store(true, Ordering::Relaxed);
                    }
                    if is_asked.write_all(part).await.is_err() {
                        return;
                    }
                }
            };
            let telling = async {
                let mut bytes = vec![0; 1 << 16];
                while let Ok(length @ 1..) = said.read(&mut bytes).await {
                    if is_kept.load(Ordering::Relaxed) {
                        drop(go_on.wait_for(|go_on| *go_on).await);
                    }
                    if is_told.write_all(&bytes[..length]).await.is_err() {
                        return;
                    }
                }
            };
            tokio::select! {
                () = asking => {}
                () = telling => {}
            }
        });
    }
}

#[test]
fn an_interrupt_cancels_a_question_of_which_nothing_was_told_yet() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let (file, client) = (home.daemon_file().unwrap(), home.client());
        let mut events = Watch::now(&client).await;
        let team = Team::new("news", "").agent("ivy", &mock("- think: hm\n- sleep: 10m"));
        team.start(&home, &client, Mode::Start).await;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (release, go_on) = watch::channel(false);
        tokio::spawn(keep_answers(listener, file.port, &["POST /run ", "POST /run?"], go_on));
        home.lead_to(&DaemonFile { port, ..file });
        let asking = home.start(&["ask", "ivy@news", "are you there?"]);
        events.run_works("ivy").await;
        asking.signal(Signal::INT);
        release.send(true).unwrap();
        let ended = tokio::task::spawn_blocking(move || asking.finish()).await.unwrap();
        assert_eq!(ended.code, Some(130), "{ended:?}");
        let ended: Run = events.run_ended(|_| true).await;
        assert_eq!(ended.state, RunState::Cancelled);
    });
}

#[test]
fn a_question_whose_time_is_over_is_cancelled_and_ends_with_4() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    home.write("ivy.yaml", &mock("- think: hm\n- sleep: 10m"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    for command in ["ask", "serve"] {
        let ended = home.run(&[command, "ivy", "are you there?", "--timeout", "200ms"]);
        assert_eq!(ended.code, Some(4), "{ended:?}");
        let told = "timed out after 200ms: the question is cancelled\n";
        assert!(ended.stderr.ends_with(told), "{ended:?}");
        wait_until("nothing is left to do", || {
            home.json(&["info", "ivy"])["agent"]["state"] == "idle"
        });
        assert_eq!(home.json(&["inbox", "ivy"])["messages"], serde_json::json!([]));
    }
}

#[test]
fn a_start_that_is_left_is_named_with_the_command_that_stops_it() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file = Team::new("team", "@alice go").agent("alice", &mock("- say: la")).write(&home);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    home.lead_to(&DaemonFile { port, ..home.daemon_file().unwrap() });
    let mut running = home.start(&["run", &file, "--fresh"]);
    let _asked = silent.accept().unwrap();
    wait_until("it leaves", || {
        // Two signals in a row may come as one.
        running.has_ended() || {
            running.signal(Signal::INT);
            false
        }
    });
    let ended = running.finish();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("hint: agent-worker stop @team\n"), "{ended:?}");
}

#[test]
fn a_start_that_is_interrupted_says_that_the_workflow_continues() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file = Team::new("team", "").agent("alice", &mock("- say: la")).write(&home);
    home.ok(&["start", &file, "-d"]);
    home.ok(&["stop", "@team"]);
    block_on(async {
        let (daemon, client) = (home.daemon_file().unwrap(), home.client());
        let mut events = Watch::now(&client).await;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (release, go_on) = watch::channel(false);
        tokio::spawn(keep_answers(listener, daemon.port, &["POST /workflows"], go_on));
        home.lead_to(&DaemonFile { port, ..daemon });
        let starting = home.start(&["start", &file]);
        events.workflow(WorkflowState::Running).await;
        starting.signal(Signal::INT);
        release.send(true).unwrap();
        let ended = tokio::task::spawn_blocking(move || starting.finish()).await.unwrap();
        assert_eq!(ended.code, Some(130), "{ended:?}");
        let told = ended.stdout + &ended.stderr;
        assert!(told.contains("continues where it was, without a second kickoff\n"), "{told}");
        assert!(told.contains("@team is running\n"), "{told}");
    });
}

#[test]
fn a_workflow_that_is_shown_says_when_another_database_goes_on() {
    let home = Home::new();
    let daemon = home.daemon();
    let file = Team::new("team", "").agent("alice", &mock("- say: la")).write(&home);
    // It must not start the daemon that is stopped for the restore.
    let mut command = home.command(&["start", &file, "--no-start"]);
    let piped = std::process::Stdio::piped;
    let mut child = command.stdout(piped()).stderr(piped()).spawn().unwrap();
    let mut shown = Lines::of(child.stdout.take().unwrap());
    let mut told = Lines::of(child.stderr.take().unwrap());
    assert!(shown.next().is_some());
    home.ok(&["backup", "copy.db"]);
    daemon.stop();
    home.ok(&["restore", "copy.db"]);
    let daemon = home.daemon();
    assert!(told.any(|line| line.contains("messages may be missing: ")));
    child.kill().unwrap();
    child.wait().unwrap();
    daemon.stop();
}
