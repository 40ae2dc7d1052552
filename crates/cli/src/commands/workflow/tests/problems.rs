use agent_worker_protocol::Position;

use super::*;
use crate::tests::samples;

fn source() -> Source {
    Source { file_name: "team/workflow.yaml".to_owned(), ..Source::default() }
}

#[test]
fn problems_are_grouped_and_have_places() {
    let at = |line, column| Position { line, column };
    let checked = Checked {
        ok: false,
        problems: vec![
            Problem::error("unknown key `modl`")
                .at(at(3, 5))
                .in_file("team/workflow.yaml")
                .hint("did you mean `model`?"),
            Problem::warning("`@bob` is never named").at(at(7, 3)).in_file("team/workflow.yaml"),
            Problem::new(Severity::Later, "`heartbeat` of `bob` comes with a later version")
                .in_file("team/workflow.yaml"),
            Problem::error("no step `shout`").at(at(1, 5)).in_file("scripts/bob.yaml"),
        ],
        name: Some(samples::name("team")),
        agents: vec![samples::name("bob")],
        schedules: Vec::new(),
    };
    insta::assert_snapshot!(super::checked(&source(), &checked), @r"
    errors:
      team/workflow.yaml:3:5: unknown key `modl`
        hint: did you mean `model`?
      team/scripts/bob.yaml:1:5: no step `shout`
    warnings:
      team/workflow.yaml:7:3: `@bob` is never named
    needs a later version:
      team/workflow.yaml: `heartbeat` of `bob` comes with a later version
    team/workflow.yaml has 2 errors
    ");
}

#[test]
fn a_file_without_errors_is_right() {
    let mut checked = Checked {
        ok: true,
        problems: Vec::new(),
        name: Some(samples::name("team")),
        agents: vec![samples::name("bob")],
        schedules: Vec::new(),
    };
    assert_eq!(super::checked(&source(), &checked), "team/workflow.yaml is valid: @team, 1 agent");
    checked.schedules = vec![CheckedSchedule {
        agent: samples::name("bob"),
        name: samples::name("main"),
        spec: "0 9 * * *".parse().unwrap(),
        timezone: "Europe/Berlin".parse().unwrap(),
        next: vec![agent_worker_protocol::Timestamp(0)],
    }];
    let text = super::checked(&source(), &checked);
    let due = "due next:\n  main of bob (0 9 * * *, Europe/Berlin): 1970-01-01 01:00:00\n";
    assert!(text.starts_with(due), "{text}");
    checked.problems = vec![Problem::new(Severity::Later, "`tools`")];
    let text = super::checked(&source(), &checked);
    assert!(text.ends_with("needs 1 feature that this version does not support"), "{text}");
}
