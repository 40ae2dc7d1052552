use agent_worker_protocol::Hello;

use super::*;
use crate::{action::Action, app::Msg, model::RequestError};

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
fn a_line_that_has_no_room_beside_the_way_to_the_newest_is_cut_visibly() {
    let mut story = channel_of(60, 60);
    let text = "x".repeat(40);
    story.open_channel_with((1..=60).map(|seq| message(seq, "coder", &text)).collect());
    story.press("pgup");
    assert!(rows(&story)[19].ends_with("x… G newest"), "{:?}", rows(&story));
}

#[test]
fn d_5_what_is_new_begins_below_a_line_that_counts_it() {
    let mut story = channel_of(20, 8);
    story.app.model.display.has_focus = false;
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
fn d_5_what_is_new_begins_below_an_own_message_from_elsewhere() {
    let mut story = channel_of(60, 60);
    story.open_channel_with((1..=60).map(said).collect());
    story.press("pgup");
    says(&mut story, message(61, "user", "sent by another client"));
    says(&mut story, message(62, "coder", "the answer"));
    for _ in 0..9 {
        story.press("pgdn");
    }
    let rows = rows(&story);
    assert!(rows[17].ends_with("sent by another client"), "{rows:?}");
    assert!(rows[18].contains(" 1 new ") && rows[19].ends_with("the answer"), "{rows:?}");
}

#[test]
fn d_5_only_what_a_pane_and_a_terminal_with_focus_show_is_read() {
    let mut story = channel_of(20, 8);
    let until = Request::Read(review(), Conversation::Channel, MessageId::new(20));
    story.tell(Msg::Focus(false));
    story.open_channel_with((1..=20).map(said).collect());
    assert!(!story.asks().contains(&until), "the terminal has no focus");
    story.press("esc").tell(Msg::Focus(true));
    assert_eq!(story.app.model.selection.focus, Focus::Nav);
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
    story.app.model.display.has_focus = false;
    story.open_channel_with((1..=100).map(said).collect());
    story.press("pgup").tell(Msg::Focus(true));
    assert!(!story.asks().iter().any(|ask| matches!(ask, Request::Read(..))));
    story.press("G");
    assert!(story.asks().iter().any(|ask| matches!(ask, Request::Read(..))));
}

#[test]
fn what_the_daemon_does_not_take_as_read_is_told_again_after_a_reload_and_not_before() {
    let mut story = channel_of(3, 0);
    let read = Request::Read(review(), Conversation::Channel, MessageId::new(3));
    story.open_channel_with((1..=3).map(said).collect());
    assert!(story.asks().contains(&read), "{:?}", story.effects);
    story.tell(Msg::Answer(Box::new(read.clone()), Err(RequestError::offline())));
    assert!(!story.asks().contains(&read), "{:?}", story.effects);
    story.press("R");
    story.answer(request(Side::Newest), page((1..=3).map(said).collect(), false));
    assert!(story.asks().contains(&read), "{:?}", story.effects);
}

#[test]
fn a_reading_that_was_cut_off_is_told_again_once_the_connection_is_back() {
    let mut story = channel_of(3, 0);
    let read = Request::Read(review(), Conversation::Channel, MessageId::new(3));
    story.open_channel_with((1..=3).map(said).collect());
    story.disconnect();
    story.tell(Msg::Answer(Box::new(read.clone()), Err(RequestError::offline())));
    assert!(!story.asks().contains(&read), "{:?}", story.effects);
    let hello = Hello {
        epoch: "e".to_owned(),
        seq: story.seq,
        newest: story.seq,
        version: "0.1.0".to_owned(),
        started_at: None,
        now: None,
    };
    story.tell(Msg::Feed(FeedItem::Hello(hello)));
    assert!(story.asks().contains(&read), "{:?}", story.effects);
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
fn a_message_that_comes_between_two_reloads_is_not_lost() {
    let mut story = talked(300);
    story.press("R");
    says(&mut story, said(301));
    story.press("R");
    // The page that was asked for first.
    story.answer(request(Side::Newest), page((101..=300).map(said).collect(), true));
    assert!(rows(&story)[19].ends_with("message 301."), "{:?}", rows(&story));
}

#[test]
fn a_page_from_before_a_new_picture_leaves_no_hole() {
    let mut story = talked(1);
    story.press("R");
    assert!(story.asks().contains(&request(Side::Newest)), "{:?}", story.effects);
    story.disconnect();
    let reset = Reset { epoch: "e".to_owned(), seq: 400, reason: "it is gone".to_owned() };
    story.tell(Msg::Feed(FeedItem::Reset(reset)));
    let groups = vec![channel(&review(), 6, 6)];
    story.tell(Msg::Snapshot(Ok(Box::new(Snapshot { seq: 400, groups, ..snapshot() }))));
    story.seq = 400;
    assert!(story.asks().contains(&after(1, Side::Newest)), "{:?}", story.effects);
    // Made before messages that were stored while the connection was lost.
    story.answer(request(Side::Newest), page((1..=2).map(said).collect(), false));
    says(&mut story, said(7));
    story.answer(after(1, Side::Newest), page((1..=6).map(said).collect(), false));
    let shown: Vec<_> = talk(&story).messages.iter().map(|message| message.seq).collect();
    assert_eq!(shown, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_page_that_fails_late_ends_the_wait_for_no_other_page() {
    let mut story = talked(1);
    story.press("R");
    story.answer(request(Side::Newest), page((51..=55).map(said).collect(), true));
    let older = request(Side::Before(MessageId::new(51)));
    assert!(story.asks().contains(&older), "{:?}", story.effects);
    assert!(story.app.in_pane(|pane, model| pane.act(model, Action::First)).is_some());
    story.tell(Msg::Answer(Box::new(older), Err(RequestError::offline())));
    story.answer(request(Side::Oldest), page((1..=55).map(said).collect(), false));
    assert_eq!(talk(&story).messages.len(), 55);
}

#[test]
fn one_line_up_is_one_line_also_where_somebody_is_at_work() {
    let mut story = Story::review();
    story.open_channel_with((1..=40).map(said).collect());
    let at_end = rows(&story);
    assert!(at_end[19].contains("is thinking, 1m 12s"), "{at_end:?}");
    story.press("k");
    let moved = rows(&story);
    assert_eq!(moved[1..19], at_end[..18]);
    story.press("j").press("j");
    assert_eq!(rows(&story), at_end);
}

#[test]
fn u_goes_to_what_is_new() {
    let mut story = channel_of(100, 20);
    story.app.model.display.has_focus = false;
    story.open_channel_with((1..=100).map(said).collect());
    assert!(!story.main_pane().contains("80 new"), "{}", story.main_pane());
    story.press("u");
    assert!(rows(&story)[0].contains("80 new"), "{:?}", rows(&story));
    assert!(rows(&story)[1].ends_with("message 21."), "{:?}", rows(&story));
}

#[test]
fn u_loads_what_is_new_where_it_is_too_far_above() {
    let mut story = channel_of(1000, 20);
    story.app.model.display.has_focus = false;
    story.open(Subject::Workflow(review()), Tab::Channel);
    story.answer(request(Side::Newest), page((801..=1000).map(said).collect(), true));
    story.press("u");
    assert!(story.asks().contains(&request(Side::Around(MessageId::new(20)))));
}

#[test]
fn a_page_that_is_refused_is_asked_for_again_by_a_key_and_not_before() {
    let mut story = talked(1);
    story.press("R");
    story.answer(request(Side::Newest), page((51..=55).map(said).collect(), true));
    let older = request(Side::Before(MessageId::new(51)));
    assert!(story.asks().contains(&older), "{:?}", story.effects);
    story.tell(Msg::Answer(Box::new(older.clone()), Err(RequestError::offline())));
    assert!(!story.asks().contains(&older), "{:?}", story.effects);
    story.press("k");
    assert!(story.asks().contains(&older), "{:?}", story.effects);
}
