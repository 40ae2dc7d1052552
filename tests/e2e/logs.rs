//! What was done and said, as it is asked for: `logs`, `runs`, `peek`, `status`.

use std::{
    ffi::OsStr,
    net::Ipv4Addr,
    os::unix::ffi::OsStrExt as _,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use agent_worker_protocol::{DaemonFile, EventBody, Mode, RunState};
use rustix::process::Signal;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
};

use crate::{
    mcp::tool,
    mistakes::mends,
    support::{Home, Lines, Running, Team, Watch, block_on, mock, wait_until},
};

/// A home with a workflow of two agents that have run once each.
fn duet() -> Home {
    let home = Home::new();
    let team = Team::new("duet", "@ann @ben go")
        .agent("ann", &mock("- think: it is a song\n- say: la"))
        .agent("ben", &mock("- say: do"));
    home.ok(&["run", &team.write(&home), "--quiet"]);
    home
}

/// Starts a command that shows a workflow, at a daemon that runs, and waits until this agent works.
fn shown_at_work(home: &Home, args: &[&str], agent: &str) -> Running {
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        let shown = home.start(args);
        let works = watch.wait("the agent works", |event| match &event.body {
            EventBody::RunChanged(run) if run.state == RunState::Running => {
                (run.agent.to_string() == agent).then_some(())
            }
            _ => None,
        });
        works.await;
        shown
    })
}

fn lines_of<'t>(text: &'t str, agent: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.starts_with(agent)).collect()
}

#[test]
fn the_logs_of_an_agent_are_those_of_its_latest_run() {
    let home = duet();
    let run = home.json(&["runs", "ann@duet"])["runs"][0]["id"].as_str().unwrap().to_owned();
    let text = home.ok(&["logs", &run]);
    assert!(text.contains("it is a song"), "{text}");
    assert_eq!(home.ok(&["logs", "ann@duet"]), text);
    assert_eq!(home.ok(&["logs", run.strip_prefix("run_").unwrap()]), text);
    let last = home.ok(&["logs", "ann@duet", "--tail", "1"]);
    assert_eq!(last.lines().collect::<Vec<_>>(), ["── succeeded ──"]);
    assert!(home.ok(&["logs", "ann@duet", "--since", "1h"]).contains("it is a song"));

    home.ok(&["new", "idle", "--backend", "mock", "--script", "duet-ann.yaml"]);
    let none = home.run(&["logs", "idle"]);
    assert!(none.stderr.contains("no runs of `idle`"), "{none:?}");
    assert_eq!(home.run(&["history", "idle"]).stderr, none.stderr);
    let none = home.run(&["history", "user@duet"]);
    assert!(none.stderr.contains("no runs of `user@duet`"), "{none:?}");
}

#[test]
fn a_history_that_is_refused_has_no_heading() {
    let home = duet();
    home.ok(&["new", "ide", "--backend", "external", "--in", "@duet"]);
    let token = home.ok(&["token", "ide@duet"]);
    for more in [&[][..], &["-n", "2"]] {
        let mut history = home.command(&[&["history", "ann@duet"][..], more].concat());
        let output = history.env("AGENT_WORKER_TOKEN", token.trim()).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("is a run of ann"), "{told}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    }
}

#[test]
fn the_history_of_a_run_is_its_transcript() {
    let home = duet();
    let run = home.json(&["runs", "ann@duet"])["runs"][0]["id"].as_str().unwrap().to_owned();
    let shown = mends(&home, &["history", &run, "-n", "2"], &format!("logs {run} -n 2"));
    assert_eq!(shown, home.ok(&["logs", &run, "-n", "2"]));
    assert_eq!(home.run(&["history", &run]).code, Some(1));
    home.ok(&["new", &run, "--backend", "mock"]);
    let none = home.run(&["history", &run]);
    assert!(none.stderr.contains(&format!("no runs of `{run}`")), "{none:?}");
}

#[test]
fn blocks_of_a_run_that_are_too_old_are_left_out_with_their_text() {
    let home = duet();
    let recent = ["logs", "ann@duet", "--since", "1ms"];
    assert_eq!(home.ok(&recent), "── succeeded ──\n");
    assert_eq!(home.ok(&[&recent[..], &["--json"]].concat()).lines().count(), 1);
}

#[test]
fn a_transcript_that_was_removed_is_said_to_be_no_longer_kept() {
    let home = Home::with_config("[keep]\ntranscripts = \"1ms\"\n[runs]\nsweep = \"20ms\"\n");
    let team = Team::new("duet", "@ann @ide go")
        .agent("ann", &mock("- say: la"))
        .with("  ide: { backend: external }\n");
    home.ok(&["start", &team.write(&home), "-d"]);
    let ide = "?agent=ide@duet";
    let inbox = tool(&home, ide, "my_inbox", &json!({}));
    let until = &inbox["structuredContent"]["messages"][0]["id"];
    tool(&home, ide, "my_inbox_ack", &json!({ "until": until }));
    let notice = "[the transcript is no longer kept: see the setting `keep.transcripts`]";
    wait_until("it is removed", || home.run(&["logs", "ann@duet"]).stdout.contains(notice));
    for shown in [&["history", "ann@duet"][..], &["logs", "ann@duet", "--json"], &["logs", "duet"]]
    {
        let text = home.ok(shown);
        assert!(text.contains(notice), "{shown:?}: {text}");
    }
    let had_none = home.ok(&["logs", "ide@duet"]);
    assert_eq!(had_none, "── succeeded ──\n");
}

#[test]
fn the_logs_of_a_workflow_are_those_of_all_its_runs() {
    let home = duet();
    let text = home.ok(&["logs", "duet"]);
    assert!(lines_of(&text, "ann │").iter().any(|line| line.contains("it is a song")), "{text}");
    assert!(lines_of(&text, "ben │").iter().any(|line| line.ends_with(" do")), "{text}");
    assert!(text.lines().all(|line| line.contains(" │ ")), "{text}");
    let lines = home.ok(&["logs", "@duet", "--json"]);
    for line in lines.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(event["agent"].as_str().unwrap().ends_with("@duet"), "{line}");
    }
    assert_eq!(home.ok(&["logs", "@duet", "--tail", "2"]).lines().count(), 2);
}

#[test]
fn logs_that_are_followed_show_runs_that_start_later() {
    let home = duet();
    let mut command = home.command(&["logs", "-f", "@duet"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    let mut ends = 0;
    while ends < 2 {
        ends += usize::from(lines.next().expect("the past is shown").contains("succeeded"));
    }
    home.ok(&["start", "duet.yaml", "-d"]);
    home.ok(&["send", "ben@duet", "once more"]);
    let again = lines.find(|line| line.starts_with("ben │") && line.ends_with(" do"));
    assert!(again.is_some());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_is_followed_goes_on_after_a_fresh_start_and_ends_with_its_workflow() {
    let home = duet();
    let followed = |args: &[&str]| {
        let mut child = home.command(args).stdout(Stdio::piped()).spawn().unwrap();
        let lines = Lines::of(child.stdout.take().unwrap());
        (child, lines.filter(|line| line.contains("succeeded")))
    };
    let (mut logs, mut of_all) = followed(&["logs", "-f", "@duet"]);
    let (mut history, mut of_ben) = followed(&["history", "-f", "ben@duet"]);
    assert_eq!((of_all.by_ref().take(2).count(), of_ben.by_ref().take(1).count()), (2, 1));
    home.ok(&["run", "duet.yaml", "--quiet", "--fresh"]);
    assert_eq!((of_all.by_ref().take(2).count(), of_ben.by_ref().take(1).count()), (2, 1));
    home.ok(&["rm", "@duet", "--yes"]);
    assert_eq!((of_all.next(), of_ben.next()), (None, None));
    assert!(logs.wait().unwrap().success() && history.wait().unwrap().success());
}

#[test]
fn of_what_is_followed_only_the_last_lines_are_shown_also_of_a_live_run() {
    let home = Home::new();
    let team = Team::new("duet", "@ann @ben go")
        .agent("ann", &mock("- think: it is a song\n- sleep: 10m"))
        .agent("ben", &mock("- say: do"));
    home.ok(&["start", &team.write(&home), "-d"]);
    wait_until("ann is at work and ben is done", || {
        let text = home.ok(&["logs", "@duet"]);
        text.contains("it is a song") && text.contains("succeeded")
    });
    let mut command = home.command(&["logs", "-f", "@duet", "--tail", "1"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    assert!(lines.next().is_some(), "the last line of what is stored");
    home.ok(&["send", "ben@duet", "once more"]);
    let is_over = |line: &String| line.starts_with("ben │") && line.contains("succeeded");
    let next: Vec<_> = lines.by_ref().take_while(|line| !is_over(line)).collect();
    assert!(next.iter().any(|line| line.ends_with(" do")), "{next:?}");
    assert!(next.iter().all(|line| line.starts_with("ben │")), "{next:?}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_last_lines_of_a_history_do_not_wait_for_the_next_run() {
    let home = duet();
    let mut command = home.command(&["history", "-f", "ben@duet", "--tail", "1"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    assert_eq!(lines.next().as_deref(), Some("── succeeded ──"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_is_followed_ends_when_its_reader_has_gone() {
    let home = Home::new();
    let team = Team::new("duet", "@ann go").agent("ann", &mock("- think: hm\n- sleep: 10m"));
    let _daemon = home.daemon();
    let run = block_on(async {
        let mut watch = team.watched(&home, &home.client(), Mode::Start).await;
        watch.run_works("ann").await.id.to_string()
    });
    // What has something to print hears of it by that.
    for args in [&["peek", "--follow"][..], &["logs", &run, "--follow", "--tail", "0"]] {
        let mut reading = home.start(args);
        reading.close_stdout();
        let ended = reading.finish();
        assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
    }
}

#[test]
fn a_workflow_that_is_shown_goes_on_without_its_reader() {
    let home = Home::new();
    let _daemon = home.daemon();
    for (verb, name) in [("run", "duet"), ("start", "trio")] {
        let team = Team::new(name, "@ann go").agent("ann", &mock("- think: hm\n- sleep: 10m"));
        let file = team.write(&home);
        let mut shown = shown_at_work(&home, &[verb, &file], &format!("ann@{name}"));
        shown.close_stdout();
        let ended = shown.finish();
        assert_eq!(ended.code, Some(141), "{verb}: {ended:?}");
        assert!(ended.stderr.contains(&format!("agent-worker stop @{name}")), "{ended:?}");
    }
}

#[test]
fn a_question_whose_reader_has_gone_ends_unread() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: a long answer"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut asking = home.command(&["ask", "ivy", "hello?"]);
    assert_eq!(asking.stdout(writer).status().unwrap().code(), Some(141));
}

#[test]
fn ctrl_c_that_ends_the_reader_too_stops_the_workflow() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("duet", "@ann go").agent("ann", &mock("- think: hm\n- sleep: 10m"));
    let mut shown = shown_at_work(&home, &["run", &team.write(&home)], "ann@duet");
    shown.signal(Signal::INT);
    shown.close_stdout();
    let ended = shown.finish();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("stopping @duet"), "{ended:?}");
    wait_until("it is stopped", || home.json(&["info", "@duet"])["state"] == "stopped");
}

#[test]
fn a_run_that_another_program_terminates_stops_its_workflow() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    let team = Team::new("duet", "@ann go").agent("ann", &mock("- think: hm\n- sleep: 10m"));
    let file = team.write(&home);
    let shown = shown_at_work(&home, &["run", &file], "ann@duet");
    let refused = home.run(&["run", &file]);
    assert!(refused.stderr.contains("`agent-worker stop @duet`"), "{refused:?}");
    shown.signal(Signal::TERM);
    let ended = shown.finish();
    assert_eq!(ended.code, Some(143), "{ended:?}");
    assert!(ended.stderr.contains("stopping @duet"), "{ended:?}");
    assert_eq!(home.json(&["info", "@duet"])["state"], "stopped");
}

#[test]
fn ctrl_c_while_the_start_is_pending_stops_the_workflow_without_its_reader() {
    let home = Home::new();
    let mut daemon = home.failing_daemon("launch.committed=sleep(3000)");
    assert!(daemon.first_line().starts_with("ready "));
    let team = Team::new("duet", "@ann go").agent("ann", &mock("- think: hm\n- sleep: 10m"));
    let mut shown = home.start(&["run", &team.write(&home)]);
    wait_until("it is stored", || home.run(&["info", "@duet"]).code == Some(0));
    shown.signal(Signal::INT);
    shown.close_stdout();
    let ended = shown.finish();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("stopping @duet"), "{ended:?}");
    wait_until("it is stopped", || home.json(&["info", "@duet"])["state"] == "stopped");
}

#[test]
fn the_history_of_an_agent_has_all_its_runs_in_order_and_goes_on() {
    let home = duet();
    home.ok(&["start", "duet.yaml", "-d"]);
    let mut command = home.command(&["history", "-f", "ben@duet"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    assert!(lines.any(|line| line.contains("succeeded")), "the past is shown");
    home.ok(&["ask", "ben@duet", "once more"]);
    assert!(lines.any(|line| line.contains("· ask ·")), "and what comes then");
    assert!(lines.any(|line| line == "> once more") && lines.any(|line| line == "do"));
    child.kill().unwrap();
    child.wait().unwrap();

    let text = home.ok(&["history", "ben@duet"]);
    let heads: Vec<_> = text.lines().filter(|line| line.starts_with("══")).collect();
    assert!(heads[0].contains("mention") && heads.last().unwrap().contains("ask"), "{text}");
    assert!(!text.contains("it is a song"), "that is of ann: {text}");
    assert_eq!(home.ok(&["history", "ben@duet", "--tail", "1"]), "── succeeded ──\n");
    for line in home.ok(&["history", "ben@duet", "--json"]).lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["agent"], "ben@duet", "{line}");
    }
    let refused = home.run(&["history", "@duet"]);
    assert!(refused.stderr.contains("agent-worker logs @duet"), "{refused:?}");
}

/// Stands before a daemon, and counts how often it is asked for a transcript.
async fn count_transcripts(listener: TcpListener, daemon: u16, count: Arc<AtomicUsize>) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let count = Arc::clone(&count);
        tokio::spawn(async move {
            let mut daemon = TcpStream::connect((Ipv4Addr::LOCALHOST, daemon)).await.unwrap();
            let (mut asks, mut is_told) = client.split();
            let (mut said, mut is_asked) = daemon.split();
            let asking = async {
                let mut bytes = vec![0; 1 << 16];
                while let Ok(length @ 1..) = asks.read(&mut bytes).await {
                    let part = &bytes[..length];
                    let asked = String::from_utf8_lossy(part).matches("/output").count();
                    count.fetch_add(asked, Ordering::Relaxed);
                    if is_asked.write_all(part).await.is_err() {
                        return;
                    }
                }
            };
            tokio::select! {
                () = asking => {}
                _ = copy(&mut said, &mut is_told) => {}
            }
        });
    }
}

#[test]
fn the_last_lines_of_a_history_are_those_of_the_whole_and_read_from_its_end() {
    let home = duet();
    home.ok(&["start", "duet.yaml", "-d"]);
    for _ in 0..3 {
        home.ok(&["ask", "ben@duet", "once more"]);
    }
    let runs = || home.json(&["runs", "ben@duet"])["runs"].as_array().unwrap().clone();
    wait_until("all runs have ended", || runs().iter().all(|run| run["state"] == "succeeded"));
    let whole = home.ok(&["history", "ben@duet"]);
    let json = home.ok(&["history", "ben@duet", "--json"]);
    let lines: Vec<_> = whole.split_inclusive('\n').collect();
    let newest = lines.iter().rev().position(|line| line.starts_with("══")).unwrap() + 1;
    let (file, count) = (home.daemon_file().unwrap(), Arc::new(AtomicUsize::new(0)));
    block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(count_transcripts(listener, file.port, Arc::clone(&count)));
        home.lead_to(&DaemonFile { port, ..file });
        let last = |tail: usize| home.ok(&["history", "ben@duet", "-n", &tail.to_string()]);
        assert_eq!(last(1), "── succeeded ──\n");
        assert_eq!(count.swap(0, Ordering::Relaxed), 1, "the newest run alone is read");
        for tail in [0, newest - 1, newest, newest + 1, newest + 2, lines.len(), lines.len() + 1] {
            assert_eq!(last(tail), lines[lines.len().saturating_sub(tail)..].concat(), "{tail}");
        }
        let last = home.ok(&["history", "ben@duet", "--json", "-n", "2"]);
        assert!(last.lines().count() == 2 && json.ends_with(&last), "{last}");
    });
}

#[test]
fn the_last_lines_of_a_run_are_those_of_the_whole_and_read_from_its_end() {
    let home = duet();
    let whole = home.ok(&["logs", "ann@duet"]);
    let lines: Vec<_> = whole.split_inclusive('\n').collect();
    let (file, count) = (home.daemon_file().unwrap(), Arc::new(AtomicUsize::new(0)));
    block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(count_transcripts(listener, file.port, Arc::clone(&count)));
        home.lead_to(&DaemonFile { port, ..file });
        for tail in 0..lines.len() + 2 {
            let last = home.ok(&["logs", "ann@duet", "-n", &tail.to_string()]);
            assert_eq!(last, lines[lines.len().saturating_sub(tail)..].concat(), "{tail}");
        }
        assert_eq!(count.load(Ordering::Relaxed), 0, "no transcript was read whole");
    });
}

#[test]
fn runs_are_listed_by_how_they_ended() {
    let home = Home::with_config("[runs]\nretry_delay = \"10ms\"\n");
    let team = Team::new("duet", "@ann @ben go")
        .agent("ann", &mock("- fail: permanent"))
        .agent("ben", &mock("- say: do"));
    let _ = home.run(&["run", &team.write(&home), "--quiet"]);
    let agents = |state: &str| {
        let listed = home.json(&["runs", "--state", state]);
        let runs = listed["runs"].as_array().unwrap().clone();
        runs.iter().map(|run| run["agent"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(agents("failed"), ["ann@duet"]);
    assert_eq!(agents("succeeded"), ["ben@duet"]);
    assert!(agents("live").is_empty());
}

#[test]
fn what_was_said_is_read_by_its_age() {
    let home = duet();
    assert_eq!(home.ok(&["peek", "duet", "--since", "1h"]), home.ok(&["peek", "duet"]));
    let newest = home.json(&["peek", "duet", "--since", "1h", "-n", "1"]);
    assert_eq!(newest["messages"].as_array().unwrap().len(), 1);
    assert_eq!(newest["more"], true);
}

#[test]
fn a_watched_status_is_shown_again_when_something_changes() {
    let home = Home::new();
    let _daemon: Running = home.daemon();
    let mut command = home.command(&["ps", "--watch", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    let report = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    assert_eq!(report(&lines.next().unwrap())["daemon"]["live_runs"], 0);
    let team = Team::new("duet", "@ann go").agent("ann", &mock("- think: hm\n- sleep: 10m"));
    home.ok(&["start", &team.write(&home), "-d"]);
    let is_live = |line: String| report(&line)["daemon"]["live_runs"] == 1;
    assert!(lines.any(is_live));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_watched_status_goes_on_after_a_restart_of_the_daemon() {
    let home = Home::new();
    home.ok(&["list"]);
    let mut command = home.command(&["status", "--watch", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    let mut told = Lines::of(child.stderr.take().unwrap());
    let pid = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["daemon"]["pid"].clone()
    };
    let before = pid(&lines.next().unwrap());
    home.ok(&["daemon", "restart"]);
    let after = home.daemon_file().unwrap().pid;
    assert_ne!(before, after);
    assert!(told.any(|line| line.ends_with("; reconnecting")));
    assert!(lines.any(|line| pid(&line) == after));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn another_state_directory_is_named_on_the_command_line_and_in_its_hints() {
    let home = Home::new();
    let other = home.work().join("other");
    let other = other.to_str().unwrap();
    let refused = home.run(&["status", "--state-dir", other]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(
        refused.stderr.contains(&format!("hint: agent-worker --state-dir {other} ")),
        "{refused:?}"
    );
    home.ok(&["list", "--state-dir", other]);
    let script = home.write("hi.yaml", "- do: [{ say: hi }]\n");
    let script = script.to_str().unwrap();
    home.ok(&["new", "ivy", "--backend", "mock", "--script", script, "--state-dir", other]);
    let sent = home.ok(&["send", "ivy", "hi", "--state-dir", other]);
    assert!(sent.contains(&format!("answer: agent-worker --state-dir {other} peek ivy")), "{sent}");
    home.ok(&["new", "ide", "--backend", "external", "--state-dir", other]);
    let noted = home.run(&["mcp-config", "ide", "--client", "codex", "--state-dir", other]);
    assert!(
        noted.stderr.contains(&format!("a token: agent-worker --state-dir {other} token ide ")),
        "{noted:?}"
    );
    home.ok(&["send", "user", "for you", "--as", "ide", "--state-dir", other]);
    let status = home.ok(&["status", "--state-dir", other]);
    let reads = format!(": agent-worker --state-dir {other} inbox reads them\n");
    assert!(status.ends_with(&reads), "{status}");
    assert!(home.daemon_file().is_none());
    home.ok(&["daemon", "stop", "--state-dir", other]);
}

#[test]
fn a_usual_state_directory_that_cannot_be_used_does_not_keep_another_from_use() {
    let home = Home::new();
    let _daemon = home.daemon();
    let good = home.path();
    let list = |variable: &str, args: &[&str]| {
        let mut command = home.command(&["list", "--no-start"]);
        command.args(args).env_remove("AGENT_WORKER_HOME");
        command.env(variable, OsStr::from_bytes(b"/srv/h\xff")).output().unwrap()
    };
    for variable in ["HOME", "AGENT_WORKER_HOME"] {
        let refused = list(variable, &[]);
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(told.contains("the path of the state directory must be UTF-8"), "{told}");
        assert!(told.contains("hint: use another directory: `--state-dir DIR`"), "{told}");
        let listed = list(variable, &["--state-dir", good.to_str().unwrap()]);
        assert!(listed.status.success(), "{listed:?}");
    }
}
