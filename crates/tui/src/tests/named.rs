//! Keys are named as the settings have them, on screens without panes too.

use agent_worker_client::{ClientError, mirror::Mirror};
use agent_worker_protocol::{
    agent::AgentState,
    error::{ErrorBody, ErrorCode},
    event::EventBody,
};

use super::{Story, agent, gallery, lost, screens::at_work};
use crate::{
    app::Msg,
    model::{Reach, RequestError, Window},
};

/// A key for each action that such screens name, which is no default.
const KEYS: [(&str, &str, &str); 11] = [
    ("no-daemon", "start", "f2"),
    ("no-daemon", "refresh", "f3"),
    ("no-daemon", "daemon-log", "f4"),
    ("global", "quit", "f5"),
    ("global", "suspend", "f6"),
    ("offline", "refresh", "f7"),
    ("offline", "details", "f8"),
    ("empty", "start", "f9"),
    ("empty", "new", "f10"),
    ("global", "tab-2", "f11"),
    ("documents", "edit", "f12"),
];

fn change_keys(story: &mut Story) {
    for (context, action, key) in KEYS {
        story.app.model.settings.keymap.set(context, action, &[key.to_owned()]).unwrap();
    }
}

/// Changes the keys, and holds that the screen names them in these words.
fn assert_named(mut story: Story, words: &[&str]) {
    change_keys(&mut story);
    let screen = story.screen();
    let shown = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in words {
        assert!(shown.contains(words), "{words}: {screen}");
    }
}

fn of_gallery(wanted: &str) -> Story {
    let (_, make) = gallery::screens().find(|(name, _)| *name == wanted).unwrap();
    make((80, 24))
}

#[test]
fn keys_that_were_changed_are_named_where_there_is_nothing_to_show() {
    assert_named(Story::review().sized(59, 15), &["F5 quit F6 suspend"]);
    let keys = ["F2 start the daemon", "F3 look again", "F4 its log", "F5 quit"];
    assert_named(of_gallery("no-daemon"), &keys);
    let keys = ["F9 start a workflow from a YAML file", "F10 new global agent"];
    assert_named(of_gallery("empty"), &keys);
    let mut stranger = Story::review();
    let problem = "unknown member `ghost`".to_owned();
    stranger.app.model.connection.stranger = Some((problem, Mirror::default()));
    assert_named(stranger, &["unknown member `ghost`", "F5 quit"]);
}

#[test]
fn keys_that_were_changed_are_named_where_the_daemon_refuses() {
    let mut refused = Story::blank();
    refused.tell(Msg::Reach(Reach::Found, None));
    let (code, message) = (ErrorCode::Unauthorized, "invalid token".to_owned());
    refused.tell(Msg::FeedEnded(ClientError::Refused(ErrorBody { code, message, hint: None })));
    let keys = ["F7 reads the token", "F7 ask again", "F8 details", "F5 quit"];
    assert_named(refused, &keys);
    assert_named(lost::refused(), &["F7 reads the token", "F7 asks again."]);
}

#[test]
fn keys_that_were_changed_are_named_beside_panes_and_in_boxes() {
    let mut story = at_work().sized(120, 40);
    for name in ["editor", "coder", "tester"] {
        let mut agent = agent(&format!("{name}@review:pr-123"));
        agent.state = AgentState::Running;
        story.happens(EventBody::AgentChanged(Box::new(agent)));
    }
    assert_named(story, &["more: F11 shows all agents"]);
    let mut story = Story::review();
    change_keys(&mut story);
    let message = "notes.md is at version 15".to_owned();
    let trouble = RequestError { code: None, message, hint: None, is_unsure: false };
    story.app.open(Window::NotSaved("notes.md".to_owned(), trouble));
    assert_named(story, &["kept on disk: F12 on the document"]);
}
