//! Backups and restores without room for them: told clearly, nothing half done, and the next
//! attempt with room succeeds (§2).

use std::{fs, path::Path};

use agent_worker_protocol::{ChannelSend, Peek};

use super::{room::Room, store_words};
use crate::support::{Home, Running, block_on};

const MESSAGES: usize = 120;

/// How much room is left, in bytes: from none to almost enough.
fn rooms(needed: u64) -> [u64; 6] {
    [0, 4 << 10, 64 << 10, needed / 2, needed - (64 << 10), needed - (4 << 10)]
}

/// A daemon with something to copy.
fn filled(home: &Home) -> Running {
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        for n in 0..MESSAGES {
            let message = format!("number {n} {}", "x".repeat(5_000));
            client
                .call(&ChannelSend { message, to: Vec::new(), intent: None, reply_to: None })
                .await
                .unwrap();
        }
        store_words(&client).await;
    });
    daemon
}

fn count(home: &Home) -> usize {
    let page = Peek { limit: Some(500), ..Peek::default() };
    block_on(async { home.client().call(&page).await.unwrap().messages.len() })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs a command that finds no room, and says so.
fn assert_no_room(home: &Home, args: &[&str]) {
    let refused = home.run(args);
    assert_eq!(refused.code, Some(1), "{args:?}: {refused:?}");
    assert!(refused.stderr.contains("disk full"), "{refused:?}");
    assert!(refused.stderr.contains("hint: "), "{refused:?}");
}

/// Restores a backup into a home of its own: it has everything.
fn assert_whole(file: &Path) {
    let home = Home::new();
    home.json(&["restore", file.to_str().unwrap()]);
    let daemon = home.daemon();
    assert_eq!(count(&home), MESSAGES);
    daemon.stop();
}

#[test]
fn a_backup_without_room_in_the_state_directory_leaves_nothing() {
    let home = Home::new();
    let test = "a_backup_without_room_in_the_state_directory_leaves_nothing";
    let Some(room) = Room::mount(test, &home, 16) else { return };
    let daemon = filled(&home);
    home.ok(&["backup", "first.db"]);
    let needed = fs::metadata(home.work().join("first.db")).unwrap().len();
    for left in rooms(needed) {
        room.leave(left);
        let before = names(&home.path());
        assert_no_room(&home, &["backup", "copy.db"]);
        assert_eq!(names(&home.path()), before, "with room for {left} of {needed} bytes");
        assert_eq!(names(&home.work()), ["first.db"]);
        home.assert_sound();
        assert_eq!(count(&home), MESSAGES, "reads go on");
    }
    room.clear();
    home.ok(&["backup", "copy.db"]);
    assert_whole(&home.work().join("copy.db"));
    home.ok(&["send", "@global", "work goes on"]);
    daemon.stop();
}

#[test]
fn a_backup_to_a_full_disk_leaves_what_was_there() {
    let home = Home::new();
    let disk = home.work().join("disk");
    fs::create_dir(&disk).unwrap();
    let test = "a_backup_to_a_full_disk_leaves_what_was_there";
    let Some(room) = Room::mount_at(test, disk.clone(), 16) else { return };
    let daemon = filled(&home);
    home.ok(&["backup", "disk/copy.db"]);
    let copy = fs::read(disk.join("copy.db")).unwrap();
    let before = names(&home.path());
    for left in rooms(copy.len() as u64) {
        room.leave(left);
        assert_no_room(&home, &["backup", "--force", "disk/copy.db"]);
        assert_eq!(names(&disk), ["ballast", "copy.db"], "with room for {left} bytes");
        assert!(fs::read(disk.join("copy.db")).unwrap() == copy, "the older one is as it was");
        assert_eq!(names(&home.path()), before);
    }
    home.ok(&["send", "@global", "work goes on"]);
    room.clear();
    home.ok(&["backup", "--force", "disk/copy.db"]);
    assert!(fs::read(disk.join("copy.db")).unwrap() != copy);
    daemon.stop();
}

#[test]
fn a_restore_without_room_changes_nothing() {
    let home = Home::new();
    let test = "a_restore_without_room_changes_nothing";
    let Some(room) = Room::mount(test, &home, 16) else { return };
    let daemon = filled(&home);
    home.ok(&["backup", "copy.db"]);
    home.ok(&["send", "@global", "after the backup"]);
    daemon.stop();
    let needed = fs::metadata(home.work().join("copy.db")).unwrap().len();
    let database = home.path().join("agent-worker.db");
    let original = fs::read(&database).unwrap();
    // The copy may have room, and what is done to it not.
    for left in rooms(needed).into_iter().chain([needed, needed + (4 << 10)]) {
        room.leave(left);
        let before = names(&home.path());
        assert_no_room(&home, &["restore", "copy.db"]);
        assert_eq!(names(&home.path()), before, "with room for {left} of {needed} bytes");
        assert!(fs::read(&database).unwrap() == original, "with room for {left} bytes");
        home.assert_sound();
    }
    room.clear();
    let daemon = home.daemon();
    assert_eq!(count(&home), MESSAGES + 1, "what was there is whole");
    daemon.stop();
    home.ok(&["restore", "copy.db"]);
    let daemon = home.daemon();
    assert_eq!(count(&home), MESSAGES);
    home.assert_sound();
    daemon.stop();
}
