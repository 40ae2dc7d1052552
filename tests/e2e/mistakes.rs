//! Mistakes that a person makes with flags, names and files: the hint, pasted, works.

use crate::{
    grammar::pasted,
    hostile::terminal::on_terminal,
    support::{Home, Running, Team, Watch, block_on, mock},
};

/// A home with a workflow that stays, of an agent `ivy`.
pub fn news() -> Home {
    let home = Home::new();
    let file = Team::new("news", "").agent("ivy", &mock("- say: la")).write(&home);
    home.ok(&["start", &file, "-d"]);
    home
}

/// A home with the open question `q_1` of an agent `ivy`.
fn asked() -> (Home, Running) {
    let home = Home::new();
    let daemon = home.daemon();
    let steps =
        "- call: ask_person\n  with: { question: \"Which?\" }\n  as: a\n- say: \"${{ a.answer }}\"";
    let file = Team::new("news", "@ivy go").agent("ivy", &mock(steps)).write(&home);
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["start", &file, "-d"]);
        watch.question_asked().await;
    });
    (home, daemon)
}

/// Types what is wrong; what is hinted at must be this command line, and work.
pub fn mends(home: &Home, typed: &[&str], hint: &str) -> String {
    let refused = home.run(typed);
    let line = format!("hint: agent-worker {hint}\n");
    assert!(refused.stderr.contains(&line), "{typed:?}: {refused:?}");
    pasted(home, &refused)
}

#[test]
fn a_file_that_is_misspelt_is_named_as_it_is() {
    let home = news();
    mends(&home, &["check", "nwes.yaml"], "check news.yaml");
    mends(&home, &["check", "news"], "check news.yaml");
}

#[test]
fn a_flag_that_is_misspelt_is_named_as_it_is() {
    mends(&news(), &["runs", "--stat", "live"], "runs --state live");
}

#[test]
fn a_command_that_is_misspelt_is_named_as_it_is() {
    mends(&news(), &["stauts"], "status");
}

#[test]
fn an_action_that_is_left_out_is_to_read() {
    let home = news();
    home.ok(&["new", "bob-2", "--backend", "mock", "--home"]);
    home.ok(&["doc", "write", "plan.md", "@news", "# Plan"]);
    mends(&home, &["home", "bob-2"], "home show bob-2");
    mends(&home, &["home", "bob-2", "SOUL.md"], "home show bob-2 SOUL.md");
    mends(&home, &["doc", "plan.md", "@news"], "doc read plan.md @news");
    mends(&home, &["group", "channel", "--in", "@news"], "group members channel --in @news");
    for list in ["doc", "group", "proposal", "resource"] {
        mends(&home, &[list, "@news"], &format!("{list} list @news"));
    }
    mends(&home, &["config", "http.port"], "config get http.port");
    mends(&home, &["sessions", "bob-2"], "sessions list bob-2");
    mends(&home, &["sessions", "show", "bob-2"], "sessions list bob-2");
    for short in [&["sessions", "show", "3"][..], &["sessions", "session_3"]] {
        let refused = home.run(short);
        assert!(
            refused.stderr.contains("hint: agent-worker sessions show session_3\n"),
            "{refused:?}"
        );
    }
    let refused = home.run(&["proposal", "prop_3"]);
    assert!(refused.stderr.contains("hint: agent-worker proposal show prop_3\n"), "{refused:?}");
    let refused = home.run(&["doc", "wirte", "plan.md"]);
    assert!(refused.stderr.contains("hint: agent-worker doc write plan.md\n"), "{refused:?}");
}

#[test]
fn a_message_without_quotes_is_shown_with_them() {
    let home = news();
    mends(&home, &["send", "ivy@news", "are", "you", "there?"], "send ivy@news 'are you there?'");
    assert!(home.ok(&["peek", "ivy@news"]).contains("are you there?"));
}

#[test]
fn options_of_all_commands_may_stand_before_the_command_that_is_mended() {
    let home = news();
    home.ok(&["new", "bob-2", "--backend", "mock", "--home"]);
    mends(&home, &["--json", "--as", "user", "home", "bob-2"], "home show bob-2 --json --as user");
}

#[test]
fn what_cannot_be_mended_is_told_with_its_usage_and_where_help_is() {
    let home = Home::new();
    let refused = home.run(&["--json", "list", "@a", "@b"]);
    assert_eq!(
        refused.stderr,
        "error: unexpected argument '@b' found\n\
         Usage: agent-worker list [OPTIONS] [TARGET]\n\
         hint: agent-worker list --help\n"
    );
    assert_eq!(refused.code, Some(2));
    pasted(&home, &refused);
    let refused = home.run(&["peek", "--limit", "few"]);
    assert!(refused.stderr.contains("it is not a whole number\n"), "{refused:?}");
    let refused = home.run(&["search", "it", "--limit", "101"]);
    assert!(refused.stderr.contains("': must be 1 to 100\n"), "{refused:?}");
}

#[test]
fn a_run_in_the_background_is_a_start() {
    let home = Home::new();
    Team::new("news", "@ivy go").agent("ivy", &mock("- say: la")).write(&home);
    mends(&home, &["run", "news.yaml", "--background"], "start news.yaml --background");
}

#[test]
fn a_name_with_capitals_is_shown_without() {
    mends(&news(), &["info", "@News"], "info @news");
    mends(&news(), &["info", "@news:"], "info @news");
}

#[test]
fn a_question_is_answered_by_its_number() {
    let (home, _daemon) = asked();
    mends(&home, &["answer", "1", "blue"], "answer q_1 blue");
    // On a terminal, too, nothing is waited for that would not be taken.
    let told = on_terminal(&home, &["answer", "q_1"]).screen;
    assert!(told.contains("error: q_1 was answered already, by user: `blue`"), "{told}");
}

#[test]
fn a_schedule_is_set_of_an_agent() {
    let typed = ["schedule", "set", "ivy@news", "30m"];
    mends(&news(), &typed, "schedule ivy@news set 30m");
}

#[test]
fn a_limit_is_written_with_its_sign() {
    mends(&news(), &["limits", "@news", "tokens", "5000"], "limits @news tokens=5000");
}

#[test]
fn a_time_has_a_unit() {
    let home = news();
    mends(&home, &["peek", "@news", "--since", "10"], "peek @news --since 10s");
    mends(&home, &["peek", "@news", "--since=10"], "peek @news --since=10s");
}

#[test]
fn a_key_is_named_without_its_value_which_is_not_repeated() {
    let home = Home::new();
    let refused = home.run(&["keys", "set", "HOUSE_KEY=sk-secret"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("agent-worker keys set HOUSE_KEY\n"), "{refused:?}");
    assert!(!refused.stderr.contains("sk-secret"), "{refused:?}");
    let refused = home.run(&["keys", "set", "bad name"]);
    assert!(!refused.stderr.contains("\n\n"), "{refused:?}");
}

#[test]
fn a_search_without_quotes_is_shown_with_them() {
    let home = news();
    mends(&home, &["search", "from:ivy", "word"], "search 'from:ivy word'");
    mends(&home, &["search", "from:ivy", "two", "words"], "search 'from:ivy two words'");
    mends(&home, &["search", "two", "words", "@news"], "search 'two words' @news");
}

#[test]
fn a_search_that_is_not_finished_is_refused() {
    let home = news();
    mends(&home, &["search", "\"race con"], "search '\"race con\"'");
    let refused = home.run(&["search", "from: ivy"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("filter `from:` has no value"), "{refused:?}");
    assert!(refused.stderr.contains("hint: write `from:NAME`"), "{refused:?}");
}

#[test]
fn a_member_with_its_workflow_is_taken_apart() {
    let home = news();
    mends(&home, &["peek", "--as", "ivy@news"], "peek @news --as ivy");
    mends(&home, &["inbox", "--as", "ivy"], "inbox @news --as ivy");
    mends(&home, &["doc", "list", "--as", "ivy@news"], "doc list --in @news --as ivy");
}

#[test]
fn a_new_group_with_its_workflow_is_taken_apart() {
    let home = news();
    mends(&home, &["group", "create", "team-a@news", "ivy"], "group create team-a --in @news ivy");
    mends(&home, &["group", "members", "Team-A@news"], "group members team-a@news");
    mends(&home, &["group", "leave", "channel@news"], "group list @news");
}

#[test]
fn a_document_is_not_emptied_by_chance() {
    let home = news();
    let write = &["doc", "write", "plan.md", "@news", "-"][..];
    assert_eq!(home.run_with(write, "# Plan\n").code, Some(0));
    let refused = home.run_with(write, "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("standard input is empty"), "{refused:?}");
    assert!(refused.stderr.contains("hint: give the text as an argument; "), "{refused:?}");
    assert_eq!(home.ok(&["doc", "read", "plan.md", "@news"]), "# Plan\n");
    home.ok(&["doc", "write", "plan.md", "@news", ""]);
    assert_eq!(home.ok(&["doc", "read", "plan.md", "@news"]).trim(), "");
}

#[test]
fn a_document_that_changed_meanwhile_is_read_first() {
    let home = news();
    for text in ["one", "two"] {
        home.ok(&["doc", "write", "plan.md", "@news", text]);
    }
    let write = ["doc", "write", "plan.md", "@news", "three", "--if-version", "1"];
    assert!(mends(&home, &write, "doc read plan.md @news").starts_with("two"));
    let refused = home.run(&write);
    assert!(refused.stderr.contains("you expected version 1, it is 2 now"), "{refused:?}");
}

#[test]
fn a_document_outside_is_called_by_its_path() {
    let refused = news().run(&["doc", "read", "../plan.md", "@news"]);
    assert!(refused.stderr.contains("invalid document path `../plan.md`"), "{refused:?}");
}

#[test]
fn what_is_not_there_is_answered_with_what_is() {
    let home = news();
    for unknown in ["why", "logs", "cancel", "retry"] {
        mends(&home, &[unknown, "run_99"], "runs");
    }
    for unknown in ["why", "retry", "drop", "release"] {
        mends(&home, &[unknown, "msg_999"], "peek");
    }
    mends(&home, &["resource", "read", "res_9"], "resource list");
    mends(&home, &["sessions", "show", "session_9"], "list");
    mends(&home, &["peek", "@news", "--as", "ghost"], "list @news");
    mends(&home, &["inbox", "--as", "ghost"], "list @global");
    mends(&home, &["peek", "@news", "--group", "x"], "group list @news");
    home.ok(&["new", "ide", "--backend", "external"]);
    mends(&home, &["wake", "ide"], "send ide MESSAGE");
}

#[test]
fn a_message_and_a_run_are_explained() {
    let home = Home::new();
    let team = Team::new("news", "@ivy go").agent("ivy", &mock("- say: la"));
    home.ok(&["run", &team.write(&home), "--quiet"]);
    mends(&home, &["info", "msg_1"], "why msg_1");
    let told = mends(&home, &["info", "run_1"], "why run_1");
    assert!(told.starts_with("run_1: succeeded\n"), "{told}");
    let told = home.ok(&["why", "msg_1"]);
    assert!(told.starts_with("msg_1: acknowledged\n"), "{told}");
    assert!(told.contains("ivy@news  run_1 has acknowledged it"), "{told}");
    mends(&home, &["retry", "msg_1"], "why msg_1");
}

#[test]
fn several_things_exist() {
    let home = news();
    home.ok(&["start", "news.yaml", "--tag", "b", "-d"]);
    let refused = home.run(&["info", "ivy"]);
    assert!(refused.stderr.contains(" and `ivy@news` exist\n"), "{refused:?}");
}

#[test]
fn a_backend_without_a_model_is_shown_with_one() {
    let home = Home::new();
    Team::new("news", "@ivy go").agent("ivy", &mock("- say: la")).write(&home);
    let refused = home.run(&["run", "news.yaml", "--backend", "default"]);
    let hint = "hint: agent-worker run news.yaml --backend default --model anthropic/";
    assert!(refused.stderr.contains(hint), "{refused:?}");
    let refused = home.run(&["start", "news.yaml", "--backend", "default"]);
    assert!(refused.stderr.contains("hint: agent-worker start news.yaml "), "{refused:?}");
}

#[test]
fn an_unknown_param_is_answered_with_those_of_the_file() {
    let home = Home::new();
    let text = "name: news\nparams:\n  who: { default: you }\n  base: { default: x }\nagents:\n  \
                ivy: { backend: mock, script: ivy.yaml }\nkickoff: '@ivy go'\n";
    home.write("news.yaml", text);
    home.write("ivy.yaml", "- do: [{ say: la }]");
    let refused = home.run(&["run", "news.yaml", "-p", "whoo=x"]);
    let told = "unknown param `whoo`: did you mean `who`? the file has who, base";
    assert!(refused.stderr.contains(told), "{refused:?}");
}

#[test]
fn an_old_name_of_a_backend_is_read_and_not_offered() {
    let home = Home::new();
    let text = |backend: &str| format!("name: news\nagents:\n  ivy: {{ backend: {backend} }}\n");
    home.write("news.yaml", &text("sdkk"));
    let refused = home.run(&["check", "news.yaml"]);
    let told = refused.stdout + &refused.stderr;
    assert!(told.contains("unknown value `sdkk` of `backend`"), "{told}");
    assert!(told.contains("it can be: `default`, `claude`"), "{told}");
    assert!(!told.contains("`sdk`"), "{told}");
    home.write("news.yaml", &text("{ model: x }"));
    let refused = home.run(&["check", "news.yaml"]);
    assert!(format!("{refused:?}").contains("`backend`: expected"), "{refused:?}");
}

#[test]
fn a_mistake_in_a_scenario_is_told_with_what_was_meant() {
    let home = Home::new();
    home.write("scenario.yaml", "conversations: [{ turns: [{ sai: a }] }]");
    let refused = home.run(&["fake-model", "scenario.yaml"]);
    assert!(refused.stderr.contains("\n  hint: did you mean `say`?\n"), "{refused:?}");
}

#[test]
fn a_setting_of_another_type_is_told_in_words() {
    let refused = Home::new().run(&["config", "set", "http.port", "abc"]);
    assert!(refused.stderr.contains("expected a number from 0 to 65535"), "{refused:?}");
    assert!(refused.stderr.contains("`http.port`\nhint: "), "{refused:?}");
}

#[test]
fn limits_are_shown_with_their_defaults() {
    let home = Home::with_config("[guard]\nhops = 12\n");
    let file = Team::new("news", "").agent("ivy", &mock("- say: la")).write(&home);
    home.ok(&["start", &file, "-d"]);
    home.ok(&["limits", "@news", "tokens=5000"]);
    for command in ["limits", "info"] {
        let told = home.ok(&[command, "@news"]);
        assert!(told.contains("tokens=5000\n"), "{told}");
        let others =
            "hops=12 runs=200 agents=20 (if agents hire) task_interval=1m; no limit for cost,";
        assert!(told.contains(others), "{told}");
    }
    let help = home.ok(&["limits", "--help"]);
    let lines = help.lines().skip_while(|line| *line != "Limits:").skip(1).take(8);
    let names =
        ["hops", "runs", "agents", "tokens", "cost", "duration", "max_runs", "task_interval"];
    for (line, name) in lines.zip(names) {
        assert!(line.trim().starts_with(name) && line.len() <= 60, "{line}");
    }
}

#[test]
fn an_empty_answer_is_refused_with_the_command() {
    let (home, _daemon) = asked();
    mends(&home, &["answer", "q_1"], "answer q_1 TEXT");
}

#[test]
fn a_text_that_looks_like_an_option_is_shown_as_a_text() {
    let home = news();
    mends(
        &home,
        &["doc", "append", "plan.md", "@news", "- a point"],
        "doc append plan.md @news -- '- a point'",
    );
    assert_eq!(home.ok(&["doc", "read", "plan.md", "@news"]).trim(), "- a point");
    let typed = ["schedule", "ivy@news", "set", "30m", "--prompt", "- look"];
    mends(&home, &typed, "schedule ivy@news set 30m '--prompt=- look'");
}

#[test]
fn a_setting_that_is_to_go_is_taken_out_of_the_file() {
    let refused = news().run(&["config", "unset", "runs.idle"]);
    assert!(refused.stderr.ends_with("hint: agent-worker config edit\n"), "{refused:?}");
}

#[test]
fn a_hint_names_the_file_and_the_workflow_that_were_named() {
    let home = news();
    for command in [&["sessions", "list", "@news"][..], &["context", "@news"]] {
        let refused = home.run(command);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("@news is a workflow\nhint: agent-worker list @news\n"));
    }
    let refused = home.run(&["limits", "@news", "runs=0"]);
    let hint = "hint: to stop the workflow: agent-worker stop @news\n";
    assert!(refused.stderr.contains(hint), "{refused:?}");
    let refused = home.run(&["limits", "@news", "cost=-1"]);
    assert!(refused.stderr.contains("hint: agent-worker limits @news\n"), "{refused:?}");
    home.write(
        "it's here.yaml",
        "name: other\nagents:\n  a: { backend: mock, hop: 7 }\nkickoff: \"@a go\"\n",
    );
    let refused = home.run(&["run", "it's here.yaml"]);
    let hint = "hint: agent-worker check 'it'\\''s here.yaml'\n";
    assert!(refused.stderr.contains(hint), "{refused:?}");
}

#[test]
fn a_daemon_that_would_not_start_again_is_not_stopped() {
    let home = Home::new();
    let _daemon = home.daemon();
    let pid = home.daemon_file().unwrap().pid;
    std::fs::write(home.path().join("config.toml"), "[runs\n").unwrap();
    let refused = home.run(&["daemon", "restart"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("the daemon goes on: config.toml is broken"), "{refused:?}");
    assert_eq!(home.daemon_file().unwrap().pid, pid);
    std::fs::write(home.path().join("config.toml"), "").unwrap();
}
