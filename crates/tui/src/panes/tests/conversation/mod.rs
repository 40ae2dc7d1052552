use agent_worker_client::FeedItem;
use agent_worker_protocol::{
    Conversation, Document, EventBody, EventPage, LoggedEvent, Message, MessageId, MessagePage,
    QuestionId, Reset, RunId, RunState, Snapshot, Timestamp,
};

use crate::{
    app::Msg,
    model::{
        Focus,
        acts::Act,
        effects::Effect,
        known::talks::{Kinds, Mark, Side, Talk},
        place::{Place, Subject, Tab},
        requests::{Reply, Request},
        writing::drafts::{Draft, Purpose},
    },
    panes::{
        conversation::scroll,
        tests::{keeps_its_place, words},
    },
    tests::{NOW, Story, channel, message, review, run, snapshot},
};

mod find;
mod moment;
mod range;
mod reading;
mod reply;
mod story;

fn said(seq: i64) -> Message {
    let author = ["coder", "tester"][usize::try_from(seq % 2).unwrap()];
    let created_at = Timestamp(NOW - 600_000 + seq * 1_000);
    Message { created_at, ..message(seq, author, &format!("message {seq}.")) }
}

/// A channel with `messages` messages, `read` of them read, and no live run.
fn channel_of(messages: i64, read: i64) -> Story {
    let mut snapshot = snapshot();
    snapshot.agents.retain(|agent| agent.run.is_none());
    snapshot.groups = vec![channel(&review(), messages, read)];
    Story::of(snapshot)
}

/// A channel with `count` messages of one line, all read.
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
    after(0, side)
}

/// The same after this number of new pictures.
fn after(pictures: u32, side: Side) -> Request {
    Request::Page(review(), Conversation::Channel, side, pictures)
}

fn talk(story: &Story) -> &Talk {
    story.app.model.known.talks.get(&(review(), Conversation::Channel)).unwrap()
}

/// The main pane without the line below it.
fn rows(story: &Story) -> Vec<String> {
    let pane = story.main_pane();
    pane.lines().take(20).map(ToOwned::to_owned).collect()
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

/// The database is another, with as many messages.
fn restore(story: &mut Story) {
    story.disconnect();
    let (epoch, seq) = ("f".to_owned(), 5);
    let reset = Reset { epoch: epoch.clone(), seq, reason: "it was restored".to_owned() };
    story.tell(Msg::Feed(FeedItem::Reset(reset)));
    let groups = vec![channel(&review(), 3, 0)];
    let other = Snapshot { epoch, seq, groups, ..snapshot() };
    story.tell(Msg::Snapshot(Ok(Box::new(other))));
}

#[test]
fn what_was_begun_means_nothing_of_another_database() {
    let mut story = talked(3);
    story.press("K").press("r").press("esc");
    let text = story.app.model.writing.composer.text();
    let to_channel = story.app.model.writing.composer.address.clone();
    let answer = Purpose::Answer(QuestionId::new(1));
    let _ = story.app.model.writing.drafts.keep(answer.clone(), Draft::ended("yes".to_owned()));
    let message = MessageId::new(2);
    story.app.model.selection.marked_messages.insert(message);
    let acts = [Act::RetryMessage(message), Act::Drop(message)].map(Effect::Act);
    story.app.perform(acts.into());
    assert!(story.app.model.prompt.question.is_some() && story.app.overlays.len() == 1);
    assert!(story.app.model.writing.composer.reply_to.is_some());
    restore(&mut story);
    let model = &story.app.model;
    assert!(model.prompt.question.is_none() && story.app.overlays.is_empty());
    assert!(model.selection.marked_messages.is_empty());
    assert_eq!(model.writing.drafts.get(answer), None);
    let draft = model.writing.drafts.get(&to_channel).unwrap();
    assert_eq!((&draft.text, draft.reply_to), (&text, None), "the text stays");
    assert_eq!((model.writing.composer.text(), model.writing.composer.reply_to), (text, None));
}

#[test]
fn a_conversation_of_another_database_is_shown_and_read_as_its_own() {
    let mut story = channel_of(3, 0);
    let read = Request::Read(review(), Conversation::Channel, MessageId::new(3));
    story.open_channel_with((1..=3).map(said).collect());
    assert!(story.asks().contains(&read), "{:?}", story.effects);
    assert!(story.main_pane().contains("message 3."), "{}", story.main_pane());
    restore(&mut story);
    assert!(story.asks().contains(&after(1, Side::Newest)), "{:?}", story.effects);
    let others = (1..=3).map(|seq| message(seq, "coder", &format!("another {seq}."))).collect();
    story.answer(after(1, Side::Newest), page(others, false));
    assert!(story.asks().contains(&read), "{:?}", story.effects);
    let pane = story.main_pane();
    assert!(pane.contains("another 3.") && !pane.contains("message 3."), "{pane}");
}

#[test]
fn a_message_that_is_gone_to_ends_the_filter() {
    for id in [2, 9] {
        let mut story = talked(3);
        let key = (review(), Conversation::Channel);
        story.app.model.known.talks.get_mut(&key).kinds = Kinds::Happened;
        let effects = scroll::go_to(&mut story.app.model, MessageId::new(id));
        let around = Effect::Ask(request(Side::Around(MessageId::new(id))));
        assert_eq!(effects.contains(&around), id == 9, "{effects:?}");
        assert_eq!(talk(&story).kinds, Kinds::All, "message {id}");
    }
}

#[test]
fn a_click_selects_the_line_under_it() {
    let mut story = talked(3);
    let row = |story: &Story, text: &str| {
        let at = rows(story).iter().position(|row| row.contains(text)).unwrap();
        u16::try_from(at).unwrap()
    };
    let at = row(&story, "message 2.");
    assert!(story.app.in_pane(|pane, model| pane.click(model, at)).is_some());
    assert_eq!(talk(&story).selected, Some(Mark::message(2)));
    assert_eq!(row(&story, "❯coder    message 2."), at);
    assert!(story.app.in_pane(|pane, model| pane.click(model, 0)).is_none());
    assert_eq!(talk(&story).selected, Some(Mark::message(2)), "nothing is there");
}

#[test]
fn a_long_message_is_unfolded_before_it_is_shown_with_its_fate() {
    let text: Vec<String> = (1..=30).map(|n| format!("line {n}")).collect();
    let mut story = channel_of(1, 1);
    story.open_channel_with(vec![message(1, "coder", &text.join("\n"))]);
    assert!(story.main_pane().contains("… 20 more lines, Enter"), "{}", story.main_pane());
    story.press("enter");
    assert!(story.main_pane().contains("line 11"), "{}", story.main_pane());
    assert!(story.app.overlays.is_empty());
    story.press("enter");
    assert_eq!(story.app.overlays.len(), 1);
}

#[test]
fn another_width_keeps_the_place_in_a_long_message() {
    let mut story = channel_of(1, 1).sized(200, 60);
    story.open_channel_with(vec![message(1, "coder", &words(2_000))]);
    story.press("enter").press("pgdn").press("pgdn");
    keeps_its_place(&mut story);
}

#[test]
fn a_message_without_an_end_is_laid_out_in_part_and_opened_whole() {
    let mut story = channel_of(1, 1);
    let text = format!("{}the end", "x".repeat(1 << 20));
    story.open_channel_with(vec![message(1, "coder", &text)]);
    story.press("enter").press("G");
    let pane = story.main_pane();
    assert!(pane.contains("whole text: o opens") && !pane.contains("the end"), "{pane}");
    story.press("o").press("G");
    assert!(story.screen().contains("the end"), "{}", story.screen());
}

#[test]
fn a_reply_quotes_the_line_names_the_author_and_keeps_what_was_written() {
    let mut story = talked(2);
    story.press("K").press("r");
    assert!(story.app.model.writing.composer.is_open);
    assert_eq!(story.app.model.writing.composer.text(), "> message 2.\n@coder ");
    story.type_in("why?").press("esc").press("r");
    assert_eq!(
        story.app.model.writing.composer.text(),
        "> message 2.\n@coder why?\n> message 2.\n@coder "
    );
    assert_eq!(story.app.model.writing.composer.draft().caret, (3, 7));
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
fn e_11_nothing_is_answered_where_nothing_may_be_written() {
    let mut story = talked(3);
    story.app.model.settings.read_only = true;
    story.press("K").press("r");
    assert!(!story.app.model.writing.composer.is_open);
    story.press("enter").press("r");
    assert!(!story.app.model.writing.composer.is_open);
}

fn copied(story: &Story) -> Option<&str> {
    story.effects.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    })
}

#[test]
fn one_code_block_is_copied_with_a_key() {
    let mut story = channel_of(3, 3);
    story.open_channel_with(vec![
        message(1, "coder", "run\n```sh\ncargo test\n```\nor\n```sh\ncargo check\n```"),
        message(2, "tester", "so:\n```rust\nlet x = 1;\n```"),
        message(3, "coder", "done"),
    ]);
    story.press("C");
    assert_eq!(copied(&story), Some("let x = 1;\n"), "of the newest that has one");
    story.press("K").press("C");
    assert_eq!(copied(&story), None, "the selected message has none");
    assert!(story.screen().contains("no code block here"), "{}", story.screen());
    story.press("K").press("K").press("C");
    assert!(story.overlay().contains("sh, 1 line: cargo check"), "{}", story.overlay());
    story.press("down").press("enter");
    assert_eq!(copied(&story), Some("cargo check\n"));
    story.press("enter").press("C").type_in("test").press("enter");
    assert_eq!(copied(&story), Some("cargo test\n"), "the message whole has the key too");
}
