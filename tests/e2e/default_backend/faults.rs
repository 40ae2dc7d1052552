//! What goes wrong between a worker and its model.

use agent_worker_protocol::{BlockKind, FailureClass, Run, RunCancel, RunState};

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Home, Watch, block_on, transcript};

/// An agent that meets a fault and then goes on: it calls a tool and says its last word.
fn scenario(fault: &str) -> String {
    format!(
        "usage: {{ input: 100, output: 7, cache_read: 30 }}\n\
         conversations:\n- turns:\n  - {fault}\n  \
         - {{ think: hm, say: I look., call: team_members }}\n  \
         - {{ say: All is well., expect: alice }}\n"
    )
}

/// Plays a fault in both interfaces. The work is done in one run, once, and counted as the model
/// counts it.
fn goes_on(fault: &str, config: &str, notice: &str) {
    for provider in PROVIDERS {
        let stage = Stage::new(&scenario(fault), config);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("All is well."), "{provider} {fault}: {said}");
        let runs = stage.runs();
        assert_eq!(runs.len(), 1, "{provider} {fault}: {runs:?}");
        assert_eq!(stage.used(), stage.model.usage(), "{provider} {fault}");
        let told = stage.told(BlockKind::Notice).join("\n");
        assert!(told.contains(notice), "{provider} {fault}: {told}");
        assert_eq!(stage.told(BlockKind::ToolResult).len(), 1, "{provider} {fault}");
        block_on(stage.home.assert_promises_kept());
        stage.home.assert_only_the_daemon_is_left();
    }
}

#[test]
fn a_model_that_is_busy_is_asked_again_when_it_says() {
    goes_on(
        "{ refuse: 429, retry_after: 100ms, message: slow down }",
        QUICK,
        "429: slow down: it is asked again in 1",
    );
}

#[test]
fn a_model_that_is_overloaded_is_asked_again() {
    goes_on("{ refuse: 529 }", QUICK, "it answered 529");
}

#[test]
fn a_model_that_fails_three_times_is_asked_a_fourth_time() {
    goes_on("{ refuse: 500, times: 3 }", QUICK, "it answered 500");
}

#[test]
fn an_answer_that_is_cut_off_begins_anew() {
    goes_on(
        "{ say: This is never finished and never counts., call: fly, break: cut }",
        QUICK,
        "cut off",
    );
}

#[test]
fn an_error_in_the_middle_of_an_answer_begins_it_anew() {
    goes_on("{ say: This is never finished., break: error }", QUICK, "it broke off its answer");
}

#[test]
fn an_answer_that_makes_no_sense_begins_anew() {
    goes_on("{ say: This is never finished., break: garbage }", QUICK, "makes no sense");
}

#[test]
fn a_connection_that_is_dropped_is_made_again() {
    goes_on("{ break: drop }", QUICK, "it cannot be reached");
}

#[test]
fn a_model_that_falls_silent_is_asked_again() {
    let config = format!("{QUICK}\n").replace("[models]", "[models]\nsilence = \"2s\"");
    goes_on(
        "{ say: This is never finished., break: silence, after: 2 }",
        &config,
        "said nothing for 2s",
    );
}

#[test]
fn arguments_that_are_no_json_are_told_to_the_model() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { call: team_doc_read, raw: '{\"file\": ' }\n  \
             - { calls: [{ call: fly, with: { to: moon } }, { call: team_docs_read }], expect: are not a JSON object }\n  \
             - { say: I see., expect: no tool `fly`, nothing was done }\n";
        let scenario = scenario.replace(
            "expect: no tool `fly`, nothing was done",
            "expect: 'no tool `fly`(?s:.*)did you mean `team_doc_read`'",
        );
        let stage = Stage::new(&scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("I see."), "{provider}: {said}");
        assert_eq!(stage.told(BlockKind::ToolResult).len(), 3);
    }
}

#[test]
fn a_model_that_stays_away_is_left_to_the_daemon() {
    let config = "[models]\nretry_delay = \"10ms\"\nretry_for = \"50ms\"\n\
                  [runs]\nunavailable_delay = \"50ms\"\n";
    for provider in PROVIDERS {
        let stage = Stage::new(&scenario("{ refuse: 503, times: 5 }"), config);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team, "--timeout", "50s"]);
        assert!(said.contains("All is well."), "{provider}: {said}");
        let (last, before) =
            stage.runs().split_last().map(|(l, b)| (l.clone(), b.to_vec())).unwrap();
        assert_eq!(last.state, RunState::Succeeded);
        assert_eq!(last.attempt, 1, "being away uses no attempt");
        assert!(!before.is_empty());
        for run in before {
            assert_eq!(run.class, Some(FailureClass::Unavailable), "{run:?}");
        }
        block_on(stage.home.assert_promises_kept());
    }
}

#[test]
fn a_proxy_that_an_agent_goes_past_is_named_where_its_model_cannot_be_reached() {
    let mut home = Home::with_config(
        "[models]\nretry_delay = \"10ms\"\nretry_for = \"10ms\"\n\
         [runs]\nunavailable_delay = \"1h\"\n\
         [providers.away]\nbase_url = \"http://0.0.0.0:1/v1\"\n",
    );
    home.set("http_proxy", "http://127.0.0.1:1");
    let _daemon = home.daemon();
    let agents = "  ann: { model: away/m }\n  ben: { model: away/m, env: [http_proxy] }\n";
    home.write("team.yaml", &format!("name: team\nagents:\n{agents}kickoff: '@ann @ben go'\n"));
    home.ok(&["start", "team.yaml", "--background"]);
    for (agent, is_named) in [("ann@team", true), ("ben@team", false)] {
        let run = block_on(async {
            let mut watch = Watch::all(&home.client()).await;
            watch.run_ended(|run| run.agent.to_string() == agent).await
        });
        let error = run.error.unwrap();
        assert!(error.contains("it cannot be reached: "), "{error}");
        let hint = "add `http_proxy` to the agent's `env` in its workflow file";
        assert_eq!(error.contains(hint), is_named, "{error}");
    }
    home.ok(&["stop", "@team"]);
}

#[test]
fn the_next_attempt_is_told_of_no_call_of_an_answer_that_broke_off() {
    let config = "[models]\nretry_delay = \"10ms\"\nretry_for = \"50ms\"\n\
                  [runs]\nunavailable_delay = \"50ms\"\n";
    // After this number of events the first of two calls is whole.
    for (provider, after) in PROVIDERS.into_iter().zip([6, 5, 7]) {
        let call = "{ call: channel_send, with: { message: never sent } }";
        let scenario = format!(
            "conversations:\n- turns:\n  \
             - {{ calls: [{call}, {call}], break: error, after: {after}, times: 5 }}\n  \
             - {{ say: All is well., forgets: never sent }}\n"
        );
        let stage = Stage::new(&scenario, config);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team, "--timeout", "50s"]);
        assert!(said.contains("All is well.") && !said.contains("never sent"), "{said}");
        let runs = stage.runs();
        assert!(runs.len() > 1, "{provider}: {runs:?}");
        let blocks = block_on(async { transcript(&stage.client(), runs[0].id).await });
        let streamed = (BlockKind::ToolCall, r#"{"message":"never sent"}"#.to_owned());
        assert!(blocks.contains(&streamed), "{provider}: {blocks:?}");
        block_on(stage.home.assert_promises_kept());
    }
}

#[test]
fn the_next_attempt_is_told_of_no_call_that_the_run_ended_before() {
    let scenario = r#"conversations:
- times: 1
  turns:
  - calls:
    - { call: write, with: { path: a.txt, content: x } }
    - { call: shell, with: { command: "kill -9 $PPID; sleep 600" } }
    - { call: shell, with: { command: "echo never" } }
- turns:
  - say: All is well.
    remembers: 'it was denied, and nothing was done(?s:.*)kill -9'
    forgets: echo never
"#;
    for provider in PROVIDERS {
        let stage = Stage::new(scenario, "[runs]\nretry_delay = \"10ms\"\n");
        let tools = "tools: [write, shell], permissions: { deny: [write] }";
        let team = stage.team(provider, &[("alice", tools)], "@alice go");
        let said = stage.home.ok(&["run", &team, "--timeout", "50s"]);
        assert!(said.contains("All is well."), "{provider}: {said}");
        let ends: Vec<_> = stage.runs().iter().map(|run| run.class).collect();
        assert_eq!(ends, [Some(FailureClass::Transient), None], "{provider}");
        block_on(stage.home.assert_promises_kept());
    }
}

#[test]
fn what_asking_again_does_not_mend_pauses_the_agent_and_says_what_does() {
    for (fault, says) in [
        ("{ refuse: 401, message: who are you }", "wants a key (it answered 401: who are you)"),
        ("{ refuse: 404, message: no such model }", "has no model `m-1`"),
        ("{ refuse: 400, message: m-1 is not a valid model ID }", "has no model `m-1`"),
        (
            "{ refuse: 429, code: insufficient_quota, message: You exceeded your current quota }",
            "until its account has credit or a higher spend limit (it answered 429: You exceeded",
        ),
        (
            "{ refuse: 429, message: 'enforced_spend_limit_reached: 500 dollars' }",
            "until its account has credit or a higher spend limit (it answered 429: enforced_spend",
        ),
        (
            "{ refuse: 400, message: nonsense }",
            "does not do what it is asked (it answered 400: nonsense)",
        ),
        ("{ refuse: 400, message: prompt is too long }", "its prompt is too long for `m-1`"),
    ] {
        for provider in PROVIDERS {
            let stage = Stage::new(&scenario(fault), QUICK);
            let team = stage.team(provider, &[("alice", "")], "@alice go");
            let ended = stage.home.run(&["run", &team]);
            assert_eq!(ended.code, Some(5), "{provider} {fault}: {ended:?}");
            let [run] = &stage.runs()[..] else { panic!("{fault}") };
            assert_eq!(run.class, Some(FailureClass::Permanent));
            let agent = stage.home.json(&["info", "alice@team"]);
            let reason = agent["agent"]["paused_reason"].as_str().unwrap();
            assert!(reason.contains(says), "{provider} {fault}: {reason}");
            // What its file says is read only when it is started again.
            let cure = if says.starts_with("has no model") {
                "agent-worker stop @team and agent-worker start"
            } else {
                "agent-worker resume alice@team"
            };
            assert!(reason.contains(cure), "{reason}");
        }
    }
}

/// A model that first reports its input tokens, and then writes for minutes.
fn slow() -> Stage {
    let scenario = format!(
        "usage: {{ input: 50000, output: 100 }}\n\
         conversations:\n- turns: [ {{ say: {}, pace: 200ms }} ]\n",
        "word ".repeat(1000)
    );
    Stage::new(&scenario, QUICK)
}

/// Starts a team whose agent is at such an answer, and gives its run.
async fn write_slowly(stage: &Stage, watch: &mut Watch) -> Run {
    let team = stage.team("as-anthropic", &[("alice", "")], "@alice go");
    stage.home.ok(&["start", &team, "--detach"]);
    let run = watch.run_is("alice", "writing").await;
    assert_eq!(run.usage.input, Some(50_000), "{run:?}");
    run
}

#[test]
fn what_an_answer_has_used_that_is_broken_off_is_counted() {
    let stage = slow();
    block_on(async {
        let client = stage.home.client();
        let mut watch = Watch::now(&client).await;
        let run = write_slowly(&stage, &mut watch).await;
        client.call(&RunCancel { id: run.id }).await.unwrap();
        let run = watch.run_ended(|ended| ended.id == run.id).await;
        assert_eq!(run.state, RunState::Cancelled, "{run:?}");
        assert_eq!(run.usage.input, Some(50_000), "{run:?}");
    });
}

#[test]
fn what_an_answer_has_used_so_far_outlives_the_daemon() {
    let mut stage = slow();
    block_on(async {
        write_slowly(&stage, &mut Watch::now(&stage.client()).await).await;
    });
    stage.replace_daemon();
    block_on(async {
        let mut watch = Watch::all(&stage.client()).await;
        let run = watch.run_ended(|run| run.id.number() == 1).await;
        assert_eq!((run.state, run.usage.input), (RunState::Lost, Some(50_000)), "{run:?}");
    });
}

#[test]
fn a_budget_ends_an_answer_in_the_middle() {
    let stage = slow();
    let limits = "limits: { tokens: 1000 }";
    let team = stage.team_with("as-anthropic", &[("alice", "")], "@alice go", limits);
    let ended = stage.home.run(&["run", &team]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let [run] = &stage.runs()[..] else { panic!("one run") };
    assert_eq!((run.state, run.usage.input), (RunState::OverBudget, Some(50_000)), "{run:?}");
}
