use super::*;

/// A state directory with an old database of all its files, and a new database that waits.
fn decided_home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for name in FILES {
        fs::write(home.path().join(name), format!("old {name}")).unwrap();
    }
    fs::write(home.path().join("restored-7.db"), "new").unwrap();
    home
}

fn assert_restored(home: &Path) {
    assert_eq!(fs::read_to_string(home.join(MAIN)).unwrap(), "new");
    assert!(!home.join("agent-worker.db-wal").exists(), "nothing of the old is beside it");
    for name in FILES {
        let aside = fs::read_to_string(home.join("replaced-7").join(name)).unwrap();
        assert_eq!(aside, format!("old {name}"));
    }
    assert_eq!(decided(home).unwrap(), None);
}

#[test]
fn a_restore_that_was_decided_on_comes_to_its_end_wherever_it_was_interrupted() {
    for moved in 0..=FILES.len() {
        let home = decided_home();
        let aside = home.path().join("replaced-7");
        fs::create_dir(&aside).unwrap();
        for name in &FILES[..moved] {
            fs::rename(home.path().join(name), aside.join(name)).unwrap();
        }
        finish(home.path()).unwrap();
        assert_restored(home.path());
        finish(home.path()).unwrap();
        assert_restored(home.path());
    }
}

#[test]
fn nothing_is_decided_where_what_was_there_cannot_be_kept() {
    let home = decided_home();
    let draft = home.path().join("restored-7.draft");
    fs::rename(home.path().join("restored-7.db"), home.path().join("new")).unwrap();
    let draft = Draft::new(draft);
    fs::rename(home.path().join("new"), &draft.path).unwrap();
    fs::write(home.path().join("replaced-7"), "no folder").unwrap();
    decide(home.path(), draft, 7).unwrap_err();
    assert_eq!(decided(home.path()).unwrap(), None);
    finish(home.path()).unwrap();
    let old = fs::read_to_string(home.path().join(MAIN)).unwrap();
    assert_eq!(old, format!("old {MAIN}"));
}

#[test]
fn one_that_was_not_decided_on_changes_nothing() {
    let home = decided_home();
    let draft = home.path().join("restored-7.draft");
    fs::rename(home.path().join("restored-7.db"), &draft).unwrap();
    finish(home.path()).unwrap();
    for name in FILES {
        let old = fs::read_to_string(home.path().join(name)).unwrap();
        assert_eq!(old, format!("old {name}"));
    }
}

#[test]
fn a_restored_database_admits_no_browser() {
    let home = tempfile::tempdir().unwrap();
    let (backup, draft) = (home.path().join("backup.db"), home.path().join("draft"));
    file::create(&backup).unwrap();
    let conn = Connection::open(&backup).unwrap();
    conn.execute("INSERT INTO browsers VALUES (zeroblob(32), 0)", []).unwrap();
    drop(conn);
    prepare(&backup, &draft, home.path()).unwrap();
    let sql = "SELECT count(*) FROM browsers";
    let admitted: i64 =
        Connection::open(&draft).unwrap().query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(admitted, 0);
}

#[test]
fn a_backup_of_the_first_schema_is_restored() {
    let home = tempfile::tempdir().unwrap();
    let (backup, draft) = (home.path().join("backup.db"), home.path().join("draft"));
    let fixture = "../../tests/fixtures/databases/schema-8.db";
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture), &backup).unwrap();
    assert_eq!(prepare(&backup, &draft, home.path()).unwrap().1.schema, 8);
}

#[test]
fn an_exceeded_quota_is_a_full_disk() {
    let exceeded = || io::Error::from(io::ErrorKind::QuotaExceeded);
    assert!(CopyError::File(exceeded()).is_full());
    let told = of_disk(exceeded(), Path::new("/home"));
    assert!(matches!(told, RestoreError::NoRoom { .. }), "{told}");
}
