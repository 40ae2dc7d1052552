use super::*;

fn daemon(host: &str, names: &[&str]) -> Daemon {
    Daemon {
        port: 0,
        host: Some(host.to_owned()),
        allow_host: names.iter().map(|&name| name.to_owned()).collect(),
        detached: false,
        action: None,
    }
}

#[test]
fn what_a_command_starts_is_what_its_line_says() {
    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        daemon: Daemon,
    }
    let line: Line = clap::Parser::parse_from(["daemon", "--detached"]);
    assert_eq!(format!("{:?}", line.daemon), format!("{:?}", Daemon::detached()));
}

#[test]
fn other_machines_are_let_in_by_name_only() {
    assert_eq!(daemon("127.0.0.1", &[]).warning().unwrap(), None);
    assert_eq!(daemon("::1", &[]).warning().unwrap(), None);
    assert!(daemon("0.0.0.0", &[]).warning().is_err());
    assert!(daemon("me@box", &["box"]).warning().is_err());
    let warning = daemon("0.0.0.0", &["box"]).warning().unwrap().unwrap();
    assert!(warning.starts_with("warning: listening on 0.0.0.0"), "{warning}");
}

#[test]
fn lines_from_before_a_rotation_of_the_log_are_shown_too() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("daemon.log");
    let last = |most| last_lines(&log, most).unwrap();
    assert_eq!(last(5), None);
    std::fs::write(folder.path().join("daemon.log.1"), "one\ntwo\nthree\n").unwrap();
    assert_eq!(last(2).unwrap(), ["two", "three"]);
    std::fs::write(&log, "four\nfive\n").unwrap();
    assert_eq!(last(2).unwrap(), ["four", "five"]);
    assert_eq!(last(3).unwrap(), ["three", "four", "five"]);
    assert_eq!(last(100).unwrap().len(), 5);
}

#[test]
fn an_earlier_log_that_cannot_be_read_does_not_hide_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("daemon.log");
    std::fs::create_dir(folder.path().join("daemon.log.1")).unwrap();
    assert!(last_lines(&log, 5).is_err());
    std::fs::write(&log, "four\nfive\n").unwrap();
    assert_eq!(last_lines(&log, 5).unwrap().unwrap(), ["four", "five"]);
}
