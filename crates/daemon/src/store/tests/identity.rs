use super::*;
use crate::store::file;

#[test]
fn a_device_number_that_changed_at_boot_makes_no_copy() {
    for (noted, here, is_one) in [
        ("1:5:70:a", "1:5:70:a", true),
        ("1:5:70:a", "2:5:70:b", true),
        // As earlier versions noted it.
        ("1:5:70", "2:5:70:b", true),
        // A snapshot beside its original.
        ("1:5:70:a", "2:5:70:a", false),
        ("1:5:70:a", "1:6:70:b", false),
        ("1:5:70:a", "1:5:71:b", false),
        ("1:5:0:a", "2:5:0:b", false),
        ("1:5:0", "1:5:0:b", true),
        ("1:5:70:a:/x:y", "2:5:70:b:/x:y", true),
        ("1:5:70:a:/x", "1:5:70:b:/y", true),
        // A snapshot that is opened after a boot.
        ("1:5:70:a:/x:y", "2:5:70:b:/x:z", false),
        ("1:5:70:a", "2:5:70:b:/x", true),
    ] {
        assert_eq!(is_same(noted, here), is_one, "{noted} and {here}");
    }
}

#[test]
fn a_path_through_a_link_is_the_same_path() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    fs::write(real.join("test.db"), "").unwrap();
    fs::write(folder.path().join("test.db"), "").unwrap();
    let here = identity(&real.join("test.db")).unwrap();
    assert_eq!(identity(&link.join("test.db")), Some(here.clone()));
    let path = here.splitn(5, ':').nth(4).unwrap();
    for (noted, is_one) in [
        (real.join("test.db"), true),
        // As earlier versions noted it.
        (link.join("test.db"), true),
        (folder.path().join("test.db"), false),
        (folder.path().join("gone/test.db"), false),
    ] {
        let noted = format!("1:5:70:a:{}", noted.display());
        assert_eq!(is_same(&noted, &format!("2:5:70:b:{path}")), is_one, "{noted}");
    }
}

#[test]
fn a_database_keeps_its_epoch_over_a_boot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    file::create(&path).unwrap();
    let conn = Connection::open(&path).unwrap();
    let epoch = || -> String {
        let sql = "SELECT value FROM daemon_state WHERE key = 'epoch'";
        conn.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let (before, here) = (epoch(), identity(&path).unwrap());
    let parts: Vec<_> = here.splitn(5, ':').collect();
    let file = format!("{}:{}", parts[1], parts[2]);
    note(&conn, &format!("other:{file}:earlier:{}", parts[4])).unwrap();
    assert_eq!(is_copy(&conn, &path).unwrap(), file.ends_with(":0"));
    settle(&conn, &path).unwrap();
    assert_eq!(told(&conn, "file").unwrap(), Some(here.clone()));
    assert_eq!(epoch() == before, !file.ends_with(":0"));
}
