//! Keys are named as the settings have them, on screens without panes too.

use agent_worker_client::{ClientError, mirror::Mirror};
use agent_worker_protocol::{AgentState, ErrorBody, ErrorCode, EventBody, MessageId, ResourceId};

use super::{Story, agent, gallery, lost, message, question, review, screens::at_work};
use crate::{
    app::Msg,
    model::{
        Act, Focus, Reach, Reply, Request, RequestError, Subject, Tab, Window,
        known::talks::{Kinds, Talk},
    },
};

/// A key that is not a default, for each action that such screens name.
const KEYS: [(&str, &str, &str); 35] = [
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
    ("move", "filter", "f13"),
    ("global", "back", "f14"),
    ("global", "search-pane", "f15"),
    ("global", "refresh", "f16"),
    ("global", "next-match", "f17"),
    ("global", "previous-match", "f18"),
    ("channel", "write", "f19"),
    ("channel", "newest", "f20"),
    ("channel", "open", "f21"),
    ("move", "down", "f22"),
    ("move", "pager", "f23"),
    ("picker", "run", "f24"),
    ("box", "page-down", "alt+f1"),
    ("global", "menu", "alt+f2"),
    ("global", "help", "alt+f3"),
    ("agents", "message", "alt+f4"),
    ("agents", "stop", "alt+f5"),
    ("global", "mouse", "alt+f6"),
    ("global", "bookmark", "alt+f7"),
    ("global", "stop", "alt+f8"),
    ("nav", "start", "alt+f9"),
    ("composer", "send", "alt+f10"),
    ("composer", "close", "alt+f11"),
    ("composer", "help", "alt+f12"),
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
    story.app.open(Window::NotSaved(review(), "notes.md".to_owned(), trouble));
    assert_named(story, &["kept on disk: F12 on the document"]);
}

/// What the line below says after these keys, which are changed ones.
fn told(story: &mut Story, keys: &[&str]) -> String {
    change_keys(story);
    for key in keys {
        story.press(key);
    }
    story.app.model.prompt.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default()
}

fn talk(story: &mut Story) -> &mut Talk {
    let key = story.app.model.conversation().unwrap();
    story.app.model.known.talks.get_mut(&key)
}

#[test]
fn keys_that_were_changed_are_named_in_panes() {
    let mut empty = Story::review();
    empty.open_channel_with(Vec::new());
    assert_named(empty, &["nothing was said here yet: F19 writes"]);
    let mut quiet = Story::review();
    quiet.open_channel_with(Vec::new());
    talk(&mut quiet).kinds = Kinds::Said;
    assert_named(quiet, &["no messages: F13 shows the rest"]);
    let lines = "a line of it\n\n".repeat(60);
    let mut long = Story::review();
    long.open_channel_with(vec![message(1, "coder", &lines)]);
    assert_named(long, &["more lines, F21"]);
    let mut old = Story::review();
    old.open_channel_with((1..=40).map(|seq| message(seq, "coder", "so it is")).collect());
    old.press("g");
    assert_named(old, &["F20 newest"]);
    let mut filtered = Story::review();
    filtered.open(Subject::Workflow(review()), Tab::Agents);
    filtered.press("&").type_in("nosuch").press("enter");
    assert_named(filtered, &["no line matches the filter: F14 removes it"]);
    assert_named(of_gallery("documents"), &["F12 says how that is changed"]);
}

#[test]
fn a_pane_names_its_own_keys_wherever_the_focus_is() {
    for focus in [Focus::Nav, Focus::Main] {
        let mut long = Story::review();
        long.open_channel_with(vec![message(1, "coder", &"a line of it\n\n".repeat(60))]);
        long.app.model.selection.focus = focus;
        assert_named(long, &["more lines, F21"]);
        let mut votes = of_gallery("votes");
        votes.app.model.selection.focus = focus;
        assert!(!votes.screen().contains("no key"), "{}", votes.screen());
    }
}

#[test]
fn keys_that_were_changed_are_named_where_panes_tell_what_was_done() {
    let mut story = Story::review();
    story.open_channel();
    let unsought = "nothing is searched for: F15 searches";
    assert_eq!(told(&mut story, &["f17"]), unsought);
    assert_eq!(told(&mut story, &["v"]), "F22 k select more, y copies them, F14 ends it");
    talk(&mut story).find = "nosuch".to_owned();
    assert_eq!(told(&mut story, &["f17"]), "no older match for nosuch: F18 goes the other way");
    let trouble =
        RequestError { code: None, message: "it is ill".to_owned(), hint: None, is_unsure: false };
    let request = Request::Message(MessageId::new(1));
    story.tell(Msg::Answer(Box::new(request), Err(trouble)));
    assert_eq!(told(&mut story, &[]), "not loaded: it is ill; F16 loads it again");

    let mut story = Story::review();
    story.open(Subject::Workflow(review()), Tab::Agents);
    assert_eq!(told(&mut story, &["f17"]), unsought);
    story.app.model.selection.searched.insert(Tab::Agents, "coder".to_owned());
    let found = told(&mut story, &["f17"]);
    assert!(found.ends_with("for coder: F17 and F18 go on, F14 ends it"), "{found}");
}

#[test]
fn keys_that_were_changed_are_named_in_boxes() {
    let shows = |window: Window, words: &str| {
        let mut story = at_work();
        story.app.open(window);
        assert_named(story, &[words]);
    };
    shows(Window::SearchPane, "F17 and F18 go on");
    let mut long = message(1, "coder", "part of it");
    long.resource = Some(ResourceId::new(1));
    shows(Window::Message(long.id, Some(Box::new(long))), "(F23 opens)");
    let mut asked = question(1, "coder@review", &["yes", "no"]);
    asked.text = "a line of it\n".repeat(60);
    shows(Window::Question(Box::new(asked)), "more rows: M-F1");
    assert_named(of_gallery("confirm"), &["Esc cancels; F24 works once", "F24: stop"]);
    assert_named(of_gallery("menu"), &["M-F2 menu"]);
    let mut palette = at_work();
    palette.press(":").type_in("frobnicate");
    assert_named(palette, &["no such command: M-F3 lists the keys"]);
    let mut help = at_work();
    help.press("?").type_in("legend");
    assert_named(help, &["marked: M-F4, M-F5, t and w act on all that are marked"]);
    let mut filtered = Story::review();
    filtered.open(Subject::Workflow(review()), Tab::Agents);
    filtered.press("&").type_in("nosuch");
    assert_eq!(told(&mut filtered, &["f24"]), "no line matches: F14 removes the filter");
}

#[test]
fn keys_that_were_changed_are_named_where_one_writes() {
    let mut story = Story::review();
    story.open_channel();
    change_keys(&mut story);
    assert!(story.screen().contains("F19 to write, M-F10 sends"), "{}", story.screen());
    let empty = told(&mut story, &["f19", "alt+f10"]);
    assert_eq!(empty, "nothing to send: write something, or M-F11 closes");
    assert!(story.screen().contains("M-F12 help"), "{}", story.screen());
    story.type_in("@nosuch hello");
    let unknown = "unknown member @nosuch: M-F10 again sends it all the same";
    assert_eq!(told(&mut story, &["alt+f10"]), unknown);
    story.press("alt+f10").fail_send(None);
    let kept = told(&mut story, &[]);
    assert!(kept.starts_with("kept: M-F10 sends it again"), "{kept}");
}

#[test]
fn keys_that_were_changed_are_named_where_acts_tell_what_was_done() {
    let mut story = Story::review();
    story.open_channel();
    assert_eq!(told(&mut story, &["&"]), "not a table: F15 searches");
    let bookmarks = "no bookmarks yet: M-F7 makes one of what is selected";
    assert_eq!(told(&mut story, &["'"]), bookmarks);
    let given = "the mouse is the terminal's, to select text; M-F6 takes it";
    assert_eq!(told(&mut story, &["alt+f6"]), given);
    let taken = "clicks and the wheel act here; M-F6 gives the mouse back to the terminal";
    assert_eq!(told(&mut story, &["alt+f6"]), taken);

    let mut story = Story::review();
    story.select_agent("coder@review");
    assert_eq!(told(&mut story, &["X"]), "stop coder@review with M-F8 before it is removed");
    let stop = Act::Stop(vec!["coder@review".parse().unwrap()]);
    story.answer(Request::Act(stop), Reply::Done(None));
    let done = told(&mut story, &[]);
    assert!(done.ends_with("   M-F9 starts it again"), "{done}");
}
