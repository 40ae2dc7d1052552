//! A run on the screen.

use agent_worker_protocol::{
    AgentState, AttentionItem, AttentionKind, BlockKind, BlockState, Delivery, DeliveryState,
    EventBody, FailureClass, MessageId, OutputEvent, Question, Reason, RunDetail, RunId, RunState,
    Timestamp, Usage, Wanted,
};

use crate::{
    action::Action,
    app::Msg,
    model::{
        Focus,
        effects::Effect,
        requests::{Reply, Request},
    },
    panes::{
        run::Sight,
        tests::{first_word, keeps_its_place, words},
    },
    tests::{
        NOW, Story, agent, begins, block, ends, grows, question, review, run, silent_run, snapshot,
    },
};

const WAKE: &str = "You are reviewer.";

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    let lines: Vec<String> = (1..=count).map(line).collect();
    lines.join("\n") + "\n"
}

/// What a reviewer has done so far, as the design shows it.
fn at_work() -> Vec<OutputEvent> {
    let mut events = block(0, BlockKind::System, "", WAKE, -61_000, -61_000);
    events.extend(block(1, BlockKind::Prompt, "", "2 messages", -61_000, -61_000));
    let thought = "The ids are nanoid strings, so “greater than” is a lexical comparison and the \
                   unread filter drops messages. The fix must compare the sequence number.";
    events.extend(block(2, BlockKind::Thinking, "", thought, -59_000, -53_000));
    events.extend(block(
        3,
        BlockKind::ToolCall,
        "channel_read",
        r#"{"limit":50}"#,
        -53_000,
        -53_000,
    ));
    events.extend(block(
        4,
        BlockKind::ToolResult,
        "channel_read",
        &"x".repeat(3_100),
        -52_959,
        -52_959,
    ));
    events.extend(block(
        5,
        BlockKind::ToolCall,
        "team_doc_read",
        r#"{"file":"notes.md"}"#,
        -52_000,
        -52_000,
    ));
    events.extend(block(
        6,
        BlockKind::ToolResult,
        "team_doc_read",
        &"y".repeat(2_900),
        -51_988,
        -51_988,
    ));
    let said = "I see two callers that still compare ids. I run the inbox tests first, then I \
                answer @coder.";
    events.extend(block(7, BlockKind::Text, "", said, -48_000, -47_000));
    events.extend(block(
        8,
        BlockKind::ToolCall,
        "bash",
        r#"{"command":"cargo test -p daemon -- inbox"}"#,
        -38_000,
        -38_000,
    ));
    events.push(begins(9, BlockKind::ToolResult, "bash", -37_000));
    let lines = lines(36, |number| format!("test inbox::case_{number} ... ok"));
    events.push(grows(9, 0, &lines));
    events.push(begins(10, BlockKind::Thinking, "", -13_000));
    events.push(grows(10, 0, "The failing test acks m-9 and then m-10. As strings “m-10” sorts before “m-9”, so the cursor moves back"));
    events
}

fn reviewer(width: u16, height: u16) -> Story {
    let mut story = Story::review().sized(width, height);
    story.select_agent("reviewer@review");
    story.tell(Msg::Tick);
    story
}

fn told(width: u16, height: u16) -> Story {
    let mut story = reviewer(width, height);
    story.output(8, at_work());
    story
}

/// The main pane alone, from the row under its tabs.
fn main(story: &Story) -> String {
    let screen = story.screen();
    let rows = usize::from(story.app.model.display.size.1) - 4;
    let lines = screen
        .lines()
        .skip(2)
        .take(rows)
        .map(|line| line.split_once("│ ").map_or("", |(_, main)| main));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn detail() -> RunDetail {
    RunDetail {
        run: run(8, "reviewer@review"),
        mail: vec![MessageId::new(1), MessageId::new(4)],
        result: None,
        stderr: None,
        cwd: None,
        pid: Some(41_207),
        by_hand: None,
    }
}

/// The mail of the reviewer's run, which is retried in `after` milliseconds.
fn waits(after: i64) -> Delivery {
    Delivery {
        message: MessageId::new(1),
        agent: "reviewer@review".parse().unwrap(),
        state: DeliveryState::Waiting,
        reason: Reason::Mention,
        wakes: true,
        attempts: 1,
        held_reason: None,
        not_before: Some(Timestamp(NOW + after)),
        last_error: None,
        run: Some(RunId::new(8)),
        marked: false,
    }
}

fn know(story: &mut Story, detail: RunDetail) {
    let request = Request::Run(detail.run.id);
    story.tell(Msg::Answer(Box::new(request), Ok(Reply::Run(Box::new(detail)))));
}

#[test]
fn d_2_a_run_is_seen_as_it_goes_on() {
    let mut story = told(120, 40);
    know(&mut story, detail());
    insta::assert_snapshot!(story.screen(), @r"
     aw │ devbox │ ⠿ live │ 1 running │ 1 queued │ $3.64                                                   as user │ ? help
     reviewer@review  [1 Run] 2 Inbox  3 Queue  4 History  5 Prompt  6 Info                                          follow
     WORKFLOWS                  │ run_8 ⠿ 1m 12s │ attempt 1/3 │ claude-sonnet-4-5 │ in 18.2k out 2.1k │ $0.0900
      All                       │ pid 41207 │ wake: mention msg_1
     ▾ review:main              │───────────────────────────────────────────────────────────────────────────────────────────
      # channel                 │ ▸ wake              2 messages: msg_1, msg_4                                     14:05:11
      ⧗ coder          queued 2 │ ▸ thinking ✓ 6.0s   The ids are nanoid strings, so “greater than” is a lexical…  14:05:13
    ❯ ⠿ reviewer       thinking │ ▸ tool 1   ✓ 41ms   channel_read(limit=50)   3.1k                                14:05:19
      ◦ tester             idle │ ▸ tool 2   ✓ 12ms   team_doc_read(notes.md)   2.9k                               14:05:20
     GLOBAL                     │ ▾ text     ✓                                                                     14:05:24
       none yet                 │     I see two callers that still compare ids. I run the inbox tests first, then I answer
                                │     @coder.
                                │ ▾ tool 3   ⠿ 38s    bash  cargo test -p daemon -- inbox   963                    14:05:34
                                │     test inbox::case_1 ... ok
                                │     test inbox::case_2 ... ok
                                │     test inbox::case_3 ... ok
                                │     … 28 earlier lines (o open)
                                │     test inbox::case_32 ... ok
                                │     test inbox::case_33 ... ok
                                │     test inbox::case_34 ... ok
                                │     test inbox::case_35 ... ok
                                │     test inbox::case_36 ... ok▌
                                │ ▾ thinking ⠿ 13s                                                                 14:05:59
                                │     The failing test acks m-9 and then m-10. As strings “m-10” sorts before “m-9”, so the
                                │     cursor moves back▌
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
     ✎ to reviewer │ i to write: it is read once this run ends
     Enter go in  i write  p peek  x stop  / search  Space menu  : command                                   ? help  q quit
    ");
}

#[test]
fn a_text_that_is_shortened_names_the_key_that_opens_it() {
    let mut story = told(120, 40);
    story.app.model.settings.keymap.set("run", "pager", &["f8".to_owned()]).unwrap();
    assert!(story.screen().contains("… 28 earlier lines (F8 open)"), "{}", story.screen());
}

#[test]
fn a_run_on_a_small_screen_follows_its_end() {
    let story = told(80, 24);
    insta::assert_snapshot!(story.screen(), @r"
     aw │ devbox │ ⠿ live │ 1 running │ 1 queued                   as user │ ? help
     reviewer@review  [1 Run] 2 Inbox  3 Queue  4 Hist  5 Prompt  6 Info     follow
     WORKFLOWS            │ run_8 ⠿ 1m 12s │ attempt 1/3 │ claude-sonnet-4-5
      All                 │ in 18.2k out 2.1k │ $0.0900 │ wake: mention msg_1
     ▾ review:main        │─────────────────────────────────────────────────────────
      # channel           │ ▾ text     ✓
      ⧗ coder    queued 2 │     I see two callers that still compare ids. I run the
    ❯ ⠿ reviewer thinking │     inbox tests first, then I answer @coder.
      ◦ tester       idle │ ▾ tool 3   ⠿ 38s    bash  cargo test -p daemon -…   963
     GLOBAL               │     command: cargo test -p daemon -- inbox
       none yet           │     test inbox::case_1 ... ok
                          │     test inbox::case_2 ... ok
                          │     test inbox::case_3 ... ok
                          │     … 28 earlier lines (o open)
                          │     test inbox::case_32 ... ok
                          │     test inbox::case_33 ... ok
                          │     test inbox::case_34 ... ok
                          │     test inbox::case_35 ... ok
                          │     test inbox::case_36 ... ok▌
                          │ ▾ thinking ⠿ 13s
                          │     The failing test acks m-9 and then m-10. As strings
                          │     “m-10” sorts before “m-9”, so the cursor moves back▌
     ✎ to reviewer │ i to write: it is read once this run ends
     Enter go in  i write  p peek  x stop  / search  Space menu      ? help  q quit
    ");
}

#[test]
fn d_2_a_delta_is_on_the_screen_at_once_and_the_text_is_byte_equal() {
    let mut story = told(120, 40);
    let mut text = String::from(
        "The failing test acks m-9 and then m-10. As strings “m-10” sorts before “m-9”, so the cursor moves back",
    );
    for number in 0..2_000 {
        let piece = format!(" {number}");
        story.output(8, vec![grows(10, text.len(), &piece)]);
        assert_eq!(story.effects, []);
        text.push_str(&piece);
        if number % 500 == 0 {
            assert!(story.screen().contains(&format!(" {number}▌")), "{}", story.screen());
        }
    }
    let transcript = story.app.panes.run.get(RunId::new(8)).unwrap();
    assert_eq!(transcript.blocks[10].text.raw(), text);
}

#[test]
fn e_6_a_delta_with_a_wrong_place_has_the_run_told_again() {
    let mut story = told(120, 40);
    let id = RunId::new(8);
    story.output(8, vec![grows(10, 9_999, "lost")]);
    assert_eq!(story.effects, [Effect::Unfollow(id), Effect::Follow(id)]);
    assert!(!main(&story).contains("lost"));
    story.output(8, at_work());
    assert_eq!(story.effects, []);
    // The delta was news, for which the spinner turned.
    assert_eq!(main(&story), main(&told(120, 40)).replace('⠿', "⠙"));
}

#[test]
fn only_what_is_on_the_screen_is_followed() {
    let mut story = Story::review();
    assert!(!story.effects.iter().any(|effect| matches!(effect, Effect::Follow(_))));
    story.select_agent("reviewer@review");
    assert!(story.effects.contains(&Effect::Follow(RunId::new(8))), "{:?}", story.effects);
    story.tell(Msg::Tick);
    assert_eq!(story.effects, []);
    story.select_agent("coder@review");
    assert!(story.effects.contains(&Effect::Unfollow(RunId::new(8))), "{:?}", story.effects);
    // Output that arrives after that is dropped.
    story.output(8, at_work());
    story.select_agent("reviewer@review");
    assert!(story.effects.contains(&Effect::Follow(RunId::new(8))), "{:?}", story.effects);
}

#[test]
fn of_what_left_the_screen_four_are_kept() {
    let mut picture = snapshot();
    for number in 20..30 {
        let mut other = run(number, "reviewer@review");
        (other.state, other.ended_at) = (RunState::Succeeded, Some(Timestamp(NOW)));
        picture.runs.insert(0, other);
    }
    picture.runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    picture.agents.iter_mut().for_each(|agent| agent.run = None);
    let mut story = Story::of(picture).sized(120, 40);
    story.select_agent("reviewer@review");
    story.app.model.selection.focus = Focus::Main;
    let mut looked_at = Vec::new();
    for _ in 0..9 {
        story.press("<");
        looked_at.extend(story.app.panes.run.shown_in(&story.app.model, Sight::Main));
    }
    let oldest = looked_at.last().copied().unwrap();
    let older = (10..20).rev().map(|number| run(number, "reviewer@review")).collect();
    let page = agent_worker_protocol::Runs { runs: older, more: false };
    let of = Some("reviewer@review".parse().unwrap());
    story.tell(Msg::Answer(Box::new(Request::Runs(of, Some(oldest))), Ok(Reply::Runs(page))));
    for _ in 0..9 {
        story.press("<");
        looked_at.extend(story.app.panes.run.shown_in(&story.app.model, Sight::Main));
    }
    let kept: Vec<RunId> = story.app.panes.run.of.keys().copied().collect();
    looked_at.reverse();
    assert_eq!(kept, looked_at[..5]);
}

#[test]
fn d_9_a_run_that_says_nothing_stands_still_and_says_so() {
    let mut story = told(120, 40);
    let length = story.app.panes.run.get(RunId::new(8)).unwrap().blocks[10].text.raw().len();
    story.output(8, vec![grows(10, length, " so far")]);
    let spinner = story.app.model.progress.pulses[&RunId::new(8)].turns;
    story.wait(12_000);
    let screen = story.screen();
    assert!(screen.contains("silent 12s in thinking"), "{screen}");
    assert_eq!(story.app.model.progress.pulses[&RunId::new(8)].turns, spinner);
}

#[test]
fn d_9_a_spinner_turns_when_its_run_moves_and_not_when_it_is_opened() {
    let turns = |story: &Story| {
        story.app.model.progress.pulses.get(&RunId::new(8)).map_or(0, |pulse| pulse.turns)
    };
    let mut story = told(120, 40);
    assert_eq!(turns(&story), 0);
    story.wait(1_000);
    story.output(8, vec![begins(11, BlockKind::Text, "", 1_000), grows(11, 0, "I")]);
    assert_eq!(turns(&story), 1);
    story.wait(1_000);
    story.output(8, vec![grows(11, 1, " see")]);
    assert_eq!(turns(&story), 2);
    story.select_agent("coder@review").wait(1_000).select_agent("reviewer@review");
    story.output(8, at_work());
    story.output(8, vec![begins(11, BlockKind::Text, "", 1_000), grows(11, 0, "I see")]);
    assert_eq!(turns(&story), 2);
}

#[test]
fn d_9_how_long_a_run_is_silent_is_the_daemons_word_however_late_one_looks() {
    let mut story = told(120, 40);
    let mut hung = run(8, "reviewer@review");
    hung.activity = Some("calling shell".to_owned());
    hung.spoke_at = Some(Timestamp(NOW - 92_000));
    story.happens(EventBody::RunChanged(Box::new(hung.clone())));
    let length = story.app.panes.run.get(RunId::new(8)).unwrap().blocks[10].text.raw().len();
    story.output(8, vec![grows(10, length, "what was said before is told again")]);
    assert!(story.screen().contains("silent 1m 32s in shell"), "{}", story.screen());
    hung.spoke_at = Some(Timestamp(NOW));
    story.happens(EventBody::RunChanged(Box::new(hung)));
    assert!(!story.screen().contains("silent"), "{}", story.screen());
}

#[test]
fn a_run_that_waits_for_an_answer_says_what_it_asks_and_which_key_answers() {
    let mut story = told(120, 40);
    let mut hung = run(8, "reviewer@review");
    hung.spoke_at = Some(Timestamp(NOW - 92_000));
    let mut reviewer = agent("reviewer@review");
    (reviewer.state, reviewer.run) = (AgentState::Waiting, Some(RunId::new(8)));
    let asked = Question { run: Some(RunId::new(8)), ..question(7, "reviewer@review", &["yes"]) };
    story.runs(&hung).agent_is(&reviewer).asks_person(&asked);
    let shown = main(&story);
    assert!(shown.contains("run_8 ? 1m 12s, asks you"), "{shown}");
    assert!(shown.contains("Q answers: may I open a PR?"), "{shown}");
    let long = "which of the two databases is to be used for the new feature, and why is it that?";
    story.asks_person(&Question { text: long.to_owned(), ..asked.clone() });
    // With a short name of its model the rest of the first line is as long as the line.
    hung.model = None;
    story.runs(&hung);
    for width in 80..=180 {
        story = story.sized(width, 40);
        assert!(main(&story).contains("Q answers: w"), "{width}: {}", main(&story));
    }
    story = story.sized(120, 40);
    story.asks_person(&Question { answer: Some("yes".to_owned()), ..asked });
    reviewer.state = AgentState::Running;
    story.agent_is(&reviewer);
    let shown = main(&story);
    assert!(!shown.contains("asks you") && shown.contains("wake: "), "{shown}");
}

#[test]
fn a_silent_run_stands_among_what_needs_the_user() {
    let mut story = told(120, 40);
    story.needs(vec![silent_run()]);
    let screen = story.press("a").screen();
    assert!(screen.contains("~ 1 silent") && screen.contains("NEEDS YOU"), "{screen}");
    assert!(screen.contains("[1 Run]"), "{screen}");
}

#[test]
fn d_10_a_stop_is_stopping_until_the_run_has_ended() {
    let mut story = told(120, 40);
    story.press("x").wait(200).press("y");
    assert_eq!(story.acts().len(), 1);
    for _ in 0..4 {
        story.wait(1_000);
        let main = main(&story);
        assert!(main.contains("s, stopping"), "{main}");
        assert!(!main.contains("stopped") && !main.contains("cancelled"), "{main}");
    }
    let mut ended = run(8, "reviewer@review");
    (ended.state, ended.ended_at) = (RunState::Cancelled, Some(Timestamp(NOW + 4_000)));
    let mut stopped = agent("reviewer@review");
    (stopped.wanted, stopped.state) = (Wanted::Stopped, AgentState::Stopped);
    story.runs(&ended).agent_is(&stopped);
    let main = main(&story);
    assert!(main.contains("▪ cancelled 1m 16s"), "{main}");
    assert!(!main.contains("stopping"), "{main}");
}

#[test]
fn a_run_that_fails_says_how_why_and_what_follows() {
    let mut story = told(120, 44);
    let mut failed = run(8, "reviewer@review");
    failed.state = RunState::Failed;
    failed.class = Some(FailureClass::Transient);
    failed.error = Some("the worker ended without a result".to_owned());
    (failed.exit, failed.ended_at) = (Some(3), Some(Timestamp(NOW + 1_000)));
    let mut waiting = agent("reviewer@review");
    waiting.state = AgentState::Backoff;
    story.runs(&failed).agent_is(&waiting);
    story.happens(EventBody::DeliveryChanged(Box::new(waits(8_000))));
    story
        .output(8, vec![OutputEvent::End { state: RunState::Failed, error: failed.error.clone() }]);
    let stderr = lines(30, |number| format!("line {number}"));
    know(&mut story, RunDetail { run: failed, stderr: Some(stderr), ..detail() });
    insta::assert_snapshot!(main(&story), @r"
    run_8 ✗ failed 1m 13s │ attempt 1/3 │ claude-sonnet-4-5 │ in 18.2k out 2.1k │ $0.0900
    wake: mention msg_1

    ▸ wake              2 messages: msg_1, msg_4                                     14:05:11
    ▸ thinking ✓ 6.0s   The ids are nanoid strings, so “greater than” is a lexical…  14:05:13
    ▸ tool 1   ✓ 41ms   channel_read(limit=50)   3.1k                                14:05:19
    ▸ tool 2   ✓ 12ms   team_doc_read(notes.md)   2.9k                               14:05:20
    ▾ text     ✓                                                                     14:05:24
        I see two callers that still compare ids. I run the inbox tests first, then I answer
        @coder.
    ▸ tool 3   ▪ no answer  bash  cargo test -p daemon -- inbox   963                14:05:34
    ▸ thinking ▪ cut short  The failing test acks m-9 and then m-10. As strings “m…  14:05:59
    ▾ end      ✗ failed  1m 13s
        the worker ended without a result
        transient, exit 3
        standard error:
        line 11
        line 12
        line 13
        line 14
        line 15
        line 16
        line 17
        line 18
        line 19
        line 20
        line 21
        line 22
        line 23
        line 24
        line 25
        line 26
        line 27
        line 28
        line 29
        line 30
        attempt 2 of 3 in 8s
    ");
    story.wait(3_000);
    assert!(main(&story).contains("attempt 2 of 3 in 5s"), "{}", main(&story));
}

#[test]
fn d_7_an_agent_that_has_failed_for_good_is_seen_everywhere_at_once_and_rings_once() {
    let mut story = told(120, 40);
    let mut failed = run(8, "reviewer@review");
    (failed.state, failed.attempt) = (RunState::Failed, 3);
    (failed.class, failed.ended_at) = (Some(FailureClass::Transient), Some(Timestamp(NOW)));
    let need = AttentionItem {
        kind: AttentionKind::Dead,
        subject: "reviewer@review".to_owned(),
        scope: review(),
        reason: "1 message was given up".to_owned(),
        hint: None,
        since: Timestamp(NOW),
    };
    let mut bells = 0;
    for step in 0..4 {
        match step {
            0 => story.runs(&failed),
            1 => story.agent_is(&agent("reviewer@review")),
            _ => story.needs(vec![need.clone()]),
        };
        bells += story.effects.iter().filter(|effect| **effect == Effect::Bell).count();
    }
    assert_eq!(bells, 1);
    story.output(8, vec![OutputEvent::End { state: RunState::Failed, error: None }]);
    let screen = story.screen();
    for part in ["✗ 1 failed", "NEEDS YOU", "run_8 ✗ failed 1m 12s │ attempt 3/3", "✗ reviewer"]
    {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(main(&story).contains("dead letter: t tries it again"), "{screen}");
    assert!(!screen.contains("running 1"), "{screen}");
}

#[test]
fn an_error_that_was_told_is_not_told_twice() {
    let mut story = reviewer(120, 40);
    let error = "the model is away".to_owned();
    story.output(8, block(0, BlockKind::Error, "", &error, 0, 0));
    story.output(8, vec![OutputEvent::End { state: RunState::Failed, error: Some(error.clone()) }]);
    assert_eq!(main(&story).matches(&error).count(), 1, "{}", main(&story));
    let mut story = reviewer(120, 40);
    story.output(8, block(0, BlockKind::Error, "", "another", 0, 0));
    story.output(8, vec![OutputEvent::End { state: RunState::Failed, error: Some(error.clone()) }]);
    assert_eq!(main(&story).matches(&error).count(), 1, "{}", main(&story));
}

#[test]
fn a_click_selects_a_block() {
    let mut story = told(120, 40);
    let regions = crate::model::layout::regions(&story.app.model);
    let mouse = crate::mouse::Mouse {
        kind: crate::mouse::MouseKind::DoubleClick,
        x: regions.main.x + 4,
        y: regions.main.y + 5,
    };
    assert!(main(&story).lines().nth(5).unwrap().starts_with("▸ tool 1"), "{}", main(&story));
    story.tell(Msg::Mouse(mouse));
    assert!(main(&story).lines().nth(5).unwrap().starts_with("▾ tool 1"), "{}", main(&story));
}

#[test]
fn what_is_not_known_is_a_dash_and_never_nothing() {
    let mut picture = snapshot();
    let unknown = &mut picture.runs[0];
    (unknown.usage, unknown.cost, unknown.model) = (Usage::default(), None, None);
    unknown.backend = None;
    let mut story = Story::of(picture).sized(120, 40);
    story.select_agent("reviewer@review");
    let main = main(&story);
    assert!(
        main.starts_with("run_8 ⠿ 1m 12s │ attempt 1/3 │ - │ in - out - │ - │ pid - │"),
        "{main}"
    );
}

#[test]
fn scrolled_up_nothing_moves_and_what_is_below_is_counted() {
    let mut story = told(80, 24);
    story.app.model.selection.focus = Focus::Main;
    assert!(story.screen().lines().nth(1).unwrap().ends_with("follow"));
    story.press("k").press("k").press("k");
    let before = main(&story);
    assert!(story.screen().contains("paused, 3 below"), "{}", story.screen());
    let length = story.app.panes.run.get(RunId::new(8)).unwrap().blocks[10].text.raw().len();
    story.output(8, vec![grows(10, length, &"\nand more".repeat(35))]);
    assert_eq!(main(&story), before.replace('⠿', "⠙"), "but its spinner");
    assert!(story.screen().contains("paused, 38 below"), "{}", story.screen());
    story.press("G");
    assert!(story.screen().lines().nth(1).unwrap().ends_with("follow"));
    assert!(main(&story).ends_with("and more▌"), "{}", main(&story));
}

/// Has the run think a long text, in the main pane, and gives what it adds to that.
fn think(story: &mut Story) -> OutputEvent {
    let text = words(6_000);
    story.output(8, vec![begins(0, BlockKind::Thinking, "", -9_000), grows(0, 0, &text)]);
    story.app.model.selection.focus = Focus::Main;
    grows(0, text.len(), &"\nmore".repeat(500))
}

#[test]
fn another_width_keeps_the_place_in_a_long_text() {
    let mut story = reviewer(200, 60);
    let grow = think(&mut story);
    for _ in 0..5 {
        story.press("pgup");
    }
    let narrow = keeps_its_place(&mut story);
    story.tell(Msg::Resize(80, 24));
    story.output(8, vec![grow]);
    assert_eq!(first_word(&story), narrow, "and nothing moves while it grows");
}

#[test]
fn a_phrase_that_is_broken_over_rows_is_shown() {
    let mut story = reviewer(120, 40);
    think(&mut story);
    let phrase: Vec<_> = (3_000..3_020).map(|number| format!("word{number}")).collect();
    story.press("/").type_in(&phrase.join(" ")).press("enter");
    assert!(story.main_pane().contains("Word3010"), "{}", story.screen());
}

#[test]
fn a_paused_view_stays_paused_where_a_larger_window_shows_the_end() {
    let mut story = reviewer(80, 24);
    let grow = think(&mut story);
    story.press("k").tell(Msg::Resize(200, 60));
    assert!(story.screen().contains("paused, 0 below"), "{}", story.screen());
    story.output(8, vec![grow]);
    assert!(story.screen().contains("paused, 500 below"), "{}", story.screen());
}

#[test]
fn a_run_without_an_entry_has_nothing_to_fold() {
    let mut story = reviewer(120, 40);
    story.app.model.selection.focus = Focus::Main;
    assert!(story.app.possible().get(Action::Open).is_none());
    story.output(8, block(0, BlockKind::Thinking, "", "one thought", 0, 1_000));
    assert!(story.app.possible().get(Action::Open).is_some());
}

#[test]
fn what_has_ended_folds_by_itself_when_the_next_block_begins() {
    let mut story = reviewer(120, 40);
    story.output(8, block(0, BlockKind::Thinking, "", "one thought", 0, 1_000));
    assert!(
        main(&story).contains("▾ thinking ✓ 1.0s\n    one thought")
            || main(&story).contains("    one thought")
    );
    story.output(8, block(1, BlockKind::Text, "", "a word", 2_000, 2_000));
    let screen = main(&story);
    assert!(screen.contains("▸ thinking ✓ 1.0s   one thought"), "{screen}");
    assert!(!screen.contains("\n    one thought"), "{screen}");
    story.app.model.selection.focus = Focus::Main;
    story.press("{").press("{").press("enter");
    assert!(main(&story).contains("\n    one thought"), "{}", main(&story));
    story.press("enter");
    assert!(!main(&story).contains("\n    one thought"), "{}", main(&story));
}

#[test]
fn what_is_read_stays_open_when_the_next_block_begins() {
    for key in ["k", "pgup", "g", "{"] {
        let mut story = reviewer(80, 24);
        let thought = lines(100, |number| format!("line {number}"));
        story.output(8, block(0, BlockKind::Thinking, "", &thought, -9_000, -8_000));
        story.app.model.selection.focus = Focus::Main;
        let before = main(story.press(key));
        assert!(story.screen().contains("paused, "), "{key}: {}", story.screen());
        story.output(8, block(1, BlockKind::Text, "", "a word", -2_000, -2_000));
        assert_eq!(main(&story), before, "{key}");
        assert!(!story.screen().contains("paused, 0 below"), "{key}: {}", story.screen());
        story.press("G");
        assert!(main(&story).ends_with("a word"), "{key}: {}", main(&story));
    }
}

#[test]
fn what_was_read_folds_by_itself_once_the_view_follows() {
    for key in ["G", "j"] {
        let mut story = reviewer(80, 24);
        let thought = lines(100, |number| format!("line {number}"));
        story.output(8, block(0, BlockKind::Thinking, "", &thought, -9_000, -8_000));
        story.app.model.selection.focus = Focus::Main;
        story.press("k").press(key);
        assert!(story.screen().lines().nth(1).unwrap().ends_with("follow"), "{key}");
        story.output(8, block(1, BlockKind::Text, "", "a word", -2_000, -2_000));
        assert!(main(&story).contains("▸ thinking"), "{key}: {}", main(&story));
    }
}

#[test]
fn what_a_fold_brings_onto_the_screen_stays_open_when_the_next_block_begins() {
    let mut story = reviewer(80, 24);
    let long = lines(100, |number| format!("line {number}"));
    story.output(8, block(0, BlockKind::Text, "", &long, -9_000, -8_000));
    story.output(8, block(1, BlockKind::Thinking, "", &long, -7_000, -6_000));
    story.app.model.selection.focus = Focus::Main;
    story.press("g").press("enter");
    let before = main(&story);
    assert!(before.contains("▾ thinking"), "{before}");
    story.output(8, block(2, BlockKind::Text, "", "a word", -2_000, -2_000));
    assert_eq!(main(&story), before);
}

#[test]
fn a_selected_entry_that_was_scrolled_off_the_screen_is_not_acted_on() {
    let mut story = reviewer(80, 24);
    for number in 0..30 {
        let thought = format!("thought {number}");
        story.output(8, block(number, BlockKind::Thinking, "", &thought, -9_000, -9_000));
    }
    story.app.model.selection.focus = Focus::Main;
    let meant = |story: &Story| story.app.panes.run.copied_in(&story.app.model, Sight::Main);
    story.press("{").press("{").press("{").press("k");
    assert_eq!(meant(&story).as_deref(), Some("thought 27"));
    for _ in 0..5 {
        story.press("ctrl+u");
    }
    assert!(main(&story).ends_with("thought 16"), "{}", main(&story));
    assert_eq!(meant(&story).as_deref(), Some("thought 16"));
    story.press("enter");
    let last = main(&story).lines().next_back().map(str::to_owned);
    assert!(last.is_some_and(|row| row.starts_with("▾ thinking")), "{}", main(&story));
}

#[test]
fn thinking_is_hidden_and_shown() {
    let mut story = told(120, 40);
    story.app.model.selection.focus = Focus::Main;
    story.press("H");
    assert!(!main(&story).contains("thinking"), "{}", main(&story));
    story.press("H");
    assert!(main(&story).contains("thinking"));
}

#[test]
fn tools_say_in_words_how_they_failed() {
    let mut story = reviewer(120, 40);
    story.output(8, block(0, BlockKind::ToolCall, "shell", r#"{"command":"make"}"#, 0, 0));
    story.output(8, block(1, BlockKind::ToolResult, "shell", "no rule\nexit 2", 1_000, 1_000));
    story.output(
        8,
        block(2, BlockKind::ToolCall, "fetch", r#"{"url":"http://127.0.0.1"}"#, 1_000, 1_000),
    );
    story.output(
        8,
        block(3, BlockKind::ToolResult, "fetch", "timed out after 2 m", 121_000, 121_000),
    );
    story.output(8, block(4, BlockKind::ToolCall, "wait", "{}", 122_000, 122_000));
    story.output(8, vec![OutputEvent::End { state: RunState::Lost, error: None }]);
    let mut ended = run(8, "reviewer@review");
    (ended.state, ended.ended_at) = (RunState::Lost, Some(Timestamp(NOW + 123_000)));
    story.runs(&ended);
    let screen = main(&story);
    assert!(screen.contains("▸ tool 1   ✗ 1.0s failed, exit 2  shell  make   14"), "{screen}");
    assert!(
        screen.contains("▸ tool 2   ✗ 2m 0s timed out  fetch(http://127.0.0.1)   19"),
        "{screen}"
    );
    assert!(screen.contains("tool 3   ▪ no answer  wait()"), "{screen}");
    assert!(screen.contains("end      ✗ lost   3m 15s"), "{screen}");
}

#[test]
fn a_call_that_was_broken_off_is_not_called_and_does_not_run() {
    let mut story = reviewer(120, 40);
    let mut cut = block(0, BlockKind::ToolCall, "wait", "{}", 0, 0);
    if let Some(OutputEvent::Block { state, .. }) = cut.last_mut() {
        *state = BlockState::Cut;
    }
    story.output(8, cut);
    story.output(8, block(1, BlockKind::ToolCall, "wait", "{}", 0, 0));
    story.output(8, block(2, BlockKind::ToolResult, "wait", "waited", 1_000, 1_000));
    let screen = main(&story);
    assert!(screen.contains("tool 1   ▪ not called  wait()"), "{screen}");
    assert!(screen.contains("tool 2   ✓ 1.0s   wait()"), "{screen}");
}

#[test]
fn a_long_answer_shows_its_beginning_and_its_end_and_the_pager_all_of_it() {
    let mut story = told(120, 40);
    story.app.model.selection.focus = Focus::Main;
    let screen = main(&story);
    for line in ["case_1 ", "case_3 ", "… 28 earlier lines (o open)", "case_32 ", "case_36 "] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    assert!(!screen.contains("case_4 ") && !screen.contains("case_31 "), "{screen}");
    story.press("{").press("{").press("o");
    let pager = story.screen();
    assert!(pager.contains("tool 3 bash of run_8"), "{pager}");
    assert!(pager.contains("command: cargo test -p daemon -- inbox"), "{pager}");
    assert!(pager.contains("case_20 "), "{pager}");
}

#[test]
fn b_13_a_very_long_line_is_a_line_like_others() {
    let mut story = reviewer(80, 24);
    let long = "0123456789".repeat(150_000);
    story.output(8, block(0, BlockKind::ToolCall, "cat", "{}", 0, 0));
    story.output(8, vec![begins(1, BlockKind::ToolResult, "cat", 0)]);
    for (number, piece) in long.as_bytes().chunks(65_536).enumerate() {
        let piece = std::str::from_utf8(piece).unwrap();
        story.output(8, vec![grows(1, number * 65_536, piece)]);
        story.screen();
    }
    story.output(8, vec![ends(1, BlockKind::ToolResult, "cat", 0)]);
    story.output(8, block(2, BlockKind::Text, "", &long, 0, 0));
    story.app.model.selection.focus = Focus::Main;
    for key in ["k", "pgup", "g", "G", "{", "W", "k", "W"] {
        story.press(key).screen();
    }
    story.press("G");
    assert!(main(&story).ends_with("0123456789"), "{}", main(&story));
}

#[test]
fn runs_of_an_agent_are_walked_from_new_to_old_and_back() {
    let mut picture = snapshot();
    for number in [3, 5] {
        let mut older = run(number, "reviewer@review");
        (older.state, older.ended_at) = (RunState::Succeeded, Some(Timestamp(NOW)));
        picture.runs.push(older);
    }
    picture.runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    let mut story = Story::of(picture).sized(120, 40);
    story.select_agent("reviewer@review");
    story.app.model.selection.focus = Focus::Main;
    let shown = |story: &Story| main(story).split(' ').next().unwrap().to_owned();
    assert_eq!(shown(&story), "run_8");
    story.press("<");
    assert_eq!(shown(&story), "run_5");
    story.press("<");
    assert_eq!(shown(&story), "run_3");
    let asked = Request::Runs(Some("reviewer@review".parse().unwrap()), Some(RunId::new(3)));
    assert!(story.effects.contains(&Effect::Ask(asked)), "{:?}", story.effects);
    // A run that begins meanwhile does not replace the older run on the screen.
    story.runs(&run(9, "reviewer@review"));
    assert_eq!(shown(&story), "run_3");
    for newer in ["run_5", "run_8", "run_9", "run_9"] {
        story.press(">");
        assert_eq!(shown(&story), newer);
    }
    story.runs(&run(10, "reviewer@review"));
    let mut busy = agent("reviewer@review");
    (busy.state, busy.run) = (AgentState::Running, Some(RunId::new(10)));
    story.agent_is(&busy);
    assert_eq!(shown(&story), "run_10");
}

#[test]
fn what_a_run_was_given_is_read_whole() {
    let mut story = reviewer(120, 40);
    story.output(8, block(0, BlockKind::System, "", WAKE, 0, 0));
    let prompt = lines(60, |number| format!("line {number}"));
    story.output(8, block(1, BlockKind::Prompt, "", &prompt, 0, 0));
    assert!(main(&story).contains("▸ wake              prompt of 471"), "{}", main(&story));
    story.press("5");
    story.app.model.selection.focus = Focus::Main;
    assert!(main(&story).contains("line 1\n"), "{}", main(&story));
    assert!(main(&story).contains(WAKE), "{}", main(&story));
    story.press("G");
    assert!(main(&story).ends_with("line 60"), "{}", main(&story));
}

#[test]
fn what_woke_a_run_is_shown_whichever_conversation_it_is_in() {
    let mut story = reviewer(120, 40);
    story.app.model.selection.focus = Focus::Main;
    story.press("c");
    let shown = story.app.overlays.last().and_then(|overlay| overlay.message());
    assert_eq!(shown, Some(MessageId::new(1)));
}

#[test]
fn without_a_connection_times_stand_still() {
    let mut story = told(120, 40);
    story.disconnect();
    let before = main(&story);
    story.wait(60_000);
    assert_eq!(main(&story), before);
    assert!(before.contains("run_8 ~ 1m 12s"), "{before}");
    assert!(before.contains("~ 13s"), "{before}");
}

#[test]
fn another_database_has_no_transcripts_of_this_one() {
    let mut story = told(120, 40);
    let mut other = snapshot();
    other.epoch = "other".to_owned();
    let hello = agent_worker_protocol::Hello {
        epoch: other.epoch.clone(),
        seq: 100,
        newest: 100,
        version: "0.1.0".to_owned(),
        started_at: None,
        now: None,
    };
    story.tell(Msg::Feed(agent_worker_client::FeedItem::Hello(hello)));
    story.tell(Msg::Snapshot(Ok(Box::new(other))));
    let id = RunId::new(8);
    assert!(story.effects.contains(&Effect::Unfollow(id)), "{:?}", story.effects);
    assert!(story.effects.contains(&Effect::Follow(id)), "{:?}", story.effects);
    assert!(main(&story).contains("nothing of it is here yet"), "{}", main(&story));
}

#[test]
fn a_run_that_is_over_has_nothing_yet_before_it_is_told() {
    let mut story = reviewer(120, 40);
    let mut failed = run(8, "reviewer@review");
    (failed.state, failed.ended_at) = (RunState::Failed, Some(Timestamp(NOW + 1_000)));
    story.runs(&failed);
    assert!(main(&story).contains("nothing of it is here yet"), "{}", main(&story));
    story.output(8, vec![OutputEvent::End { state: RunState::Failed, error: None }]);
    assert!(main(&story).ends_with("end      ✗ failed  1m 13s"), "{}", main(&story));
}

#[test]
fn b_7_no_text_of_an_agent_acts_on_the_screen() {
    let mut story = reviewer(120, 40);
    let hostile = "a\u{1b}]52;c;ZXZpbA==\u{7}b\u{202e}c\u{9b}31md\u{1b}[2Je";
    let call = format!(r#"{{"file":"x\u001b[2J{}"}}"#, '\u{202e}');
    story.output(8, block(0, BlockKind::Text, "", hostile, 0, 0));
    story.output(8, block(1, BlockKind::ToolCall, hostile, &call, 0, 0));
    story.output(8, block(2, BlockKind::ToolResult, hostile, hostile, 0, 0));
    story.output(
        8,
        vec![OutputEvent::End { state: RunState::Failed, error: Some(hostile.to_owned()) }],
    );
    let screen = story.screen();
    let bad = screen.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
    assert_eq!(bad, None, "{screen}");
    assert!(screen.contains("⟦esc⟧"), "{screen}");
}
