//! Screens made by stories: what happens, which keys are pressed, what is seen.

mod asked;
mod errors;
mod gallery;
mod kept;
mod keys;
mod lost;
mod named;
mod page;
mod pictures;
mod remote;
mod scenes;
mod screens;
mod screenshots;
mod searching;
mod settings;
mod several;
pub mod story;
mod strokes;
mod tables;
pub mod team;
mod tree;
mod viewing;

use agent_worker_protocol::{Conversation, ErrorCode, EventBody};

use crate::{
    app::{Msg, next_timer, tabs},
    model::{
        Address, Focus,
        effects::{Effect, Record, Window},
        layout,
        place::{Place, Subject, Tab},
        requests::{Reply, Request, RequestError},
        writing::{
            drafts::{Draft, Purpose},
            kept::Drafts,
        },
    },
    mouse::{Mouse, MouseKind},
    screen,
};
pub use screens::all as all_screens;
pub use story::{
    NOW, Story, agent, begins, block, channel, ends, grows, long_text, message, need_of, question,
    review, run, silent_run, snapshot, workflow,
};

#[test]
fn a_team_at_work_is_seen_whole() {
    let mut story = Story::review();
    story.press("f");
    assert!(story.screen().contains("jump"), "{}", story.screen());
}

#[test]
fn c_3_escape_ends_at_the_tree_and_deletes_nothing() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("half a thought");
    for _ in 0..20 {
        story.press("esc");
    }
    assert_eq!(story.app.model.selection.focus, Focus::Nav);
    assert!(story.app.overlays.is_empty() && !story.app.model.writing.composer.is_open);
    story.press("i");
    assert_eq!(story.app.model.writing.composer.text(), "half a thought");
}

#[test]
fn c_8_a_key_pressed_twice_confirms_nothing() {
    let mut story = Story::review();
    story.select_agent("coder@review");
    story.press("x");
    assert!(story.app.model.prompt.question.is_some(), "{}", story.screen());
    assert_eq!(story.press("y").acts(), []);
    assert!(story.app.model.prompt.question.is_some());
    story.wait(200);
    let acts = story.press("y").acts();
    assert_eq!(acts.len(), 1, "{acts:?}");
}

#[test]
fn a_question_is_answered_although_the_clock_was_set_back() {
    let mut story = Story::review();
    story.select_agent("coder@review");
    story.press("x").wait(-3_600_000);
    let acts = story.press("y").acts();
    assert_eq!(acts.len(), 1, "{acts:?}");
}

#[test]
fn c_9_nothing_that_destroys_is_done_before_its_name_is_typed() {
    let mut story = Story::review();
    story.open_channel();
    story.press("X");
    for key in ["enter", "space", "y", "enter"] {
        assert_eq!(story.press(key).acts(), []);
        assert_eq!(story.app.overlays.len(), 1);
    }
    for _ in 0..3 {
        story.press("backspace");
    }
    story.type_in("main");
    assert_eq!(story.press("enter").acts(), [], "each workflow may have this tag");
    for _ in 0..4 {
        story.press("backspace");
    }
    story.type_in("review").press("enter");
    assert_eq!(story.acts().len(), 1);
}

#[test]
fn c_6_what_is_pasted_outside_a_text_field_is_ignored() {
    let mut story = Story::review();
    assert_eq!(story.paste("xyXqdt\n").effects, []);
    assert!(story.screen().contains("paste ignored, press i to write"));
}

#[test]
fn c_12_letters_are_text_while_writing() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("?q:1");
    assert_eq!(story.app.model.writing.composer.text(), "?q:1");
}

#[test]
fn c_13_the_edges_of_the_box_do_nothing() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i");
    for key in ["left", "backspace", "up", "home"] {
        story.press(key);
        assert!(
            story.app.model.writing.composer.is_open && story.app.model.writing.composer.is_blank(),
            "{key}"
        );
    }
}

#[test]
fn f_2_a_text_is_written_to_disk_twice_a_second_at_the_most() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i");
    let mut writes = Vec::new();
    for number in 0..100 {
        story.type_in("x").wait(30);
        if story.effects.iter().any(|effect| matches!(effect, Effect::Store(Record::Draft(..)))) {
            writes.push(number * 30);
        }
    }
    assert!((5..=6).contains(&writes.len()), "{writes:?}");
    assert!(writes.windows(2).all(|pair| pair[1] - pair[0] >= 500), "{writes:?}");
    story.wait(500);
    assert!(
        story.app.model.writing.composer.changed_at.is_none(),
        "the last of it is on its way too"
    );
}

#[test]
fn what_another_control_room_has_left_is_told_and_can_be_sent() {
    let mut story = Story::review();
    story.open_channel();
    let purpose = Purpose::from(&Address::Channel(review()));
    story.tell(Msg::Left(vec![(purpose, "half a thought".to_owned())]));
    let screen = story.screen();
    assert!(screen.contains("another control room left for # review"), "{screen}");
    story.press("i").press("ctrl+r");
    assert_eq!(story.app.model.writing.composer.text(), "half a thought");
}

#[test]
fn several_texts_that_were_left_are_told_in_one_line() {
    let mut story = Story::review().sized(120, 40);
    let texts = ["@review", "@global"].map(|scope| {
        let address = Address::Channel(scope.parse().unwrap());
        (Purpose::from(&address), format!("for {scope}"))
    });
    story.tell(Msg::Left(texts.into()));
    let screen = story.screen();
    assert!(screen.contains("left for # review:main, # global:main"), "{screen}");
}

#[test]
fn whom_a_text_wakes_is_seen_beside_what_is_told() {
    let mut story = Story::review().sized(120, 40);
    story.open_channel();
    story.press("i").type_in("@tester please");
    story.tell(Msg::AlsoOpen(Purpose::from(&Address::Channel(review()))));
    let screen = story.screen();
    assert!(screen.contains("wakes 1: tester   # review:main is also open elsewhere"), "{screen}");
}

#[test]
fn a_text_is_written_to_disk_although_the_clock_was_set_back() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("half");
    story.app.model.now -= 3_600_000;
    let now = story.app.model.now;
    assert!(next_timer(&story.app).is_some_and(|at| at <= now + 500));
    story.wait(500);
    assert!(story.effects.iter().any(|effect| matches!(effect, Effect::Store(Record::Draft(..)))));
}

#[test]
fn only_the_draft_that_is_seen_is_said_to_be_saved() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("half").wait(600);
    let address = story.app.model.writing.composer.address.clone();
    let kept = |text: &str| Msg::Saved((&address).into(), text.to_owned());
    assert!(story.tell(kept("half")).screen().contains("draft saved"), "{}", story.screen());
    story.press("esc").select_agent("coder@review").press("i");
    assert!(!story.screen().contains("draft saved"), "{}", story.screen());
    story.press("esc").open_channel().press("i").press("ctrl+u").wait(600);
    assert!(!story.tell(kept("")).screen().contains("draft saved"), "{}", story.screen());
}

#[test]
fn a_draft_that_is_not_on_disk_is_said_to_be_so_until_it_is() {
    let mut story = Story::review().sized(120, 40);
    story.open_channel();
    story.press("i").type_in("half").wait(600);
    let purpose = Purpose::from(&story.app.model.writing.composer.address);
    let saved = |text: &str| Msg::Saved(purpose.clone(), text.to_owned());
    assert!(story.tell(saved("half")).screen().contains("draft saved"), "{}", story.screen());
    story.type_in("!").wait(600);
    story.tell(Msg::DraftNotSaved(purpose.clone(), "cannot write to it".to_owned()));
    assert!(story.screen().contains("cannot write to it"), "{}", story.screen());
    let screen = story.wait(200).press("esc").screen();
    assert!(screen.contains("i goes on with the draft, which is not saved"), "{screen}");
    let screen = story.press("i").screen();
    assert!(screen.contains("draft not saved") && !screen.contains("draft saved"), "{screen}");
    let screen = story.tell(saved("half!")).screen();
    assert!(screen.contains("the draft for # review:main is saved now"), "{screen}");
    assert!(screen.contains("draft saved") && !screen.contains("not saved"), "{screen}");
}

#[test]
fn without_a_connection_a_draft_is_said_to_be_kept_only_if_it_is_on_disk() {
    for is_full in [false, true] {
        let mut story = Story::review().sized(120, 40);
        story.open_channel();
        story.press("i").type_in("half").wait(600);
        if is_full {
            let purpose = Purpose::from(&story.app.model.writing.composer.address);
            story.tell(Msg::DraftNotSaved(purpose, "disk full".to_owned())).wait(200);
        }
        let screen = story.press("esc").disconnect().screen();
        assert_eq!(screen.contains("Sending is off, drafts are kept."), !is_full, "{screen}");
        assert_eq!(screen.contains("and not every draft is saved."), is_full, "{screen}");
        let screen = story.press("i").screen();
        assert_eq!(screen.contains("not connected: kept as draft"), !is_full, "{screen}");
        assert_eq!(screen.contains("not connected   draft not saved"), is_full, "{screen}");
        let screen = story.press("enter").screen();
        assert_eq!(screen.contains("not connected: kept as draft"), !is_full, "{screen}");
        assert_eq!(screen.contains("not connected: the draft is not saved"), is_full, "{screen}");
    }
}

#[test]
fn a_text_that_was_refused_is_said_to_be_on_disk_only_if_it_is() {
    for is_full in [false, true] {
        let mut story = Story::review();
        story.open_channel();
        story.press("i").type_in("half").wait(600);
        let message = Purpose::from(&story.app.model.writing.composer.address);
        let document = Purpose::Document(review(), "notes.md".to_owned());
        if is_full {
            for purpose in [message, document] {
                story.tell(Msg::DraftNotSaved(purpose, "disk full".to_owned()));
            }
        }
        story.press("enter").fail_send(Some("disk full"));
        let told = story.overlay();
        assert_eq!(told.contains("back in the composer and on disk."), !is_full, "{told}");
        assert_eq!(told.contains("It is not on disk."), is_full, "{told}");
        story.press("esc");
        let message = "notes.md is at version 15".to_owned();
        let trouble = RequestError { code: None, message, hint: None, is_unsure: false };
        story.app.open(Window::NotSaved(review(), "notes.md".to_owned(), trouble));
        let told = story.overlay();
        assert_eq!(told.contains("Your text is kept on disk: e on"), !is_full, "{told}");
        assert_eq!(told.contains("Your text is not on disk: e on"), is_full, "{told}");
    }
}

#[test]
fn without_room_nothing_is_said_of_a_saved_draft() {
    let mut story = Story::review();
    story.open_channel();
    let text = "@coder @tester @somebody-else half";
    story.press("i").type_in(text).wait(600);
    let purpose = Purpose::from(&story.app.model.writing.composer.address);
    let screen = story.tell(Msg::Saved(purpose, text.to_owned())).screen();
    let rule = screen.lines().find(|line| line.contains("@somebody-else? not an agent"));
    assert!(rule.is_some_and(|rule| !rule.contains("draft")), "{screen}");
}

#[test]
fn an_empty_box_removes_no_draft_that_it_never_held() {
    let mut story = Story::review();
    let purpose = Purpose::from(&story.app.model.writing.composer.address);
    let draft = Draft { caret: (0, 2), ..Draft::ended("half".to_owned()) };
    story.app.model.writing.drafts = Drafts::new([(purpose, draft)].into());
    assert_eq!(story.press("q").effects, [Effect::Quit(0)]);
}

#[test]
fn f_5_a_text_of_5_000_lines_is_pasted_and_sent_as_it_is() {
    let mut story = Story::review();
    story.open_channel();
    let lines = (0..5_000).map(|number| format!("line {number}\t中文  "));
    let text = lines.collect::<Vec<_>>().join("\n");
    story.press("i").paste(&text);
    assert!(story.screen().contains("line 4999"), "{}", story.screen());
    assert!(story.screen().contains("help"), "the box leaves the rest: {}", story.screen());
    assert_eq!(story.press("enter").sends(), [text]);
}

#[test]
fn h_7_zoomed_the_rows_of_a_pane_are_its_text_alone() {
    let mut story = Story::team().sized(120, 40);
    story.visit(Subject::Workflow(team::pr()), Tab::Channel);
    let sign = story.app.model.symbols().vertical;
    let rows = |story: &Story| -> Vec<String> {
        let main = layout::regions(&story.app.model).main;
        let screen = story.screen();
        let rows = screen.lines().skip(usize::from(main.y)).take(usize::from(main.height));
        rows.map(ToOwned::to_owned).collect()
    };
    assert!(rows(&story).iter().any(|row| row.contains(sign)), "{}", story.screen());
    story.press("z");
    for row in rows(&story) {
        assert!(!row.contains(sign) && !row.contains("WORKFLOWS"), "{row}");
    }
}

#[test]
fn a_double_click_beside_every_line_opens_nothing() {
    let mut story = Story::review().sized(200, 60);
    story.open_channel().press("K");
    story.app.model.display.has_mouse = true;
    let regions = layout::regions(&story.app.model);
    let (nav, dock) = (regions.nav.unwrap(), regions.dock.unwrap());
    let (tab, ..) = tabs::shown(&story.app).0[0];
    for (what, x, y) in [
        ("status", regions.status.x + 1, regions.status.y),
        ("tab", tab + 1, regions.tabs.y),
        ("side panel", dock.x + 1, dock.y + 1),
        ("footer", regions.footer.x + 1, regions.footer.y),
    ] {
        story.tell(Msg::Mouse(Mouse { kind: MouseKind::DoubleClick, x, y }));
        assert!(story.app.overlays.is_empty(), "{what}: {}", story.screen());
    }
    let (x, y) = (nav.x + 1, nav.bottom() - 1);
    story.tell(Msg::Mouse(Mouse { kind: MouseKind::DoubleClick, x, y }));
    assert_eq!(story.app.model.selection.focus, Focus::Nav, "no line is there");
    let is_channel = |row: &String| row.contains("# channel");
    let rows: Vec<String> = story.screen().lines().map(ToOwned::to_owned).collect();
    let y = u16::try_from(rows.iter().position(is_channel).unwrap()).unwrap();
    story.tell(Msg::Mouse(Mouse { kind: MouseKind::DoubleClick, x, y }));
    assert_eq!(story.app.model.selection.focus, Focus::Main, "Enter goes into it");
}

/// A click on these words in a row of the screen; from the top, or from the bottom if below zero.
fn click_on(story: &mut Story, row: isize, words: &str) {
    let screen = story.screen();
    let rows: Vec<&str> = screen.lines().collect();
    let y = usize::try_from(row).unwrap_or(rows.len() - row.unsigned_abs());
    let (before, _) = rows[y].split_once(words).unwrap_or_else(|| panic!("{words}: {screen}"));
    let (x, y) = (before.chars().count(), y);
    let (x, y) = (u16::try_from(x).unwrap(), u16::try_from(y).unwrap());
    let mouse = Mouse { kind: MouseKind::Click, x, y };
    let key = screen::key_at(&story.app, mouse);
    story.tell(key.map_or(Msg::Mouse(mouse), Msg::Key));
}

#[test]
fn a_click_on_a_hint_presses_its_key() {
    let mut story = Story::review().sized(120, 24);
    story.open_channel();
    click_on(&mut story, -1, "write");
    assert!(story.app.model.writing.composer.is_open, "{}", story.screen());
    click_on(&mut story, -1, "close, keep draft");
    assert!(!story.app.model.writing.composer.is_open, "{}", story.screen());
    story.open(Subject::Workflow(review()), Tab::Documents);
    click_on(&mut story, -1, "? help");
    assert_eq!(story.app.overlays.len(), 1);
    story.press("esc");
    click_on(&mut story, -1, "quit");
    assert!(story.effects.contains(&Effect::Quit(0)), "{:?}", story.effects);
}

#[test]
fn a_click_on_a_count_goes_to_what_is_counted() {
    let asked = question(7, "coder@review", &["yes", "no"]);
    let mut story = Story::review().sized(120, 24);
    let mut person = story::person("@review");
    person.unread = 2;
    story.agent_is(&person).asks_person(&asked).needs(vec![need_of(&asked)]);
    story.happens(EventBody::GroupChanged(channel(&review(), 6, 4)));
    click_on(&mut story, 0, "? 1 asks");
    let place = story.app.model.place.clone();
    assert_eq!(place.subject, Subject::Agent("coder@review".parse().unwrap()));
    click_on(&mut story, 0, "running");
    assert_eq!(story.app.model.place, place);
    click_on(&mut story, 0, "@ 2 unread");
    assert_eq!(story.app.model.place, Place::at(Subject::Workflow(review()), Tab::Channel));
}

#[test]
fn of_two_keys_with_one_label_the_clicked_one_is_pressed() {
    let mut story = Story::review().sized(120, 24);
    story.select_agent("reviewer@review");
    story.app.model.selection.focus = Focus::Main;
    let footer = layout::regions(&story.app.model).footer;
    let line = story.screen().lines().last().unwrap().to_owned();
    let x = u16::try_from(line.split_once("{ } block").unwrap().0.chars().count()).unwrap();
    let key = |x| {
        let mouse = Mouse { kind: MouseKind::Click, x, y: footer.y };
        screen::key_at(&story.app, mouse).map(|key| key.to_string())
    };
    assert_eq!([x, x + 2, x + 4].map(key), ["{", "}", "{"].map(|key| Some(key.to_owned())));
    assert_eq!(key(0), None);
}

#[test]
fn the_wheel_moves_in_what_lies_over_the_panes() {
    let turn = |story: &mut Story, kind| {
        story.tell(Msg::Mouse(Mouse { kind, x: 1, y: 5 }));
        story.app.overlays.last().unwrap().choice()
    };
    let mut story = Story::review();
    story.press("f").press("down").press("down").press("down");
    let fourth = story.app.overlays.last().unwrap().choice();
    story.press("esc").press("f");
    let first = story.app.overlays.last().unwrap().choice();
    assert_eq!(turn(&mut story, MouseKind::WheelDown), fourth);
    assert_eq!(turn(&mut story, MouseKind::WheelUp), first);
    let text: String = (0..99).map(|line| format!("line {line};\n")).collect();
    story.press("esc").app.open(Window::pager("a text".to_owned(), &text));
    turn(&mut story, MouseKind::WheelDown);
    let screen = story.screen();
    assert!(screen.contains("line 3;") && !screen.contains("line 2;"), "{screen}");
}

#[test]
fn the_wheel_moves_in_a_search_a_question_and_a_vote() {
    let turn = |story: &mut Story| {
        story.tell(Msg::Mouse(Mouse { kind: MouseKind::WheelDown, x: 1, y: 5 }));
        story.screen()
    };
    let mut story = Story::team();
    story.press("S").paste("cursor").settle();
    let screen = turn(&mut story);
    assert!(screen.contains("\u{276f} res_19"), "{screen}");
    assert_eq!(story.asks(), [Request::Search("cursor".to_owned(), Some(7))], "it is the last");

    let mut asked = question(7, "coder@review", &["yes", "no"]);
    asked.text = (0..99).map(|line| format!("line {line};\n")).collect();
    let mut story = Story::review();
    story.asks_person(&asked).app.open(Window::Question(Box::new(asked)));
    turn(&mut story);
    let overlay = story.overlay();
    assert!(overlay.contains("line 1;") && !overlay.contains("line 0;"), "{overlay}");

    let mut story = Story::team();
    story.visit(Subject::Workflow(team::pr()), Tab::Proposals);
    story.press("v");
    for marked in ["\u{276f} 1  yes", "\u{276f} 2  no"] {
        let screen = turn(&mut story);
        assert!(screen.contains(marked), "{screen}");
    }
}

#[test]
fn a_click_into_the_open_box_leaves_to_whom_is_written() {
    let mut story = Story::review();
    story.open(Subject::Workflow(review()), Tab::Agents);
    let coder = Address::Agent("coder@review".parse().unwrap());
    story.app.perform(vec![Effect::Write(coder.clone(), "half".to_owned(), None)]);
    story.app.model.display.has_mouse = true;
    let line = layout::regions(&story.app.model).line;
    let (x, y) = (line.x + 1, line.bottom() - 1);
    story.tell(Msg::Mouse(Mouse { kind: MouseKind::Click, x, y }));
    let composer = &story.app.model.writing.composer;
    assert_eq!((&composer.address, composer.text()), (&coder, "half".to_owned()));
    story.press("esc").tell(Msg::Mouse(Mouse { kind: MouseKind::Click, x, y }));
    let channel = Address::Channel(review());
    assert_eq!(story.app.model.writing.composer.address, channel, "it opens a closed one");
}

#[test]
fn no_tab_is_behind_the_note_at_their_right() {
    let mut story = Story::review();
    story.open_channel();
    let find = "a text that is looked for";
    story.app.model.known.talks.get_mut(&(review(), Conversation::Channel)).find = find.to_owned();
    let screen = story.screen();
    let line = screen.lines().nth(1).unwrap();
    let before = line.split_once(find).unwrap_or_else(|| panic!("{line}")).0;
    let x = u16::try_from(before.chars().count()).unwrap();
    assert_eq!(tabs::at(&story.app, x), None, "{line}");
}

#[test]
fn f_6_a_name_is_completed() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("ask @te").press("tab");
    assert_eq!(story.app.model.writing.composer.text(), "ask @tester ");
    story.type_in("@co").press("esc");
    assert!(story.app.model.writing.composer.is_open, "Esc closes only the list");
    assert_eq!(story.app.model.writing.composer.text(), "ask @tester @co");
}

#[test]
fn a_name_is_completed_wherever_the_daemon_would_find_it() {
    for (typed, completed) in [
        ("请@te", "请@tester "),
        ("ask @Te", "ask @tester "),
        ("问一下＠te", "问一下＠tester "),
        ("@coder/@te", "@coder/@tester "),
        ("mail me@te", "mail me@te  "),
        ("src/@te", "src/@te "),
    ] {
        let mut story = Story::review();
        story.open_channel();
        story.press("i").type_in(typed).press("tab");
        assert_eq!(story.app.model.writing.composer.text(), completed);
    }
}

#[test]
fn f_9_a_name_of_nobody_is_asked_about_once() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("hello @ghost");
    assert!(story.screen().contains("@ghost? not an agent"), "{}", story.screen());
    assert_eq!(story.press("enter").sends(), Vec::<String>::new());
    assert_eq!(story.press("enter").sends(), ["hello @ghost"]);
}

#[test]
fn a_text_to_an_agent_that_is_gone_is_not_said_to_wake_it() {
    let mut story = Story::review();
    story.select_agent("tester@review");
    story.press("i").type_in("hello");
    assert!(story.screen().contains("wakes 1: tester"), "{}", story.screen());
    story.happens(EventBody::AgentRemoved { target: "tester@review".parse().unwrap() });
    let screen = story.screen();
    assert!(screen.contains("is gone: tester") && !screen.contains("wakes 1"), "{screen}");
}

#[test]
fn a_peek_at_an_agent_that_is_gone_says_so_and_opens_nothing() {
    let mut story = Story::review();
    story.select_agent("tester@review");
    story.press("p").happens(EventBody::AgentRemoved { target: "tester@review".parse().unwrap() });
    assert!(story.overlay().contains("it is gone"), "{}", story.overlay());
    let place = story.app.model.place.clone();
    story.press("enter");
    assert_eq!(story.app.model.place, place);
    assert!(story.screen().contains("tester@review is gone"), "{}", story.screen());
}

#[test]
fn e_7_without_a_connection_nothing_is_sent() {
    let mut story = Story::review();
    story.open_channel();
    story.disconnect();
    story.press("i").type_in("hello").press("enter");
    assert_eq!(story.sends(), Vec::<String>::new());
    assert_eq!(story.app.model.writing.composer.text(), "hello");
    story.press("esc");
    story.select_agent("coder@review");
    for key in ["x", "w", "t"] {
        assert_eq!(story.press(key).acts(), [], "{key}");
    }
    assert!(story.screen().contains("RECONNECTING"), "{}", story.screen());
}

/// Under which key the last thing sends a message.
fn key_of(story: &Story) -> Option<String> {
    story.effects.iter().find_map(|effect| match effect {
        Effect::Ask(Request::Send(sending)) => Some(sending.key.clone()),
        _ => None,
    })
}

#[test]
fn f_3_a_message_that_may_be_stored_is_sent_again_under_its_key() {
    let mut story = Story::review();
    story.open_channel();
    let key = key_of(story.press("i").type_in("hello @coder").press("enter"));
    story.fail_send(None);
    assert_eq!(story.app.model.writing.composer.text(), "hello @coder");
    assert_eq!(key_of(story.press("enter")), key);
    assert!(key.is_some());
}

#[test]
fn f_3_a_message_that_was_on_its_way_at_the_end_is_sent_again_under_its_key() {
    let mut story = Story::review();
    story.open_channel();
    let key = key_of(story.press("i").type_in("hello @coder").press("enter"));
    let on_disk = story.effects.iter().find_map(|effect| match effect {
        Effect::Store(Record::Draft(purpose, draft)) => Some((purpose.clone(), draft.clone())),
        _ => None,
    });
    let drafts = Drafts::new(on_disk.into_iter().collect());
    let mut next = Story::review();
    next.app.model.writing.composer.unsure = drafts.unsure();
    next.app.model.writing.drafts = drafts;
    next.open_channel();
    assert_eq!(key_of(next.press("i").press("enter")), key);
    assert!(key.is_some());
}

#[test]
fn f_3_a_message_that_some_have_is_sent_to_the_others_under_its_key() {
    let mut story = Story::review();
    let each = ["coder@review", "tester@review"].map(|target| target.parse().unwrap());
    let address = Address::Each(each.to_vec());
    story.app.perform(vec![Effect::Write(address, "stop here".to_owned(), None)]);
    let key = key_of(story.press("enter"));
    let sent = story.asks().into_iter().find(|it| matches!(it, Request::Send(_))).unwrap();
    let trouble = RequestError {
        code: Some(ErrorCode::Conflict),
        message: "1 of 2 done: its workflow is stopped".to_owned(),
        hint: None,
        is_unsure: true,
    };
    story.tell(Msg::Answer(Box::new(sent), Err(trouble)));
    assert!(story.screen().contains("1 of 2 done"), "{}", story.screen());
    assert_eq!(key_of(story.press("enter")), key);
    assert!(key.is_some());
}

#[test]
fn f_3_a_message_to_another_between_leaves_the_key_as_it_is() {
    let mut story = Story::review();
    story.open_channel();
    let key = key_of(story.press("i").type_in("hello").press("enter"));
    story.fail_send(None);
    story.press("esc").select_agent("coder@review").press("i").type_in("and you").press("enter");
    let sent = story.asks().into_iter().find(|it| matches!(it, Request::Send(_)));
    story.answer(sent.unwrap(), Reply::Done(None));
    story.press("esc").open_channel();
    assert_eq!(key_of(story.press("i").press("enter")), key);
    assert!(key.is_some());
}

#[test]
fn what_is_typed_while_a_message_is_sent_begins_the_next_one() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("one").press("enter");
    let sent = story.asks().pop().unwrap();
    assert_eq!(story.type_in("twx").press("backspace").type_in("o").sends(), [""; 0]);
    assert!(story.screen().contains("sending   then: two"), "{}", story.screen());
    assert!(story.press("enter").sends().is_empty(), "one at a time");
    story.answer(sent, Reply::Done(None));
    assert!(story.app.model.writing.composer.is_open);
    let kept = story.effects.iter().find_map(|effect| match effect {
        Effect::Store(Record::Draft(_, draft)) => Some(draft.text.as_str()),
        _ => None,
    });
    assert_eq!(kept, Some("two"), "{:?}", story.effects);
    assert_eq!(story.type_in("!").press("enter").sends(), ["two!"]);
}

#[test]
fn a_message_that_arrives_moves_no_other_conversation() {
    let is_at_end = |story: &Story| {
        let key = story.app.model.conversation().unwrap();
        story.app.model.known.talks.get(&key).unwrap().selected.is_none()
    };
    for is_shown in [true, false] {
        let mut story = Story::review();
        story.open_channel();
        if !is_shown {
            story.select_agent("coder@review");
        }
        story.press("i").type_in("one").press("enter");
        let sent = story.asks().into_iter().find(|it| matches!(it, Request::Send(_)));
        story.press("esc").open_channel().press("K");
        assert!(!is_at_end(&story), "a message is selected");
        story.answer(sent.unwrap(), Reply::Done(None));
        assert_eq!(is_at_end(&story), is_shown);
    }
}

#[test]
fn what_was_typed_behind_a_message_that_failed_is_offered_again() {
    for refusal in [None, Some("it is stopped")] {
        let mut story = Story::review();
        story.open_channel();
        story.press("i").type_in("one").press("enter").type_in("two").fail_send(refusal);
        let purpose = Purpose::from(&story.app.model.writing.composer.address);
        let unsent = Effect::Store(Record::Unsent(purpose, "two".to_owned()));
        assert!(story.effects.contains(&unsent), "on disk");
        if refusal.is_some() {
            story.press("esc");
        }
        let sent = story.press("enter").asks().pop().unwrap();
        assert!(matches!(&sent, Request::Send(it) if it.text == "one"), "{sent:?}");
        story.fail_send(refusal);
        if refusal.is_some() {
            story.press("esc");
        }
        for key in ["backspace", "backspace", "backspace", "up"] {
            story.press(key);
        }
        assert_eq!(story.app.model.writing.composer.text(), "two");
    }
}

#[test]
fn while_a_message_is_sent_a_text_for_somebody_else_is_written() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("one").press("enter");
    let sent = story.asks().pop().unwrap();
    story.type_in("two").press("esc").select_agent("coder@review").press("i").type_in("hello");
    assert_eq!(story.app.model.writing.composer.text(), "hello");
    assert!(story.press("enter").sends().is_empty(), "one at a time");
    story.answer(sent, Reply::Done(None));
    assert_eq!(story.app.model.writing.composer.text(), "hello");
    assert_eq!(story.press("enter").sends(), ["hello"]);
    story.press("esc").open_channel().press("i");
    assert_eq!(story.app.model.writing.composer.text(), "two");
}

#[test]
fn f_4_a_message_that_is_refused_comes_back_whole() {
    let mut story = Story::review();
    story.open_channel();
    story.press("i").type_in("hello @coder now").press("left").press("enter");
    let caret = story.app.model.writing.composer.draft().caret;
    story.fail_send(Some("workflow review:main is stopped"));
    let screen = story.screen();
    assert!(screen.contains("message was not sent"), "{screen}");
    assert!(screen.contains("workflow review:main is stopped"), "{screen}");
    story.press("esc");
    assert_eq!(story.app.model.writing.composer.text(), "hello @coder now");
    assert_eq!(story.app.model.writing.composer.draft().caret, caret);
}

#[test]
fn e_11_what_is_read_only_offers_and_does_nothing_that_changes() {
    let mut story = Story::review();
    story.app.model.settings.read_only = true;
    story.select_agent("coder@review");
    for key in ["x", "X", "w", "t", "i", "m", "s", "plus", "L"] {
        story.press(key);
        assert_eq!(story.acts(), [], "{key}");
        assert!(
            !story.app.model.writing.composer.is_open && story.app.overlays.is_empty(),
            "{key}"
        );
    }
    let screen = story.press("space").screen();
    assert!(!screen.contains("stop"), "{screen}");
    assert!(screen.contains("READ-ONLY"), "{screen}");
}

#[test]
fn a_line_is_cleared_to_its_beginning_as_in_a_shell() {
    let mut story = Story::review();
    story.open_channel().press("i").type_in("one").press("ctrl+j").type_in("two three");
    story.press("ctrl+u").type_in("four");
    assert_eq!(story.press("enter").sends(), ["one\nfour"]);
}

#[test]
fn the_channel_of_its_workflow_is_found_from_an_agent() {
    let mut story = Story::team();
    story.visit(Subject::Agent("scout@review:pr-123".parse().unwrap()), Tab::Run);
    story.press("f").type_in("chan").press("enter");
    let channel = Place::at(Subject::Workflow(team::pr()), Tab::Channel);
    assert_eq!(story.app.model.place, channel, "{}", story.screen());
}

#[test]
fn what_gets_a_name_while_one_looks_for_it_is_found() {
    let mut story = Story::team();
    story.press("f").type_in("night:two");
    assert!(story.overlay().contains("no match"), "{}", story.overlay());
    let workflow = story::workflow("@night:two", &[]);
    story.happens(EventBody::WorkflowChanged(Box::new(workflow)));
    assert!(story.overlay().contains("workflow night:two"), "{}", story.overlay());
}
