use agent_worker_protocol::{
    channel::{Message, MessagePage},
    conversation::Conversation,
    document::Document,
    event::{EventBody, EventPage, LoggedEvent},
    id::{MessageId, RunId},
    run::RunState,
    time::Timestamp,
};

use crate::{
    message::{Effect, Msg, Reply, Request},
    state::{
        Focus,
        acts::Act,
        place::{Place, Subject, Tab},
        talk::{Side, Talk},
    },
    tests::{NOW, Story, channel, message, review, run, snapshot},
};

fn said(seq: i64) -> Message {
    let author = ["coder", "tester"][usize::try_from(seq % 2).unwrap()];
    let created_at = Timestamp(NOW - 600_000 + seq * 1_000);
    Message { created_at, ..message(seq, author, &format!("message {seq}.")) }
}

/// A channel of which so many messages were read, with nobody at work.
fn channel_of(messages: i64, read: i64) -> Story {
    let mut snapshot = snapshot();
    snapshot.agents.retain(|agent| agent.run.is_none());
    snapshot.groups = vec![channel(&review(), messages, read)];
    Story::of(snapshot)
}

/// A channel with so many messages of one line, all read.
fn talked(count: i64) -> Story {
    let mut story = channel_of(count, count);
    story.open_channel_with((1..=count).map(said).collect());
    story
}

fn says(story: &mut Story, message: Message) {
    story.happens(EventBody::MessageSent { message: Box::new(message), deliveries: Vec::new() });
}

/// A page that reaches to the newest message.
fn page(messages: Vec<Message>, more_before: bool) -> Reply {
    let more = more_before;
    Reply::Messages(MessagePage { messages, more, more_before, more_after: false })
}

fn request(side: Side) -> Request {
    Request::Page(review(), Conversation::Channel, side)
}

fn talk(story: &Story) -> &Talk {
    story.state.talks.get(&(review(), Conversation::Channel)).unwrap()
}

/// The main pane without the line below it.
fn rows(story: &Story) -> Vec<String> {
    let pane = story.main_pane();
    pane.lines().take(20).map(ToOwned::to_owned).collect()
}

#[test]
fn d_4_what_is_read_above_does_not_move_when_a_thousand_messages_come() {
    let mut story = talked(200);
    story.press("pgup").press("pgup").press("pgup");
    let before = rows(&story);
    assert!(before[19].ends_with("G newest"), "{}", before[19]);
    for seq in 201..=1200 {
        says(&mut story, said(seq));
    }
    let after = rows(&story);
    assert_eq!(before[..19], after[..19]);
    assert!(after[19].ends_with(" 1000 below, G"), "{}", after[19]);
    story.press("G");
    assert!(rows(&story)[19].ends_with("message 1200."), "{:?}", rows(&story));
}

#[test]
fn what_is_read_does_not_move_when_more_comes_than_is_kept() {
    let mut story = talked(200);
    story.press("pgup").press("pgup").press("pgup");
    let before = rows(&story);
    for seq in 201..=3000 {
        says(&mut story, said(seq));
    }
    let after = rows(&story);
    assert_eq!(before[..19], after[..19]);
    assert!(after[19].ends_with(" 2800 below, G"), "{}", after[19]);
    assert!(talk(&story).messages.len() <= 2000);
    story.press("G");
    assert_eq!(story.asks(), [request(Side::Newest)]);
}

#[test]
fn what_is_read_near_the_end_does_not_move_when_older_messages_are_let_go() {
    let mut story = talked(1000);
    says(&mut story, said(1001));
    for _ in 0..3 {
        story.press("pgup");
    }
    let first = rows(&story)[0].clone();
    for seq in 1002..=2500 {
        says(&mut story, said(seq));
    }
    assert_eq!(rows(&story)[0], first);
    assert!(talk(&story).messages.len() <= 2000);
}

#[test]
fn a_mention_among_what_came_below_is_counted() {
    let mut story = talked(60);
    story.press("pgup");
    says(&mut story, said(61));
    says(&mut story, message(62, "coder", "@user which one?"));
    assert!(rows(&story)[19].ends_with(" @1 of 2 below, G"), "{:?}", rows(&story));
    // What was scrolled to is below no more.
    story.press("G").press("k");
    assert!(rows(&story)[19].ends_with("G newest"), "{:?}", rows(&story));
}

#[test]
fn d_5_what_is_new_begins_below_a_line_that_counts_it() {
    let mut story = channel_of(20, 8);
    story.state.has_focus = false;
    let text = |seq| if seq % 9 == 0 { format!("@user {seq}?") } else { format!("it is {seq}") };
    let all = (1..=20).map(|seq| message(seq, "coder", &text(seq))).collect();
    story.open_channel_with(all);
    let pane = story.main_pane();
    let place = pane.lines().position(|line| line.contains("─ 12 new ─")).unwrap();
    assert!(pane.lines().nth(place + 1).unwrap().contains("@user 9?"), "{pane}");
    let screen = story.screen();
    assert!(screen.lines().any(|line| line.contains("# channel        12")), "{screen}");
}

#[test]
fn d_5_only_what_a_pane_and_a_terminal_with_focus_show_is_read() {
    let mut story = channel_of(20, 8);
    let until = Request::Read(review(), Conversation::Channel, MessageId::new(20));
    story.tell(Msg::Focus(false));
    story.open_channel_with((1..=20).map(said).collect());
    assert!(!story.asks().contains(&until), "the terminal has no focus");
    story.press("esc").tell(Msg::Focus(true));
    assert_eq!(story.state.focus, Focus::Nav);
    assert!(!story.asks().contains(&until), "the tree has focus");
    story.press("enter");
    assert!(story.asks().contains(&until), "{:?}", story.effects);
    assert!(story.screen().contains("# channel        12"), "told, and not yet so");
    story.happens(EventBody::GroupChanged(channel(&review(), 20, 20)));
    assert!(!story.screen().contains("# channel        12"), "{}", story.screen());
    assert!(story.main_pane().contains("12 new"), "it stays until the channel is left");
    story.press("2").press("1");
    assert!(!story.main_pane().contains("12 new"), "{}", story.main_pane());
}

#[test]
fn d_5_what_is_above_the_newest_message_is_not_read_yet() {
    let mut story = channel_of(100, 8);
    story.state.has_focus = false;
    story.open_channel_with((1..=100).map(said).collect());
    story.press("pgup").tell(Msg::Focus(true));
    assert!(!story.asks().iter().any(|ask| matches!(ask, Request::Read(..))));
    story.press("G");
    assert!(story.asks().iter().any(|ask| matches!(ask, Request::Read(..))));
}

#[test]
fn what_comes_under_the_eyes_of_the_person_is_not_new() {
    let mut story = talked(3);
    says(&mut story, said(4));
    assert!(!story.main_pane().contains(" new "), "{}", story.main_pane());
    story.tell(Msg::Focus(false));
    says(&mut story, said(5));
    says(&mut story, said(6));
    assert!(story.main_pane().contains(" 2 new "), "{}", story.main_pane());
    story.tell(Msg::Focus(true));
    assert!(story.main_pane().contains(" 2 new "), "it stays until the channel is left");
}

#[test]
fn d_12_a_message_that_comes_while_a_page_is_on_its_way_moves_nothing_and_is_not_lost() {
    let mut story = talked(1);
    story.press("R");
    assert!(story.asks().contains(&request(Side::Newest)), "{:?}", story.effects);
    // Stored after the page was made, heard of before it came.
    says(&mut story, said(301));
    story.answer(request(Side::Newest), page((101..=300).map(said).collect(), true));
    assert!(rows(&story)[19].ends_with("message 301."), "{:?}", rows(&story));
    let older = request(Side::Before(MessageId::new(101)));
    let is_asked = (0..9).any(|_| story.press("pgup").asks().contains(&older));
    assert!(is_asked);
    let before = rows(&story);
    says(&mut story, said(302));
    assert_eq!(rows(&story)[..19], before[..19]);
    story.answer(older, page((1..=100).map(said).collect(), false));
    assert_eq!(rows(&story)[..19], before[..19]);
    assert_eq!(talk(&story).messages.len(), 302);
}

#[test]
fn one_line_up_is_one_line_also_where_somebody_is_at_work() {
    let mut story = Story::review();
    story.open_channel_with((1..=40).map(said).collect());
    let at_end = rows(&story);
    assert!(at_end[19].contains("is thinking, 1m12s"), "{at_end:?}");
    story.press("k");
    let moved = rows(&story);
    assert_eq!(moved[1..19], at_end[..18]);
    story.press("j").press("j");
    assert_eq!(rows(&story), at_end);
}

#[test]
fn lines_are_stepped_through_and_the_selected_one_has_a_mark() {
    let mut story = talked(3);
    story.press("K");
    assert!(rows(&story)[19].contains("❯tester   message 3."), "{:?}", rows(&story));
    story.press("K");
    let marked: Vec<_> = rows(&story).into_iter().filter(|row| row.contains('❯')).collect();
    assert_eq!(marked.len(), 1);
    assert!(marked[0].contains("message 2."), "{marked:?}");
    story.press("y");
    assert_eq!(story.effects, [Effect::Copy("message 2.".to_owned())]);
    story.press("esc");
    assert!(rows(&story).iter().all(|row| !row.contains('❯')));
}

#[test]
fn a_long_message_is_unfolded_before_it_is_shown_with_its_fate() {
    let text: Vec<String> = (1..=30).map(|n| format!("line {n}")).collect();
    let mut story = channel_of(1, 1);
    story.open_channel_with(vec![message(1, "coder", &text.join("\n"))]);
    assert!(story.main_pane().contains("… 20 more lines, Enter"), "{}", story.main_pane());
    story.press("enter");
    assert!(story.main_pane().contains("line 11"), "{}", story.main_pane());
    assert!(story.state.overlays.is_empty());
    story.press("enter");
    assert_eq!(story.state.overlays.len(), 1);
}

#[test]
fn a_reply_quotes_the_line_names_the_author_and_keeps_what_was_written() {
    let mut story = talked(2);
    story.press("K").press("r");
    assert!(story.state.composer.is_open);
    assert_eq!(story.state.composer.text(), "> message 2.\n@coder ");
    story.type_in("why?").press("esc").press("r");
    assert_eq!(story.state.composer.text(), "> message 2.\n@coder why?\n> message 2.\n@coder ");
    assert_eq!(story.state.composer.draft().caret, (3, 7));
}

#[test]
fn a_search_goes_through_what_is_loaded_then_asks_for_the_rest() {
    let mut story = talked(1);
    story.press("R");
    story.answer(request(Side::Newest), page((51..=90).map(said).collect(), true));
    story.press("/").type_in("MESSAGE 6").press("enter");
    let selected = |story: &Story| talk(story).selected.map(|mark| mark.seq);
    assert_eq!(selected(&story), Some(69));
    story.press("n");
    assert_eq!(selected(&story), Some(68));
    story.press("N");
    assert_eq!(selected(&story), Some(69));
    story.press("N");
    assert!(story.screen().contains("no newer match for MESSAGE 6"), "{}", story.screen());
    for _ in 0..10 {
        story.press("n");
    }
    let side = Side::Before(MessageId::new(51));
    let (scope, group, text) = (review(), Conversation::Channel, "MESSAGE 6".to_owned());
    let asked = Request::Find { scope, group, text, side };
    assert!(story.asks().contains(&asked), "{:?}", story.effects);
    story.answer(asked.clone(), page(vec![said(6)], true));
    assert_eq!(story.asks(), [request(Side::Around(MessageId::new(6)))]);
    story.press("esc");
    story.answer(asked, page(vec![said(7)], true));
    assert_eq!(story.asks(), [], "it is searched for no more");
}

#[test]
fn u_goes_to_what_is_new() {
    let mut story = channel_of(100, 20);
    story.state.has_focus = false;
    story.open_channel_with((1..=100).map(said).collect());
    assert!(!story.main_pane().contains("80 new"), "{}", story.main_pane());
    story.press("u");
    assert!(rows(&story)[0].contains("80 new"), "{:?}", rows(&story));
    assert!(rows(&story)[1].ends_with("message 21."), "{:?}", rows(&story));
}

#[test]
fn u_loads_what_is_new_where_it_is_too_far_above() {
    let mut story = channel_of(1000, 20);
    story.state.has_focus = false;
    story.open(Subject::Workflow(review()), Tab::Channel);
    story.answer(request(Side::Newest), page((801..=1000).map(said).collect(), true));
    story.press("u");
    assert!(story.asks().contains(&request(Side::Around(MessageId::new(20)))));
}

fn document(version: i64, at: i64) -> Document {
    Document {
        scope: review(),
        file: "notes.md".to_owned(),
        version,
        owner: None,
        author: "coder".parse().unwrap(),
        bytes: 100,
        updated_at: Timestamp(at),
    }
}

#[test]
fn what_happens_stands_between_what_is_said() {
    let mut story = talked(3);
    story.happens(EventBody::DocumentChanged(document(14, NOW - 300_000)));
    let mut failed = run(9, "coder@review");
    (failed.state, failed.attempt) = (RunState::Failed, 3);
    failed.error = Some("provider timeout after 120 s".to_owned());
    failed.ended_at = Some(Timestamp(NOW - 200_000));
    story.happens(EventBody::RunChanged(Box::new(failed)));
    says(&mut story, Message { created_at: Timestamp(NOW - 100_000), ..said(4) });
    insta::assert_snapshot!(rows(&story).join("\n").trim_start(), @"");
    story.press("K").press("K");
    assert_eq!(story.press("t").acts(), []);
    story.wait(200);
    assert_eq!(story.press("y").acts(), [Act::RetryRun(RunId::new(9))]);
    story.press("K").press("c");
    assert_eq!(story.state.place, Place::at(Subject::Workflow(review()), Tab::Documents));
}

#[test]
fn what_happened_before_is_read_from_the_log_once() {
    let mut story = channel_of(3, 3);
    story.open(Subject::Workflow(review()), Tab::Channel);
    story.answer(request(Side::Newest), page((1..=3).map(said).collect(), false));
    let asked = Request::Story(review(), None);
    assert!(story.asks().contains(&asked), "{:?}", story.effects);
    let body = EventBody::DocumentChanged(document(13, NOW - 598_500));
    let log = |kind: &str, body: serde_json::Value| LoggedEvent {
        seq: 40,
        scope: review(),
        kind: kind.to_owned(),
        subject: "notes.md".to_owned(),
        run: None,
        actor: "coder".to_owned(),
        at: Timestamp(NOW - 598_500),
        body,
    };
    let events = vec![
        log(body.kind(), serde_json::to_value(&body).unwrap()["body"].clone()),
        log("of.tomorrow", serde_json::json!({ "what": 1 })),
    ];
    let epoch = "e".to_owned();
    let log = EventPage { events, more: true, next: Some(40), epoch, oldest: 1, newest: 100 };
    story.answer(asked, Reply::Log(log.clone()));
    let pane = story.main_pane();
    let at = pane.lines().position(|line| line.ends_with("~        notes.md rev 13 by coder"));
    assert!(pane.lines().nth(at.unwrap() - 1).unwrap().ends_with("message 1."), "{pane}");
    // The first message is older than what was read: there may be more between.
    let more = Request::Story(review(), Some(40));
    assert_eq!(story.asks(), [more.clone()]);
    story.answer(more, Reply::Log(EventPage { more: false, next: None, ..log }));
    assert_eq!(story.asks(), []);
    assert_eq!(story.main_pane().matches("notes.md rev 13").count(), 1);
}

#[test]
fn a_filter_shows_what_is_said_or_what_happened() {
    let mut story = talked(3);
    story.happens(EventBody::DocumentChanged(document(14, NOW - 300_000)));
    let shown = |story: &Story| {
        let pane = story.main_pane();
        (pane.contains("message 3."), pane.contains("notes.md rev 14"))
    };
    assert_eq!(shown(&story), (true, true));
    assert_eq!(shown(story.press("F")), (true, false));
    assert_eq!(shown(story.press("F")), (false, true));
    assert_eq!(shown(story.press("F")), (true, true));
}

#[test]
fn e_11_nothing_is_answered_where_nothing_may_be_written() {
    let mut story = talked(3);
    story.state.read_only = true;
    story.press("K").press("r");
    assert!(!story.state.composer.is_open);
    story.press("enter").press("r");
    assert!(!story.state.composer.is_open);
}
