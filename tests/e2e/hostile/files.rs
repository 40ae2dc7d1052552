//! Workflow files and scripts that are made to harm their reader.

use std::{
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::json;

use super::wire::{Ask, Door, read_to_end};

/// How long a file may take to be refused by a build for tests, on a machine that does other
/// things too. What blows up takes minutes.
const LONGEST: Duration = Duration::from_mins(1);

fn check(door: &Door, text: &str, script: &str) -> serde_json::Value {
    let source = json!({ "file_name": "team.yaml", "text": text, "folder": "/",
        "files": { "alice.yaml": script } });
    let begun = Instant::now();
    let answer = door.ask(&Ask::post("/check", json!({ "source": source }).to_string()));
    let shown: String = text.chars().take(60).collect();
    assert!(begun.elapsed() < LONGEST, "{shown}: {:?}", begun.elapsed());
    assert_eq!(
        answer.status,
        200,
        "{shown}: {}",
        answer.body.chars().take(300).collect::<String>()
    );
    assert!(answer.body.len() < 200_000, "{shown}: {} bytes", answer.body.len());
    answer.json()
}

/// Lines that a number goes into.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

fn keys(count: usize, value: &str) -> String {
    lines(count, |n| format!("k{n}: {value}\n"))
}

#[test]
fn a_file_that_would_grow_or_never_end_is_refused_soon() {
    let door = Door::open();
    let laughs = lines(30, |n| {
        format!("a{}: &a{} [{}]\n", n + 1, n + 1, vec![format!("*a{n}"); 10].join(","))
    });
    let nested = lines(5000, |n| format!("{}k:\n", " ".repeat(n % 200)));
    let bombs = [
        format!("a0: &a0 lol\n{laughs}"),
        "a: &a [*a]\n".to_owned(),
        "base: &base { backend: mock }\nagents: { alice: { <<: *base } }\n".to_owned(),
        "agents: { alice: { <<: { backend: mock } } }\n".to_owned(),
        "name: !!python/object/apply:os.system [\"touch pwned\"]\n".to_owned(),
        "name: !include /etc/passwd\n".to_owned(),
        "name: !!binary aGVsbG8=\n".to_owned(),
        "!<tag:evil.example,2024:x> name: x\n".to_owned(),
        "%YAML 9.9\n---\nname: x\n".to_owned(),
        "name: x\n---\nname: y\n".to_owned(),
        "---\n".repeat(50_000),
        "[".repeat(500_000),
        "{a: ".repeat(200_000),
        "- ".repeat(300_000),
        "? ".repeat(300_000),
        "- - - ? - - ? ".repeat(50_000),
        nested,
        keys(90_000, "1"),
        keys(60_000, "[]"),
        "name: x\n".repeat(100_000),
        format!("name: {}\n", "x".repeat(900_000)),
        format!("name: \"{}\n", "x".repeat(900_000)),
        format!("name: |9\n{}", "x\n".repeat(250_000)),
        format!("{}: x\n", "k".repeat(900_000)),
        format!("agents:\n{}", lines(20_000, |n| format!("  a{n}: {{ bakend: mok }}\n"))),
        format!("kickoff: \"{}\"\n", "${{ x }}".repeat(100_000)),
        format!("kickoff: \"{}\"\n", "${{".repeat(250_000)),
        format!("kickoff: \"{}\"\n", "@a".repeat(400_000)),
        format!("kickoff: \"{}\"\n", "`".repeat(900_000)),
        "#".repeat(1_000_000),
        "\t".repeat(500_000),
        "\u{feff}name: \u{0}x\n".to_owned(),
        "name: \u{1b}[2J\n".to_owned(),
        " ".repeat(1_000_000),
        String::new(),
    ];
    for bomb in &bombs {
        let checked = check(&door, bomb, "");
        assert_eq!(checked["ok"], false, "{bomb:.80}: {checked:.300}");
        let problems = checked["problems"].as_array().unwrap();
        assert!((1..=52).contains(&problems.len()), "{bomb:.80}: {}", problems.len());
    }
    door.assert_calm();
}

#[test]
fn a_script_that_would_grow_or_never_end_is_refused_soon() {
    let door = Door::open();
    let team = "name: team\nagents: { alice: { backend: mock, script: alice.yaml } }\nkickoff: \"@alice go\"\n";
    let bombs = [
        "- do: &a [*a]\n".to_owned(),
        "- do: !!python/name:os.system []\n".to_owned(),
        "- when: \"(a{1000}){1000}\"\n  do: []\n".to_owned(),
        format!("- when: \"{}\"\n  do: []\n", "(".repeat(100_000)),
        format!("- when: \"{}\"\n  do: []\n", "a?".repeat(200_000)),
        "[".repeat(500_000),
        "- do: [ { sleep: 99999999999999999999h } ]\n".to_owned(),
        "- do: [ { fail: flood 99999999999999 GiB } ]\n".to_owned(),
        "- times: 99999999999999999999\n  do: []\n".to_owned(),
        "- times: -1\n  do: []\n".to_owned(),
        "- do: [ { bogus: 1 } ]\n".repeat(30_000),
        "- do: [ { say: \"${{ nothing }}\" } ]\n".repeat(20_000),
    ];
    for bomb in &bombs {
        let checked = check(&door, team, bomb);
        assert_eq!(checked["ok"], false, "{bomb:.80}: {checked:.300}");
    }
    // A pattern that makes other engines go back and forth for ever is only a pattern here.
    let checked = check(&door, team, "- when: \"(a*)*(a|aa)+$b\"\n  do: []\n");
    assert_eq!(checked["ok"], true, "{checked}");
    door.assert_calm();
}

#[test]
fn files_that_take_long_to_check_hold_nobody_up() {
    let door = Door::open();
    let text = keys(90_000, "1");
    let body =
        json!({ "source": { "file_name": "a.yaml", "text": text, "folder": "/" } }).to_string();
    // More than the daemon has threads.
    let checks: Vec<_> = (0..8).map(|_| door.send_only(&Ask::post("/check", &body))).collect();
    for _ in 0..20 {
        assert_eq!(door.status(&Ask::get("/health")), 200);
    }
    let is_waiting = |stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        stream.peek(&mut [0]).is_err()
    };
    assert!(checks.iter().any(is_waiting), "others were answered when all checks were done");
    for mut stream in checks {
        stream.set_nonblocking(false).unwrap();
        assert!(!read_to_end(&mut stream).is_empty());
    }
    door.assert_calm();
}

#[test]
fn a_long_file_that_is_right_is_taken() {
    let door = Door::open();
    let home = &door.home;
    let long = "x".repeat(80);
    let params = lines(1600, |n| {
        format!("  p{n}: {{ default: \"{long}\", description: \"one of many\" }}\n")
    });
    let text = format!(
        "name: team\nparams:\n{params}agents: {{ alice: {{ backend: mock, script: alice.yaml }} }}\nkickoff: \"@alice ${{{{ params.p1599 }}}}\"\n"
    );
    assert!(text.len() > 200_000, "{}", text.len());
    home.write("alice.yaml", "- do: [ { say: done } ]\n");
    home.write("team.yaml", &text);
    home.ok(&["check", "team.yaml"]);
    home.ok(&["run", "team.yaml"]);
    door.assert_calm();
}
