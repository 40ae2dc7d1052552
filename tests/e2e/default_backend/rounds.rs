//! The conversation of a run: tools, mail that comes meanwhile, what is too long.

use agent_worker_protocol::{BlockKind, ChannelSend, DocWrite, RunState, Scope, Target};

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Watch, block_on};

fn scope() -> Scope {
    "@team".parse().unwrap()
}

#[test]
fn mail_that_comes_meanwhile_is_a_further_turn_and_is_read_once() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { call: team_members, hold: mail }\n  \
             - { call: my_inbox, expect: 'New in your inbox(?s:.*)and this too' }\n  \
             - { call: team_members }\n  \
             - { say: 'Both are done.', expect: '\"members\"' }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        stage.home.ok(&["start", &team, "--background"]);
        let run = block_on(async {
            let client = stage.client();
            let mut watch = Watch::all(&client).await;
            stage.model.asked(1).await;
            let sent = ChannelSend {
                message: "@alice and this too".to_owned(),
                to: vec![],
                intent: None,
                reply_to: None,
            };
            client.at(Target::scope(scope())).call(&sent).await.unwrap();
            stage.model.release("mail").await;
            watch.run_ended(|_| true).await
        });
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        let news = stage.told(BlockKind::Prompt);
        assert_eq!(news.len(), 2, "the prompt, and the mail once: {news:?}");
        assert_eq!(news[1].matches("and this too").count(), 1, "{news:?}");
        block_on(stage.home.assert_promises_kept());
        stage.home.ok(&["stop", "@team"]);
    }
}

#[test]
fn a_call_is_made_only_once_its_answer_is_whole() {
    let scenario = "conversations:\n- turns: \
                    [ { call: shell, with: { command: sleep 600 }, pace: 100ms } ]\n";
    for provider in PROVIDERS {
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "tools: [shell]")], "@alice go");
        block_on(async {
            let mut watch = Watch::now(&stage.client()).await;
            stage.home.ok(&["start", &team, "--background"]);
            watch.run_is("alice", "writing a call of shell").await;
            let run = watch.run_is("alice", "calling shell").await;
            stage.home.ok(&["cancel", &run.id.to_string()]);
            watch.run_ended(|ended| ended.id == run.id).await;
        });
    }
}

#[test]
fn tools_to_vote_with_come_when_a_proposal_is_opened_in_the_middle_of_a_run() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { call: team_members, hold: proposal }\n  \
             - { call: team_vote, with: { proposal: prop_1, choice: approve } }\n  \
             - { say: I have voted., expect: resolved }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
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
        stage.home.ok(&["stop", "@team"]);
    }
}

#[test]
fn a_long_result_is_cut_with_how_to_get_the_rest() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { call: team_members, hold: document }\n  \
             - { call: team_doc_read, with: { limit: 900000 } }\n  \
             - { say: I have seen it., expect: 'cut after 49152 of \\d+ bytes: call it again with `offset`' }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        stage.home.ok(&["start", &team, "--background"]);
        let run = block_on(async {
            let client = stage.client();
            let mut watch = Watch::all(&client).await;
            let write = DocWrite {
                content: "long ".repeat(200_000),
                file: Some("notes.md".to_owned()),
                if_version: None,
            };
            client.at(Target::scope(scope())).call(&write).await.unwrap();
            stage.model.release("document").await;
            watch.run_ended(|_| true).await
        });
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        stage.home.ok(&["stop", "@team"]);
    }
}

#[test]
fn a_conversation_that_is_too_long_goes_on_with_what_was_done_in_it() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { call: channel_read, times: 9 }\n  \
             - { refuse: 400, message: 'prompt is too long: 200001 tokens > 200000 maximum' }\n  \
             - { say: I go on., remembers: What you have done so far }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("I go on."), "{provider}: {said}");
        let notices = stage.told(BlockKind::Notice);
        assert!(notices[0].contains("older rounds are left out"), "{notices:?}");
    }
}

#[test]
fn a_conversation_is_made_shorter_as_long_as_something_is_left_to_leave_out() {
    // The first time its old rounds go, the second time most of its long results.
    let scenario = "conversations:\n- turns:\n  \
         - { call: shell, with: { command: 'yes | head -c 9000' }, times: 9 }\n  \
         - { refuse: 400, message: prompt is too long, times: 2 }\n  \
         - { say: I go on., remembers: the rest was left out }\n";
    let stage = Stage::new(scenario, QUICK);
    // A scripted model of the other wires takes a conversation that begins otherwise for another.
    let team = stage.team("as-anthropic", &[("alice", "tools: [shell]")], "@alice go");
    let said = stage.home.ok(&["run", &team]);
    assert!(said.contains("I go on."), "{said}");
    let notices = stage.told(BlockKind::Notice);
    assert_eq!(notices.len(), 2, "{notices:#?}");
}

#[test]
fn an_answer_that_is_too_long_is_continued() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { say: 'This is the first half, ', stop: length }\n  \
             - { say: and this is the second., expect: Go on exactly where it broke off }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "max_tokens: 9")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("This is the first half, and this is the second."), "{said}");
    }
}

#[test]
fn an_answer_that_is_continued_grows_without_a_seam() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { say: The quick bro, stop: length }\n  \
             - { think: hm, say: wn fox., expect: Go on exactly where it broke off }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "max_tokens: 9")], "hello");
        stage.home.ok(&["start", &team, "--background"]);
        let said = stage.home.ok(&["ask", "alice@team", "which fox?"]);
        assert_eq!(said, "The quick brown fox.\n", "{provider}");
    }
}

#[test]
fn an_answer_without_an_end_is_posted_with_where_it_was_cut() {
    for stop in ["length", "pause"] {
        let turn = format!("  - {{ say: 'and on ', stop: {stop} }}\n");
        let scenario = format!("conversations:\n- turns:\n{}", turn.repeat(4));
        let stage = Stage::new(&scenario, QUICK);
        let team = stage.team(PROVIDERS[0], &[("alice", "max_tokens: 9")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("and on and on and on and on"), "{stop}: {said}");
        let mark = "[cut off: the answer is longer than the model may make it]";
        assert!(said.contains(mark), "{stop}: {said}");
        let notices = stage.told(BlockKind::Notice);
        assert!(notices.iter().any(|notice| notice.contains("is posted cut off")), "{notices:?}");
    }
}

#[test]
fn an_answer_that_no_message_holds_is_posted_with_where_it_was_cut() {
    let scenario =
        format!("conversations: [{{ turns: [{{ say: '{}' }}] }}]\n", "word ".repeat(400));
    let stage = Stage::new(&scenario, &format!("{QUICK}[messages]\nmax_bytes = 1000\n"));
    let team = stage.team(PROVIDERS[0], &[("alice", "")], "@alice go");
    let said = stage.home.ok(&["run", &team]);
    assert!(said.contains("word") && said.contains("[the rest is not kept]"), "{said}");
}

#[test]
fn a_refusal_is_told_to_whoever_asked() {
    for provider in PROVIDERS {
        let stage = Stage::new("conversations: [{ turns: [{ say: '', stop: refusal }] }]", QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("The model declined to answer."), "{provider}: {said}");
        let stage = Stage::new("conversations: [{ turns: [{ say: I c, stop: refusal }] }]", QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        let mark = "[not finished: the model declined to go on]";
        assert!(said.contains("I c") && said.contains(mark), "{provider}: {said}");
        let notice = &stage.told(BlockKind::Notice)[0];
        assert!(notice.contains("it declined to go on"), "{provider}: {notice}");
    }
}

#[test]
fn what_is_thought_said_and_called_is_in_the_transcript() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { think: First I look., say: Let me see., calls: [{ call: team_members }, { call: channel_read, with: { limit: 2 } }] }\n  \
             - { say: Done. }\n";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        stage.home.ok(&["run", &team]);
        assert_eq!(stage.told(BlockKind::Thinking), ["First I look."]);
        assert_eq!(stage.told(BlockKind::Text), ["Let me see.", "Done."]);
        assert_eq!(stage.told(BlockKind::ToolCall), ["{}", "{\"limit\":2}"]);
        let results = stage.told(BlockKind::ToolResult);
        assert!(results[0].contains("members") && results[1].contains("@alice go"), "{results:?}");
    }
}
