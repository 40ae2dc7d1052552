use std::{path::PathBuf, sync::Arc};

use agent_worker_client::Home;
use agent_worker_protocol::{name::Name, target::Scope};

use super::*;
use crate::{
    model::{
        Address,
        writing::drafts::{Draft, Purpose},
    },
    paint::Row,
    tests::Story,
    theme::Role,
};

/// Options for a home without a daemon.
fn options(home: Home) -> Options {
    Options {
        home,
        program: PathBuf::new(),
        target: None,
        identity: Name::person(),
        read_only: false,
        collect: Arc::new(|_, _| Err("no file is read".to_owned())),
        record: None,
    }
}

#[test]
fn the_draft_for_everybody_outlives_a_session_in_lines() {
    for lines in ["quit\n", ""] {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path());
        let purpose = Purpose::from(&Address::Channel(Scope::global()));
        let draft = Draft { caret: (0, 2), ..Draft::ended("half a thought".to_owned()) };
        Disk::open(&home, |_| {}).unwrap().0.keep(purpose.clone(), draft.clone());
        let ended = linear(&options(home.clone()), lines.as_bytes(), Vec::new()).unwrap();
        assert_eq!((ended.code, ended.drafts), (0, 1), "{lines:?}");
        let kept = Disk::open(&home, |_| {}).unwrap().1.drafts;
        assert_eq!(kept.get(&purpose), Some(&draft), "{lines:?}");
    }
}

/// A team as it would be told in lines.
fn in_lines() -> Story {
    let mut story = Story::review().sized(SIZE.0, SIZE.1);
    story.app.model.display.is_zoomed = true;
    story.app.model.selection.focus = Focus::Main;
    story.app.model.display.look.symbols = Symbols::of(Set::Ascii);
    story
}

#[test]
fn signs_of_frames_that_belong_to_a_text_are_told() {
    let told = ["--force", "+ added", "- gone -", "-", "+", "| a | b |", "+---+"];
    let rows = told.map(|text| Row::of(text, Role::Text)).to_vec();
    let windows =
        [Window::pager("a-b - c", &told.join("\n")), Window::Rows("a-b - c".to_owned(), rows)];
    for window in windows {
        let mut story = in_lines();
        story.app.open(window);
        let lines = drawn::overlay(&story.app);
        let lines: Vec<_> = lines.iter().map(|line| line.trim()).collect();
        assert_eq!(lines[0], "a-b - c");
        assert_eq!(&lines[1..=told.len()], told, "{lines:?}");
    }
}
