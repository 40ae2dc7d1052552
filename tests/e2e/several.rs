//! Several agents and workflows at once, and a folder's own workflow.

use crate::{
    grammar::{in_shell, pasted},
    support::{Home, PROGRAM, Team, mock, wait_until},
};

/// Starts a workflow that stays.
fn start(home: &Home, name: &str) {
    let team = Team::new(name, "").agent("ann", &mock("- say: la"));
    home.ok(&["start", &team.write(home), "-d"]);
}

fn state(home: &Home, scope: &str) -> String {
    home.json(&["info", scope])["state"].as_str().unwrap().to_owned()
}

#[test]
fn several_are_stopped_and_one_that_is_not_there_keeps_no_other_from_it() {
    let home = Home::new();
    start(&home, "one");
    start(&home, "two");
    let stopped = home.run(&["stop", "@one", "@none", "@two"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    assert!(stopped.stderr.contains("@none"), "{stopped:?}");
    assert_eq!((state(&home, "@one"), state(&home, "@two")), ("stopped".into(), "stopped".into()));
    let resumed = home.json(&["resume", "one", "two"]);
    assert_eq!(resumed.as_array().unwrap().len(), 2, "{resumed}");
}

#[test]
fn the_json_of_all_is_a_list_even_if_they_are_one() {
    let home = Home::new();
    start(&home, "one");
    assert_eq!(home.json(&["stop", "--all"])[0]["key"], "one:main");
    assert_eq!(home.json(&["resume", "@one", "@one"])[0]["key"], "one:main");
    assert_eq!(home.json(&["stop", "@one"])["key"], "one:main");
    assert_eq!(home.json(&["stop", "--all"]), serde_json::json!([]));
}

#[test]
fn all_are_stopped_resumed_and_removed() {
    let home = Home::new();
    start(&home, "one");
    start(&home, "two");
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "one-ann.yaml"]);
    home.ok(&["stop", "--all"]);
    assert_eq!((state(&home, "@one"), state(&home, "@two")), ("stopped".into(), "stopped".into()));
    assert_eq!(home.json(&["info", "ivy"])["agent"]["wanted"], "stopped");
    home.ok(&["resume", "--all"]);
    assert_eq!(state(&home, "@one"), "running");
    assert_eq!(home.json(&["info", "ivy"])["agent"]["wanted"], "active");

    // What is at work stays.
    home.ok(&["stop", "@one", "ivy"]);
    let asked = home.run(&["rm", "--all"]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert_eq!(state(&home, "@one"), "stopped");
    pasted(&home, &asked);
    assert_eq!(home.run(&["info", "@one"]).code, Some(1));
    assert_eq!(home.run(&["info", "ivy"]).code, Some(1));
    assert_eq!(state(&home, "@two"), "running");
    let left = home.run(&["rm", "--all", "--yes"]);
    assert_eq!(left.stdout, "nothing to do\n");
    assert_eq!(left.stderr, "still active: @two\nhint: agent-worker stop --all\n");
}

#[test]
fn archives_are_resumed_only_by_their_name() {
    let home = Home::new();
    start(&home, "one");
    home.ok(&["stop", "@one"]);
    home.ok(&["start", "one.yaml", "-d", "--fresh"]);
    let team = Team::new("two", "@ann go").agent("ann", &mock("- say: la")).write(&home);
    home.ok(&["run", &team, "--quiet"]);
    home.ok(&["run", &team, "--quiet", "--fresh"]);
    let wanted = || home.json(&["info", "ann@two:main.old-1"])["agent"]["wanted"].clone();
    assert_eq!((state(&home, "@one:main.old-1"), wanted()), ("stopped".into(), "stopped".into()));

    assert_eq!(home.ok(&["resume", "--all"]).trim(), "nothing to do");
    assert_eq!((state(&home, "@one:main.old-1"), wanted()), ("stopped".into(), "stopped".into()));
    home.ok(&["resume", "@one:main.old-1"]);
    assert_eq!(state(&home, "@one:main.old-1"), "running");
}

#[test]
fn what_is_named_twice_is_removed_once() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    home.ok(&["rm", "ivy", "ivy"]);
    assert_eq!(home.run(&["info", "ivy"]).code, Some(1));
}

#[test]
fn parameters_of_a_workflow_that_continues_are_said_to_have_no_effect() {
    let home = Home::new();
    let params = "params:\n  base: { default: main }\n";
    let team = Team::new("one", "from ${{ params.base }}").with(params);
    let file = team.agent("ann", &mock("- say: la")).write(&home);
    let start =
        |more: &[&str]| home.run(&[&["start", file.as_str(), "-d"][..], more].concat()).stderr;
    assert!(!start(&["-p", "base=x"]).contains("parameters"));
    home.ok(&["stop", "@one"]);
    assert!(start(&["-p", "base=y"]).contains("parameters have no effect"));
    home.ok(&["stop", "@one"]);
    assert!(!start(&[]).contains("parameters"));
    home.ok(&["stop", "@one"]);
    assert!(!start(&["-p", "base=y", "--fresh"]).contains("parameters"));
}

#[test]
fn a_start_warns_of_limits_that_it_replaces_unless_they_are_those_of_its_last_file() {
    let home = Home::new();
    let is_warned = |hops: u32| {
        let limits = format!("limits: {{ hops: {hops} }}");
        let team = Team::new("one", "").agent("ann", &mock("- say: la")).with(&limits);
        let started = home.run(&["start", &team.write(&home), "-d"]);
        assert_eq!(started.code, Some(0), "{started:?}");
        home.ok(&["stop", "@one"]);
        started.stderr.contains("the limits that it had were replaced by those of its file")
    };
    assert_eq!((is_warned(7), is_warned(8)), (false, false));
    home.ok(&["limits", "@one", "hops=9"]);
    assert_eq!((is_warned(8), is_warned(7)), (true, false));
}

#[test]
fn a_workflow_file_that_is_missing_has_a_hint() {
    let home = Home::new();
    let missing = home.run(&["check", "nofile.yaml"]);
    assert!(missing.stderr.contains("hint: agent-worker init"), "{missing:?}");
    pasted(&home, &missing);
    let missing = home.run(&["check", "nofile.yaml"]);
    assert!(missing.stderr.contains("hint: agent-worker check workflow.yaml"), "{missing:?}");
    pasted(&home, &missing);
}

#[test]
fn a_workflow_file_of_another_folder_is_not_created_in_this_one() {
    let home = Home::new();
    std::fs::create_dir(home.work().join("scripts")).unwrap();
    for asked in ["scripts", "scripts/nofile.yaml"] {
        let missing = home.run(&["check", asked]);
        assert!(missing.stderr.starts_with("error: file not found: scripts/"), "{missing:?}");
        assert!(missing.stderr.ends_with("hint: ls scripts\n"), "{missing:?}");
    }
    let missing = home.run(&["check", "./nofile.yaml"]);
    assert!(missing.stderr.contains("hint: agent-worker init\n"), "{missing:?}");
}

#[test]
fn a_workflow_that_is_named_in_place_of_its_file_is_told_apart_from_a_file() {
    let home = Home::new();
    let told = "error: `@team` names a workflow, not a file\nhint: agent-worker";
    let refused = home.run(&["run", "@team"]);
    assert_eq!(refused.stderr, format!("{told} list\n"));
    pasted(&home, &refused);
    Team::new("other", "@ann go").agent("ann", &mock("- say: la")).write(&home);
    let refused = home.run(&["run", "@team"]);
    assert_eq!(refused.stderr, format!("{told} list\n"), "another workflow is not meant");
    Team::new("team", "@ann go").agent("ann", &mock("- say: la")).write(&home);
    let refused = home.run(&["run", "@team"]);
    assert_eq!(refused.stderr, format!("{told} run team.yaml\n"));
    pasted(&home, &refused);
}

#[test]
fn a_file_that_is_no_workflow_is_not_offered_in_place_of_one() {
    let home = Home::new();
    home.write("nop.yaml", "");
    let team = Team::new("team", "@ann go").agent("ann", &mock("- say: la"));
    std::fs::rename(home.work().join(team.write(&home)), home.work().join("workflow.yaml"))
        .unwrap();
    let missing = home.run(&["run", "nope.yaml"]);
    assert!(missing.stderr.contains("hint: agent-worker run workflow.yaml\n"), "{missing:?}");
    pasted(&home, &missing);
    let missing = home.run(&["new", "q", "--backend", "mock", "--script", "q.yaml"]);
    assert!(missing.stderr.ends_with("hint: ls .\n"), "{missing:?}");
}

#[test]
fn the_hint_of_a_workflow_that_failed_starts_its_own_file_among_others() {
    let home = Home::new();
    Team::new("aa", "@ann go").agent("ann", &mock("- say: la")).write(&home);
    let text = "name: fx\nagents:\n  ann: { backend: external }\nsetup:\n  \
                - shell: test -e ready\nkickoff: '@ann go'\n";
    let file = home.write("zz.yaml", text);
    assert_eq!(home.run(&["start", "zz.yaml"]).code, Some(1));
    let hint = home.json(&["why", "@fx"])["hint"].as_str().unwrap().to_owned();
    let rest = hint.strip_prefix("agent-worker ").unwrap();
    home.write("ready", "");
    in_shell(&home, &format!("{PROGRAM} {rest} -d"));
    wait_until("its setup is done", || state(&home, "@fx") == "running");
    home.ok(&["stop", "@fx"]);
    assert_eq!(home.run(&["info", "@aa"]).code, Some(1), "the other one was not started");

    std::fs::remove_file(file).unwrap();
    let path = rest.strip_prefix("start ").unwrap();
    let folder = path.strip_suffix("/@fx").unwrap();
    let missing = home.run(&["start", path, "-d"]);
    assert_eq!(missing.stderr, format!("error: file of @fx not found in {folder}\n"));
}

#[test]
fn the_workflow_of_this_folder_needs_no_name() {
    let home = Home::new();
    let missing = home.run(&["check"]);
    assert!(missing.stderr.contains("workflow.yaml"), "{missing:?}");
    pasted(&home, &missing);
    home.ok(&["check"]);
    home.ok(&["run", "--quiet"]);
    home.ok(&["start", "--detach"]);
}

#[test]
fn where_only_the_folder_is_known_the_hint_leads_to_its_workflow_files() {
    let home = Home::new();
    let text = "agents:\n  ann: { backend: mock, script: notes.yaml }\n";
    home.write("team/notes.yaml", &mock("- say: la"));
    let file = home.write("team/d10.yaml", text);
    let folder = file.parent().unwrap().to_str().unwrap();
    let placeholder = format!("{folder}/FILE");
    for asked in [placeholder.as_str(), folder] {
        let missing = home.run(&["check", asked]);
        let hint = format!("hint: agent-worker check {folder}/d10.yaml\n");
        assert!(missing.stderr.contains(&hint), "{missing:?}");
        pasted(&home, &missing);
    }
    home.write("team/d2.yaml", text);
    let missing = home.run(&["check", &placeholder]);
    assert!(missing.stderr.contains("/FILE; workflow files beside it: d2.yaml, d10.yaml"));
    assert!(missing.stderr.contains(&format!("check {folder}/d2.yaml\n")), "{missing:?}");
    pasted(&home, &missing);
    for name in ["d", "d3", "d4", "d5"] {
        home.write(&format!("team/{name}.yaml"), text);
    }
    let missing = home.run(&["check", &placeholder]);
    let named = "beside it: d.yaml, d2.yaml, d3.yaml, d4.yaml, d5.yaml and 1 more\n";
    assert!(missing.stderr.contains(named), "{missing:?}");
}
