//! What holds for every key, wherever the person is.

use agent_worker_protocol::{
    AttentionItem, AttentionKind, EventBody, Scope, ScopeAttention, Started, Timestamp,
    WorkflowState,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};

use super::{
    NOW, Story, channel, review,
    screens::{all, at_work},
    snapshot, workflow,
};
use crate::{
    action::Action,
    app::{Msg, is_possible},
    clipboard::Taken,
    key::Key,
    keys::{BINDINGS, Binding, rows},
    model::{
        Act, Focus,
        effects::{Effect, Record},
        known::files::{Found, Setting},
        place::{Subject, Tab},
        requests::{Reply, Request},
    },
    overlays::{choices::Choice, help::Help, menu::Menu, palette::Picker},
};

/// Whether something is asked of the daemon that changes what others see. Looking is not, and
/// neither is saying how far the person has read.
fn changes(effects: &[Effect]) -> Vec<&Request> {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Ask(request) => Some(request),
        _ => None,
    });
    asked
        .filter(|request| {
            matches!(
                request,
                Request::Send(_)
                    | Request::Act(_)
                    | Request::Start { .. }
                    | Request::New { .. }
                    | Request::Save { .. }
            )
        })
        .collect()
}

fn keys() -> impl Strategy<Value = Key> {
    let bound: Vec<Key> =
        BINDINGS.iter().flat_map(|row| row.keys).map(|key| key.parse().unwrap()).collect();
    let letters: Vec<Key> = ('!'..='~').map(Key::char).collect();
    prop_oneof![select(bound), select(letters)]
}

/// Keys that confirm something are left out: `y`, and Enter, which sends what is written.
fn harmless(key: &Key) -> bool {
    ![Key::char('y'), "enter".parse().unwrap()].contains(key)
}

/// How many histories of keys a test tries: more where it is asked for.
fn cases() -> u32 {
    std::env::var("AGENT_WORKER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60)
}

#[test]
fn c_5_no_keys_but_those_that_confirm_change_anything() {
    let config = Config { cases: cases(), failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&vec(keys().prop_filter("confirms", harmless), 50), |keys| {
            let mut story = at_work();
            for key in keys {
                story.tell(crate::app::Msg::Key(key));
                story.wait(200);
                // What resumes is free: it asks nothing, and ends nothing.
                let acts: Vec<_> = changes(&story.effects).into_iter().cloned().collect();
                prop_assert!(acts.is_empty(), "{key}: {acts:?}");
            }
            crate::screen::draw(&story.app);
            Ok(())
        })
        .unwrap();
}

#[test]
fn e_11_no_keys_at_all_change_anything_where_nothing_may_be_changed() {
    let config = Config { cases: cases(), failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&vec(keys(), 50), |keys| {
            let mut story = at_work();
            story.app.model.settings.read_only = true;
            for key in keys {
                story.tell(crate::app::Msg::Key(key));
                let asked: Vec<_> = changes(&story.effects).into_iter().cloned().collect();
                prop_assert!(asked.is_empty(), "{key}: {asked:?}");
                story.wait(200);
                prop_assert!(changes(&story.effects).is_empty());
                let is_read = story
                    .effects
                    .iter()
                    .any(|effect| matches!(effect, Effect::Ask(Request::Read(..))));
                prop_assert!(!is_read, "nothing is marked as read");
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_workflow_that_has_ended_is_stopped_only_while_a_run_of_it_ends() {
    let mut story = Story::review();
    story.app.model.selection.focus = Focus::Nav;
    story.open(Subject::Workflow(review()), Tab::Channel);
    let mut stopped = workflow("@review", &["coder", "reviewer", "tester"]);
    stopped.state = WorkflowState::Stopped;
    story.happens(EventBody::WorkflowChanged(Box::new(stopped)));
    assert!(is_possible(&story.app, Action::StopAll), "run_8 is live");
    story.agent_is(&super::agent("reviewer@review"));
    assert!(!is_possible(&story.app, Action::StopAll));
    story.press("X");
    let screen = story.screen();
    assert!(screen.contains("workflow review:main is stopped already"), "{screen}");
}

#[test]
fn c_4_every_key_of_the_table_is_in_the_help_where_it_works() {
    for (name, mut story) in all() {
        let is_elsewhere =
            !story.app.overlays.is_empty() || story.app.model.writing.composer.is_open;
        if is_elsewhere || story.app.model.settings.read_only {
            continue;
        }
        let contexts = story.app.contexts();
        story.app.model.display.size = (120, 400);
        let help = Help::new(&story.app.model, &story.app.possible()).rows(&story.app.model);
        let text: Vec<String> = help.iter().map(crate::paint::Row::text).collect();
        for context in contexts {
            for row in crate::keys::rows(context) {
                if row.action.tab().is_some() {
                    continue;
                }
                let key = story.app.model.settings.keymap.shown(row).unwrap();
                let is_there = |line: &String| {
                    line.contains(row.does)
                        && line
                            .split_whitespace()
                            .any(|word| word == key || word.eq_ignore_ascii_case(&key))
                };
                assert!(text.iter().any(is_there), "{name}: {key} {}", row.does);
            }
        }
    }
}

/// Twenty things a person wants, in their own words, and what the palette must offer for them.
const TASKS: [(&str, &str); 20] = [
    ("stop coder", "stop agent coder"),
    ("stop the workflow", "stop workflow review"),
    ("write message", "write here"),
    ("go to tester", "tester"),
    ("open documents", "Docs of"),
    ("show help", "keys of the focused pane"),
    ("quit", "leave the control room"),
    ("next unread", "unread line"),
    ("what needs me", "thing that needs you"),
    ("copy", "copy"),
    ("colours", "next theme"),
    ("mouse", "mouse"),
    ("full screen", "focused pane alone"),
    ("reconnect", "retry now"),
    ("new agent", "new agent"),
    ("start workflow", "start a workflow"),
    ("peek", "look at the selected agent"),
    ("wake editor", "wake agent editor"),
    ("long lines", "wrap or cut"),
    ("why waiting", "explain its state"),
];

#[test]
fn h_2_the_palette_finds_what_is_wanted_in_plain_words() {
    let story = at_work();
    let mut missed = Vec::new();
    for (words, wanted) in TASKS {
        let mut palette = Picker::palette(&story.app.model, &story.app.possible());
        palette.typing(words);
        let found = palette.found();
        let best: Vec<String> = found.iter().take(2).map(|entry| entry.label.clone()).collect();
        if !best.iter().any(|label| label.contains(wanted)) {
            missed.push((words, best));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_palette_says_in_which_tab_a_command_is_one() {
    let mut story = Story::review();
    story.open(Subject::Workflow(review()), Tab::Events);
    let palette = story.press(":").type_in("pause the schedule").overlay();
    assert!(palette.contains("not here: 5 Sched, P"), "{palette}");
    story.press("esc").app.model.settings.read_only = true;
    let palette = story.press(":").type_in("pause the schedule").overlay();
    assert!(palette.contains("no such command"), "{palette}");
}

/// Whether a key means this where the person is, and then something is another, or to be done.
fn does(story: &mut Story, row: &Binding) -> bool {
    let contexts = story.app.contexts();
    let key = story.app.model.settings.keymap.keys_of(row)[0];
    if !contexts.contains(&row.context)
        || story.app.model.settings.keymap.action(&contexts, key) != Some(row.action)
    {
        return false;
    }
    let before = format!("{:?}", story.app);
    story.tell(Msg::Key(key));
    !story.effects.is_empty() || format!("{:?}", story.app) != before
}

/// A message that is longer than its box, with code in it, and a message that was not sent.
fn boxes() -> [Story; 2] {
    let mut long = Story::review();
    let text = "a line of it\n".repeat(60);
    long.open_channel_with(vec![super::message(1, "coder", &format!("{text}```\ncode\n```"))]);
    long.press("K").press("enter").press("enter");
    let mut refused = Story::review();
    refused.open_channel();
    refused.press("i").type_in("hello").press("enter").fail_send(Some("it is stopped"));
    [long, refused]
}

#[test]
fn c_4_every_key_of_the_table_does_something_in_its_context() {
    // No subject has more tabs yet.
    let has_tab = |row: &&Binding| row.action.tab().is_none_or(|number| number < 6);
    let mut left: Vec<&Binding> = BINDINGS.iter().filter(has_tab).collect();
    // One key after the other, as far as that goes; then each on screens that are as they were.
    for (_, mut story) in all() {
        left.retain(|row| {
            let is_done = does(&mut story, row);
            story.wait(200);
            !is_done
        });
    }
    left.retain(|row| !all().iter_mut().any(|(_, story)| does(story, row)));
    left.retain(|row| !boxes().iter_mut().any(|story| does(story, row)));
    let left: Vec<_> = left.iter().map(|row| (row.context, row.id)).collect();
    assert_eq!(left, []);
}

#[test]
fn c_4_menu_and_palette_name_the_key_that_does_the_same() {
    for (name, story) in all() {
        let app = &story.app;
        if !app.overlays.is_empty() || app.model.writing.composer.is_open {
            continue;
        }
        let (palette, menu) =
            (Picker::palette(&app.model, &app.possible()), Menu::new(&app.model, &app.possible()));
        for entry in palette.found().into_iter().chain(menu.entries()) {
            let Choice::Do(action) = entry.choice else { continue };
            let contexts = app.contexts();
            let row = contexts.iter().find_map(|context| {
                rows(*context).find(|row| {
                    row.action == action
                        && app.model.settings.keymap.shown(row) == entry.key
                        && (entry.label == row.does || entry.shell.is_some())
                })
            });
            let row = row.unwrap_or_else(|| panic!("{name}: {entry:?}"));
            let key = app.model.settings.keymap.keys_of(row)[0];
            assert_eq!(
                app.model.settings.keymap.action(&contexts, key),
                Some(action),
                "{name}: {entry:?}"
            );
        }
        for context in app.contexts() {
            for row in rows(context).filter(|row| is_possible(app, row.action)) {
                let is_own = matches!(row.action, Action::Palette | Action::Back);
                let is_there = palette.found().iter().any(|it| it.choice == Choice::Do(row.action));
                assert!(is_own || is_there, "{name}: {}", row.id);
            }
        }
    }
}

#[test]
fn e_11_what_is_read_only_offers_no_act_anywhere() {
    for (name, mut story) in all() {
        story.app.model.settings.read_only = true;
        let app = &story.app;
        for (_, action) in crate::screen::footer_row(app, 200).1 {
            assert!(!action.is_act(), "{name}: {action:?} in the footer");
        }
        let (palette, menu) =
            (Picker::palette(&app.model, &app.possible()), Menu::new(&app.model, &app.possible()));
        for entry in palette.found().into_iter().chain(menu.entries()) {
            let is_act = match &entry.choice {
                Choice::Do(action) => action.is_act(),
                Choice::Act(_) | Choice::Retarget(_) => true,
                Choice::Go(_)
                | Choice::TurnTo(..)
                | Choice::Item(..)
                | Choice::Copy(_)
                | Choice::Sort(_)
                | Choice::Column(_)
                | Choice::Bookmark(_)
                | Choice::RemoveBookmark(_)
                | Choice::Arrange(_)
                | Choice::NameLayout(_)
                | Choice::RemoveLayout(_)
                | Choice::Key(_)
                | Choice::Keys
                | Choice::Setting(..)
                | Choice::Filter(_) => false,
            };
            assert!(!is_act, "{name}: {entry:?}");
        }
    }
}

#[test]
fn the_palette_offers_nothing_rather_than_something_else() {
    let mut story = at_work();
    for words in ["frobnicate", "delete the database", "stpo"] {
        story.press(":").type_in(words);
        let palette = story.overlay();
        assert!(palette.contains("no such command"), "{words}: {palette}");
        assert_eq!(story.press("enter").effects, []);
        story.press("esc");
    }
}

#[test]
fn signs_and_columns_are_told_in_the_help() {
    let mut story = at_work();
    story.press("?").type_in("legend");
    let help = story.overlay();
    for words in ["@2 14", "14 unread messages", "attempt of how many", "wait to start"] {
        assert!(help.contains(words), "{words}: {help}");
    }
}

#[test]
fn a_copy_says_whether_the_terminal_took_it() {
    let mut story = at_work();
    let file = "/srv/agent-worker/state/copied/a-name-that-is-long.txt";
    for (taken, words) in [
        (Taken::Yes, "copied 7 characters".to_owned()),
        (Taken::Unsaid, format!("kept in {file}: 7 characters")),
        (Taken::TooLong, format!("kept in {file}: too long")),
    ] {
        story.tell(Msg::Copied(taken, 7, file.to_owned()));
        assert!(story.screen().contains(&words), "{words}: {}", story.screen());
    }
}

#[test]
fn only_y_says_yes_to_a_question_and_any_other_key_keeps_what_is_there() {
    for (key, is_done) in [("y", true), ("enter", false), ("n", false), ("esc", false)] {
        let mut story = Story::review();
        story.select_agent("coder@review");
        story.press("x").wait(200);
        assert!(story.screen().contains("y do it  n Esc keep"), "{}", story.screen());
        assert_eq!(story.press(key).acts().len(), usize::from(is_done), "{key}");
    }
}

#[test]
fn the_start_form_lists_files_and_has_their_params() {
    let mut story = Story::review();
    story.press("s");
    assert!(story.effects.contains(&Effect::Ask(Request::Files)), "{:?}", story.effects);
    let setting = |name: &str, default: Option<&str>| Setting {
        name: name.to_owned(),
        default: default.map(ToOwned::to_owned),
        about: None,
    };
    let file = |path: &str, params| Found { path: path.to_owned(), params };
    let files = vec![
        file("review.yaml", Vec::new()),
        file("teams/news.yaml", vec![setting("topic", Some("cats")), setting("who", None)]),
    ];
    story.answer(Request::Files, Reply::Files(files));
    assert!(story.overlay().contains("teams/news.yaml"), "{}", story.overlay());
    story.type_in("new").press("tab");
    let form = story.overlay();
    assert!(form.contains("topic") && form.contains("cats") && form.contains("who"), "{form}");
    story.press("enter");
    assert!(story.overlay().contains("`who` needs a value"), "{}", story.overlay());
    for _ in 0..3 {
        story.press("tab");
    }
    story.type_in("ivy").press("enter");
    let params = vec![("who".to_owned(), "ivy".to_owned())];
    let start = Request::Start { path: "teams/news.yaml".to_owned(), tag: None, params };
    assert_eq!(story.asks(), [start]);
}

#[test]
fn a_workflow_that_was_started_closes_its_form_and_nothing_else() {
    let start = |story: &mut Story| {
        story.press("s").type_in("news.yaml").press("enter").asks().pop().unwrap()
    };
    let started = || {
        Reply::Started(Box::new(Started {
            workflow: workflow("@news", &[]),
            continued: false,
            archived: None,
            cursor: "e-100".to_owned(),
            last_seq: 0,
            warnings: Vec::new(),
        }))
    };
    let mut story = Story::review();
    let asked = start(&mut story);
    story.answer(asked, started());
    assert!(story.app.overlays.is_empty() && story.app.model.selection.awaited.is_some());

    let mut story = Story::review();
    let asked = start(&mut story);
    let before = story.app.model.place.clone();
    story.press("esc").press("f").type_in("cod").answer(asked, started());
    story.happens(EventBody::WorkflowChanged(Box::new(workflow("@news", &[]))));
    assert_eq!(story.app.overlays.len(), 1, "{}", story.screen());
    assert_eq!(story.app.model.place, before);
}

#[test]
fn where_nothing_is_listed_no_key_stops_the_workflow_in_its_place() {
    for (tab, filter) in [(Tab::Proposals, ""), (Tab::Schedules, ""), (Tab::Agents, "nobody")] {
        let mut story = Story::review().sized(120, 40);
        story.open(Subject::Workflow(review()), tab);
        if !filter.is_empty() {
            story.press("&").type_in(filter).press("enter");
        }
        let footer = story.screen().lines().last().unwrap_or_default().to_owned();
        assert!(!footer.contains("X "), "{tab:?}: {footer}");
        story.press("X");
        assert!(story.app.overlays.is_empty(), "{tab:?}: {}", story.screen());
        let told = story.app.model.prompt.notice.as_ref().map(|notice| notice.text.clone());
        assert!(told.is_some_and(|told| told.starts_with("no ")), "{tab:?}: {}", story.screen());
    }
}

#[test]
fn only_a_workflow_that_can_be_resumed_is_offered_so() {
    for (state, is_offered) in [
        (WorkflowState::Stopped, true),
        (WorkflowState::Stalled, true),
        (WorkflowState::Completed, false),
        (WorkflowState::Failed, false),
    ] {
        let mut story = Story::review();
        let mut ended = workflow("@review", &["coder", "reviewer", "tester"]);
        ended.state = state;
        story.happens(EventBody::WorkflowChanged(Box::new(ended)));
        story.open_channel();
        let resume = Act::ResumeWorkflow(review());
        let named = Choice::Act(resume.clone());
        let palette = Picker::palette(&story.app.model, &story.app.possible());
        let is_named = palette.found().iter().any(|entry| entry.choice == named);
        assert_eq!(is_named, is_offered, "{state:?}");
        assert_eq!(story.press("s").acts().contains(&resume), is_offered, "{state:?}");
    }
}

#[test]
fn a_menu_offers_a_look_and_a_reason_only_where_something_is_selected() {
    let offered = |subject: Subject, tab: Tab| {
        let mut story = Story::review();
        story.open(subject, tab);
        story.app.model.selection.focus = Focus::Nav;
        let menu = Menu::new(&story.app.model, &story.app.possible());
        [Action::Peek, Action::Why]
            .map(|action| menu.entries().any(|entry| entry.choice == Choice::Do(action)))
    };
    let coder = Subject::Agent("coder@review".parse().unwrap());
    assert_eq!(offered(coder, Tab::Run), [true, true]);
    assert_eq!(offered(Subject::Workflow(review()), Tab::Channel), [false, true]);
    assert_eq!(offered(Subject::All, Tab::Agents), [false, false]);
}

/// That a channel has mail of the person.
fn mail_in(scope: &str) -> EventBody {
    let scope: Scope = scope.parse().unwrap();
    let item = AttentionItem {
        kind: AttentionKind::Mention,
        subject: format!("user{scope}"),
        scope: scope.clone(),
        reason: "1 unread message".to_owned(),
        hint: None,
        since: Timestamp(NOW),
    };
    EventBody::AttentionChanged(ScopeAttention { scope, items: vec![item] })
}

#[test]
fn u_comes_to_every_unread_channel_while_mail_stays_unread() {
    let names = ["@alpha", "@beta", "@gamma"];
    let scopes = names.map(|scope| scope.parse::<Scope>().unwrap());
    let mut picture = snapshot();
    picture.workflows.extend(names.map(|scope| workflow(scope, &[])));
    picture.groups.extend(scopes.iter().map(|scope| channel(scope, 4, 0)));
    let mut story = Story::of(picture);
    story.app.model.settings.read_only = true;
    story.open_channel().happens(mail_in("@alpha"));
    let mut goes = |key: &str| {
        let place = &story.press(key).app.model.place;
        scopes.iter().position(|scope| place.subject == Subject::Workflow(scope.clone())).unwrap()
    };
    assert_eq!([(); 4].map(|()| goes("u")), [0, 1, 2, 0]);
    assert_eq!([(); 3].map(|()| goes("U")), [2, 1, 0]);
    assert_eq!(goes("u"), 1);
    story.happens(mail_in("@gamma"));
    let place = &story.press("u").app.model.place;
    assert_eq!(place.subject, Subject::Workflow(scopes[0].clone()), "new mail begins a new round");
}

#[test]
fn u_leads_to_mail_of_the_person_first_and_then_to_what_is_behind_the_shown_channel() {
    let scopes = ["@alpha", "@review", "@zeta"].map(|scope| scope.parse::<Scope>().unwrap());
    let mut picture = snapshot();
    picture.workflows.extend([workflow("@alpha", &[]), workflow("@zeta", &[])]);
    let read = |scope: &Scope| channel(scope, 4, i64::from(*scope == review()) * 4);
    picture.groups = scopes.iter().map(read).collect();
    let mut story = Story::of(picture);
    story.open_channel().press("u");
    assert_eq!(story.app.model.place.subject, Subject::Workflow(scopes[2].clone()));
    story.open_channel().press("U");
    assert_eq!(story.app.model.place.subject, Subject::Workflow(scopes[0].clone()));

    story.open_channel().happens(mail_in("@alpha"));
    story.press("u");
    assert_eq!(story.app.model.place.subject, Subject::Workflow(scopes[0].clone()));
    story.press("u");
    assert_eq!(story.app.model.place.subject, Subject::Workflow(scopes[2].clone()));
    // What is shown is unread too.
    for key in ["u", "U"] {
        story.open(Subject::Workflow(scopes[1].clone()), Tab::Channel);
        story.happens(EventBody::GroupChanged(channel(&scopes[1], 9, 4)));
        assert_eq!(story.press(key).app.model.place.subject, Subject::Workflow(scopes[0].clone()));
    }
}

#[test]
fn a_key_that_would_leave_the_text_at_its_edge_does_nothing() {
    let mut story = Story::review();
    story.open_channel().press("i").paste("one\n").type_in("@co").press("esc").press("down");
    let composer = &story.app.model.writing.composer;
    assert_eq!(composer.area.cursor(), (1, 3));
    assert!(composer.completion.as_ref().is_some_and(|list| list.is_closed), "{composer:?}");
    for _ in 0..2 {
        story.press("up");
        assert_eq!(story.app.model.writing.composer.area.cursor(), (0, 3));
    }
}

#[test]
fn while_the_window_is_too_small_only_what_it_names_acts() {
    let small = || Story::review().sized(59, 15);
    let mut story = small();
    assert!(story.screen().contains("q quit   C-z suspend"), "{}", story.screen());
    story.app.model.selection.focus = Focus::Main;
    for key in ["w", "y", "X", "i", ":", "enter", "?"] {
        assert_eq!(story.press(key).effects, [], "{key}");
        assert!(story.app.overlays.is_empty() && !story.app.model.writing.composer.is_open);
        assert!(story.app.model.prompt.question.is_none(), "{key}");
    }
    assert_eq!(story.press("ctrl+z").effects, [Effect::Suspend]);
    assert_eq!(story.press("q").effects, [Effect::Quit(0)]);

    let mut story = Story::review();
    story.open_channel().press("i").type_in("half").tell(Msg::Resize(59, 15));
    story.type_in("x").paste("pasted").tell(Msg::Burst(vec![Key::char('b'); 9]));
    assert_eq!(story.app.model.writing.composer.text(), "half");
    story.press("q");
    let [Effect::Store(Record::Draft(_, draft)), Effect::Quit(0)] = &story.effects[..] else {
        panic!("{:?}", story.effects)
    };
    assert_eq!(draft.text, "half");
}

#[test]
fn a_key_that_was_changed_quits_when_it_is_pressed_twice_and_no_other_key_between() {
    let mut story = Story::review();
    let keymap = &mut story.app.model.settings.keymap;
    keymap.set("global", "quit-hard", &["ctrl+q".to_owned()]).unwrap();
    story.press("ctrl+q");
    assert!(story.screen().contains("C-q again quits"), "{}", story.screen());
    assert_eq!(story.press("j").press("ctrl+q").effects, []);
    assert_eq!(story.press("ctrl+q").effects, [Effect::Quit(130)]);
}
