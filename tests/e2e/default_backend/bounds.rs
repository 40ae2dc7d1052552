//! What a run may not exceed.

use agent_worker_protocol::{BlockKind, FailureClass, RunState};
use rustix::process::{Pid, Signal};

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Home, Watch, block_on, own_memory};

#[test]
fn an_agent_that_comes_to_no_end_is_paused() {
    for provider in PROVIDERS {
        let scenario = "conversations: [{ turns: [{ call: team_members, times: 100 }] }]";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "max_steps: 3")], "@alice go");
        let ended = stage.home.run(&["run", &team]);
        assert_eq!(ended.code, Some(5), "{ended:?}");
        let [run] = &stage.runs()[..] else { panic!("one run") };
        assert_eq!(run.class, Some(FailureClass::Permanent));
        let error = run.error.as_ref().unwrap();
        assert!(error.contains("3 rounds of model and tools"), "{error}");
        assert!(error.ends_with("resume alice@team goes on with up to 3 more"), "{error}");
        assert_eq!(stage.model.counts()["answered"], 3);
    }
}

#[test]
fn an_agent_whose_longest_answer_never_fits_is_told_to_lower_it() {
    let refusal = "{ refuse: 400, times: 9, message: '`max_tokens` exceeds the context window' }";
    let scenario = format!("conversations: [{{ turns: [{refusal}] }}]");
    for provider in PROVIDERS {
        let stage = Stage::new(&scenario, QUICK);
        let team = stage.team(provider, &[("alice", "max_tokens: 900")], "@alice go");
        let ended = stage.home.run(&["run", &team]);
        assert_eq!(ended.code, Some(5), "{provider}: {ended:?}");
        let [run] = &stage.runs()[..] else { panic!("one run") };
        assert!(run.error.as_ref().unwrap().contains("set a lower `max_tokens`"), "{run:?}");
        assert_eq!(stage.model.counts()["requests"], 1, "{provider}");
    }
}

/// An agent that plays this does not come to an end by itself.
const ENDLESS: &str = "usage: { input: 40, output: 2, cache_read: 100 }\n\
    conversations: [{ turns: [{ call: team_members, sleep: 50ms, times: 150 }] }]";

/// What the model costs: an answer of the one above 400 for what it reads, 20 for what it writes
/// and 10 for what was cached, in millionths of a dollar.
const PRICES: &str = "[providers.as-anthropic.prices]\n\
    m-1 = { input = 10.0, output = 10.0, cache_read = 0.1 }\n\
    [providers.as-openai.prices]\nm-1 = { input = 10.0, output = 10.0, cache_read = 0.1 }\n\
    [providers.as-responses.prices]\nm-1 = { input = 10.0, output = 10.0, cache_read = 0.1 }\n";

/// Plays the endless one until a limit ends it: the mail is held, and a higher limit lets it go.
fn ends_in_the_middle(config: &str, limit: &str, raised: &str, because: &str) {
    for provider in PROVIDERS {
        let stage = Stage::new(ENDLESS, &format!("{QUICK}{config}"));
        let limits = format!("limits: {{ {limit} }}");
        let team = stage.team_with(provider, &[("alice", "")], "@alice go", &limits);
        let ended = stage.home.run(&["run", &team]);
        assert_eq!(ended.code, Some(5), "{ended:?}");
        let [run] = &stage.runs()[..] else { panic!("one run") };
        assert_eq!(run.state, RunState::OverBudget, "{run:?}");
        assert!(stage.model.counts()["requests"].as_u64() < Some(20), "it ends in the middle");
        let inbox = stage.home.json(&["inbox", "alice@team", "--all"]);
        let delivery = &inbox["messages"][0]["delivery"];
        assert_eq!(delivery["state"], "held", "{inbox}");
        let reason = delivery["held_reason"].as_str().unwrap();
        assert!(reason.starts_with("budget: ") && reason.contains(because), "{reason}");
        stage.home.ok(&["limits", "@team", raised]);
        block_on(async {
            let mut watch = Watch::all(&stage.client()).await;
            watch.run_ended(|run| run.id.number() == 2).await;
        });
    }
}

#[test]
fn a_budget_of_tokens_ends_a_run_in_the_middle() {
    ends_in_the_middle("", "tokens: 100", "tokens=200", "of 100 tokens are used");
}

#[test]
fn a_budget_of_dollars_ends_a_run_in_the_middle() {
    ends_in_the_middle(PRICES, "cost: 0.001", "cost=0.002", "of $0.0010 are used");
}

#[test]
fn what_is_used_has_its_price_and_what_nobody_knows_is_no_zero() {
    let scenario = "usage: { input: 40, output: 2, cache_read: 100 }\n\
                    conversations: [{ turns: [{ call: team_members, times: 3 }, { say: Done. }] }]";
    for provider in PROVIDERS {
        let stage = Stage::new(scenario, &format!("{QUICK}{PRICES}"));
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        stage.home.ok(&["run", &team]);
        let cents = |value: &serde_json::Value| value.as_f64().map(|cost| (cost * 1e6).round());
        let runs = stage.home.json(&["runs"]);
        assert_eq!(cents(&runs["runs"][0]["cost"]), Some(4.0 * 430.0), "{runs}");
        let info = stage.home.json(&["info", "@team"]);
        assert_eq!(cents(&info["used"]["cost"]), Some(4.0 * 430.0), "{info}");
        let shown = stage.home.ok(&["status"]);
        assert!(shown.contains("$0.0017"), "{shown}");

        let unknown = Stage::new(scenario, QUICK);
        let team =
            unknown.team_with(provider, &[("alice", "")], "@alice go", "limits: { cost: 1 }");
        let told = unknown.home.ok(&["check", &team]);
        let model = format!("the price of `{provider}/m-1` is unknown");
        assert!(told.contains(&model), "{told}");
        unknown.home.ok(&["run", &team]);
        let runs = unknown.home.json(&["runs"]);
        assert_eq!(runs["runs"][0]["cost"], serde_json::Value::Null, "{runs}");
        assert_eq!(runs["runs"][0]["usage"]["input"], 160, "{runs}");
    }
}

#[test]
fn an_impossible_count_of_a_server_is_left_out_and_the_work_is_done() {
    // More tokens than any answer has, and possible ones that cost more than any answer does.
    for (usage, notice) in [
        ("input: 40, output: 4000000000", "part of its usage is impossible and is not counted"),
        ("input: 1000000000, output: 1000000000", ""),
    ] {
        let scenario = format!(
            "usage: {{ {usage} }}\n\
             conversations: [{{ turns: [{{ call: team_members }}, {{ say: Done. }}] }}]"
        );
        for provider in PROVIDERS {
            let stage = Stage::new(&scenario, &format!("{QUICK}{PRICES}"));
            let team = stage.team(provider, &[("alice", "")], "@alice go");
            let said = stage.home.ok(&["run", &team]);
            assert!(said.contains("Done."), "{provider} {usage}: {said}");
            let [run] = &stage.runs()[..] else { panic!("{provider} {usage}") };
            assert_eq!(run.state, RunState::Succeeded, "{run:?}");
            let told = stage.told(BlockKind::Notice).join("\n");
            assert!(told.contains(notice), "{provider} {usage}: {told}");
            assert_eq!(told.is_empty(), notice.is_empty(), "{provider} {usage}: {told}");
        }
    }
}

#[test]
fn providers_are_listed_with_their_keys_and_their_prices() {
    let stage = Stage::new("conversations: []", PRICES);
    let stored = stage.home.run_with(&["keys", "set", "OPENAI_API_KEY"], "sk-secret-1234");
    assert_eq!(stored.code, Some(0), "{stored:?}");
    let shown = stage.home.ok(&["providers"]);
    for told in ["OPENAI_API_KEY is set", "ANTHROPIC_API_KEY is missing", "as-openai"] {
        assert!(shown.contains(told), "{shown}");
    }
    let listed = stage.home.json(&["providers", "as-openai"]);
    assert_eq!(listed["providers"][0]["provider"]["prices"]["m-1"]["output"], 10.0, "{listed}");
    assert_eq!(listed["providers"][0]["has_key"], serde_json::Value::Null);
    let refused = stage.home.run(&["providers", "opanai"]);
    assert!(refused.stderr.contains("did you mean `openai`?"), "{refused:?}");
    assert!(!format!("{shown}{listed}").contains("sk-secret"), "a key is shown");
}

#[test]
fn a_long_run_stays_small() {
    let scenario = "conversations:\n- turns:\n  \
         - { call: channel_read, say: 'I look again.', times: 198 }\n  - { call: team_members, hold: weighed }\n  - { say: Done. }\n";
    let stage = Stage::new(scenario, QUICK);
    let team = stage.team(PROVIDERS[0], &[("alice", "")], "@alice go");
    stage.home.ok(&["start", &team, "--background"]);
    let kib = block_on(async {
        let client = stage.client();
        let mut watch = Watch::all(&client).await;
        stage.model.asked(199).await;
        let workers = stage.home.members().beginning("agent-worker worker");
        let [worker]: [Pid; 1] = workers.try_into().unwrap();
        let kib = own_memory(worker);
        stage.model.release("weighed").await;
        watch.run_ended(|run| run.state == RunState::Succeeded).await;
        kib
    });
    eprintln!("a worker after 199 rounds: {kib} KiB at most");
    assert!(kib < 12 * 1024, "{kib} KiB");
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn a_scripted_model_says_as_json_where_it_is_reached() {
    let home = Home::new();
    home.write("scenario.yaml", "conversations: []");
    let mut model = home.start(&["fake-model", "scenario.yaml", "--json"]);
    let line: serde_json::Value = serde_json::from_str(&model.first_line()).unwrap();
    assert!(line["ready"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{line}");
    model.signal(Signal::INT);
    assert!(model.wait().success());
}
