//! One state directory has one daemon, also when its files are removed, and a daemon that does not
//! answer is named (§13).

use std::{fs, process::Stdio, time::Instant};

use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    process::Signal,
};

use crate::support::{Home, wait_until};

#[test]
fn files_of_a_daemon_that_are_removed_are_put_back() {
    let home = Home::new();
    let daemon = home.daemon();
    for names in [&["daemon.lock"][..], &["daemon.json"], &["daemon.lock", "daemon.json"]] {
        for name in names {
            fs::remove_file(home.path().join(name)).unwrap();
        }
        wait_until("they are there again", || {
            home.path().join("daemon.lock").exists() && home.daemon_file().is_some()
        });
        let begun = Instant::now();
        home.ok(&["send", "@global", "hello"]);
        assert!(begun.elapsed().as_secs() < 10, "nobody waits for a daemon that is there");
        assert_eq!(home.daemon_file().unwrap().pid, daemon.number(), "{names:?}");
        let second = home.run(&["daemon"]);
        assert!(second.stderr.contains("is already running"), "{second:?}");
        home.assert_sound();
    }
    daemon.stop();
    assert!(home.daemon_file().is_none());
}

#[test]
fn a_stopped_daemon_without_its_lock_gets_no_second_one() {
    let home = Home::new();
    let daemon = home.daemon();
    daemon.signal(Signal::STOP);
    fs::remove_file(home.path().join("daemon.lock")).unwrap();
    let second = home.run(&["daemon"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    let named = format!("is already running: process {}", daemon.number());
    assert!(second.stderr.contains(&named), "{second:?}");
    daemon.signal(Signal::CONT);
    home.ok(&["list"]);
    assert_eq!(home.daemon_file().unwrap().pid, daemon.number());
    daemon.stop();
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_named() {
    let home = Home::new();
    for name in ["config.toml", "daemon.json", "daemon.lock", "keys.env", "start.lock"] {
        let pipe = home.path().join(name);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let told = format!("{} is a named pipe and not a file", pipe.display());
        for args in [&["list"][..], &["daemon"]] {
            let refused = home.run(args);
            assert_ne!(refused.code, Some(0), "{args:?}: {refused:?}");
            assert!(refused.stderr.contains(&told), "{args:?}: {refused:?}");
            assert!(refused.stderr.contains("hint: rm "), "{args:?}: {refused:?}");
        }
        fs::remove_file(pipe).unwrap();
    }
}

#[test]
fn a_daemon_whose_place_is_taken_ends() {
    let home = Home::new();
    let mut daemon = home.daemon();
    let taken = home.path().join("taken");
    let lock = fs::File::create(&taken).unwrap();
    lock.lock().unwrap();
    fs::rename(taken, home.path().join("daemon.lock")).unwrap();
    assert!(!daemon.wait().success());
    assert!(home.daemon_file().is_some(), "it removes nothing that may be the other's");
    drop(lock);
    home.ok(&["list"]);
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_daemon_whose_database_is_removed_or_replaced_ends_and_says_so() {
    for is_replaced in [false, true] {
        let home = Home::new();
        home.is_damaged_on_purpose();
        let mut command = home.command(&["daemon"]);
        command.stderr(Stdio::piped());
        let (daemon, _) = Home::ready_at(command);
        let (database, other) = (home.path().join("agent-worker.db"), home.work().join("other.db"));
        home.ok(&["backup", &other.display().to_string()]);
        if is_replaced {
            fs::rename(other, &database).unwrap();
        } else {
            fs::remove_file(&database).unwrap();
        }
        let ended = daemon.finish();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let told = format!("{} was removed or replaced", database.display());
        assert!(ended.stderr.contains(&told), "{ended:?}");
        assert!(ended.stderr.contains("hint: agent-worker doctor"), "{ended:?}");
        assert!(home.daemon_file().is_none(), "it takes back what it said of itself");
    }
}

#[test]
fn a_daemon_whose_write_ahead_log_is_removed_stops_and_loses_nothing() {
    let home = Home::new();
    let mut daemon = home.daemon();
    home.ok(&["send", "@global", "hello"]);
    fs::remove_file(home.path().join("agent-worker.db-wal")).unwrap();
    assert!(daemon.wait().success());
    assert!(home.ok(&["peek", "@global"]).contains("hello"));
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_daemon_that_does_not_answer_is_named_with_what_helps() {
    let home = Home::new();
    let daemon = home.daemon();
    daemon.signal(Signal::STOP);
    let pid = daemon.number();
    let asked: Vec<_> = [&["list"][..], &["daemon", "stop"], &["daemon", "status"]]
        .map(|args| home.start(args))
        .into_iter()
        .collect();
    for running in asked {
        let ended = running.finish();
        assert_eq!(ended.code, Some(3), "{ended:?}");
        let named = format!("the daemon (process {pid}) does not answer");
        assert!(ended.stderr.contains(&named), "{ended:?}");
        let hint = format!("kill -CONT {pid} lets it go on; kill -9 {pid} ends it");
        assert!(ended.stderr.contains(&hint), "{ended:?}");
    }
    daemon.signal(Signal::CONT);
    home.ok(&["list"]);
    daemon.stop();
}
