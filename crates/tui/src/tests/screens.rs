//! What holds for every screen there is, at every size.

use agent_worker_protocol::{
    attention::{AttentionItem, AttentionKind},
    time::Timestamp,
};
use ratatui_core::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

use super::story::{NOW, Story, message, need_of, question, review};
use crate::{
    dump,
    message::Trouble,
    overlay::Overlay,
    state::{
        Focus, Reach,
        place::{Place, Subject},
    },
    symbols::{Set, Symbols},
    theme::{Palette, Theme},
    update::go,
    view,
};

/// Every screen: what it is called, and how one comes to it.
pub fn all() -> Vec<(String, Story)> {
    let mut screens = Vec::new();
    let mut add = |name: &str, story: Story| screens.push((name.to_owned(), story));
    add("connecting", Story::blank());
    add("no daemon", nobody());
    add("empty", Story::of(empty()));
    let subjects = [
        Subject::All,
        Subject::Workflow(review()),
        Subject::Agent("reviewer@review".parse().unwrap()),
        Subject::Agent("coder@review".parse().unwrap()),
    ];
    for subject in subjects {
        for tab in subject.tabs() {
            for focus in [Focus::Nav, Focus::Main] {
                let mut story = needy();
                story.open_channel();
                let _ = go::go(&mut story.state, Place::at(subject.clone(), *tab));
                story.state.focus = focus;
                add(&format!("{subject:?} {tab:?} {focus:?}"), story);
            }
        }
    }
    for (name, story) in overlays() {
        add(name, story);
    }
    let mut lost = needy();
    lost.open_channel().disconnect();
    add("disconnected", lost);
    let mut asked = needy();
    asked.select_agent("reviewer@review").press("x");
    add("asked", asked);
    let mut zoomed = needy();
    zoomed.open_channel().press("z");
    add("zoomed", zoomed);
    screens
}

fn nobody() -> Story {
    let mut story = Story::blank();
    story.state.reach = Reach::Nobody {
        looked_at: "/srv/agent-worker/daemon.json".to_owned(),
        problem: Some("its port belongs to another program".to_owned()),
        is_starting: false,
    };
    story
}

fn empty() -> agent_worker_protocol::event::Snapshot {
    let mut snapshot = super::story::snapshot();
    snapshot.workflows.truncate(1);
    snapshot.agents.truncate(1);
    snapshot.groups.truncate(1);
    snapshot.runs.clear();
    snapshot
}

/// A team of which something needs the person.
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

fn overlays() -> Vec<(&'static str, Story)> {
    let opened = |open: fn(&mut Story)| {
        let mut story = needy();
        story.open_channel();
        open(&mut story);
        story
    };
    let trouble = || Trouble {
        code: Some(agent_worker_protocol::error::ErrorCode::Invalid),
        message: "workflow review:main is stopped".to_owned(),
        hint: Some("agent-worker resume @review".to_owned()),
        is_unsure: false,
    };
    let refused = {
        let mut story = needy();
        story.open_channel();
        story.state.overlays.push(Overlay::refused("stop coder@review", trouble()));
        story
    };
    let pager = {
        let mut story = needy();
        let text = "line of text 中文\n".repeat(200);
        story.state.overlays.push(Overlay::pager("msg_7", &text));
        story
    };
    vec![
        ("help", opened(|story| _ = story.press("?"))),
        ("palette", opened(|story| _ = story.press(":").type_in("stop co"))),
        ("jump", opened(|story| _ = story.press("f"))),
        ("menu", opened(|story| _ = story.press("space"))),
        ("start", opened(|story| _ = story.press("esc").press("s"))),
        ("new", opened(|story| _ = story.press("plus"))),
        ("confirm", opened(|story| _ = story.press("X").type_in("ma"))),
        ("peek", opened(|story| _ = story.press("p"))),
        ("writing", opened(|story| _ = story.press("i").type_in("@coder 中文\n"))),
        ("completing", opened(|story| _ = story.press("i").type_in("ask @"))),
        ("asked of a choice", opened(|story| _ = story.press("Q").press("down"))),
        (
            "asked for words",
            opened(|story| {
                let question = question(8, "coder@review", &[]);
                story.asks_person(&question);
                story.state.overlays.push(Overlay::asked(&question));
                story.type_in("because 中文");
            }),
        ),
        ("refused", refused),
        ("pager", pager),
    ]
}

#[test]
fn b_1_every_screen_is_drawn_at_every_size() {
    let sizes = || {
        let small = (0..=61).flat_map(|width| (0..=16).map(move |height| (width, height)));
        small.chain([(80, 24), (120, 40), (200, 60), (300, 100), (60, 15), (99, 29), (160, 30)])
    };
    for (name, mut story) in all() {
        for size in sizes() {
            story.state.size = size;
            let frame = view::draw(&story.state);
            assert_eq!((frame.buffer.area.width, frame.buffer.area.height), size, "{name}");
            if let Some((x, y)) = frame.caret {
                assert!(x < size.0 && y < size.1, "{name} {size:?}: caret at {x},{y}");
            }
        }
    }
}

#[test]
fn b_2_every_row_is_as_wide_as_the_screen() {
    for (name, mut story) in all() {
        for size in [(80, 24), (120, 40), (200, 60)] {
            story.state.size = size;
            for line in dump::lines(&story.state) {
                assert_eq!(line.width(), usize::from(size.0), "{name} {size:?}: {line:?}");
            }
        }
    }
}

#[test]
fn b_4_the_footer_always_says_how_to_get_help_and_out() {
    for (name, mut story) in all() {
        if matches!(name.as_str(), "connecting") || !story.state.overlays.is_empty() {
            continue;
        }
        for width in 60..=200 {
            story.state.size = (width, 24);
            let last = dump::lines(&story.state).pop().unwrap();
            let wanted: &[&str] = match () {
                () if story.state.composer.is_open => &["F1 help"],
                () if story.state.question.is_some() => &["y do it"],
                () => &["? help", "q quit"],
            };
            for words in wanted {
                assert!(last.contains(words), "{name} {width}: {last:?}");
            }
        }
    }
}

#[test]
fn b_4_every_hint_of_the_footer_is_a_key_that_works_there() {
    for (name, story) in all() {
        let state = &story.state;
        let (_, shown) = view::footer_row(state, 200);
        for (context, action) in shown {
            let row = crate::keys::rows(context).find(|row| row.action == action).unwrap();
            let key = state.keymap.keys_of(row)[0];
            assert_eq!(state.keymap.action(&state.contexts(), key), Some(action), "{name} {key}");
        }
    }
}

#[test]
fn b_9_without_colours_every_screen_has_none() {
    for (name, mut story) in all() {
        story.state.look.theme = Theme { palette: Palette::Mono, on_light: false };
        let frame = view::draw(&story.state);
        for cell in frame.buffer.content() {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name}");
        }
    }
}

#[test]
fn b_10_sixteen_colours_are_all_that_every_screen_has() {
    for (name, mut story) in all() {
        for on_light in [false, true] {
            story.state.look.theme = Theme { palette: Palette::Ansi16, on_light };
            let frame = view::draw(&story.state);
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
    for (name, mut story) in all() {
        story.state.look.symbols = Symbols::of(Set::Ascii);
        for line in dump::lines(&story.state) {
            let said: String =
                line.chars().filter(|c| !('\u{2e80}'..='\u{ffef}').contains(c)).collect();
            assert!(said.is_ascii(), "{name}: {line:?}");
        }
    }
}

#[test]
fn states_are_told_apart_without_colours() {
    let story = needy();
    let screen = story.screen();
    for words in ["gave up", "names you", "held", "queued 2", "idle"] {
        assert!(screen.contains(words), "{words}\n{screen}");
    }
}

#[test]
fn g_10_a_step_in_the_tree_changes_few_cells() {
    let mut story = needy().sized(120, 40);
    story.open_channel();
    story.state.focus = Focus::Nav;
    story.select_agent("coder@review");
    let before = view::draw(&story.state);
    story.press("j").press("k");
    let after = view::draw(&story.state);
    assert_eq!(before.buffer.diff(&after.buffer).len(), 0, "there and back is the same");
}

#[test]
fn b_6_a_popup_over_wide_characters_leaves_nothing_behind() {
    let mut story = Story::review();
    let text = "中文".repeat(60);
    story.open_channel_with((1..30).map(|seq| message(seq, "coder", &text)).collect());
    let before = view::draw(&story.state).buffer;
    story.press("?");
    let over = view::draw(&story.state).buffer;
    for y in 0..24 {
        for x in 1..80 {
            let is_second = over[(x, y)].symbol().is_empty();
            let is_wide = over[(x - 1, y)].symbol().width() == 2;
            assert_eq!(is_second, is_wide, "half a character at {x},{y}");
        }
    }
    story.press("esc");
    assert_eq!(before, view::draw(&story.state).buffer);
}

#[test]
fn h_3_every_refusal_says_what_failed_what_was_not_changed_and_a_key() {
    for (name, story) in overlays() {
        if name == "refused" {
            let screen = story.screen();
            for words in
                ["stop coder@review: refused", "is stopped", "Nothing was changed", "Esc close"]
            {
                assert!(screen.contains(words), "{screen}");
            }
        }
    }
}

#[test]
fn what_is_dimmed_is_the_old_picture() {
    let mut story = needy();
    story.open_channel();
    let live = view::draw(&story.state).buffer;
    story.disconnect();
    let lost = view::draw(&story.state).buffer;
    let dim = |buffer: &ratatui_core::buffer::Buffer| {
        buffer.content().iter().filter(|cell| cell.modifier.contains(Modifier::DIM)).count()
    };
    assert!(dim(&lost) > dim(&live) + 200);
    assert!(story.screen().contains("data as of 14:06:12"), "{}", story.screen());
}
