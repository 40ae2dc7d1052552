//! Backups and what becomes of them: consistent under load, refused when they are not whole, put
//! back so that the work goes on.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use agent_worker_client::{Client, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{
    AttentionItem, AttentionKind, ChannelSend, Cursor, Mode, Peek, Target,
};
use rusqlite::Connection;
use rustix::process::Signal;

use crate::support::{Home, Lines, Running, Team, Watch, block_on, lost_runs, mock, within};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

fn say(text: &str) -> ChannelSend {
    ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None }
}

async fn texts(client: &Client) -> Vec<String> {
    let page = Peek { limit: Some(500), ..Peek::default() };
    let messages = client.call(&page).await.unwrap().messages;
    messages.into_iter().map(|message| message.content).collect()
}

/// A home with a message in it, a backup of that, and a message after the backup.
fn backed_up(home: &Home) -> (Running, PathBuf) {
    let daemon = home.daemon();
    home.ok(&["send", "@global", "before"]);
    let made = home.json(&["backup", "copy.db"]);
    home.ok(&["send", "@global", "after"]);
    let file = home.work().join("copy.db");
    assert_eq!(made["file"].as_str(), file.to_str());
    (daemon, file)
}

fn names(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(home.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Puts a backup into a home of its own. Its work is begun again without a pause.
fn restored(file: &Path) -> Home {
    let home = Home::with_config("[runs]\nstarts_after_restart = 100\n");
    let told = home.json(&["restore", file.to_str().unwrap()]);
    assert!(told["replaced"].is_null(), "there was none: {told}");
    home.assert_sound();
    home
}

#[test]
fn a_backup_made_under_load_is_consistent_and_its_work_goes_on() {
    // Each message of a run that is lost is handled alone.
    let home = Home::with_config("[inbox]\nmessages = 5\n");
    let _daemon = home.daemon();
    let files = block_on(async {
        let client = home.client();
        let script = mock(
            "- think: hm\n- sleep: 150ms\n- call: team_doc_write\n  with: { content: x, file: \"${{ match.n }}.md\" }\n- say: done",
        );
        let script = script.replacen("- times", "- when: \"number (?<n>[0-9]+)\"\n  times", 1);
        let team = Team::new("team", "@alice @bob @carol number 0")
            .agent("alice", &script)
            .agent("bob", &script)
            .agent("carol", &script);
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        watch.run_works("alice").await;
        let channel = client.at(target("@team"));
        let sending = async {
            for n in 1..=60 {
                channel.call(&say(&format!("@alice @bob @carol number {n}"))).await.unwrap();
                watch.event().await;
            }
        };
        let backing = async {
            let mut files = Vec::new();
            for n in 0..3 {
                let file = home.work().join(format!("{n}.db"));
                let args = ["backup".to_owned(), file.to_str().unwrap().to_owned()];
                let running = home.start(&args.each_ref().map(String::as_str));
                let finished = tokio::task::spawn_blocking(move || running.finish()).await.unwrap();
                assert_eq!(finished.code, Some(0), "{finished:?}");
                files.push(file);
            }
            files
        };
        tokio::join!(sending, backing).1
    });
    for file in files {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_goes_on(&restored(&file), &home);
    }
    home.assert_sound();
}

/// A run that was live in the backup is lost and done again, without the user; a reader of the
/// original's feed begins anew.
fn assert_goes_on(home: &Home, original: &Home) {
    let path = home.path().join("agent-worker.db");
    let sql = "SELECT count(*) FROM runs WHERE state IN ('starting', 'running', 'ending')";
    let live = Connection::open(path).unwrap().query_row(sql, [], |row| row.get::<_, i64>(0));
    let live = usize::try_from(live.unwrap()).unwrap();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let cursor = original.client().snapshot().await.unwrap();
        let cursor = Cursor { epoch: Some(cursor.epoch), seq: 1 };
        let mut feed = Feed::follow(&client, FeedFilter::default(), Some(cursor));
        within("a reset", async {
            while !matches!(feed.next().await.unwrap().unwrap(), FeedItem::Reset(_)) {}
        })
        .await;
        let mut watch = Watch::all(&client).await;
        loop {
            let snapshot = client.snapshot().await.unwrap();
            let waits = snapshot.agents.iter().any(|agent| {
                agent.unread > 0 && agent.name.as_str() != "user" || agent.run.is_some()
            });
            if !waits {
                let lost = lost_runs(&client).await;
                assert_eq!(lost, live, "what was at work in the backup is lost");
                let needs = |item: &AttentionItem| item.kind != AttentionKind::Mention;
                return assert!(!snapshot.attention.iter().any(needs), "{:?}", snapshot.attention);
            }
            watch.run_ended(|_| true).await;
        }
    });
    home.assert_sound();
    daemon.stop();
}

#[test]
fn what_was_there_is_moved_aside_whole_and_can_be_put_back() {
    let home = Home::new();
    let (daemon, file) = backed_up(&home);
    let epoch = block_on(async { home.client().snapshot().await.unwrap().epoch });
    daemon.kill();
    home.assert_nobody_is_left();
    assert!(fs::metadata(home.path().join("agent-worker.db-wal")).unwrap().len() > 0);
    let told = home.json(&["restore", file.to_str().unwrap()]);
    let aside = PathBuf::from(told["replaced"].as_str().unwrap());
    assert_eq!(aside, home.path().join("replaced-1"));
    assert!(aside.join("agent-worker.db-wal").exists());
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        assert_eq!(texts(&client).await, ["before"]);
        let snapshot = client.snapshot().await.unwrap();
        assert_eq!(snapshot.epoch, told["epoch"].as_str().unwrap());
        assert_ne!(snapshot.epoch, epoch);
    });
    daemon.stop();
    let back = home.json(&["restore", aside.join("agent-worker.db").to_str().unwrap()]);
    assert_eq!(back["replaced"].as_str(), home.path().join("replaced-2").to_str());
    let daemon = home.daemon();
    block_on(async { assert_eq!(texts(&home.client()).await, ["before", "after"]) });
    home.assert_sound();
    daemon.stop();
}

#[test]
fn a_channel_that_is_followed_goes_on_after_an_older_backup_was_restored() {
    let home = Home::new();
    let (daemon, file) = backed_up(&home);
    // It must not start the daemon that is stopped for the restore.
    let mut command = home.command(&["peek", "--follow", "--no-start"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stdout.take().unwrap());
    assert!(lines.any(|line| line.ends_with("after")));
    daemon.stop();
    home.ok(&["restore", file.to_str().unwrap()]);
    let daemon = home.daemon();
    assert!(lines.any(|line| line.ends_with("before")), "what is stored is shown again");
    home.ok(&["send", "@global", "anew"]);
    assert!(lines.any(|line| line.ends_with("anew")), "and what comes then");
    child.kill().unwrap();
    let told = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("messages may be missing: "), "{told}");
    daemon.stop();
}

#[test]
fn a_live_daemon_is_not_restored_under() {
    let home = Home::new();
    let (_daemon, file) = backed_up(&home);
    let refused = home.run(&["restore", file.to_str().unwrap()]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("is already running"), "{refused:?}");
    assert!(refused.stderr.contains("hint: agent-worker daemon stop"), "{refused:?}");
    block_on(async { assert_eq!(texts(&home.client()).await, ["before", "after"]) });
}

/// A file that must be refused, made of a good one.
fn assert_refused(home: &Home, good: &Path, expected: &str, spoil: impl FnOnce(&Path)) {
    let file = home.work().join("bad.db");
    fs::copy(good, &file).unwrap();
    spoil(&file);
    let (before, database) = (names(home), fs::read(home.path().join("agent-worker.db")).unwrap());
    let refused = home.run(&["restore", file.to_str().unwrap()]);
    assert_eq!(refused.code, Some(1), "{expected}: {refused:?}");
    assert!(refused.stderr.contains(expected), "{expected}: {}", refused.stderr);
    assert_eq!(names(home), before, "{expected}: nothing is left behind");
    assert!(fs::read(home.path().join("agent-worker.db")).unwrap() == database, "{expected}");
}

fn change(file: &Path, sql: &str) {
    Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_file_that_is_not_a_whole_backup_of_ours_is_refused_and_nothing_changes() {
    let home = Home::new();
    let (daemon, good) = backed_up(&home);
    daemon.stop();
    let refused = |expected: &str, spoil: &dyn Fn(&Path)| {
        assert_refused(&home, &good, expected, spoil);
    };
    refused("it is empty", &|file| fs::write(file, "").unwrap());
    refused("No such file", &|file| fs::remove_file(file).unwrap());
    refused("it is not a file", &|file| {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    });
    fs::remove_dir(home.work().join("bad.db")).unwrap();
    refused("not a database", &|file| fs::write(file, "text\n".repeat(1000)).unwrap());
    refused("malformed", &|file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    });
    refused("is not restored", &|file| {
        let mut bytes = fs::read(file).unwrap();
        for page in 1..bytes.len() / 4096 {
            bytes[page * 4096..page * 4096 + 16].fill(0xa5);
        }
        fs::write(file, bytes).unwrap();
    });
    refused("is not a database of agent-worker", &|file| change(file, "PRAGMA application_id = 1"));
    refused("is of schema 99, and this version of agent-worker knows schema ", &|file| {
        change(file, "PRAGMA user_version = 99");
    });
    refused("table messages_old: it is none of agent-worker's", &|file| {
        change(file, "CREATE TABLE messages_old (x)");
    });
    refused("index deliveries_kept: it is missing", &|file| {
        change(file, "DROP INDEX deliveries_kept");
    });
    refused("it refers to a row of workflows that there is not", &|file| {
        change(file, "PRAGMA foreign_keys = OFF; DELETE FROM workflows");
    });
    let missing = home.run(&["restore", "missing.db"]);
    let hint = "hint: name a file that `agent-worker backup` has written\n";
    assert!(missing.stderr.ends_with(hint), "{missing:?}");
    let own = home.path().join("agent-worker.db");
    let itself = home.run(&["restore", own.to_str().unwrap()]);
    assert!(itself.stderr.contains("it is the database itself"), "{itself:?}");
    let _daemon = home.daemon();
    block_on(async { assert_eq!(texts(&home.client()).await, ["before", "after"]) });
}

#[test]
fn a_restore_that_was_interrupted_is_finished_by_the_next_daemon() {
    let home = Home::new();
    let (daemon, file) = backed_up(&home);
    daemon.stop();
    fs::copy(&file, home.path().join("restored-1.db")).unwrap();
    fs::create_dir(home.path().join("replaced-1")).unwrap();
    let own = home.path().join("agent-worker.db");
    fs::rename(own, home.path().join("replaced-1/agent-worker.db")).unwrap();
    let idle = home.json(&["doctor"]);
    assert!(idle.to_string().contains("files.restored"), "{idle}");
    let _daemon = home.daemon();
    block_on(async { assert_eq!(texts(&home.client()).await, ["before"]) });
    home.assert_sound();
}

#[test]
fn a_backup_takes_no_file_s_place_unasked_and_leaves_nothing_half_done() {
    let home = Home::new();
    fs::write(home.path().join("backup-1.draft"), "of a daemon that was killed").unwrap();
    let (_daemon, file) = backed_up(&home);
    let first = fs::read(&file).unwrap();
    for (expected, path) in [
        ("already exists", file.to_str().unwrap()),
        ("is a directory", home.work().to_str().unwrap()),
        ("hint: mkdir -p ", home.work().join("not/there.db").to_str().unwrap()),
    ] {
        let refused = home.run(&["backup", path]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains(expected), "{refused:?}");
    }
    let refused = home.run(&["backup", "-"]);
    assert!(refused.stderr.contains("hint: agent-worker backup "), "{refused:?}");
    assert!(!home.work().join("-").exists());
    fs::create_dir(home.work().join("it's here")).unwrap();
    let refused = home.run(&["backup", "it's here"]);
    assert!(refused.stderr.contains(r"/it'\''s here/backup.db'"), "it can be pasted: {refused:?}");
    assert!(fs::read(&file).unwrap() == first);
    home.ok(&["backup", "--force", "copy.db"]);
    assert!(fs::read(&file).unwrap() != first);
    let left: Vec<_> = names(&home).into_iter().filter(|name| name.starts_with("backup")).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_backup_in_the_state_directory_stays_there() {
    let home = Home::new();
    let daemon = home.daemon();
    let named = ["backup.db", "backup.2026-11-27.db"].map(|name| home.path().join(name));
    for file in &named {
        home.ok(&["backup", file.to_str().unwrap()]);
    }
    daemon.stop();
    let doctor = home.run(&["doctor"]);
    assert!(!doctor.stdout.contains("backup"), "{doctor:?}");
    let daemon = home.daemon();
    assert!(named.iter().all(|file| file.exists()), "{:?}", names(&home));
    daemon.stop();
}

#[test]
fn a_backup_replaces_nothing_by_which_the_daemon_lives() {
    let home = Home::new();
    let daemon = home.daemon();
    home.ok(&["send", "@global", "before"]);
    let link = home.work().join("link");
    std::os::unix::fs::symlink(home.path(), &link).unwrap();
    for folder in [home.path(), link] {
        for name in ["agent-worker.db", "agent-worker.db-wal", "daemon.json", "daemon.lock"] {
            let file = folder.join(name);
            for more in [&["--force"][..], &[]] {
                let refused = home.run(&[&["backup", file.to_str().unwrap()], more].concat());
                assert_eq!(refused.code, Some(1), "{refused:?}");
                assert!(refused.stderr.contains("a backup does not replace it"), "{refused:?}");
                assert!(!refused.stderr.contains("--force"), "{refused:?}");
            }
        }
    }
    let beside = home.path().join("mine.db");
    home.ok(&["backup", beside.to_str().unwrap()]);
    home.ok(&["send", "@global", "after"]);
    home.ok(&["backup", "--force", beside.to_str().unwrap()]);
    daemon.stop();
    let _daemon = home.daemon();
    assert_eq!(block_on(async { texts(&home.client()).await }), ["before", "after"]);
}

#[test]
fn keys_are_in_no_backup() {
    const CANARY: &str = "canary-5f1d9be2";
    let home = Home::new();
    let set = home.run_with(&["keys", "set", "SOME_KEY"], CANARY);
    assert_eq!(set.code, Some(0), "{set:?}");
    let _daemon = home.daemon();
    let script = mock("- shell: \"test -n \\\"$SOME_KEY\\\" && touch given\"\n- say: done");
    home.write("alice.yaml", &script);
    let agents = "alice: { backend: mock, script: alice.yaml, env: [SOME_KEY] }";
    home.write("team.yaml", &format!("agents:\n  {agents}\nkickoff: \"@alice go\"\n"));
    home.ok(&["run", "team.yaml"]);
    assert!(home.work().join("given").exists(), "the worker has it");
    home.ok(&["backup", "copy.db"]);
    let bytes = fs::read(home.work().join("copy.db")).unwrap();
    assert!(!bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()));
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_database_or_the_new() {
    let home = Home::new();
    let (daemon, file) = backed_up(&home);
    daemon.stop();
    let (mut old, mut new) = (0, 0);
    for round in 0..16 {
        let mut restore = home.start(&["restore", file.to_str().unwrap()]);
        block_on(async { tokio::time::sleep(Duration::from_millis(round * 4)).await });
        if !restore.has_ended() {
            restore.signal(Signal::KILL);
        }
        restore.wait();
        home.assert_sound();
        let daemon = home.daemon();
        home.assert_sound();
        let texts = block_on(async { texts(&home.client()).await });
        match texts.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["before"] => new += 1,
            ["before", "after"] => old += 1,
            _ => panic!("{texts:?}"),
        }
        if texts.len() == 1 {
            home.ok(&["send", "@global", "after"]);
        }
        daemon.stop();
    }
    assert!(old > 0, "some were killed before the decision");
    assert_eq!(old + new, 16);
}
