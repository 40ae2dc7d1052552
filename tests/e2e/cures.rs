//! An error names the command that mends it.

use std::{fs, time::Instant};

use serde_json::Value;

use crate::{
    grammar::pasted,
    support::{Home, Team, mock, wait_until},
};

#[test]
fn a_key_that_is_missing_is_named_with_the_command_that_sets_it() {
    let home = Home::new();
    let team = Team::new("news", "@ivy go").with("  ivy: { model: anthropic/claude-sonnet-4-5 }");
    let refused = home.run(&["run", &team.write(&home)]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains("hint: agent-worker keys set ANTHROPIC_API_KEY\n"),
        "{refused:?}"
    );
}

#[test]
fn keys_that_cannot_be_read_are_told_once_with_the_command_that_helps() {
    let home = Home::new();
    let keys = home.path().join("keys.env");
    fs::write(&keys, b"KEY=\xff\n").unwrap();
    let agent = |name: &str| format!("  {name}: {{ backend: mock, env: [KEY] }}");
    let team = Team::new("news", "@ivy @ann go").with(&agent("ivy")).with(&agent("ann"));
    let file = team.write(&home);
    for command in [&["check", file.as_str()][..], &["providers"]] {
        let refused = home.run(command);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let told = format!("{}{}", refused.stdout, refused.stderr);
        assert_eq!(told.matches("keys.env cannot be read").count(), 1, "{refused:?}");
        assert!(told.contains("hint: mv -n "), "{refused:?}");
    }
    fs::remove_file(&keys).unwrap();
}

#[test]
fn a_retry_of_a_paused_agent_says_how_to_resume_it() {
    let home = Home::new();
    let team = Team::new("news", "@ivy go").agent("ivy", &mock("- fail: permanent"));
    assert_eq!(home.run(&["run", &team.write(&home), "--quiet"]).code, Some(5));
    let refused = home.run(&["retry", "ivy@news"]);
    assert!(refused.stderr.contains("hint: agent-worker resume ivy@news"), "{refused:?}");
    pasted(&home, &refused);
}

#[test]
fn a_retry_of_an_agent_in_a_crash_loop_says_that_it_stays_paused() {
    let home =
        Home::with_config("[runs]\nattempts = 2\nretry_delay = \"10ms\"\ncrash_loop_runs = 1\n");
    let team = Team::new("news", "@ivy go").agent("ivy", &mock("- fail: transient"));
    let _ = home.run(&["run", &team.write(&home), "--quiet"]);
    let retried = home.run(&["retry", "ivy@news"]);
    assert_eq!(retried.code, Some(0), "{retried:?}");
    let note = "note: ivy@news stays paused, and its deliveries wait";
    let expected = format!("{note}: agent-worker resume ivy@news\n");
    assert_eq!(retried.stderr, expected, "{retried:?}");
}

#[test]
fn the_newest_events_are_those_of_the_workflow_that_was_named() {
    let home = Home::new();
    let team = Team::new("news", "@ivy go").agent("ivy", &mock("- say: well"));
    home.ok(&["run", &team.write(&home), "--quiet"]);
    for number in 0..60 {
        home.ok(&["send", "@global", &format!("message {number}")]);
    }
    let of = |args: &[&str]| {
        let lines = home.ok(&[&["events"], args].concat());
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    for args in [&["@news"][..], &["news"], &["--scope", "@news"]] {
        let events = of(args);
        assert!(events.iter().any(|event| event["kind"] == "run.changed"), "{args:?}: {events:?}");
        assert!(events.iter().all(|event| event["scope"] == "@news"), "{args:?}: {events:?}");
    }
    assert_eq!(of(&["@news", "--kind", "run.changed"]).last().unwrap()["kind"], "run.changed");
    assert_eq!(of(&["@global"]).len(), 50);
    let refused = home.run(&["events", "ivy@news"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("hint: agent-worker events @news\n"), "{refused:?}");
    pasted(&home, &refused);
    for missing in [&["nobody"][..], &["@nowhere"], &["nobody@news"], &["--scope", "@nowhere"]] {
        let refused = home.run(&[&["events"], missing].concat());
        assert_eq!(refused.code, Some(1), "{missing:?}: {refused:?}");
        pasted(&home, &refused);
    }
}

#[test]
fn a_schedule_that_is_over_is_shown_with_what_came_of_it() {
    let home = Home::new();
    let script = home.write("ivy.yaml", &mock("- say: well"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", script.to_str().unwrap()]);
    home.ok(&["schedule", "ivy", "set", "1s", "--prompt", "go", "--max-fires", "1"]);
    wait_until("it has fired for the last time", || {
        home.ok(&["schedule", "ivy"]).starts_with("no schedules of ivy")
    });
    let told = home.ok(&["schedule", "ivy"]);
    let next = told.lines().find_map(|line| line.strip_prefix("hint: agent-worker ")).unwrap();
    let over = home.ok(&next.split(' ').collect::<Vec<_>>());
    assert!(over.contains("completed") && over.contains("every 1s"), "{over}");
}

#[test]
fn a_run_that_nobody_reads_on_is_not_called_complete() {
    let home = Home::new();
    let steps = "- do: [ { say: one }, { sleep: 60s } ]";
    let team = Team::new("news", "@ivy go").agent("ivy", steps);
    let mut run = home.start(&["run", &team.write(&home)]);
    run.close_stdout();
    let ended = run.finish();
    assert_eq!(ended.code, Some(141), "{ended:?}");
    assert!(ended.stderr.contains("agent-worker stop @news"), "{ended:?}");
    assert_eq!(home.json(&["list", "@news"])["workflows"][0]["state"], "running");
}

#[test]
fn a_person_is_told_commands_and_never_tools() {
    let home = Home::new();
    home.ok(&["list"]);
    for args in [
        &["doc", "read", "none.md"][..],
        &["send", "--help"],
        &["proposal", "show", "prop_9"],
        &["group", "add", "none", "user"],
    ] {
        let finished = home.run(args);
        let said = finished.stdout.clone() + &finished.stderr;
        for tool in ["team_", "group_create", "channel_send", "my_inbox", "resource_create"] {
            assert!(!said.contains(tool), "{args:?}: {said}");
        }
        if finished.code == Some(1) {
            pasted(&home, &finished);
        }
    }
}

#[test]
fn a_run_without_a_value_is_told_how_to_give_it() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    let file = |params: &str, kickoff: &str| {
        let agents = "agents: { ivy: { backend: mock, script: ivy.yaml } }";
        home.write("news.yaml", &format!("{params}{agents}\nkickoff: '@ivy {kickoff}'\n"));
    };
    file("", "${{ env.NOWHERE_SET }}");
    let refused = home.run(&["run", "news.yaml"]);
    assert!(refused.stderr.ends_with("hint: export NOWHERE_SET=VALUE\n"), "{refused:?}");
    file("params: { who: {}, when: {} }\n", "${{ params.who }} ${{ params.when }}");
    let refused = home.run(&["start", "news.yaml", "-d"]);
    let hint = "hint: agent-worker start news.yaml -p who=VALUE -p when=VALUE\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
}

#[test]
fn a_check_is_of_what_would_be_run_and_names_places() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    home.write(
        "news.yaml",
        "name: global\n\
         params: { who: { default: ivy } }\n\
         agents:\n\
         \x20 ivy: { backend: mock, script: ivy.yaml, system_prompt: prompts.md }\n\
         kickoff: '@ivy ${{ env.NOWHERE_SET }} ${{ params.who }}'\n",
    );
    std::fs::create_dir(home.work().join("prompts.md")).unwrap();
    let checked = home.run(&["check", "news.yaml"]);
    assert_eq!(checked.stdout.matches("is reserved").count(), 1, "{checked:?}");
    assert!(checked.stdout.contains("news.yaml:4:58: `system_prompt: prompts.md`"), "{checked:?}");
    assert!(checked.stdout.contains("news.yaml:5:16: `env.NOWHERE_SET` is"), "{checked:?}");

    home.write(
        "news.yaml",
        "params: { whoo: {} }\nagents: { ivy: { backend: mock, script: ivy.yaml } }\n\
         kickoff: '@ivy go'\n",
    );
    let options = ["news.yaml", "-p", "whoo=a b", "--backend", "claude", "--model", "mock/m"];
    let refused = home.run(&[&["run"][..], &options].concat());
    let hint = "hint: agent-worker check news.yaml -p 'whoo=a b' --backend claude --model mock/m\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
    let checked = home.run(&[&["check"][..], &options].concat());
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.stdout.contains("unknown provider `mock`"), "{checked:?}");
    home.ok(&["check", "news.yaml"]);
    let refused = home.run(&["check", "news.yaml", "--backend", "mok"]);
    assert!(refused.stderr.contains("mok"), "{refused:?}");
}

#[test]
fn a_param_that_is_misspelt_is_named_as_it_is() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    home.write(
        "news.yaml",
        "params: { base: {}, other: {} }\n\
         agents: { ivy: { backend: mock, script: ivy.yaml } }\nkickoff: '@ivy go'\n",
    );
    let refused = home.run(&["run", "news.yaml", "-p", "bas=x"]);
    let hint = "hint: agent-worker run news.yaml -p base=x -p other=VALUE\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
    let refused = home.run(&["run", "news.yaml", "-p", "bas=x", "-p", "other=y"]);
    assert!(refused.stderr.ends_with("run news.yaml -p base=x -p other=y\n"), "{refused:?}");
    let refused = home.run(&["run", "news.yaml", "-p", "zzz=x"]);
    let hint = "hint: agent-worker run news.yaml -p base=VALUE -p other=VALUE\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
    pasted(&home, &refused);
}

#[test]
fn a_mistake_in_a_script_is_told_once_for_all_agents_that_share_it() {
    let home = Home::new();
    home.write("both.yaml", &mock("- say: '${{ nothing }}'"));
    home.write(
        "news.yaml",
        "agents:\n  ivy: { backend: mock, script: both.yaml }\n  \
         bob: { backend: mock, script: both.yaml }\nkickoff: '@ivy @bob go'\n",
    );
    let checked = home.run(&["check", "news.yaml"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert_eq!(checked.stdout.matches("has `as: nothing`").count(), 1, "{checked:?}");
}

#[test]
fn a_start_that_is_hinted_at_has_all_that_was_given() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    home.write(
        "news.yaml",
        "params: { who: ivy }\nagents: { ivy: { backend: mock, script: ivy.yaml } }\n",
    );
    let given = ["run", "news.yaml", "--fresh", "-p", "who=bob", "--tag", "pr-1"];
    let refused = home.run(&given);
    let hint = "hint: agent-worker start news.yaml -p who=bob --tag pr-1 --fresh\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
    let refused = home.run(&[&given[..], &["--backend", "default"]].concat());
    assert!(refused.stderr.contains("agent-worker run news.yaml -p who=bob"), "{refused:?}");
    assert!(refused.stderr.ends_with(" --tag pr-1 --fresh\n"), "{refused:?}");
}

#[test]
fn a_check_warns_of_values_in_texts_that_have_none() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    home.write("ivy.md", "you look at ${{ params.base }}, and not at ${{ secrets.KEY }}");
    home.write(
        "news.yaml",
        "params: { base: main }\n\
         agents:\n\
         \x20 ivy:\n\
         \x20   backend: mock\n\
         \x20   script: ivy.yaml\n\
         \x20   system_prompt: ivy.md\n\
         \x20   schedule: { every: 1h, prompt: 'in ${{ env.HOME }}' }\n\
         kickoff: '@ivy ${{ params.base }}'\n",
    );
    let checked = home.ok(&["check", "news.yaml"]);
    assert!(checked.contains("news.yaml:6:20: `${{ params.base }}` stays as it is"), "{checked}");
    assert!(checked.contains("news.yaml:7:36: `${{ env.HOME }}` stays as it is"), "{checked}");
    assert_eq!(checked.matches("stays as it is").count(), 2, "{checked}");
}

#[test]
fn a_check_of_a_fifo_ends_at_once() {
    let home = Home::new();
    let path = home.work().join("news.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let begin = Instant::now();
    let refused = home.run(&["check", "news.yaml"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("not a regular file"), "{refused:?}");
    assert!(begin.elapsed().as_secs() < 20);
}

#[test]
fn a_check_warns_of_a_folder_that_is_not_there() {
    let home = Home::new();
    home.write(
        "news.yaml",
        "agents:\n  ivy: { backend: mock, script: ivy.yaml, cwd: nowhere }\nkickoff: '@ivy go'\n",
    );
    home.write("ivy.yaml", &mock("- say: la"));
    let checked = home.ok(&["check", "news.yaml"]);
    assert!(checked.contains("nowhere` not found") && checked.contains("warnings:"), "{checked}");
    fs::create_dir(home.work().join("nowhere")).unwrap();
    assert!(!home.ok(&["check", "news.yaml"]).contains("warnings"));
}

#[test]
fn a_check_warns_of_a_program_that_cannot_ask() {
    let home = Home::new();
    let agents = "agents:\n  ivy:\n    backend: BACKEND\n    tools: [read, shell]\n    \
                  permissions: { ask: [shell] }\nkickoff: '@ivy go'\n";
    home.write("news.yaml", &agents.replace("BACKEND", "codex"));
    let checked = home.ok(&["check", "news.yaml"]);
    let warning = "`ivy` works without `shell`: `codex` cannot ask for a permission";
    assert!(checked.contains(warning), "{checked}");
    assert!(checked.contains("backend: acp, command: codex-acp"), "{checked}");
    let warning = "`ivy` works without `read`: `codex` reads and changes files by commands";
    assert!(checked.contains(warning), "{checked}");
    home.write("news.yaml", &agents.replace("BACKEND", "claude"));
    assert!(!home.ok(&["check", "news.yaml"]).contains("cannot ask"));
}

#[test]
fn a_backend_for_all_agents_does_not_take_the_programs_of_their_own() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    home.write(
        "news.yaml",
        "agents:\n  ivy:\n    backend: acp\n    script: ivy.yaml\n    mcp: stdio\n    \
         command: { program: ./none, env: { A: $NO_KEY } }\nkickoff: '@ivy go'\n",
    );
    let checked = home.run(&["check", "news.yaml"]);
    assert!(checked.stdout.contains("program `./none` not found"), "{checked:?}");
    assert!(checked.stdout.contains("`NO_KEY`"), "{checked:?}");
    let checked = home.run(&["check", "news.yaml", "--backend", "claude"]);
    assert!(!checked.stdout.contains("`./none`"), "{checked:?}");
    assert!(!checked.stdout.contains("`NO_KEY`"), "{checked:?}");
    home.ok(&["run", "news.yaml", "--backend", "mock"]);
}

#[test]
fn a_command_that_is_not_executable_is_told_with_its_cure() {
    let home = Home::new();
    home.write("stub", "#!/bin/sh\n");
    let agent = "agents: { ivy: { backend: acp, command: ./stub } }\nkickoff: '@ivy go'\n";
    home.write("news.yaml", agent);
    let checked = home.run(&["check", "news.yaml"]).stdout;
    assert!(checked.contains("`ivy`: `./stub` is not executable: chmod +x /"), "{checked}");
    assert!(checked.contains("work/stub"), "{checked}");
}

#[test]
fn a_time_of_day_is_no_interval() {
    let home = Home::new();
    home.write("ivy.yaml", &mock("- say: la"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    let refused = home.run(&["schedule", "ivy", "set", "09:00:00"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("`30m`") || refused.stderr.contains("30s"), "{refused:?}");
}

#[test]
fn json_is_printed_wherever_it_is_asked_for() {
    let home = Home::new();
    home.ok(&["list"]);
    assert!(
        home.json(&["completions", "bash"])["script"].as_str().unwrap().contains("agent-worker")
    );
    assert!(home.json(&["man"])["page"].as_str().unwrap().contains(".SH"));
    assert_eq!(home.json(&["tui", "--dump", "80x24"])["lines"].as_array().unwrap().len(), 24);
    assert!(home.json(&["daemon", "stop"])["pid"].is_number());
    assert!(home.json(&["daemon", "stop"])["pid"].is_null());
}

#[test]
fn a_workflow_of_another_folder_is_named_before_it_goes_on() {
    let home = Home::new();
    let team = Team::new("news", "@ivy go").agent("ivy", &mock("- say: la"));
    let file = team.write(&home);
    let first = home.run(&["run", &file, "--quiet"]);
    assert!(!first.stderr.contains("warning"), "{first:?}");
    assert!(!home.run(&["run", &file, "--quiet"]).stderr.contains("warning"));
    fs::create_dir(home.work().join("other")).unwrap();
    for name in ["news.yaml", "news-ivy.yaml"] {
        fs::copy(home.work().join(name), home.work().join("other").join(name)).unwrap();
    }
    let other = home.run(&["run", "other/news.yaml", "--quiet"]);
    assert!(other.stderr.contains("@news was started from"), "{other:?}");
    let apart = home.run(&["run", "other/news.yaml", "--quiet", "--tag", "two"]);
    assert!(!apart.stderr.contains("warning"), "{apart:?}");
}

#[test]
fn a_workflow_of_another_folder_is_named_by_an_agent_that_works_in_it() {
    let home = Home::new();
    let text = "agents:\n  ann: { backend: mock, script: s.yaml, home: true }\n  \
                bob: { backend: mock, script: s.yaml }\nkickoff: '@ann @bob go'\n";
    for folder in ["one", "two"] {
        let folder = home.work().join(folder);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("The News.yaml"), text).unwrap();
        fs::write(folder.join("s.yaml"), mock("- say: la")).unwrap();
    }
    home.ok(&["run", "one/The News.yaml", "--quiet"]);
    let other = home.run(&["run", "two/The News.yaml", "--quiet"]);
    assert!(other.stderr.contains("@the-news was started from"), "{other:?}");
}
