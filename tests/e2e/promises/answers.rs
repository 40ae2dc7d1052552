//! The answer of a run: nothing that was asked for stays in its transcript alone (§6).

use agent_worker_protocol::{BlockKind, RunState};

use crate::{
    default_backend::stage::{PROVIDERS, QUICK, Stage},
    hostile::terminal::on_terminal,
    support::{Home, Team, Watch, block_on, mock},
};

#[test]
fn the_final_text_is_posted_also_where_the_run_has_said_something_before() {
    let home = Home::new();
    let _daemon = home.daemon();
    let steps = "\
- call: channel_send
  with: { message: Looking into it. }
- say: The server uses port 8417.";
    let file = Team::new("port", "@ann which port?").agent("ann", &mock(steps)).write(&home);
    for args in [&["run", &file][..], &["run", &file, "--quiet"]] {
        let printed = home.ok(args);
        assert!(printed.contains("The server uses port 8417."), "{args:?}: {printed}");
    }
    assert!(home.ok(&["peek", "@port"]).contains("The server uses port 8417."));
    assert!(home.ok(&["inbox", "@port"]).contains("The server uses port 8417."));
}

#[test]
fn a_note_after_an_answer_wakes_nobody() {
    let home = Home::new();
    let _daemon = home.daemon();
    let asks = "\
- when: which port
  do: [ { say: \"@bea which port?\" } ]
- times: 0
  do: [ { call: team_doc_write, with: { content: \"port: 8417\" } } ]
";
    let answers = "\
- call: channel_send
  with: { message: \"@ann it is 8417\" }
- say: I looked it up in the settings.";
    let file = Team::new("port", "@ann which port?")
        .agent("ann", asks)
        .agent("bea", &mock(answers))
        .write(&home);
    let printed = home.ok(&["run", &file]);
    assert!(printed.contains("I looked it up in the settings."), "{printed}");
    let runs = home.json(&["runs", "@port"])["runs"].as_array().unwrap().len();
    assert_eq!(runs, 3, "ann, bea, and ann once more");
}

#[test]
fn an_agent_that_ends_without_a_word_is_reported_to_whoever_asked() {
    let home = Home::new();
    let _daemon = home.daemon();
    let silent = mock("- call: team_members\n  with: {}");
    home.write("silent.yaml", &silent);
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "silent.yaml"]);
    for command in ["ask", "serve"] {
        let ended = home.run(&[command, "ivy", "which port?"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("`ivy` ended without an answer"), "{ended:?}");
        assert!(ended.stderr.contains("agent-worker logs run_"), "{ended:?}");
    }
    let mut watch = block_on(Watch::now(&home.client()));
    home.ok(&["send", "@global", "@ivy which port?"]);
    let run = block_on(watch.run_ended(|_| true));
    assert_eq!(run.state, RunState::Succeeded);
    let said = home.ok(&["peek"]);
    assert!(said.contains("ivy ended without an answer"), "{said}");
    let inbox = home.json(&["inbox", "ivy", "--all"]);
    let states = inbox["messages"].as_array().unwrap().iter().map(|one| &one["delivery"]["state"]);
    assert!(states.into_iter().all(|state| *state == "acked"), "{inbox}");
}

#[test]
fn an_agent_that_has_acted_may_end_without_a_word() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("doer.yaml", &mock("- call: team_doc_write\n  with: { content: done }"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "doer.yaml"]);
    assert_eq!(home.ok(&["ask", "ivy", "write it down"]).trim(), "");
    assert!(!home.ok(&["peek", "ivy"]).contains("without an answer"));
}

#[test]
fn a_model_that_says_nothing_is_asked_once_more_in_the_same_run() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  - { call: my_inbox }\n  - { think: 'It is 8417.' }\n  \
             - { say: 'The server uses port 8417.', expect: 'ended without an answer' }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("ann", "")], "@ann which port?");
        let printed = stage.home.ok(&["run", &team]);
        assert!(printed.contains("The server uses port 8417."), "{provider}: {printed}");
        assert!(!printed.contains("ended without an answer"), "{provider}: {printed}");
        let [run] = &stage.runs()[..] else { panic!("{:?}", stage.runs()) };
        assert_eq!(run.state, RunState::Succeeded);
        assert!(stage.told(BlockKind::Notice)[0].contains("it is asked for one"));
    }
}

#[test]
fn a_model_that_still_says_nothing_is_asked_no_more() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  - { think: 'Nothing.', times: 2 }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("ann", "")], "@ann which port?");
        let printed = stage.home.ok(&["run", &team]);
        assert!(printed.contains("ann ended without an answer"), "{provider}: {printed}");
        assert_eq!(stage.model.counts()["requests"], 2, "{provider}");
    }
}

#[test]
fn an_answer_beside_a_last_call_is_posted_once_the_run_ends_without_a_word() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { say: 'I note it.', call: team_doc_write, with: { content: 'port: 8417' } }\n  \
             - { say: 'The server uses 8417.', call: my_inbox_ack, with: { until: msg_1 } }\n  \
             - { think: 'That was all.' }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("ann", "")], "@ann which port?");
        let printed = stage.home.ok(&["run", &team]);
        assert!(printed.contains("The server uses 8417."), "{provider}: {printed}");
        let said = stage.home.ok(&["peek", "@team"]);
        assert_eq!(said.matches("The server uses 8417.").count(), 1, "{provider}: {said}");
        assert!(!said.contains("I note it."), "{provider}: {said}");
    }
}

#[test]
fn a_model_that_answers_beside_its_only_call_is_not_asked_again() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { say: 'The server uses 8417.', call: my_inbox_ack, with: { until: msg_1 } }\n  \
             - { think: 'That was all.' }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("ann", "")], "@ann which port?");
        let printed = stage.home.ok(&["run", &team]);
        assert!(printed.contains("The server uses 8417."), "{provider}: {printed}");
        assert_eq!(stage.model.counts()["requests"], 2, "{provider}");
    }
}

#[test]
fn text_beside_a_message_that_is_sent_is_not_posted_after_it() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { say: 'I know it.', call: my_inbox }\n  \
             - { say: 'I say it.', call: channel_send, with: { message: '@user it is 8417' } }\n  \
             - { think: 'That was all.' }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("ann", "")], "@ann which port?");
        stage.home.ok(&["run", &team]);
        let said = stage.home.ok(&["peek", "@team"]);
        assert!(said.contains("@user it is 8417"), "{provider}: {said}");
        for remark in ["I know it.", "I say it."] {
            assert!(!said.contains(remark), "{provider}: {said}");
        }
    }
}

#[test]
fn only_a_terminal_shows_the_text_of_an_attempt_that_failed_and_that_it_is_not_the_answer() {
    let home = Home::with_config("[runs]\nretry_delay = \"10ms\"\n");
    let script = "\
- { when: port, times: 1, do: [ { say: The port is }, { fail: crash } ] }
- { when: port, times: 1, do: [ { say: It is 8417. } ] }
- { when: host, times: 1, do: [ { say: The host is }, { fail: crash } ] }
- { when: host, times: 1, do: [ { say: It is here. } ] }
- { times: 0, do: [ { say: I would }, { fail: permanent } ] }
";
    home.write("halting.yaml", script);
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "halting.yaml"]);
    let asked = home.run(&["ask", "ivy", "which port?"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(0), "It is 8417.\n"), "{asked:?}");
    let shown = on_terminal(&home, &["ask", "ivy", "which host?"]).screen;
    for told in
        ["The host is", "the text so far is not the answer: run_4 begins anew", "It is here."]
    {
        assert!(shown.contains(told), "{shown}");
    }
    let failed = home.run(&["ask", "ivy", "which name?"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""), "{failed:?}");
    home.ok(&["daemon", "stop"]);
}
