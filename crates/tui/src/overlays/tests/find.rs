use agent_worker_client::FeedItem;
use agent_worker_protocol::{Hello, Hits, Reset, ResourceId, Snapshot};

use crate::{
    app::Msg,
    model::{
        place::{Subject, Tab},
        requests::{Reply, Request, RequestError},
    },
    tests::{Story, long_text, snapshot, team::pr},
};

fn asked(text: &str) -> Request {
    Request::Search(text.to_owned(), None)
}

fn searching(text: &str) -> Story {
    let mut story = Story::team();
    story.press("S").paste(text).settle();
    story
}

#[test]
fn what_is_typed_is_looked_for_and_one_question_is_on_its_way_at_a_time() {
    let mut story = Story::team();
    story.press("S").type_in("c");
    assert_eq!(story.asks(), [asked("c")]);
    story.type_in("u").type_in("r");
    assert_eq!(story.asks(), []);
    let none = Hits { hits: Vec::new(), more: false, next: None };
    story.answer(asked("c"), Reply::Hits(none.clone()));
    assert_eq!(story.asks(), [asked("cur")], "what was typed last is looked for");
    story.answer(asked("cur"), Reply::Hits(none));
    assert_eq!(story.asks(), []);
    assert!(story.screen().contains("nothing is found"), "{}", story.screen());
}

#[test]
fn what_is_found_is_gone_to_and_what_was_typed_is_kept() {
    let mut story = searching("cursor");
    assert!(story.screen().contains("the newest 3; more below"), "{}", story.screen());
    assert!(story.screen().contains("the cursor compares seq"));
    story.press("down").press("enter").settle();
    assert_eq!(story.app.model.place.subject, Subject::Workflow(pr()));
    assert_eq!(story.app.model.place.tab, Tab::Documents);
    story.press("S");
    let screen = story.screen();
    assert!(screen.contains("/ cursor"), "{screen}");
    assert!(screen.contains("\u{276f} notes.md"), "{screen}");
    story.press("up").press("enter").settle();
    assert_eq!(story.app.model.place.tab, Tab::Channel);
    story.press("S").press("pagedown").press("enter");
    let find = "cursor".to_owned();
    assert_eq!(story.asks(), [Request::Resource(pr(), ResourceId::new(19), find)]);
}

#[test]
fn what_is_typed_takes_the_place_of_what_was_looked_for_last() {
    for (key, wanted) in [(None, "s"), (Some("end"), "cursors"), (Some("ctrl+u"), "s")] {
        let mut story = searching("cursor");
        story.press("esc").press("S");
        if let Some(key) = key {
            story.press(key);
        }
        story.type_in("s");
        assert_eq!(story.app.panes.search.wanted, wanted, "{}", story.screen());
    }
}

#[test]
fn a_document_is_shown_where_the_word_stands() {
    let mut story = searching("sequence");
    story.press("down").press("enter").settle();
    let pane = story.main_pane();
    assert!(pane.contains("is a sequence number") && !pane.contains("Notes"), "{pane}");
}

#[test]
fn a_resource_is_shown_where_the_word_stands() {
    let mut story = searching("cursor");
    story.press("pagedown").press("enter");
    let content = "line\n".repeat(100) + "cursor: i64\n" + &"line\n".repeat(100);
    let asked = Request::Resource(pr(), ResourceId::new(19), "cursor".to_owned());
    story.answer(asked, long_text(19, content));
    let screen = story.screen();
    assert_eq!(screen.lines().nth(1).map(str::trim), Some("cursor: i64"), "{screen}");
}

#[test]
fn one_step_back_from_what_was_found_leads_to_the_results_once() {
    let mut story = searching("cursor");
    story.press("enter").settle();
    assert!(!story.screen().contains("search everything"), "{}", story.screen());
    story.press("esc");
    assert!(story.screen().contains("/ cursor"), "{}", story.screen());
    story.press("esc").press("esc");
    assert!(!story.screen().contains("search everything"), "{}", story.screen());
    story.press("S").press("enter").settle();
    story.press("2").settle();
    story.press("1").settle();
    story.press("esc");
    assert!(!story.screen().contains("search everything"), "another place was shown meanwhile");
}

#[test]
fn a_step_back_from_a_hit_ends_first_what_was_begun_at_its_place() {
    let mut story = searching("cursor");
    story.press("enter").settle();
    let key = story.app.model.conversation().unwrap();
    let has_range = |story: &Story| story.app.model.known.talks.get(&key).unwrap().anchor.is_some();
    story.press("v").press("z");
    assert!(has_range(&story) && story.app.model.display.is_zoomed, "{}", story.screen());
    story.press("esc");
    assert!(!has_range(&story), "{}", story.screen());
    story.press("esc");
    assert!(!story.app.model.display.is_zoomed, "{}", story.screen());
    assert!(!story.screen().contains("search everything"), "{}", story.screen());
    story.press("esc");
    assert!(story.screen().contains("/ cursor"), "{}", story.screen());

    story.press("down").press("enter").settle();
    assert_eq!(story.app.model.place.tab, Tab::Documents);
    story.press("/").type_in("notes").press("enter").press("esc");
    assert!(!story.screen().contains("search everything"), "only the search in the pane ends");
    story.press("esc");
    assert!(story.screen().contains("/ cursor"), "{}", story.screen());
}

#[test]
fn more_is_asked_for_at_the_end_and_comes_behind() {
    let mut story = searching("cursor");
    story.press("pagedown");
    let more = Request::Search("cursor".to_owned(), Some(7));
    assert_eq!(story.asks(), std::slice::from_ref(&more));
    let hits = crate::tests::team::hits("cursor");
    story.answer(more, Reply::Hits(Hits { more: false, next: None, ..hits }));
    assert!(story.screen().contains("6 found"), "{}", story.screen());
}

#[test]
fn a_search_goes_on_after_all_was_loaded_anew() {
    let mut story = searching("cursor");
    story.press("enter").settle();
    story.press("R").settle();
    story.press("esc");
    assert_eq!(story.asks(), [asked("cursor")], "{}", story.screen());
    assert!(story.screen().contains("searching"), "{}", story.screen());
    story.settle();
    assert!(story.screen().contains("the newest 3; more below"), "{}", story.screen());

    story.disconnect();
    let (epoch, seq) = ("f".to_owned(), 5);
    let reset = Reset { epoch: epoch.clone(), seq, reason: "it was restored".to_owned() };
    story.tell(Msg::Feed(FeedItem::Reset(reset)));
    story.tell(Msg::Snapshot(Ok(Box::new(Snapshot { epoch, seq, ..snapshot() }))));
    assert!(story.asks().contains(&asked("cursor")), "{:?}", story.effects);
}

#[test]
fn what_was_typed_without_a_connection_is_looked_for_with_the_next_one() {
    let mut story = Story::team();
    story.press("S").disconnect().type_in("cur");
    assert!(story.screen().contains("not connected"), "{}", story.screen());
    let (epoch, seq) = {
        let mirror = story.app.model.mirror();
        (mirror.epoch().unwrap().to_owned(), mirror.seq())
    };
    let version = "0.1.0".to_owned();
    let hello = Hello { epoch, seq, newest: seq, version, started_at: None, now: None };
    story.tell(Msg::Feed(FeedItem::Hello(hello)));
    assert!(story.asks().contains(&asked("cur")), "{:?}", story.effects);
}

#[test]
fn what_is_found_stays_when_more_of_it_could_not_be_loaded() {
    let mut story = searching("cursor");
    story.press("pagedown");
    let more = Request::Search("cursor".to_owned(), Some(7));
    story.tell(Msg::Answer(Box::new(more.clone()), Err(RequestError::offline())));
    assert!(story.screen().contains("the newest 3; more below"), "{}", story.screen());
    assert_eq!(story.press("pagedown").asks(), [more]);
}

#[test]
fn a_qualifier_that_is_wrong_is_told_of_and_the_next_key_asks_anew() {
    let mut story = Story::team();
    story.press("S").type_in("x");
    let message = "`before:` takes a date".to_owned();
    let trouble = RequestError { code: None, message, hint: None, is_unsure: false };
    story.tell(Msg::Answer(Box::new(asked("x")), Err(trouble)));
    assert!(story.screen().contains("takes a date"), "{}", story.screen());
    assert!(!story.screen().contains("searching"), "{}", story.screen());
    story.type_in("y");
    assert_eq!(story.asks(), [asked("xy")]);
}

#[test]
fn what_is_pasted_is_looked_for() {
    let mut story = Story::team();
    story.press("S").paste("cursor");
    assert_eq!(story.asks(), [asked("cursor")]);
}
