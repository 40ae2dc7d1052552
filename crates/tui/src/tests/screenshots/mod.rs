//! Pictures of screens for people who have not started the program yet, made by `screenshots/make`.

mod svg;
mod tour;

use std::{collections::BTreeSet, fs, path::PathBuf};

use super::{gallery, story::Story};
use crate::{
    screen,
    theme::{Depth, Palette, Theme},
};

/// Columns and rows of a picture.
const SIZE: (u16, u16) = (120, 40);

/// Each picture, the screen that it is of, and what it shows in a few words.
const PICTURES: [(&str, &str, &str); 11] = [
    ("channel", "channel", "a channel, with who is at work below it"),
    ("agents", "board-of-all", "all agents, those in need first"),
    ("run", "run", "a run while it thinks and works"),
    ("documents", "documents", "a document, with the list of all"),
    ("votes", "votes", "a proposal, with who has voted and who has not"),
    ("needs-you", "need", "what needs you, and why it does"),
    ("writing", "completing", "a message that is being written"),
    ("palette", "palette", "any command, found by words"),
    ("help", "help", "the keys of what has focus"),
    ("hosts", "several-hosts", "the daemons of two machines in one tree"),
    ("light", "run-that-failed", "a run that failed, in the light theme"),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../screenshots")
}

fn picture(name: &str, screen: &str, words: &str) -> String {
    let (_, make) = gallery::screens().find(|(known, _)| *known == screen).unwrap();
    let mut story: Story = make(SIZE);
    if name == "light" {
        let palette = Palette::Light;
        story.app.model.display.look.theme = Theme { palette, depth: Depth::True, on_light: true };
    }
    svg::svg(&screen::draw(&story.app), story.app.model.display.look.theme, words)
}

#[test]
fn pictures_show_the_screens_as_they_are() {
    let folder = folder();
    let is_written = std::env::var("SCREENSHOTS").is_ok_and(|wish| wish == "write");
    for (name, screen, words) in PICTURES {
        let (path, picture) = (folder.join(format!("{name}.svg")), picture(name, screen, words));
        if is_written {
            fs::write(&path, &picture).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == picture, "{name}.svg is old: screenshots/make makes it anew");
    }
}

#[test]
fn every_picture_is_there_in_both_forms_and_no_other() {
    let files = fs::read_dir(folder()).unwrap();
    let names: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let mut wanted: BTreeSet<String> = PICTURES
        .iter()
        .flat_map(|(name, ..)| [format!("{name}.svg"), format!("{name}.png")])
        .collect();
    // The moving one is only drawn. Those of the web chat have a folder of their own.
    wanted.extend(["make", "tour.svg", "web"].map(str::to_owned));
    assert_eq!(names, wanted);
}
