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
