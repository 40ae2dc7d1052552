//! `tui --linear`: commands as words in, lines out, without a terminal.

use crate::support::{Home, Team, mock};

fn told(home: &Home, args: &[&str], lines: &[&str]) -> String {
    let args: Vec<&str> = ["tui", "--linear"].iter().chain(args).copied().collect();
    let finished = home.run_with(&args, &format!("{}\n", lines.join("\n")));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(!finished.stdout.contains('\x1b'), "{finished:?}");
    finished.stdout
}

fn team(home: &Home) {
    let team =
        Team::new("team", "").agent("ann", &mock("- say: la")).agent("ben", &mock("- say: la"));
    home.ok(&["start", &team.write(home), "-d"]);
}

#[test]
fn h_5_messages_are_read_and_written_in_lines() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    home.ok(&["send", "@team", "hello **all**"]);
    let lines = ["write a message here", "from a line", "quit"];
    let text = told(&home, &["@team"], &lines);
    for part in [
        "live",
        "team:main, Channel:",
        "user       hello all",
        "> write here",
        "writing to # team:main",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\x1b'), "nothing moves the cursor: {text:?}");
    let peeked = home.ok(&["peek", "@team"]);
    assert!(peeked.contains("from a line"), "{peeked}");
}

#[test]
fn what_is_written_when_the_input_ends_stays_a_draft() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    told(&home, &["@team"], &["write a message here", "half for @ghost"]);
    let text = told(&home, &["@team"], &["write a message here", "cancel", "quit"]);
    assert!(text.contains("sent behind the draft `half for @ghost`"), "{text}");
}

#[test]
fn agents_are_chosen_by_number_and_stopped_after_a_question() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    let lines = ["agents of team", "2", "stop the selected agent", "n", "stop ben", "y", "quit"];
    let text = told(&home, &["@team"], &lines);
    for part in ["> 1 ann@team idle", "> 2 ben@team idle", "stop ben@team? No run is live (y or n)"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(home.json(&["info", "ben@team"])["agent"]["wanted"], "stopped", "{text}");
    assert_eq!(home.json(&["info", "ann@team"])["agent"]["wanted"], "active", "{text}");
}

#[test]
fn what_destroys_asks_for_its_name_and_what_is_unknown_says_so() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    let lines =
        ["stop the workflow", "taem", "cancel", "frobnicate", "press hyper+x", "press ?", "cancel"];
    let text = told(&home, &["@team"], &lines);
    for part in [
        "type  team  to confirm:",
        "no command is called `frobnicate`: help lists them",
        "unknown key `hyper+x`: write j, enter, ctrl+d",
        "help: channel",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(home.json(&["info", "@team"])["state"], "running", "{text}");
    let text = told(&home, &["@team"], &["stop the workflow", "main", "team", "quit"]);
    assert!(text.contains("stopping workflow team:main"), "{text}");
}

#[test]
fn everything_that_the_palette_has_is_listed_and_tables_are_filtered() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    let lines = ["agents of team", "help", "filter the table", "agent:be*", "show", "quit"];
    let text = told(&home, &["@team"], &lines);
    for part in
        ["in a shell: agent-worker stop ann@team", "sort by any column (O)", "> 1 ben@team idle"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_reader_that_has_gone_ends_it_without_an_error() {
    let home = Home::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = home.command(&["tui", "--linear"]).stdout(writer).output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &[][..]), "{ended:?}");
}

#[test]
fn without_a_daemon_it_says_so() {
    let home = Home::new();
    let text = told(&home, &[], &["quit"]);
    assert!(text.contains("NO DAEMON"), "{text}");
}

#[test]
fn lines_that_are_text_are_refused_as_json() {
    let home = Home::new();
    let refused = home.run(&["--json", "tui", "--linear"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
    assert!(refused.stderr.contains("hint: agent-worker events --follow"), "{refused:?}");
}
