//! What current models refuse, and how agents work with them all the same.

use agent_worker_protocol::{BlockKind, FailureClass, RunState};

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Home, Watch, block_on, transcript};

/// Starts the team of this file and waits for the end of its first run.
fn begin(stage: &Stage, team: &str) {
    stage.home.ok(&["start", team, "--background"]);
    block_on(async {
        let mut watch = Watch::all(&stage.client()).await;
        watch.run_ended(|run| run.state == RunState::Succeeded).await;
    });
}

fn refused(stage: &Stage) -> serde_json::Value {
    stage.model.counts()["refused"].clone()
}

#[test]
fn a_current_model_is_asked_through_responses_and_gets_its_reasoning_back() {
    let scenario = r"usage: { input: 100, output: 7, cache_read: 30, reasoning: 5 }
conversations:
- when: the first thing
  turns:
  - { think: hm, say: I look., calls: [{ call: team_members }, { call: channel_read }] }
  - { say: The first is done., remembers: 'encrypted_content' }
- turns:
  - { think: hm, call: team_members, remembers: 'encrypted_content(?s:.*)The first is done' }
  - { say: The second is done. }
";
    let stage = Stage::new(scenario, QUICK);
    begin(&stage, &stage.alone("as-responses/gpt-6.1-sol", ""));
    let said = stage.home.ok(&["ask", "alice@team", "the second thing"]);
    assert!(said.contains("The second is done."), "{said}");
    assert_eq!(stage.used(), stage.model.usage());
    assert_eq!(stage.used().reasoning, Some(20));
    assert_eq!(refused(&stage), serde_json::json!({}), "nothing was refused on the way");
    block_on(stage.home.assert_promises_kept());
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn a_current_model_that_is_asked_through_chat_names_the_setting_that_helps() {
    let stage = Stage::new("conversations: [{ turns: [{ say: never }] }]", QUICK);
    let ended = stage.home.run(&["run", &stage.alone("as-openai/gpt-6.1-sol", "")]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let agent = stage.home.json(&["info", "alice@team"]);
    let reason = agent["agent"]["paused_reason"].as_str().unwrap();
    for told in [
        "Function tools with reasoning_effort are not supported for gpt-6.1-sol in \
         /v1/chat/completions",
        "`wire = \"responses\"` under `[providers.as-openai]`",
        "agent-worker resume alice@team",
    ] {
        assert!(reason.contains(told), "{reason}");
    }
}

#[test]
fn a_session_of_300_rounds_is_shortened_four_times_and_goes_on() {
    let part = "  - { think: hm, call: team_members, times: 75 }\n  \
         - { refuse: 400, message: 'prompt is too long: 200001 tokens > 200000 maximum' }\n";
    let end = "  - { think: hm, call: team_members }\n  - { say: It is done. }\n";
    // The second run loses the first when it is shortened, and with it what it began with.
    let scenario = format!(
        "conversations:\n- when: the first thing\n  turns:\n{part}{part}{end}\
         - when: the second thing\n  times: 1\n  turns:\n{part}\
         - when: the second thing\n  turns:\n{part}{end}"
    );
    let stage = Stage::new(&scenario, QUICK);
    begin(&stage, &stage.alone("as-anthropic/claude-sonnet-5-5", "max_steps: 400"));
    let said = stage.home.ok(&["ask", "alice@team", "the second thing"]);
    assert!(said.contains("It is done."), "{said}");
    let runs = stage.runs();
    let notices: Vec<_> = block_on(async {
        let client = stage.client();
        let mut all = Vec::new();
        for run in runs {
            all.extend(transcript(&client, run.id).await);
        }
        all.into_iter()
            .filter(|(kind, _)| *kind == BlockKind::Notice)
            .map(|(_, text)| text)
            .collect()
    });
    assert_eq!(notices.len(), 4, "{notices:?}");
    assert!(
        notices.iter().all(|notice| notice.contains("older rounds are left out")),
        "{notices:?}"
    );
    assert_eq!(refused(&stage), serde_json::json!({ "400": 4 }), "and no thinking was refused");
    assert!(stage.model.counts()["answered"].as_u64() > Some(300));
    block_on(stage.home.assert_promises_kept());
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn thinking_that_is_refused_is_left_out_for_good() {
    let bound = "messages.1.content.0: The block is bound to a different conversation";
    let unread = "The encrypted content gAAA...DQ== could not be verified.";
    for (provider, says, seal) in [
        ("as-anthropic", bound, r#""signature""#),
        ("as-responses", unread, r#""encrypted_content""#),
    ] {
        let scenario = format!(
            "conversations:\n- when: the first thing\n  turns:\n  \
             - {{ think: hm, say: I look., call: team_members }}\n  \
             - {{ say: The first is done., remembers: '{seal}' }}\n\
             - when: the second thing\n  turns:\n  \
             - {{ refuse: 400, message: '{says}', remembers: '{seal}' }}\n  \
             - {{ say: The second is done., forgets: '{seal}' }}\n\
             - turns: [{{ say: The third is done., forgets: '{seal}' }}]\n"
        );
        let stage = Stage::new(&scenario, QUICK);
        begin(&stage, &stage.alone(&format!("{provider}/m-1"), ""));
        for (thing, done) in [("second", "The second is done."), ("third", "The third is done.")] {
            let said = stage.home.ok(&["ask", "alice@team", &format!("the {thing} thing")]);
            assert!(said.contains(done), "{provider}: {said}");
        }
        assert_eq!(refused(&stage), serde_json::json!({ "400": 1 }), "{provider}");
        block_on(stage.home.assert_promises_kept());
        stage.home.ok(&["stop", "@team"]);
    }
}

#[test]
fn thinking_is_left_out_before_a_server_refuses_it_behind_other_tools() {
    let scenario = "conversations:\n- turns:\n  \
         - { think: hm, call: team_members, hold: proposal }\n  \
         - { call: team_vote, with: { proposal: prop_1, choice: approve } }\n  \
         - { say: I have voted., expect: resolved }\n";
    let stage = Stage::new(scenario, QUICK);
    let team = stage.alone("as-anthropic/claude-sonnet-5-5", "");
    stage.home.ok(&["start", &team, "--background"]);
    let run = block_on(async {
        let mut watch = Watch::all(&stage.client()).await;
        stage.model.asked(1).await;
        let ask = ["proposal", "create", "approval", "merge?", "--electors", "alice"];
        stage.home.ok(&[&ask[..], &["--in", "@team"]].concat());
        stage.model.release("proposal").await;
        watch.run_ended(|_| true).await
    });
    assert_eq!(run.state, RunState::Succeeded, "{run:?}");
    assert_eq!(refused(&stage), serde_json::json!({}), "nothing was refused on the way");
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn a_call_that_is_cut_is_made_again_in_parts() {
    for provider in PROVIDERS {
        let scenario = r#"conversations:
- turns:
  - { calls: [{ call: team_members }, { call: team_doc_write, raw: '{"content": "a very lo' }], stop: length }
  - { call: team_doc_write, raw: '', stop: length, expect: '"members"(?s:.*)cut off at the longest answer' }
  - { call: team_members, expect: 'nothing was done(?s:.*)in parts' }
  - { call: team_doc_write, raw: '{"content": "again a very lo', stop: length }
  - { say: Now it is done. }
"#;
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("Now it is done."), "{provider}: {said}");
        assert_eq!(stage.told(BlockKind::ToolResult).len(), 5, "{provider}");
    }
}

#[test]
fn a_third_call_in_a_row_that_is_cut_fails_the_run_as_too_long() {
    for provider in PROVIDERS {
        let scenario = r#"conversations:
- turns: [{ call: team_doc_write, raw: '{"content": "a very lo', stop: length, times: 100 }]
"#;
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let ended = stage.home.run(&["run", &team]);
        assert_eq!(ended.code, Some(5), "{provider}: {ended:?}");
        let [run] = &stage.runs()[..] else { panic!("one run") };
        assert_eq!(run.class, Some(FailureClass::Permanent));
        assert!(run.error.as_ref().unwrap().starts_with("too_long: "), "{run:?}");
        assert_eq!(stage.model.counts()["answered"], 3, "{provider}");
    }
}

#[test]
fn an_answer_may_be_as_long_as_its_model_allows() {
    let scenario = "longest: 48000\nconversations: [{ turns: [{ say: Done. }] }]";
    let asked = |provider: &str, lines: &str| {
        let stage = Stage::new(scenario, QUICK);
        let said = stage.home.ok(&["run", &stage.alone(&format!("{provider}/m-1"), lines)]);
        assert!(said.contains("Done."), "{said}");
        assert_eq!(refused(&stage), serde_json::json!({}));
        stage.model.counts()["log"][0]["max_tokens"].clone()
    };
    assert_eq!(asked("as-anthropic", ""), 48_000, "its server tells it");
    assert_eq!(asked("as-anthropic", "max_tokens: 900"), 900);
    assert_eq!(asked("as-openai", ""), serde_json::Value::Null, "its server decides");
    assert_eq!(asked("as-responses", ""), serde_json::Value::Null);
}

#[test]
fn thinking_is_seen_where_a_model_shows_it_and_off_where_it_is_off() {
    let scenario = "conversations: [{ turns: [{ think: First I think., say: Done. }] }]";
    for (model, refusals) in [
        ("as-anthropic/claude-sonnet-5-5", 0),
        ("as-anthropic/m-1", 0),
        ("as-responses/gpt-6.1-sol", 0),
    ] {
        for (lines, seen) in [("", 1), ("thinking: max", 1), ("thinking: off", 0)] {
            let stage = Stage::new(scenario, QUICK);
            stage.home.ok(&["run", &stage.alone(model, lines)]);
            assert_eq!(stage.told(BlockKind::Thinking).len(), seen, "{model} {lines}");
            let refused = refused(&stage)["400"].as_u64().unwrap_or(0);
            assert_eq!(refused, refusals, "{model} {lines}");
        }
    }
}

#[test]
fn an_older_model_teaches_how_it_thinks() {
    let scenario = "conversations: [{ turns: [{ think: First I think., say: Done. }] }]";
    for (model, lines) in [
        ("as-anthropic/claude-sonnet-4-5", ""),
        ("as-anthropic/claude-sonnet-4-5", "thinking: high"),
        ("as-responses/gpt-4.1", ""),
        ("as-responses/gpt-4.1", "thinking: max"),
    ] {
        let stage = Stage::new(scenario, QUICK);
        let said = stage.home.ok(&["run", &stage.alone(model, lines)]);
        assert!(said.contains("Done."), "{model} {lines}: {said}");
        assert!(refused(&stage)["400"].as_u64() > Some(0), "{model} {lines}");
    }
}

#[test]
fn deepseek_gets_its_thinking_back_also_from_turns_without_calls() {
    let scenario = r"conversations:
- when: the first thing
  turns: [{ think: hm, say: The first is done. }]
- turns:
  - { think: so, call: team_members, remembers: '\x22reasoning_content\x22:\x22hm\x22' }
  - { say: The second is done., remembers: '\x22reasoning_content\x22:\x22so\x22' }
";
    let stage = Stage::new(scenario, QUICK);
    begin(&stage, &stage.alone("as-openai/deepseek-v4-pro", ""));
    let said = stage.home.ok(&["ask", "alice@team", "the second thing"]);
    assert!(said.contains("The second is done."), "{said}");
    assert_eq!(refused(&stage), serde_json::json!({ "400": 1 }), "it is learned once");
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn check_warns_of_a_model_that_was_retired_or_has_no_known_price() {
    let home = Home::new();
    for (model, told) in [
        ("anthropic/claude-3-5-haiku-20241022", "was retired on 2026-02-19"),
        ("openai/gpt-99", "the price of `openai/gpt-99` is unknown"),
    ] {
        home.write(
            "team.yaml",
            &format!("agents:\n  ann: {{ model: {model} }}\nkickoff: '@ann go'\n"),
        );
        let checked = home.run(&["check", "team.yaml"]);
        let shown = format!("{}{}", checked.stdout, checked.stderr);
        assert!(shown.contains(told), "{model}: {shown}");
    }
    home.ok(&["daemon", "stop"]);
}

#[test]
fn check_warns_of_a_program_whose_cost_no_limit_counts() {
    let own = "provider: { base_url: 'http://127.0.0.1:9/v1' }";
    let priced = "[providers.house]\nbase_url = \"http://127.0.0.1:9/v1\"\n\
        [providers.house.prices]\nm-1 = { input = 1.0, output = 1.0 }\n";
    let home = Home::with_config(priced);
    for (agent, unpriced) in [
        (format!("backend: codex, model: gpt-5.5, {own}"), Some("`gpt-5.5`")),
        (format!("backend: codex, {own}"), Some("the model that `codex` chooses")),
        ("backend: codex".to_owned(), Some("the model that `codex` chooses")),
        ("backend: codex, model: gpt-99".to_owned(), Some("`gpt-99`")),
        // What this provider tells of the cost, the program does not pass on.
        ("backend: codex, model: openrouter/a/b".to_owned(), Some("`openrouter/a/b`")),
        ("backend: gemini, model: gemini-2.5-pro".to_owned(), Some("`gemini-2.5-pro`")),
        ("backend: codex, model: gpt-5.5".to_owned(), None),
        ("backend: codex, model: house/m-1".to_owned(), None),
        (format!("backend: claude, model: m-1, {own}"), None),
        ("backend: claude".to_owned(), None),
        ("backend: opencode, model: a/b".to_owned(), None),
    ] {
        let file =
            |lines: &str| format!("agents:\n  ann: {{ {agent} }}\n{lines}kickoff: '@ann go'\n");
        home.write("team.yaml", &file("limits: { cost: 1 }\n"));
        let checked = home.run(&["check", "team.yaml"]);
        let shown = format!("{}{}", checked.stdout, checked.stderr);
        let told = unpriced.map(|model| {
            format!(
                "the price of {model} is unknown: `limits: cost` does not count what `ann` uses"
            )
        });
        match told {
            Some(told) => assert!(shown.contains(&told), "{agent}: {shown}"),
            None => assert!(!shown.contains("the price of"), "{agent}: {shown}"),
        }
        home.write("team.yaml", &file(""));
        let checked = home.run(&["check", "team.yaml"]);
        assert!(!format!("{checked:?}").contains("`limits: cost`"), "{agent}: {checked:?}");
    }
    let retired = "backend: claude, model: claude-3-5-haiku-20241022";
    home.write("team.yaml", &format!("agents:\n  ann: {{ {retired} }}\nkickoff: '@ann go'\n"));
    let checked = format!("{:?}", home.run(&["check", "team.yaml"]));
    assert!(checked.contains("was retired on 2026-02-19"), "{checked}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn newer_prices_are_taken_from_a_file() {
    let home = Home::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/prices/litellm.json");
    let text = std::fs::read_to_string(file).unwrap();
    // The real file is longer than any workflow file may be.
    let long =
        format!("{}{}", text.replace("\"xai/grok-4.7\"", "\"xai/grok-99\""), " ".repeat(2 << 20));
    home.write("litellm.json", &long);
    let taken = home.ok(&["providers", "update", "litellm.json"]);
    assert!(taken.contains("models from 5 providers"), "{taken}");
    let listed = home.json(&["providers", "xai"]);
    let prices = &listed["providers"][0]["provider"]["prices"];
    assert_eq!(prices["grok-99"]["over"]["tokens"], 200_000, "{listed}");
    assert_eq!(prices["grok-4.5"]["input"], 2.0, "what the file does not have stays");
    let shown = home.ok(&["providers", "anthropic"]);
    assert!(shown.contains("0.5/2.5 over 100k") && shown.contains("prices as of 2"), "{shown}");
    home.write("broken.json", "{}");
    let refused = home.run(&["providers", "update", "broken.json"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("no model of a known provider has a price"), "{refused:?}");
    home.ok(&["daemon", "stop"]);
}
