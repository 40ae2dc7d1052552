use std::ops::RangeInclusive;

use agent_worker_client::FeedItem;
use agent_worker_protocol::{
    Document, DocumentText, DocumentVersion, DocumentVersions, DocumentWritten, EventBody, Hit,
    Reset, Snapshot, Timestamp,
};

use crate::{
    app::{Msg, go},
    model::{
        Focus,
        effects::{Effect, Outside, Record},
        layout,
        place::{Place, Subject, Tab},
        requests::{Reply, Request, RequestError},
        writing::drafts::{Draft, Purpose},
    },
    mouse::{Mouse, MouseKind},
    paint::Row,
    panes::tests::{keeps_its_place, words},
    tests::{
        Story,
        story::{NOW, review, snapshot, workflow},
        team::hits,
    },
};

fn document(version: i64) -> Document {
    Document {
        scope: review(),
        file: "notes.md".to_owned(),
        version,
        owner: None,
        author: "coder".parse().unwrap(),
        bytes: 40,
        updated_at: Timestamp(NOW),
    }
}

fn versions(numbers: RangeInclusive<i64>) -> DocumentVersions {
    let version = |version| DocumentVersion {
        version,
        author: "coder".parse().unwrap(),
        run: None,
        bytes: 40,
        created_at: Timestamp(NOW),
    };
    let versions = numbers.rev().map(version).collect();
    DocumentVersions { file: "notes.md".to_owned(), versions }
}

/// Gives the texts that the last thing asked for.
fn deliver(story: &mut Story, text_of: fn(i64) -> String) {
    let asked: Vec<Request> = story
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Ask(request @ Request::Document(..)) => Some(request.clone()),
            _ => None,
        })
        .collect();
    for request in asked {
        let Request::Document(_, file, Some(version)) = &request else { panic!("{request:?}") };
        let text = DocumentText {
            file: file.clone(),
            content: text_of(*version),
            version: *version,
            owner: None,
            chars: 10,
            more: false,
        };
        story.tell(Msg::Answer(Box::new(request.clone()), Ok(Reply::Document(text))));
    }
}

fn text_of(version: i64) -> String {
    let lines: Vec<String> =
        (0..60).map(|line| format!("line {line} of version {version}")).collect();
    format!("# Notes\n\n{}\n", lines.join("\n\n"))
}

fn reading(version: i64) -> Story {
    let mut story = Story::review().sized(120, 40);
    story.happens(EventBody::DocumentChanged(document(version)));
    story.effects = go(&mut story.app, Place::at(Subject::Workflow(review()), Tab::Documents));
    story.app.model.selection.focus = Focus::Main;
    deliver(&mut story, text_of);
    story
}

#[test]
fn d_13_a_new_version_does_not_move_the_text_that_is_read() {
    let mut story = reading(14);
    let list = Request::Versions(review(), "notes.md".to_owned());
    story.answer(list, Reply::Versions(versions(1..=14)));
    story.press("enter").press("pgdn");
    let before = story.screen();
    assert!(before.contains("version 14") && before.contains("v14 of 14"), "{before}");
    story.happens(EventBody::DocumentChanged(document(15)));
    deliver(&mut story, text_of);
    let after = story.screen();
    assert!(after.contains("v14 of 15") && after.contains("v15 by coder, R shows it"), "{after}");
    let text = |screen: &str| -> Vec<String> {
        let rows = screen.lines().filter(|line| line.contains("of version"));
        rows.map(|row| row[row.find("line").unwrap()..].to_owned()).collect()
    };
    assert_eq!(text(&before), text(&after));
    story.press("R");
    deliver(&mut story, text_of);
    assert!(story.screen().contains("v15 of 15"), "{}", story.screen());
    story.press("D");
    deliver(&mut story, text_of);
    assert!(story.screen().contains("v15 of 15 against v14"), "{}", story.screen());
}

#[test]
fn a_document_that_sorts_before_the_one_that_is_read_does_not_take_its_place() {
    let mut story = reading(14);
    let other = Document { file: "a.md".to_owned(), ..document(1) };
    story.happens(EventBody::DocumentChanged(other));
    deliver(&mut story, |_| "another text".to_owned());
    let screen = story.screen();
    assert!(screen.contains("notes.md v14 of 14"), "{screen}");
    assert!(screen.contains("line 0 of version 14"), "{screen}");
    story.press("e");
    let Some(Effect::Outside(Outside::Document { file, .. })) = story.effects.first() else {
        panic!("{:?}", story.effects)
    };
    assert_eq!(file, "notes.md");
}

#[test]
fn a_document_of_another_owner_offers_no_edit_and_says_what_helps() {
    let mut story = reading(14);
    assert!(story.screen().contains("e edit"), "{}", story.screen());
    let owned = Document { owner: Some("coder".parse().unwrap()), ..document(14) };
    story.happens(EventBody::DocumentChanged(owned));
    let screen = story.screen();
    assert!(screen.contains("only coder writes notes.md; e says how that is changed"), "{screen}");
    assert!(!screen.contains("e edit"), "{screen}");
    story = story.sized(80, 24);
    assert!(story.press("e").overlay().contains("only coder writes notes.md"));
    story.press("y");
    let command = "agent-worker doc owner user --file notes.md --in @review";
    let copied = Effect::Copy(command.to_owned());
    assert!(story.effects.contains(&copied), "{:?}", story.effects);
}

/// `e`: the text that the editor was given, and with which it comes back; then what is saved.
fn edit(story: &mut Story, back: &str) -> (String, Option<Request>) {
    story.press("e");
    let outside = story.effects.iter().find_map(|effect| match effect {
        Effect::Outside(outside) => Some(outside.clone()),
        _ => None,
    });
    let Some(Outside::Document { text, .. }) = &outside else { panic!("{:?}", story.effects) };
    let given = text.clone();
    story.tell(Msg::Outside(outside.unwrap(), Ok(back.to_owned())));
    let save = story.asks().into_iter().find(|ask| matches!(ask, Request::Save { .. }));
    (given, save)
}

/// The text of the person that is kept on disk for the document, as the last thing left it.
fn kept(story: &Story) -> Option<Draft> {
    story.effects.iter().rev().find_map(|effect| match effect {
        Effect::Store(Record::Draft(Purpose::Document(..), draft)) => Some(draft.clone()),
        _ => None,
    })
}

fn refuse(story: &mut Story, save: Request, message: &str) {
    let trouble =
        RequestError { code: None, message: message.to_owned(), hint: None, is_unsure: false };
    story.tell(Msg::Answer(Box::new(save), Err(trouble)));
    deliver(story, text_of);
}

/// Another writer stores version 15 while the user edits version 14.
fn refused() -> Story {
    let mut story = reading(14);
    story.press("e");
    let Some(Effect::Outside(outside)) = story.effects.first().cloned() else {
        panic!("{:?}", story.effects)
    };
    story.happens(EventBody::DocumentChanged(document(15)));
    story.tell(Msg::Outside(outside, Ok("my own words".to_owned())));
    assert_eq!(kept(&story).unwrap().text, "my own words", "before it is sent");
    let save = story.asks().pop().unwrap();
    assert!(matches!(&save, Request::Save { version: 14, .. }), "{save:?}");
    refuse(&mut story, save, "notes.md is at version 15, not 14");
    story
}

#[test]
fn d_14_a_text_edited_meanwhile_overwrites_nothing_and_is_kept() {
    let mut story = refused();
    let screen = story.screen();
    assert!(screen.contains("notes.md is at version 15, not 14"), "{screen}");
    assert!(screen.contains("Your text is kept on disk: e on the document goes on"), "{screen}");
    assert!(!screen.contains("saving notes.md"), "{screen}");
    story.press("esc");
    let screen = story.screen();
    assert!(screen.contains("v15 of 15 changed to your text (+1 "), "{screen}");
    assert!(screen.contains("e goes on with it"), "{screen}");
    let diff = screen + &story.press("G").screen();
    assert!(diff.contains("line 0 of version 15") && diff.contains("my own words"), "{diff}");
    let (given, save) = edit(&mut story, "my own words, merged");
    assert_eq!(given, "my own words");
    let Some(save @ Request::Save { version: 15, .. }) = save else { panic!("{save:?}") };
    let written = DocumentWritten { file: "notes.md".to_owned(), version: 16 };
    story.answer(save, Reply::Written(written));
    assert_eq!(kept(&story), Some(Draft::default()), "what is saved is no draft");
    assert!(!story.screen().contains("changed to your text"), "{}", story.screen());
    assert!(!story.screen().contains("e goes on with it"), "{}", story.screen());
}

#[test]
fn behind_a_text_that_was_refused_the_versions_are_compared() {
    let mut story = refused();
    story.press("esc");
    let list = Request::Versions(review(), "notes.md".to_owned());
    // What was asked for before version 15 is asked for again.
    for _ in 0..2 {
        story.answer(list.clone(), Reply::Versions(versions(1..=15)));
    }
    let (mine, compared) = ("changed to your text", "v15 of 15 against v14");
    assert!(story.screen().contains(mine), "{}", story.screen());
    assert!(story.press("D").screen().contains(compared), "{}", story.screen());
    let text = story.press("D").screen();
    assert!(!text.contains(mine) && !text.contains("against v"), "{text}");
    assert!(story.press("D").screen().contains(mine), "{}", story.screen());
}

#[test]
fn d_14_a_text_that_was_refused_overwrites_nothing_before_it_is_changed() {
    let mut story = refused();
    story.press("esc");
    assert_eq!(edit(&mut story, "my own words\n"), ("my own words".to_owned(), None));
    assert!(story.screen().contains("kept, not saved"), "{}", story.screen());
    assert_eq!(edit(&mut story, "\n"), ("my own words".to_owned(), None));
    assert_eq!(kept(&story), Some(Draft::default()), "a text without a letter is no draft");
    assert_eq!(edit(&mut story, "").0, text_of(15));
}

#[test]
fn a_text_that_could_not_be_saved_is_saved_as_it_is_later() {
    let mut story = reading(14);
    let (_, save) = edit(&mut story, "my own words");
    refuse(&mut story, save.unwrap(), "no answer");
    story.press("esc").press("q");
    let (given, save) = edit(&mut story, "my own words");
    assert_eq!(given, "my own words");
    assert!(matches!(save, Some(Request::Save { version: 14, .. })), "{save:?}");
    // That was done, but its answer is lost.
    refuse(&mut story, save.unwrap(), "no answer");
    story.happens(EventBody::DocumentChanged(document(15)));
    story.press("esc").press("q").press("R");
    deliver(&mut story, |_| "my own words".to_owned());
    assert_eq!(edit(&mut story, "my own words"), ("my own words".to_owned(), None));
    assert!(story.screen().contains("notes.md is as it was"), "{}", story.screen());
}

/// What is shown in another way than it is stored.
fn as_stored(_: i64) -> String {
    "all:\r\n\tcc x.c\n\u{1}\u{1b}[31mred\u{1b}[0m \u{200b}end\n".to_owned()
}

fn reading_stored(text_of: fn(i64) -> String) -> Story {
    let mut story = reading(1);
    story.happens(EventBody::DocumentChanged(document(2)));
    story.press("R");
    deliver(&mut story, text_of);
    story
}

#[test]
fn the_editor_is_given_a_document_as_it_is_stored() {
    let more = as_stored(2) + "a line more\n";
    let (given, save) = edit(&mut reading_stored(as_stored), &more);
    assert_eq!(given, as_stored(2));
    assert!(matches!(&save, Some(Request::Save { text, .. }) if *text == more), "{save:?}");
}

#[test]
fn a_last_line_end_that_the_editor_adds_is_not_saved() {
    fn unix(_: i64) -> String {
        "one\ntwo".to_owned()
    }
    fn dos(_: i64) -> String {
        "one\r\ntwo".to_owned()
    }
    for (stored, end) in [(unix as fn(i64) -> String, "\n"), (dos, "\r\n")] {
        let mut story = reading_stored(stored);
        assert_eq!(edit(&mut story, &(stored(2) + end)), (stored(2), None));
        assert!(story.screen().contains("notes.md is as it was"), "{}", story.screen());
    }
}

#[test]
fn other_line_ends_from_the_editor_are_saved() {
    let other = as_stored(2).replace("\r\n", "\n");
    let (_, save) = edit(&mut reading_stored(as_stored), &other);
    assert!(matches!(&save, Some(Request::Save { text, .. }) if *text == other), "{save:?}");
}

#[test]
fn versions_that_differ_in_line_ends_alone_are_not_the_same() {
    let mut story = reading_stored(|_| text_of(1).replace('\n', "\r\n"));
    let list = Request::Versions(review(), "notes.md".to_owned());
    // What was asked for before version 2 is asked for again.
    for _ in 0..2 {
        story.answer(list.clone(), Reply::Versions(versions(1..=2)));
    }
    let screen = story.press("D").screen();
    assert!(screen.contains("v2 of 2 against v1 (+121 −121)"), "{screen}");
    let end = story.press("enter").press("G").screen();
    assert!(end.contains("lines that look the same"), "{end}");
}

#[test]
fn a_workflow_of_the_same_name_shows_no_text_of_the_one_that_is_gone() {
    let mut story = reading(3);
    assert!(story.screen().contains("line 0 of version 3"), "{}", story.screen());
    let mut asked = Vec::new();
    for body in [
        EventBody::WorkflowRemoved { scope: review() },
        EventBody::WorkflowChanged(Box::new(workflow("@review", &["coder"]))),
        EventBody::DocumentChanged(document(1)),
    ] {
        asked.extend(story.happens(body).asks());
    }
    asked.extend(story.open(Subject::Workflow(review()), Tab::Documents).asks());
    let file = || "notes.md".to_owned();
    asked.retain(|request| matches!(request, Request::Document(..) | Request::Versions(..)));
    assert_eq!(asked, [Request::Document(review(), file(), Some(1))]);
    assert!(!story.screen().contains("of version 3"), "{}", story.screen());

    let of_the_old = DocumentVersions { file: file(), versions: Vec::new() };
    let versions = Request::Versions(review(), file());
    story.answer(versions.clone(), Reply::Versions(of_the_old));
    assert_eq!(story.asks(), [versions], "what was asked of the old one is asked again");
}

#[test]
fn a_version_that_a_restored_database_does_not_have_is_not_shown() {
    let mut story = reading(14);
    story.disconnect();
    let reset = Reset { epoch: "f".to_owned(), seq: 5, reason: "it was restored".to_owned() };
    story.tell(Msg::Feed(FeedItem::Reset(reset)));
    let documents = vec![document(2)];
    let older = Snapshot { epoch: "f".to_owned(), seq: 5, documents, ..snapshot() };
    story.tell(Msg::Snapshot(Ok(Box::new(older))));
    deliver(&mut story, text_of);
    assert!(story.screen().contains("v2 of 2"), "{}", story.screen());
}

#[test]
fn a_list_of_versions_that_was_asked_for_before_a_write_is_asked_for_again() {
    let mut story = reading(14);
    let request = Request::Versions(review(), "notes.md".to_owned());
    story.happens(EventBody::DocumentChanged(document(15)));
    story.answer(request.clone(), Reply::Versions(versions(1..=14)));
    assert_eq!(story.asks(), std::slice::from_ref(&request));
    story.answer(request, Reply::Versions(versions(1..=15)));
    assert_eq!(story.asks(), []);
}

#[test]
fn versions_are_walked_and_the_ends_are_said() {
    let mut story = reading(3);
    story.press("<");
    deliver(&mut story, text_of);
    assert!(story.screen().contains("v2 of 3"), "{}", story.screen());
    story.press("<");
    deliver(&mut story, text_of);
    story.press("<");
    assert!(story.screen().contains("no older version is kept"), "{}", story.screen());
}

#[test]
fn a_version_before_the_oldest_that_is_kept_is_not_asked_for() {
    let mut story = reading(14);
    let list = Request::Versions(review(), "notes.md".to_owned());
    story.answer(list, Reply::Versions(versions(5..=14)));
    story.tell(Msg::Resize(200, 60));
    let mut asked = Vec::new();
    for key in ["<"; 9].into_iter().chain(["D"]) {
        asked.extend(story.press(key).asks());
        deliver(&mut story, text_of);
    }
    assert!(story.screen().contains("v5 of 14"), "{}", story.screen());
    let of = |version| Request::Document(review(), "notes.md".to_owned(), Some(version));
    assert!(asked.contains(&of(5)) && !asked.contains(&of(4)), "{asked:?}");
}

#[test]
fn a_version_to_compare_with_is_asked_for_once_the_list_says_that_it_is_kept() {
    let mut story = reading(14);
    let list = Request::Versions(review(), "notes.md".to_owned());
    assert_eq!(story.press("D").asks(), []);
    assert!(!story.screen().contains("no older version is kept"), "{}", story.screen());
    story.answer(list.clone(), Reply::Versions(versions(14..=14)));
    assert_eq!(story.asks(), []);

    let mut story = reading(14);
    story.press("D").answer(list.clone(), Reply::Versions(versions(13..=14)));
    assert_eq!(story.asks(), [Request::Document(review(), "notes.md".to_owned(), Some(13))]);
    deliver(&mut story, text_of);
    assert!(story.screen().contains("against v13"), "{}", story.screen());
    story.happens(EventBody::DocumentChanged(document(15)));
    assert!(story.asks().contains(&list), "{:?}", story.effects);
    assert!(story.screen().contains("against v13"), "{}", story.screen());
}

#[test]
fn the_wheel_over_the_side_panel_scrolls_its_diff_alone() {
    let mut story = reading(14);
    story.tell(Msg::Resize(200, 60));
    let list = Request::Versions(review(), "notes.md".to_owned());
    story.answer(list, Reply::Versions(versions(13..=14)));
    deliver(&mut story, text_of);
    let before = story.screen();
    assert!(before.contains("line 0 of version 13"), "{before}");
    let dock = layout::regions(&story.app.model).dock.unwrap();
    let turn = |story: &mut Story, kind| {
        for _ in 0..3 {
            story.tell(Msg::Mouse(Mouse { kind, x: dock.x + 1, y: dock.y + 1 }));
        }
        story.screen()
    };
    let below = turn(&mut story, MouseKind::WheelDown);
    assert!(!below.contains("line 0 of version 13") && below.contains("version 13"), "{below}");
    let left_of_it = |screen: &str| -> Vec<String> {
        screen.lines().map(|line| line.chars().take(dock.x.into()).collect()).collect()
    };
    assert_eq!(left_of_it(&below), left_of_it(&before));
    assert_eq!(turn(&mut story, MouseKind::WheelUp), before);
}

#[test]
fn a_long_name_leaves_its_version_in_sight() {
    let mut story = reading(1);
    let file = format!("{}.md", "a-long-name".repeat(9));
    story.happens(EventBody::DocumentChanged(Document { file, ..document(7) }));
    story.press("k");
    for width in [60, 80, 120] {
        story.tell(Msg::Resize(width, 24));
        assert!(story.main_pane().contains(".md v7 of 7"), "{}", story.screen());
    }
}

#[test]
fn a_long_name_moves_no_column_of_the_list_of_versions() {
    let mut story = reading(14);
    story.tell(Msg::Resize(200, 60));
    let mut two = versions(13..=14);
    two.versions[0].author = "a-name-of-an-agent-that-is-long".parse().unwrap();
    story.answer(Request::Versions(review(), "notes.md".to_owned()), Reply::Versions(two));
    let dock = layout::regions(&story.app.model).dock.unwrap();
    let screen = story.screen();
    let beside = screen.lines().map(|line| line.chars().skip(dock.x.into()).collect::<String>());
    let sizes = beside.filter_map(|line| {
        let (before, _) = line.split_once("40 B").filter(|_| line.starts_with("v1"))?;
        Some(before.chars().count())
    });
    let sizes: Vec<_> = sizes.collect();
    assert!(matches!(sizes[..], [one, other] if one == other), "{sizes:?} {screen}");
}

#[test]
fn the_whole_text_of_a_document_begins_at_the_first_match() {
    let mut story = reading(1);
    story.press("enter").press("/").type_in("line 30 of").press("enter").press("o");
    let screen = story.screen();
    assert_eq!(screen.lines().nth(1).map(str::trim), Some("line 30 of version 1"), "{screen}");
}

#[test]
fn a_document_that_a_search_in_everything_has_found_is_shown_whole_from_the_word_on() {
    let text = |_: i64| "a line\n\n".repeat(60) + "the cursor\n\n" + &"a line\n\n".repeat(60);
    let mut story = reading_stored(text);
    let hit = hits("cursor").hits.remove(1);
    story.go_to_found(Hit { scope: review(), ..hit }).press("o");
    let screen = story.screen();
    assert_eq!(screen.lines().nth(1).map(str::trim), Some("the cursor"), "{screen}");
}

#[test]
fn a_phrase_that_is_broken_over_rows_is_found_in_a_document() {
    let mut story = reading_stored(of_two_sections);
    let phrase: Vec<_> = (2_500..2_520).map(|number| format!("word{number}")).collect();
    story.press("enter").press("/").type_in(&phrase.join(" ")).press("enter");
    assert!(story.main_pane().contains("Word2540"), "{}", story.screen());
}

#[test]
fn a_phrase_that_is_broken_over_rows_is_found_beside_one_that_is_whole() {
    let mut story = reading_stored(|_| {
        let pairs = (1_000..1_059).map(|first| format!("    Word{first} Word{}\n", first + 1));
        format!("{}\n\n{}", words(60), pairs.collect::<String>())
    });
    let laid = story.app.panes.documents.laid(&story.app.model).unwrap();
    let rows: Vec<String> = laid.rows().iter().map(Row::text).collect();
    let at = rows.iter().position(|row| row.starts_with("Word1000")).unwrap();
    let last = rows[at].split_whitespace().next_back().unwrap();
    let next = rows[at + 1].split_whitespace().next().unwrap();
    story.press("enter").press("/").type_in(&format!("{last} {next}"));
    for (key, told) in [("enter", "match 1 of 2 "), ("n", "match 2 of 2 "), ("n", "match 1 of 2 ")]
    {
        story.press(key);
        let notice = story.app.model.prompt.notice.as_ref().map(|it| it.text.clone());
        assert!(notice.is_some_and(|text| text.starts_with(told)), "{}", story.screen());
    }
}

#[test]
fn the_whole_text_begins_at_a_phrase_that_goes_over_its_lines() {
    let text = |_: i64| {
        let lines = "a line\n\n".repeat(60);
        format!("{lines}the end\nof the\n**long** text\n\n{lines}")
    };
    for (phrase, begin) in [("end of", "the end"), ("long text", "**long** text")] {
        let mut story = reading_stored(text);
        story.press("enter").press("/").type_in(phrase).press("enter").press("o");
        let screen = story.screen();
        assert_eq!(screen.lines().nth(1).map(str::trim), Some(begin), "{screen}");
    }
}

/// Words below a heading, then lines of code below another.
fn of_two_sections(_: i64) -> String {
    let lines: Vec<String> = (0..200).map(|line| format!("    line {line}")).collect();
    format!("# Notes\n\n{}\n\n# Code\n\n{}\n", words(2_000), lines.join("\n"))
}

#[test]
fn another_width_keeps_the_place_in_a_document() {
    let mut story = reading_stored(of_two_sections).sized(200, 60);
    story.press("enter").press("pgdn").press("pgdn");
    keeps_its_place(&mut story);

    let top = |story: &Story| {
        let pane = story.main_pane();
        let line = pane.lines().find_map(|row| row.split_once("line "));
        line.and_then(|(_, rest)| rest.split_whitespace().next()).map(str::to_owned)
    };
    story.press("G");
    let wide = top(&story);
    assert!(wide.is_some(), "{}", story.screen());
    story.tell(Msg::Resize(80, 24));
    assert_eq!(top(&story), wide, "what is above its heading moves no line of code");
}

#[test]
fn another_width_keeps_the_place_in_the_diff_beside_a_document() {
    let mut story = Story::review().sized(200, 60);
    story.app.model.display.dock = Some(true);
    story.happens(EventBody::DocumentChanged(document(14)));
    story.open(Subject::Workflow(review()), Tab::Documents);
    let text = |version: i64| words(if version == 14 { 800 } else { 1 });
    deliver(&mut story, text);
    let list = Request::Versions(review(), "notes.md".to_owned());
    story.answer(list, Reply::Versions(versions(13..=14)));
    deliver(&mut story, text);
    let dock = |story: &Story| layout::regions(&story.app.model).dock.unwrap();
    let first = |story: &Story| {
        let (screen, left) = (story.screen(), usize::from(dock(story).x));
        let mut rows = screen.lines().map(|line| line.chars().skip(left).collect::<String>());
        let word = |row: String| row.split_once("Word")?.1.get(..4)?.parse::<i64>().ok();
        rows.find_map(word).unwrap()
    };
    let (x, y) = (dock(&story).x + 1, dock(&story).y + 1);
    for _ in 0..20 {
        story.tell(Msg::Mouse(Mouse { kind: MouseKind::WheelDown, x, y }));
    }
    let wide = first(&story);
    assert!(wide > 1_100, "{}", story.screen());
    story.tell(Msg::Resize(130, 60));
    let narrow = first(&story);
    assert!(wide.abs_diff(narrow) < 25, "{wide} became {narrow}");
    story.tell(Msg::Resize(200, 60));
    assert_eq!(first(&story), wide);
}

/// What was just asked for is not to be had, and is not asked for again by itself.
fn not_to_be_had(story: &mut Story) -> Vec<Request> {
    let asked = story.asks();
    for request in asked.clone() {
        story.tell(Msg::Answer(Box::new(request), Err(RequestError::offline())));
        assert_eq!(story.asks(), []);
    }
    let screen = story.screen();
    assert!(screen.contains("could not be loaded: R loads it again"), "{screen}");
    asked
}

#[test]
fn a_text_that_could_not_be_loaded_is_asked_for_again_by_r_or_when_it_changes() {
    let mut story = Story::review().sized(120, 40);
    story.happens(EventBody::DocumentChanged(document(14)));
    story.open(Subject::Workflow(review()), Tab::Documents);
    let asked = not_to_be_had(&mut story);
    assert!(asked.iter().any(|request| matches!(request, Request::Document(..))), "{asked:?}");
    story.press("R");
    assert_eq!(not_to_be_had(&mut story), asked);
    story.happens(EventBody::DocumentChanged(document(15)));
    assert_eq!(not_to_be_had(&mut story), asked);
    story.press("1").press("3");
    assert_eq!(story.asks(), asked, "it is looked at again");
    deliver(&mut story, text_of);
    assert!(story.screen().contains("line 0 of version 14"), "{}", story.screen());
}

#[test]
fn a_text_is_laid_out_anew_with_other_characters() {
    let mut story = reading(1);
    story.happens(EventBody::DocumentChanged(document(2)));
    story.press("R");
    deliver(&mut story, |_| "| a | b |\n|---|---|\n| 1 | 2 |\n".to_owned());
    assert!(story.screen().contains("├─────┼─────┤"), "{}", story.screen());
    story.app.model.display.look.symbols = crate::symbols::Symbols::of(crate::symbols::Set::Ascii);
    assert!(story.screen().contains("|-----+-----|"), "{}", story.screen());
}
