//! The tables of screens and keys in docs/control-room.md are those of the program.

use std::{fs, path::PathBuf};

use crate::{
    action::Action,
    keys::{self, Context, Keymap},
    model::place::Tab,
};

/// What the main pane can show, and what that is.
const SCREENS: [(&[Tab], &str); 13] = [
    (&[Tab::Channel, Tab::Messages], "what was said, and what happened in between"),
    (&[Tab::Members], "who is in a group, and whom its messages wake"),
    (&[Tab::Agents], "agents with state, activity, time and cost"),
    (&[Tab::Run], "one run as it thinks, calls tools and writes"),
    (&[Tab::Inbox, Tab::Queue], "an agent's deliveries and their states"),
    (&[Tab::History, Tab::Runs], "runs, with tokens, cost and how they ended"),
    (&[Tab::Cost], "tokens and dollars by agent, model, workflow and day, the rate, the limits"),
    (&[Tab::Prompt], "what a run was given, word by word"),
    (&[Tab::Info], "all details of an agent"),
    (&[Tab::Documents], "documents, their versions and what changed"),
    (&[Tab::Proposals], "proposals: votes, missing votes and results"),
    (&[Tab::Schedules], "when agents run by themselves, and results of due times"),
    (&[Tab::Events], "every change, as it comes"),
];

/// What is wanted most, wherever one is.
const MAIN: [Action; 23] = [
    Action::Help,
    Action::Palette,
    Action::Jump,
    Action::NextNeed,
    Action::NextUnread,
    Action::Menu,
    Action::Write,
    Action::Message,
    Action::Peek,
    Action::Why,
    Action::Stop,
    Action::StopAll,
    Action::Retry,
    Action::Release,
    Action::Wake,
    Action::Start,
    Action::New,
    Action::NewGroup,
    Action::Join,
    Action::Search,
    Action::SearchAll,
    Action::Zoom,
    Action::Quit,
];

/// A key in code, so that no Markdown is read in it.
fn code(key: &str) -> String {
    let key = key.replace('|', "\\|");
    format!("`{key}`")
}

fn screens(keymap: &Keymap) -> String {
    let mut table = "| Screen | What it shows | Its keys |\n|---|---|---|\n".to_owned();
    for (tabs, words) in SCREENS {
        let names: Vec<&str> = tabs.iter().map(|tab| tab.label().0).collect();
        let context = tabs[0].context();
        let bindings = context.into_iter().flat_map(keys::rows).filter(|row| row.in_footer);
        let bindings: Vec<_> = bindings.collect();
        let alike = bindings.chunk_by(|one, other| one.label == other.label);
        let hints: Vec<String> = alike
            .map(|rows| {
                let keys: Vec<String> =
                    rows.iter().map(|row| code(&keymap.shown(row).unwrap())).collect();
                format!("{} {}", keys.join(" "), rows[0].label)
            })
            .collect();
        table += &format!("| {} | {words} | {} |\n", names.join(", "), hints.join(", "));
    }
    table
}

fn main_keys(keymap: &Keymap) -> String {
    let mut table = "| Key | What it does |\n|---|---|\n".to_owned();
    for action in MAIN {
        let row = keys::rows(Context::Anywhere).find(|row| row.action == action).unwrap();
        table += &format!("| {} | {} |\n", code(&keymap.shown(row).unwrap()), row.does);
    }
    table
}

#[test]
fn c_4_the_page_of_the_control_room_has_the_screens_and_keys_of_the_program() {
    const BEGIN: &str = "<!-- made by screenshots/make -->\n";
    const END: &str = "<!-- until here -->\n";
    let keymap = Keymap::default();
    let made = format!("{}\n{}", screens(&keymap), main_keys(&keymap));
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/control-room.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the tables have a place");
    let (kept, after) = rest.split_once(END).expect("the tables have an end");
    if std::env::var("SCREENSHOTS").is_ok_and(|wish| wish == "write") {
        fs::write(&path, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
        return;
    }
    assert!(
        kept == made,
        "the tables of docs/control-room.md are old: screenshots/make makes them anew"
    );
}
