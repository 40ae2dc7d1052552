//! Starts that go wrong: who is the daemon, where it is, and what its folder is (§§13, 14).

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::Path,
};

use agent_worker_protocol::{DaemonFile, Timestamp};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::room::Room;
use crate::support::{Finished, Home, not_permitted};

/// A daemon that must not start says why, in words that `named` is among, and ends with 1.
fn assert_refused(home: &Home, args: &[&str], named: &[&str]) {
    let finished = home.run(args);
    assert_eq!(finished.code, Some(1), "{args:?}: {finished:?}");
    for word in named {
        assert!(finished.stderr.contains(word), "{word}: {finished:?}");
    }
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
    home.assert_nobody_is_left();
}

#[test]
fn a_daemon_that_is_told_to_end_as_soon_as_it_is_ready_ends_as_it_should() {
    let home = Home::new();
    for _ in 0..5 {
        home.daemon().stop();
        assert!(home.daemon_file().is_none(), "it takes back what it said of itself");
    }
}

#[test]
fn a_command_right_after_a_killed_daemon_starts_another() {
    let home = Home::new();
    for _ in 0..12 {
        home.ok(&["list"]);
        let pid = home.daemon_file().unwrap().pid.cast_signed();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        home.ok(&["send", "@global", "hi"]);
    }
    assert_eq!(home.ok(&["peek", "@global"]).lines().count(), 12, "each is there once");
}

/// The first request is the end of the daemon: its lock is free from then on. An empty connection
/// ends it.
fn die_when_asked(listener: &TcpListener, lock: File) {
    let mut lock = Some(lock);
    while !asked(&listener.accept().unwrap().0).is_empty() {
        drop(lock.take());
    }
}

/// Runs a command that finds a daemon, and whose first request is the end of that.
fn run_beside_an_end(home: &Home, earlier: &DaemonFile, args: &[&str]) -> Finished {
    let lock = File::create(home.path().join("daemon.lock")).unwrap();
    lock.lock().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    let pid = std::process::id();
    home.lead_to(&DaemonFile { pid, port: place.port(), ..earlier.clone() });
    std::thread::scope(|scope| {
        scope.spawn(|| die_when_asked(&listener, lock));
        let finished = home.run(args);
        drop(TcpStream::connect(place).unwrap());
        finished
    })
}

#[test]
fn a_daemon_that_is_ending_is_stopped_and_restarted() {
    let home = Home::new();
    let daemon = home.daemon();
    let earlier = home.daemon_file().unwrap();
    daemon.stop();
    let stopped = run_beside_an_end(&home, &earlier, &["daemon", "stop"]);
    assert_eq!(stopped.code, Some(0), "{stopped:?}");
    assert!(stopped.stderr.contains("has stopped"), "{stopped:?}");
    let restarted = run_beside_an_end(&home, &earlier, &["daemon", "restart"]);
    assert_eq!(restarted.code, Some(0), "{restarted:?}");
    let now = home.daemon_file().unwrap();
    assert!(restarted.stdout.contains(&format!("(process {})", now.pid)), "{restarted:?}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_start_that_finds_a_dying_daemon_starts_another() {
    let home = Home::new();
    let daemon = home.daemon();
    let earlier = home.daemon_file().unwrap();
    daemon.stop();
    let started = run_beside_an_end(&home, &earlier, &["daemon", "start"]);
    assert_eq!(started.code, Some(0), "{started:?}");
    let now = home.daemon_file().unwrap();
    assert_ne!(now.pid, std::process::id());
    assert!(started.stdout.contains(&format!("(process {})", now.pid)), "{started:?}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_command_that_reads_outlives_the_end_of_its_daemon() {
    let home = Home::new();
    let daemon = home.daemon();
    let earlier = home.daemon_file().unwrap();
    daemon.stop();
    for args in [&["status"][..], &["daemon", "status"]] {
        let refused = run_beside_an_end(&home, &earlier, args);
        assert_eq!(refused.code, Some(3), "{args:?}: {refused:?}");
        assert!(refused.stderr.contains("error: no daemon is running\n"), "{args:?}: {refused:?}");
    }
    let examined = run_beside_an_end(&home, &earlier, &["doctor"]);
    assert_eq!(examined.code, Some(0), "{examined:?}");
    let read = run_beside_an_end(&home, &earlier, &["events", "--after", "0"]);
    assert_eq!(read.code, Some(0), "{read:?}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_command_whose_daemon_is_replaced_meanwhile_asks_the_next_one() {
    let home = Home::new();
    let daemon = home.daemon();
    let now = home.daemon_file().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    for args in [
        &["list"][..],
        &["list", "--no-start"],
        &["send", "@global", "hi"],
        &["peek", "-n", "500"],
        &["events"],
        &["status"],
        &["daemon", "status"],
        &["doctor"],
    ] {
        home.lead_to(&DaemonFile { port: place.port(), ..now.clone() });
        let (finished, refused) = std::thread::scope(|scope| {
            let refusing = scope.spawn(|| refuse_tokens(&listener, &home, &now));
            let finished = home.run(args);
            drop(TcpStream::connect(place).unwrap());
            (finished, refusing.join().unwrap())
        });
        assert_eq!(finished.code, Some(0), "{args:?}: {finished:?}");
        assert_eq!(refused, 1, "{args:?}");
    }
    daemon.stop();
}

/// Refuses every token, after `now` is in `daemon.json`, and returns how often it was asked. An
/// empty connection ends it.
fn refuse_tokens(listener: &TcpListener, home: &Home, now: &DaemonFile) -> usize {
    let refused = unknown_token();
    let mut count = 0;
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        if asked(&stream).is_empty() {
            return count;
        }
        count += 1;
        home.lead_to(now);
        stream.write_all(refused.as_bytes()).unwrap();
    }
}

/// Answer to a token of another daemon.
fn unknown_token() -> String {
    answer(401, &json!({ "error": { "code": "unauthorized", "message": "invalid token" } }))
}

/// An answer, after which the connection ends.
fn answer(status: u16, body: &serde_json::Value) -> String {
    let body = body.to_string();
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The first line of a request, which is read to its end.
fn asked(stream: &TcpStream) -> String {
    let mut lines = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    lines.read_line(&mut first).unwrap();
    let mut line = first.clone();
    while !line.trim().is_empty() {
        line.clear();
        lines.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    lines.read_exact(&mut vec![0; length]).unwrap();
    first
}

/// Answers every request with `page`, until one begins with `last`: it is answered with `gone` once
/// another daemon is in the place of this one. An empty connection ends it.
fn be_replaced(listener: &TcpListener, replace: impl Fn(), last: &str, [page, gone]: [&str; 2]) {
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        let asked = asked(&stream);
        if asked.is_empty() {
            return;
        }
        let is_last = asked.starts_with(last);
        if is_last {
            replace();
        }
        stream.write_all(if is_last { gone } else { page }.as_bytes()).unwrap();
    }
}

#[test]
fn events_that_are_not_followed_go_on_with_the_next_daemon() {
    let home = Home::new();
    let daemon = home.daemon();
    let now = home.daemon_file().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    home.lead_to(&DaemonFile { port: place.port(), ..now.clone() });
    let page = json!({
        "events": [], "more": false, "next": null, "epoch": "e", "oldest": 1, "newest": 1
    });
    let page = answer(200, &page);
    let read = std::thread::scope(|scope| {
        scope.spawn(|| {
            be_replaced(&listener, || home.lead_to(&now), "GET /events", [page.as_str(), ""]);
        });
        let read = home.run(&["events", "--after", "0"]);
        drop(TcpStream::connect(place).unwrap());
        read
    });
    assert_eq!((read.code, read.stderr.as_str()), (Some(0), ""), "{read:?}");
    assert!(read.stdout.contains("\"seq\":1"), "{read:?}");
    daemon.stop();
}

/// Is an idle daemon of an earlier version, until another command has put `now` in its place. Its
/// shutdown is answered with `gone`. An empty connection ends it.
fn be_an_earlier_daemon(listener: &TcpListener, home: &Home, now: &DaemonFile, gone: &str) {
    let daemon = json!({
        "pid": 1, "version": "0.0.1", "uptime": 1, "live_runs": 0, "max_runs": 4, "messages": 0,
        "database_bytes": 0
    });
    let idle = json!({
        "daemon": daemon, "workflows": [], "agents": [], "runs": [], "attention": [], "unread": 0
    });
    let idle = answer(200, &idle);
    be_replaced(listener, || home.lead_to(now), "POST /shutdown ", [idle.as_str(), gone]);
}

#[test]
fn of_two_commands_after_an_upgrade_the_second_takes_the_daemon_of_the_first() {
    let refused = unknown_token();
    for gone in ["", refused.as_str()] {
        let home = Home::new();
        let daemon = home.daemon();
        let now = home.daemon_file().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap();
        let version = "0.0.1".to_owned();
        home.lead_to(&DaemonFile { port: place.port(), version, ..now.clone() });
        let finished = std::thread::scope(|scope| {
            scope.spawn(|| be_an_earlier_daemon(&listener, &home, &now, gone));
            let finished = home.run(&["list"]);
            drop(TcpStream::connect(place).unwrap());
            finished
        });
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished:?}");
        assert_eq!(home.daemon_file().as_ref(), Some(&now));
        daemon.stop();
    }
}

#[test]
fn a_restart_is_done_where_another_command_has_started_the_next_daemon() {
    let home = Home::new();
    let daemon = home.daemon();
    let now = home.daemon_file().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    let ended = answer(200, &json!({ "pid": now.pid }));
    for gone in [ended, unknown_token(), String::new()] {
        home.lead_to(&DaemonFile { port: place.port(), ..now.clone() });
        let restarted = std::thread::scope(|scope| {
            scope.spawn(|| be_an_earlier_daemon(&listener, &home, &now, &gone));
            let restarted = home.run(&["daemon", "restart"]);
            drop(TcpStream::connect(place).unwrap());
            restarted
        });
        assert_eq!((restarted.code, restarted.stderr.as_str()), (Some(0), ""), "{restarted:?}");
        assert!(restarted.stdout.contains(&format!("(process {})", now.pid)), "{restarted:?}");
    }
    daemon.stop();
}

#[test]
fn of_eight_daemons_that_start_at_once_one_is_the_daemon() {
    let home = Home::new();
    let all: Vec<_> = (0..8).map(|_| home.start(&["daemon"])).collect();
    let mut ready = Vec::new();
    for mut daemon in all {
        if daemon.first_line().starts_with("ready") {
            ready.push(daemon);
            continue;
        }
        let finished = daemon.finish();
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert!(finished.stderr.contains("is already running"), "{finished:?}");
    }
    assert_eq!(ready.len(), 1);
    assert_eq!(home.daemon_file().unwrap().pid, ready[0].number());
    let second = home.run(&["daemon"]);
    assert_eq!(second.code, Some(1));
    assert!(second.stderr.contains("is already running: process"), "{second:?}");
    home.ok(&["list"]);
}

/// `daemon.json` of a killed daemon names a port that another program has by now. Nothing is sent
/// there, above all no token.
#[test]
fn a_port_that_is_a_strangers_by_now_hears_not_a_byte() {
    let home = Home::new();
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    stranger.set_nonblocking(true).unwrap();
    let stale = DaemonFile {
        settings: None,
        grace: None,
        // A live process that is not a daemon.
        pid: std::process::id(),
        host: "127.0.0.1".to_owned(),
        port: stranger.local_addr().unwrap().port(),
        token: "the-operators-token".to_owned(),
        version: "0.1.0".to_owned(),
        started_at: Timestamp(1),
    };
    let write = || {
        fs::write(home.path().join("daemon.json"), json!(stale).to_string()).unwrap();
    };
    for (args, code) in [
        (vec!["status"], 3),
        (vec!["daemon", "status"], 3),
        (vec!["daemon", "stop"], 0),
        (vec!["list", "--no-start"], 3),
        (vec!["peek", "--no-start"], 3),
        (vec!["list"], 0),
        (vec!["send", "@global", "hello"], 0),
    ] {
        // The daemon that a command started is the daemon now; before that the file is stale.
        if home.daemon_file().is_none_or(|file| file.pid == stale.pid) {
            write();
        }
        let finished = home.run(&args);
        assert_eq!(finished.code, Some(code), "{args:?}: {finished:?}");
    }
    let heard = stranger.accept().map(drop).unwrap_err();
    assert_eq!(heard.kind(), io::ErrorKind::WouldBlock, "nobody came");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_daemon_file_that_makes_no_sense_is_replaced_or_told_of() {
    let home = Home::new();
    fs::write(home.path().join("daemon.json"), "{ \"pid\": [").unwrap();
    let daemon = home.daemon();
    home.ok(&["list"]);
    fs::write(home.path().join("daemon.json"), "\u{0}garbage").unwrap();
    let finished = home.run(&["list"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains("daemon.json is invalid"), "{finished:?}");
    assert!(finished.stderr.contains("hint: a daemon runs"), "{finished:?}");
    let named = format!("pid={}", daemon.number());
    assert!(home.ok(&["daemon", "logs"]).contains(&named), "the hint holds");
    daemon.stop();
    home.ok(&["list"]);
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_port_in_use_is_told_and_leaves_nothing() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert_refused(&home, &["daemon", "--port", &port], &[&port, "in use", "hint:", "--port"]);
    assert!(home.daemon_file().is_none());
    drop(taken);
    home.daemon().stop();
}

#[test]
fn settings_that_make_no_sense_are_told_with_their_place() {
    let home = Home::with_config("[runs]\nattempts = \"many\"\n");
    home.is_damaged_on_purpose();
    assert_refused(&home, &["daemon"], &["config.toml", "attempts"]);
    let finished = home.run(&["list"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains("config.toml"), "{finished:?}");
    fs::write(home.path().join("config.toml"), b"\xff\xfe[runs]").unwrap();
    assert_refused(&home, &["daemon"], &["config.toml"]);
    assert!(!home.path().join("agent-worker.db").exists(), "nothing was begun");
}

#[test]
fn a_lock_that_cannot_be_opened_is_told() {
    let home = Home::new();
    home.is_damaged_on_purpose();
    fs::create_dir(home.path().join("daemon.lock")).unwrap();
    assert_refused(&home, &["daemon"], &["cannot open the lock", "daemon.lock"]);
    let finished = home.run(&["list"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains("daemon.lock"), "{finished:?}");
}

/// Puts something in the place of the state directory, and sees it refused by daemon and command.
fn assert_no_home(put: impl FnOnce(&Path), named: &str) {
    let home = Home::new();
    home.is_damaged_on_purpose();
    fs::remove_dir(home.path()).unwrap();
    put(&home.path());
    let shown = home.path().display().to_string();
    assert_refused(&home, &["daemon"], &[named, &shown, "hint:"]);
    let finished = home.run(&["list"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains(named), "{finished:?}");
    home.assert_nobody_is_left();
}

#[test]
fn a_state_directory_that_is_none_is_told() {
    assert_no_home(|path| fs::write(path, "a file").unwrap(), "is not a directory");
    assert_no_home(|path| symlink("nowhere", path).unwrap(), "is a link to nothing");
}

#[test]
fn a_state_directory_that_others_can_write_is_refused() {
    let open = |mode: u32| {
        move |path: &Path| {
            fs::create_dir(path).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    assert_no_home(open(0o770), "others than its owner may write");
    assert_no_home(open(0o707), "others than its owner may write");
    let home = Home::new();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    home.daemon().stop();
}

#[test]
fn a_state_directory_of_somebody_else_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return not_permitted(
            "a_state_directory_of_somebody_else_is_refused",
            "only root can give it away",
        );
    }
    assert_no_home(
        |path| {
            fs::create_dir(path).unwrap();
            chown(path, Some(65534), None).unwrap();
        },
        "belongs to user 65534",
    );
}

#[test]
fn a_state_directory_that_cannot_be_written_is_told() {
    let home = Home::new();
    let Some(room) = Room::mount("a_state_directory_that_cannot_be_written_is_told", &home, 4)
    else {
        return;
    };
    room.set_read_only();
    assert_refused(&home, &["daemon"], &["daemon.lock", "Read-only"]);
    let finished = home.run(&["list"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains("Read-only"), "{finished:?}");
}
