//! The side panel, and the look over everything.

use agent_worker_protocol::{AgentState, BlockKind, Run, RunId, RunState, Target, Timestamp};

use crate::{
    app::Msg,
    model::{
        Focus,
        acts::Act,
        effects::Effect,
        known::talks::Talks,
        layout::{DOCK_FROM, regions},
        place::Tab,
        requests::{Reply, Request},
    },
    mouse::{Mouse, MouseKind},
    panes::tests::words,
    tests::{NOW, Story, agent, begins, block, grows, message, run, snapshot},
};

fn ended(number: i64, target: &str) -> Run {
    let mut run = run(number, target);
    (run.state, run.ended_at) = (RunState::Succeeded, Some(Timestamp(run.started_at.0 + 51_000)));
    run.usage.cache_read = Some(14_000);
    run
}

/// A channel, with the reviewer at work beside it.
fn channel(width: u16, height: u16) -> Story {
    let mut picture = snapshot();
    picture.runs.push(ended(6, "coder@review"));
    picture.runs.push(ended(5, "reviewer@review"));
    let mut story = Story::of(picture).sized(width, height);
    story.open_channel();
    story.tell(Msg::Tick);
    runs_on(&mut story);
    story
}

/// The reviewer's run goes on.
fn runs_on(story: &mut Story) {
    story.output(8, block(0, BlockKind::Prompt, "", "2 messages", -61_000, -61_000));
    story.output(8, block(1, BlockKind::Thinking, "", "The ids are strings.", -59_000, -53_000));
    story.output(
        8,
        block(2, BlockKind::ToolCall, "bash", r#"{"command":"cargo test"}"#, -38_000, -38_000),
    );
    story.output(8, vec![begins(3, BlockKind::ToolResult, "bash", -37_000)]);
    story.output(8, vec![grows(3, 0, "running 14 tests\ntest inbox::ack_moves_cursor ... ok\ntest inbox::unread_after_ack ... FAILED\n")]);
    story.output(8, vec![begins(4, BlockKind::Thinking, "", -13_000)]);
    story.output(
        8,
        vec![grows(4, 0, "As strings “m-10” sorts before “m-9”, so the cursor moves back")],
    );
}

/// The panel alone.
fn panel(story: &Story) -> String {
    let area = crate::model::layout::regions(&story.app.model).dock.unwrap();
    let lines = crate::event_loop::dump::lines(&story.app);
    let from = usize::from(area.y);
    let lines = lines[from..from + usize::from(area.height)].iter().map(|line| {
        let cells: String = line.chars().skip(usize::from(area.x)).collect();
        cells.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[test]
fn a_long_silence_leaves_room_for_the_name_of_its_agent() {
    let mut story = channel(120, 40);
    if regions(&story.app.model).dock.is_none() {
        story.press("|");
    }
    let mut hung = run(8, "reviewer@review");
    hung.started_at = Timestamp(NOW - 976_000);
    hung.spoke_at = Some(Timestamp(NOW - 976_000));
    hung.activity = Some("calling shell".to_owned());
    story.runs(&hung);
    let panel = panel(&story);
    let first = panel.lines().next().unwrap_or_default();
    assert!(first.starts_with("reviewer@") && first.contains("run_8 "), "{panel}");
    assert!(first.ends_with('…'), "what is cut is marked: {panel}");
}

#[test]
fn beside_a_channel_the_run_goes_on() {
    let mut story = channel(200, 60);
    // Wide characters take one of the cells that are counted here.
    story.app.model.known.talks = Talks::default();
    insta::assert_snapshot!(panel(&story), @r"
    reviewer@review  run_8 ⠿ 1m 12s
    claude-sonnet-4-5 │ in 18.2k out 2.1k │ $0.0900 │ try 1/3
    ─────────────────────────────────────────────────────────────
    ▸ wake              prompt of 10
    ▸ thinking ✓ 6.0s   The ids are strings.
    ▾ tool 1   ⠿ 38s    bash  cargo test   93
        running 14 tests
        test inbox::ack_moves_cursor ... ok
        test inbox::unread_after_ack ... FAILED▌
    ▾ thinking ⠿ 13s
        As strings “m-10” sorts before “m-9”, so the cursor
        moves back▌

     inbox of reviewer: 0 unread ────────────────────────────────
    ");
}

/// The mouse does something in a row of the panel.
fn point(story: &mut Story, kind: MouseKind, row: u16) {
    let dock = regions(&story.app.model).dock.unwrap();
    story.tell(Msg::Mouse(Mouse { kind, x: dock.x + 4, y: dock.y + row }));
}

#[test]
fn the_wheel_over_the_panel_scrolls_the_panel_and_moves_no_focus() {
    let mut story = channel(200, 30);
    let lines: String = (0..90).map(|line| format!("line {line}\n\n")).collect();
    story.output(8, vec![begins(5, BlockKind::Thinking, "", -3_000), grows(5, 0, &lines)]);
    story.app.model.selection.focus = Focus::Main;
    assert!(panel(&story).contains("line 89"), "{}", panel(&story));
    for _ in 0..9 {
        point(&mut story, MouseKind::WheelUp, 6);
    }
    assert!(!panel(&story).contains("line 89"), "{}", panel(&story));
    assert_eq!(story.app.model.selection.focus, Focus::Main);
}

#[test]
fn another_width_of_the_panel_keeps_the_place_while_the_text_grows() {
    let mut story = channel(200, 30);
    let text = words(6_000);
    story.output(8, vec![begins(5, BlockKind::Thinking, "", -3_000), grows(5, 0, &text)]);
    story.app.model.selection.focus = Focus::Dock;
    story.app.model.display.dock = Some(true);
    for _ in 0..5 {
        story.press("pgup");
    }
    story.tell(Msg::Resize(130, 30));
    let first = |story: &Story| {
        panel(story).lines().find(|line| line.contains("Word")).map(str::to_owned).unwrap()
    };
    let before = first(&story);
    story.output(8, vec![grows(5, text.len(), &"\nmore".repeat(500))]);
    assert_eq!(first(&story), before);
}

#[test]
fn a_click_in_the_panel_focuses_it_and_selects_what_is_there() {
    let mut story = channel(200, 60);
    story.app.model.selection.focus = Focus::Nav;
    assert!(panel(&story).lines().nth(3).unwrap().starts_with("▸ wake"), "{}", panel(&story));
    point(&mut story, MouseKind::DoubleClick, 3);
    assert_eq!(story.app.model.selection.focus, Focus::Dock);
    assert!(panel(&story).lines().nth(3).unwrap().starts_with("▾ wake"), "{}", panel(&story));
    point(&mut story, MouseKind::Click, 40);
    assert_eq!(story.app.model.selection.focus, Focus::Dock);
}

#[test]
fn beside_an_agent_is_what_belongs_to_it() {
    let mut story = channel(200, 60);
    story.select_agent("reviewer@review");
    story.tell(Msg::Tick);
    insta::assert_snapshot!(panel(&story), @r"
    inbox: 0 unread ────────────────────────────────────────────

    attempts of this wake ──────────────────────────────────────
    ⠿ 1/3  run_8     14:05:00  running
    ✓ 1/3  run_5     14:05:00  succeeded

    tokens, last 2 runs ────────────────────────────────────────
    in   ▪▪▪▪▪▪▪▪▪▪▪▪▪▪   18.2k
    out  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪    2.1k
    cost $0.0900 this run │ $0.18 the last 2

    last 2 runs ────────────────────────────────────────────────
    ⠿ run_8    14:05  1m 12s  $0.0900  running
    ✓ run_5    14:05     51s  $0.0900  mention by user

    tools used in this run ─────────────────────────────────────
    bash 1 (running)
    ");
}

#[test]
fn a_narrow_panel_has_room_for_what_came_of_each_run() {
    let mut story = channel(120, 40);
    story.press("|").select_agent("reviewer@review");
    story.tell(Msg::Tick);
    insta::assert_snapshot!(panel(&story), @r"
    inbox: 0 unread ──────────────────────

    attempts of this wake ────────────────
    ⠿ 1/3  run_8     14:05:00  running
    ✓ 1/3  run_5     14:05:00  succeeded

    tokens, last 2 runs ──────────────────
    in   ▪▪▪▪▪▪▪▪   18.2k
    out  ▪▪▪▪▪▪▪▪    2.1k
    cost $0.0900 │ $0.18 the last 2

    last 2 runs ──────────────────────────
    ⠿ run_8    14:05  1m 12s  running
    ✓ run_5    14:05     51s  mention by …
    ");
}

#[test]
fn beside_a_conversation_is_what_waits_for_the_agent() {
    let mut story = channel(200, 60);
    let target: Target = "reviewer@review".parse().unwrap();
    let delivery = |seq: i64, state: &str| {
        serde_json::json!({
            "message": format!("msg_{seq}"), "agent": target, "state": state, "reason": "mention",
            "wakes": true, "attempts": 0, "held_reason": null, "not_before": null,
            "last_error": null, "run": null, "marked": false
        })
    };
    let mail = |seq: i64, state: &str, text: &str| {
        let mut mail = serde_json::to_value(message(seq, "tester", text)).unwrap();
        mail["delivery"] = delivery(seq, state);
        mail
    };
    let page = serde_json::json!({
        "messages": [
            mail(4, "acked", "old"),
            mail(5, "pending", "2 failures: inbox_ack_is_monotonic"),
            mail(6, "pending", "@all keep the schema\nas it is"),
        ],
        "count": 3, "more": false
    });
    let page = serde_json::from_value(page).unwrap();
    story.tell(Msg::Answer(Box::new(Request::Inbox(target.clone())), Ok(Reply::Inbox(page))));
    let queue = serde_json::json!({
        "queue": [
            {
                "position": 1, "reason": "mention", "sender": "tester", "message": "msg_5",
                "group": "channel", "state": "pending", "attempts": 0, "since": NOW,
                "not_before": null, "waits_for": "run", "text": "its run must end", "hint": null
            },
            {
                "position": 2, "reason": "schedule", "sender": null, "message": null,
                "group": null, "state": null, "attempts": 0, "since": null,
                "not_before": NOW + 600_000, "waits_for": "turn", "text": "", "hint": null
            },
        ],
        "more": false
    });
    let queue = serde_json::from_value(queue).unwrap();
    story.tell(Msg::Answer(Box::new(Request::Queue(target.clone())), Ok(Reply::Queue(queue))));
    let mut reviewer = agent("reviewer@review");
    (reviewer.state, reviewer.run) = (AgentState::Running, Some(RunId::new(8)));
    reviewer.unread = 2;
    story.agent_is(&reviewer);
    story.app.model.known.talks = Talks::default();
    let shown = panel(&story);
    let waiting = shown.split_once("\n\n").unwrap().1;
    insta::assert_snapshot!(waiting, @r"
     inbox of reviewer: 2 unread ────────────────────────────────
    msg_6 tester   @all keep the schema
    msg_5 tester   2 failures: inbox_ack_is_monotonic

     queue: 2 waiting ───────────────────────────────────────────
    ⧗ mention by tester      msg_5    since 14:06
    ⧗ schedule                        at 14:16
    ");
}

#[test]
fn the_panel_follows_who_has_been_at_work_for_longest_and_then_who_was_last() {
    let mut story = channel(200, 60);
    assert!(panel(&story).starts_with("reviewer@review  run_8 "), "{}", panel(&story));
    let mut coder = agent("coder@review");
    (coder.state, coder.run) = (AgentState::Running, Some(RunId::new(9)));
    let mut newer = run(9, "coder@review");
    newer.started_at = Timestamp(NOW);
    story.runs(&newer).agent_is(&coder);
    assert!(panel(&story).starts_with("reviewer@review  run_8 "), "{}", panel(&story));
    story.runs(&ended(8, "reviewer@review")).agent_is(&agent("reviewer@review"));
    assert!(panel(&story).starts_with("coder@review  run_9 "), "{}", panel(&story));
    assert!(story.app.panes.run.get(RunId::new(9)).is_some());
    story.runs(&ended(9, "coder@review")).agent_is(&agent("coder@review"));
    assert!(panel(&story).starts_with("coder@review  run_9 ✓ succeeded"), "{}", panel(&story));
}

#[test]
fn the_key_of_the_side_panel_says_how_much_room_it_needs() {
    let mut story = channel(DOCK_FROM - 1, 24);
    assert!(story.press("|").screen().contains("the side panel needs 109 columns"));
    let mut story = story.sized(DOCK_FROM, 24);
    assert!(regions(&story.app.model).dock.is_none(), "nothing was turned on unseen");
    story.press("|");
    assert!(regions(&story.app.model).dock.is_some(), "{}", story.screen());
    story.press("z").press("|");
    assert!(story.screen().contains("one pane is shown alone: z shows the others"));
}

#[test]
fn the_panel_is_there_when_it_is_asked_for_and_its_run_is_followed() {
    let mut story = Story::review().sized(120, 40);
    story.open_channel();
    assert!(!story.effects.iter().any(|effect| matches!(effect, Effect::Follow(_))));
    story.press("|");
    assert!(story.effects.contains(&Effect::Follow(RunId::new(8))), "{:?}", story.effects);
    assert!(panel(&story).starts_with("reviewer@review"), "{}", panel(&story));
    story.press("|");
    assert_eq!(story.effects, [Effect::Unfollow(RunId::new(8))]);
}

#[test]
fn the_panel_takes_the_keys_of_a_run_while_it_has_focus() {
    let mut story = channel(200, 30);
    story.app.model.selection.focus = Focus::Main;
    story.press("tab");
    assert_eq!(story.app.model.selection.focus, Focus::Dock);
    story.press("{").press("{").press("enter");
    assert!(panel(&story).contains("▸ tool 1   ⠿ 38s    bash  cargo test"), "{}", panel(&story));
    story.press("x").wait(200).press("y");
    assert_eq!(story.acts(), [Act::Stop(vec!["reviewer@review".parse().unwrap()])]);
}

#[test]
fn a_look_at_an_agent_lies_over_everything() {
    let mut story = channel(80, 24);
    story.press("p");
    runs_on(&mut story);
    insta::assert_snapshot!(story.screen(), @r"
     aw │ devbox │ ⠿ live │ 1 running │ 1 queued                   as user │ ? help
     review:main  [1 Channel] 2 Agents 3  3 Docs  4 Votes  5 Sched  6 Events
     WORKFLOWS            │
      All                 │
     ▾ review:main        │
    ❯ # c┌─ peek: reviewer@review  ⠿ 1m 12s ──────────────────────────────────┐
      ⧗ c│ tool 1  bash  cargo test   ⠿ 38s                                   │
      ⠿ r│   test inbox::unread_after_ack ... FAILED▌                         │
      ◦ t│ thinking  ⠿ 13s                                                    │
     GLOB│   As strings “m-10” sorts before “m-9”, so the cursor moves        │
       no│   back▌                                                            │
         │                                                                    │
         │ last messages                                                      │
         │ 13:57 coder    收件箱游标改为序号比较。                            │
         │ 13:57 tester   2 failures                                          │
         │                                                                    │─────
         │ j k other agents   Enter open   i write   x stop   Esc close       │
         └─ live ─────────────────────────────────────────────────────────────┘
                          │                compare `seq`, not `id`.
                          │ 13:57 coder    收件箱游标改为序号比较。
                          │ 13:57 tester   2 failures
                          │ 14:06 reviewer ⠿ is thinking, 1m 12s
     ✎ # review:main │ i to write, Enter sends, @ names an agent
     j k other agents  Enter open  i write  x stop  Esc close
    ");
}

#[test]
fn a_look_at_an_agent_is_live_and_moves_nothing_below() {
    let mut story = Story::review().sized(80, 24);
    story.open_channel();
    let before = (
        story.app.model.place.clone(),
        story.app.model.selection.focus,
        story.app.model.selection.tree.selected.clone(),
    );
    story.press("p");
    assert!(story.effects.contains(&Effect::Follow(RunId::new(8))), "{:?}", story.effects);
    story.output(8, block(0, BlockKind::Text, "", "hello there", 0, 0));
    assert!(story.screen().contains("hello there"), "{}", story.screen());
    story.press("j");
    assert!(story.effects.contains(&Effect::Unfollow(RunId::new(8))), "{:?}", story.effects);
    assert!(story.screen().contains("peek: coder@review  ⧗ queued 2"), "{}", story.screen());
    story.press("k").press("k");
    assert!(story.screen().contains("peek: tester@review  ◦ idle"), "{}", story.screen());
    assert!(story.screen().contains("it has not run yet"), "{}", story.screen());
    story.press("esc");
    assert!(story.app.overlays.is_empty());
    let after = (
        story.app.model.place.clone(),
        story.app.model.selection.focus,
        story.app.model.selection.tree.selected.clone(),
    );
    assert_eq!(before, after);
}

#[test]
fn from_a_look_the_agent_is_opened_written_to_or_stopped() {
    let peeking = || {
        let mut story = channel(80, 24);
        story.press("p");
        story
    };
    let mut story = peeking();
    story.press("enter");
    assert_eq!(
        (story.app.model.place.tab, story.app.model.selection.focus),
        (Tab::Run, Focus::Main)
    );
    let mut story = peeking();
    story.press("i");
    assert!(story.app.model.writing.composer.is_open);
    let mut story = peeking();
    story.press("x").wait(200).press("y");
    assert_eq!(story.acts().len(), 1);
    let mut story = peeking();
    story.app.model.settings.read_only = true;
    story.press("x").press("i");
    assert!(story.app.model.prompt.question.is_none() && !story.app.model.writing.composer.is_open);
    assert!(!story.screen().contains("x stop"), "{}", story.screen());
}

#[test]
fn b_1_no_size_is_too_small_or_too_large() {
    let mut story = channel(200, 60);
    for target in ["", "reviewer@review"] {
        if !target.is_empty() {
            story.select_agent(target);
        }
        for is_peeking in [false, true] {
            if is_peeking {
                story.press("p");
            }
            for width in (0..62).chain([80, 99, 100, 120, 159, 160, 161, 300]) {
                for height in [0, 1, 2, 5, 14, 15, 16, 24, 40, 100] {
                    story.tell(Msg::Resize(width, height)).screen();
                }
            }
        }
        story.press("esc");
    }
}
