//! What holds for every screen there is, at every size.

use std::collections::BTreeSet;

use agent_worker_protocol::{
    Agent, AgentState, AttentionItem, AttentionKind, EventBody, RunState, Timestamp, WorkflowState,
};
use ratatui_core::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

use super::{
    gallery,
    story::{NOW, Story, agent, message, need_of, question, review, snapshot, workflow},
    team::{self, pr},
};
use crate::{
    event_loop::dump,
    model::{
        Focus,
        place::{Place, Subject, Tab},
        tree::NavId,
        tree_lines, words,
    },
    screen,
    symbols::{Set, Symbols},
    terminal,
    theme::{Palette, Theme},
};

/// Every screen, and what the main pane shows while keys go to the tree.
pub fn all() -> Vec<(String, Story)> {
    let screens = gallery::screens().map(|(name, make)| (name.to_owned(), make((80, 24))));
    let from_tree = gallery::PANES.into_iter().map(|(name, make)| {
        let mut story = make((80, 24));
        story.app.model.selection.focus = Focus::Nav;
        (format!("{name} from the tree"), story)
    });
    let scenes = super::scenes::all().into_iter().map(|(name, story)| (name.to_owned(), story));
    let lost = vec![
        ("refused while live", super::lost::refused()),
        ("refused at once", super::lost::refused_at_once()),
        ("reloading", super::lost::reloading()),
        ("not answering", super::lost::hanging()),
    ];
    let lost = lost.into_iter().map(|(name, story)| (name.to_owned(), story));
    screens.chain(from_tree).chain(scenes).chain(lost).collect()
}

/// A small team with items that need the user.
pub fn needy() -> Story {
    let mut story = Story::review();
    let item = |kind, subject: &str, reason: &str| AttentionItem {
        kind,
        subject: subject.to_owned(),
        scope: review(),
        reason: reason.to_owned(),
        hint: None,
        since: Timestamp(NOW - 60_000),
    };
    let asked = question(7, "tester@review", &["yes", "no"]);
    story.asks_person(&asked);
    story.needs(vec![
        need_of(&asked),
        item(AttentionKind::Dead, "coder@review", "1 message was given up"),
        item(AttentionKind::Mention, "user@review", "2 unread messages name you"),
        item(AttentionKind::Held, "tester@review", "held by the loop guard"),
    ]);
    story
}

/// The team, with its channel on the screen.
pub fn at_work() -> Story {
    let mut story = Story::team();
    story.visit(Subject::Workflow(pr()), Tab::Channel);
    story
}

#[test]
fn b_1_every_screen_is_drawn_at_every_size() {
    let sizes = || {
        let small = (0..=61).flat_map(|width| (0..=16).map(move |height| (width, height)));
        small.chain([(80, 24), (120, 40), (200, 60), (300, 100), (60, 15), (99, 29), (160, 30)])
    };
    for (name, mut story) in all() {
        for size in sizes() {
            story.app.model.display.size = size;
            let frame = screen::draw(&story.app);
            assert_eq!((frame.buffer.area.width, frame.buffer.area.height), size, "{name}");
            if let Some((x, y)) = frame.caret {
                assert!(x < size.0 && y < size.1, "{name} {size:?}: caret at {x},{y}");
            }
        }
    }
}

#[test]
fn b_4_the_footer_always_says_how_to_get_help_and_out() {
    for (name, mut story) in all() {
        if matches!(name.as_str(), "connecting") || !story.app.overlays.is_empty() {
            continue;
        }
        for width in 60..=200 {
            story.app.model.display.size = (width, 24);
            let last = dump::lines(&story.app).pop().unwrap();
            let wanted: &[&str] = match () {
                () if story.app.model.writing.composer.is_open => &["F1 help"],
                () if story.app.model.prompt.question.is_some() => &["y do it"],
                () => &["? help", "q quit"],
            };
            for words in wanted {
                assert!(last.contains(words), "{name} {width}: {last:?}");
            }
        }
    }
}

#[test]
fn b_4_a_list_with_nothing_in_it_offers_no_key_for_a_line() {
    for (subject, tab, keys) in [
        (Subject::Workflow(review()), Tab::Documents, ["Enter", "D diff", "e edit", "y copy"]),
        (
            Subject::Workflow(review()),
            Tab::Proposals,
            ["Enter", "v vote", "o document", "X cancel"],
        ),
        (Subject::Workflow(review()), Tab::Schedules, ["Enter", "e change", "w run", "X clear"]),
        (
            Subject::Agent("reviewer@review".parse().unwrap()),
            Tab::Inbox,
            ["Enter", "t try", "L release", "X drop"],
        ),
    ] {
        let mut story = Story::review().sized(160, 40);
        story.open(subject, tab);
        let screen = story.screen();
        let footer = screen.lines().last().unwrap();
        for key in keys {
            assert!(!footer.contains(key), "{tab:?} {key}: {screen}");
        }
    }
}

#[test]
fn b_4_every_hint_of_the_footer_is_whole_and_a_key_that_works_there() {
    for (name, story) in all() {
        let app = &story.app;
        for width in 60..=200 {
            let (line, shown) = screen::footer_row(app, width);
            for (context, action) in shown {
                let row = crate::keys::rows(context).find(|row| row.action == action).unwrap();
                // Two keys that belong together share their word.
                let (key, line) = (app.model.settings.keymap.shown(row).unwrap(), line.text());
                let after = line.find(&format!(" {key} ")).map(|at| &line[at..]);
                let is_whole = after.is_some_and(|rest| rest.contains(&format!(" {}", row.label)));
                assert!(is_whole, "{name} {width}: {key} {}: {line}", row.label);
                let key = app.model.settings.keymap.keys_of(row)[0];
                let does = app.model.settings.keymap.action(&app.contexts(), key);
                assert_eq!(does, Some(action), "{name} {key}");
            }
        }
    }
}

#[test]
fn b_9_without_colours_every_screen_has_none() {
    for (name, mut story) in all() {
        story.app.model.display.look.theme = Theme { palette: Palette::Mono, ..Theme::default() };
        let frame = screen::draw(&story.app);
        for cell in frame.buffer.content() {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name}");
        }
    }
}

#[test]
fn b_10_sixteen_colours_are_all_that_every_screen_has() {
    for (name, mut story) in all() {
        for on_light in [false, true] {
            story.app.model.display.look.theme = Theme { on_light, ..Theme::default() };
            let frame = screen::draw(&story.app);
            for cell in frame.buffer.content() {
                let vanishing = [Color::Black, Color::White, Color::Gray, Color::DarkGray];
                assert!(!vanishing.contains(&cell.fg), "{name}");
                assert!(!matches!(cell.fg, Color::Rgb(..) | Color::Indexed(_)), "{name}");
                assert_eq!(cell.bg, Color::Reset, "{name}");
            }
        }
    }
}

#[test]
fn b_11_with_ascii_symbols_all_that_is_not_said_is_ascii() {
    // What is typed is said as well.
    let said = team::words() + "👍，。";
    for (name, mut story) in all() {
        story.app.model.display.look.symbols = Symbols::of(Set::Ascii);
        // Lines of other daemons are drawn by those, anew when the symbols change.
        story.app.model.selection.tree.roots = Default::default();
        for line in dump::lines(&story.app) {
            let is_strange = |c: &char| !c.is_ascii() && !said.contains(*c);
            assert_eq!(line.chars().find(is_strange), None, "{name}: {line:?}");
        }
    }
}

#[test]
fn b_9_no_two_states_look_alike_without_colours() {
    use AgentState::{Backoff, Idle, Paused, Queued, Running, Stopped, Waiting};
    let mut story = Story::review();
    let mut seen = BTreeSet::new();
    let states = [Idle, Queued, Running, Waiting, Backoff, Paused, Stopped];
    for state in states {
        let coder = Agent { state, ..agent("coder@review") };
        story.agent_is(&coder);
        let shown = words::agent(&story.app.model, &coder);
        assert!(!shown.symbol.trim().is_empty() && !shown.word.trim().is_empty(), "{state:?}");
        seen.insert((shown.symbol, shown.word));
    }
    assert_eq!(seen.len(), states.len(), "{seen:?}");
    for set in [Set::Unicode, Set::Narrow, Set::Ascii] {
        let ends = [
            RunState::Running,
            RunState::Ending,
            RunState::Succeeded,
            RunState::Failed,
            RunState::TimedOut,
            RunState::Cancelled,
            RunState::Lost,
            RunState::OverBudget,
        ];
        let shown = ends.map(|end| words::run_state(Symbols::of(set), end));
        let different: BTreeSet<_> = shown.iter().map(|it| (it.symbol, &it.word)).collect();
        assert_eq!(different.len(), ends.len(), "{different:?}");
    }
}

#[test]
fn states_are_told_apart_without_colours() {
    let screen = at_work().sized(120, 40).screen();
    for words in ["dead letter", "unread", "held", "asks you", "paused", "queued 2", "idle"] {
        assert!(screen.contains(words), "{words}\n{screen}");
    }
}

#[test]
fn g_10_a_step_in_the_tree_takes_few_bytes() {
    let mut story = needy().sized(120, 40);
    story.open_channel();
    story.app.model.selection.focus = Focus::Nav;
    let lines: Vec<_> =
        tree_lines::lines(&story.app.model).into_iter().filter(NavId::is_open).collect();
    assert!(lines.len() >= 8, "{lines:?}");
    // What the step shows is as large as it is; the step itself is two lines of the tree.
    let mut pictures = lines.into_iter().map(|line| {
        story.app.model.selection.tree.selected = line;
        screen::draw(&story.app).buffer
    });
    let mut before = pictures.next().unwrap();
    for after in pictures {
        let bytes = terminal::bytes_between(&before, &after);
        assert!(bytes.len() <= 200, "{}: {:?}", bytes.len(), String::from_utf8_lossy(&bytes));
        before = after;
    }
}

#[test]
fn a_step_in_the_tree_and_back_changes_nothing() {
    let mut story = needy().sized(120, 40);
    story.open_channel();
    story.app.model.selection.focus = Focus::Nav;
    story.select_agent("coder@review");
    let before = screen::draw(&story.app);
    story.press("j").press("k");
    assert_eq!(before.buffer, screen::draw(&story.app).buffer);
}

#[test]
fn b_6_a_popup_over_wide_characters_leaves_nothing_behind() {
    let mut story = Story::review();
    let text = "中文".repeat(60);
    story.open_channel_with((1..30).map(|seq| message(seq, "coder", &text)).collect());
    let before = screen::draw(&story.app).buffer;
    story.press("?");
    let over = screen::draw(&story.app).buffer;
    for y in 0..24 {
        for x in 1..80 {
            let is_second = over[(x, y)].symbol().is_empty();
            let is_wide = over[(x - 1, y)].symbol().width() == 2;
            assert_eq!(is_second, is_wide, "half a character at {x},{y}");
        }
    }
    story.press("esc");
    assert_eq!(before, screen::draw(&story.app).buffer);
}

#[test]
fn h_3_every_refusal_says_what_failed_what_was_not_changed_and_a_key() {
    let (_, make) = gallery::OTHERS.into_iter().find(|(name, _)| *name == "refused").unwrap();
    let screen = make((80, 24)).screen();
    for words in
        ["stop coder@review:pr-123: refused", "is stopped", "Nothing was changed", "Esc close"]
    {
        assert!(screen.contains(words), "{screen}");
    }
}

#[test]
fn a_window_that_is_too_narrow_says_its_size_and_the_least() {
    let screen = at_work().sized(30, 10).screen();
    assert!(screen.contains("The window is 30x10."), "{screen}");
    assert!(screen.contains("agent-worker needs 60x15."), "{screen}");
}

#[test]
fn what_is_dimmed_is_the_old_picture() {
    let mut story = at_work();
    let live = screen::draw(&story.app).buffer;
    story.disconnect();
    let lost = screen::draw(&story.app).buffer;
    let dim = |buffer: &ratatui_core::buffer::Buffer| {
        buffer.content().iter().filter(|cell| cell.modifier.contains(Modifier::DIM)).count()
    };
    assert!(dim(&lost) > dim(&live) + 200);
    assert!(story.screen().contains("data as of 14:06:12"), "{}", story.screen());
}

#[test]
fn the_strip_shows_its_own_workflow_and_moves_no_text() {
    let mut story = at_work().sized(120, 40);
    let text = |story: &Story| story.main_pane().lines().take(30).collect::<Vec<_>>().join("\n");
    let strip = story.main_pane().split("live: ").nth(1).unwrap().to_owned();
    assert!(strip.starts_with("1 running, 1 asks"), "{strip}");
    assert!(strip.contains("reviewer") && strip.contains("scout"), "{strip}");
    assert!(!strip.contains("bob") && !strip.contains("writer"), "{strip}");
    let before = text(&story);
    for name in ["editor", "coder", "tester"] {
        let mut agent = super::agent(&format!("{name}@review:pr-123"));
        agent.state = AgentState::Running;
        story.happens(EventBody::AgentChanged(Box::new(agent)));
    }
    let after = text(&story);
    assert_eq!(before.lines().next(), after.lines().next());
    let strip = story.main_pane().split("live: ").nth(1).unwrap().to_owned();
    assert!(strip.contains("and 2 more: 2 shows all agents"), "{strip}");
}

#[test]
fn what_needs_the_person_is_shortened_before_it_is_left_out() {
    for width in 80..140 {
        let screen = at_work().sized(width, 30).screen();
        let head = screen.lines().next().unwrap();
        assert!(head.contains("?1 ☑1 ✗2 ⧗1") || head.contains("? 1 asks  ☑ 1 vote"), "{head}");
    }
}

#[test]
fn a_key_that_was_changed_is_named_as_it_is() {
    let mut story = at_work().sized(160, 40);
    for (context, action, key) in
        [("global", "help", "ctrl+g"), ("global", "quit", "ctrl+t"), ("channel", "write", "f5")]
    {
        story.app.model.settings.keymap.set(context, action, &[key.to_owned()]).unwrap();
    }
    let screen = story.screen();
    assert!(!screen.contains("? help") && !screen.contains("q quit"), "{screen}");
    assert!(screen.contains("C-g help") && screen.contains("C-t quit"), "{screen}");
    assert!(screen.contains("F5 to write"), "{screen}");
}

#[test]
fn what_was_asked_for_and_is_not_there_is_named() {
    let mut story = Story::blank();
    let nowhere = Place::of(Subject::Workflow("@nosuch".parse().unwrap()));
    story.app.model.selection.awaited = Some(nowhere);
    let story = story.live(snapshot());
    assert!(story.screen().contains("@nosuch is not there"), "{}", story.screen());
}

#[test]
fn what_is_to_be_answered_comes_first_and_what_is_to_be_read_is_counted_apart() {
    let screen = at_work().sized(120, 40).screen();
    let head = screen.lines().next().unwrap();
    assert!(head.contains("? 1 asks  ☑ 1 vote  ✗ 2 failed  ⧗ 1 held  @ 3 unread"), "{head}");
    let needs = screen.lines().skip(3).take(6);
    let needs: Vec<&str> = needs.filter_map(|line| line.split('│').next()).map(str::trim).collect();
    let begins = ["? scout", "☑ prop_7", "✗ coder", "✗ glossary", "⧗ editor", "@ review"];
    for (line, begin) in needs.iter().zip(begins) {
        assert!(line.starts_with(begin), "{needs:#?}");
    }
}

#[test]
fn a_workflow_that_ends_keeps_its_place_unless_the_settings_say_so() {
    use crate::model::settings::Order;
    let workflows = |story: &Story| -> Vec<String> {
        let lines = tree_lines::lines(&story.app.model);
        let scope = |line: NavId| match line {
            NavId::Workflow(scope) => Some(scope.to_string()),
            _ => None,
        };
        lines.into_iter().filter_map(scope).collect()
    };
    let mut story = Story::review();
    let mut news = workflow("@news", &[]);
    story.happens(EventBody::WorkflowChanged(Box::new(news.clone())));
    let before = workflows(&story);
    assert_eq!(before.first().map(String::as_str), Some("@news"), "{before:?}");
    news.state = WorkflowState::Completed;
    story.happens(EventBody::WorkflowChanged(Box::new(news)));
    assert_eq!(workflows(&story), before);
    story.app.model.settings.chosen.order = Order::Need;
    assert_eq!(workflows(&story).last().map(String::as_str), Some("@news"));
}
