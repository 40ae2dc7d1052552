//! Every screen there is, and how one comes to it.

use agent_worker_protocol::{Agent, Conversation, ErrorCode, Snapshot, Target};

use super::{
    story::{self, Story},
    team::{pr, review_group},
};
use crate::model::{
    Focus, Reach,
    effects::Window,
    place::{Subject, Tab},
    requests::RequestError,
};

/// Makes a screen of this number of columns and rows.
type Make = fn((u16, u16)) -> Story;

/// A screen: what it is called, and how it is made.
pub type Screen = (&'static str, Make);

/// What the main pane can show.
pub const PANES: [Screen; 29] = [
    ("channel", |size| at(size, Subject::Workflow(pr()), Tab::Channel)),
    ("board", |size| at(size, Subject::Workflow(pr()), Tab::Agents)),
    ("board-of-all", |size| at(size, Subject::All, Tab::Agents)),
    ("board-with-hired", |size| hiring(size)),
    ("run", |size| at(size, member("reviewer"), Tab::Run)),
    ("run-that-failed", |size| at(size, member("coder"), Tab::Run)),
    ("run-that-asks", |size| at(size, member("scout"), Tab::Run)),
    ("run-of-nobody", |size| at(size, Subject::Agent("alice@global".parse().unwrap()), Tab::Run)),
    ("documents", |size| read(size)),
    ("documents-compared", |size| {
        let mut story = read(size);
        story.press("D").settle();
        story
    }),
    ("votes", |size| at(size, Subject::Workflow(pr()), Tab::Proposals)),
    ("votes-that-are-over", |size| {
        let mut story = at(size, Subject::Workflow(pr()), Tab::Proposals);
        story.press("j");
        story
    }),
    ("schedules", |size| at(size, Subject::Workflow(pr()), Tab::Schedules)),
    ("schedules-of-all", |size| at(size, Subject::All, Tab::Schedules)),
    ("events", |size| at(size, Subject::Workflow(pr()), Tab::Events)),
    ("events-that-failed", |size| {
        let mut story = at(size, Subject::Workflow(pr()), Tab::Events);
        story.press("!").press("k");
        story
    }),
    ("cost", |size| at(size, Subject::All, Tab::Cost)),
    ("cost-by-workflow", |size| {
        let mut story = at(size, Subject::All, Tab::Cost);
        story.press("F").type_in("workflow").press("enter");
        story
    }),
    ("runs-of-all", |size| at(size, Subject::All, Tab::Runs)),
    ("inbox", |size| at(size, member("reviewer"), Tab::Inbox)),
    ("inbox-given-up", |size| at(size, member("coder"), Tab::Inbox)),
    ("queue", |size| at(size, member("reviewer"), Tab::Queue)),
    ("history", |size| at(size, member("reviewer"), Tab::History)),
    ("prompt", |size| at(size, member("reviewer"), Tab::Prompt)),
    ("info", |size| at(size, member("reviewer"), Tab::Info)),
    ("conversation", |size| at(size, pair(), Tab::Messages)),
    ("members", |size| at(size, pair(), Tab::Members)),
    ("group", |size| at(size, group(), Tab::Messages)),
    ("members-of-group", |size| at(size, group(), Tab::Members)),
];

/// What lies over it, or takes its place.
pub const OTHERS: [Screen; 41] = [
    ("several-hosts", super::several::screen),
    ("connecting", |(width, height)| Story::blank().sized(width, height)),
    ("no-daemon", |(width, height)| nobody().sized(width, height)),
    ("empty", |(width, height)| Story::of(empty()).sized(width, height)),
    ("disconnected", |size| {
        let mut story = channel(size);
        story.disconnect();
        story
    }),
    ("read-only", |size| {
        let mut story = channel(size);
        story.app.model.settings.read_only = true;
        story
    }),
    ("tree", |size| {
        let mut story = channel(size);
        story.app.model.selection.focus = Focus::Nav;
        story
    }),
    ("need", |size| {
        let mut story = channel(size);
        story.press("a").settle().press("a").settle();
        story
    }),
    ("viewed", |size| {
        let mut story = at(size, member("reviewer"), Tab::Inbox);
        story.press("V").settle();
        story.visit(Subject::Workflow(pr()), Tab::Channel);
        story
    }),
    ("selected", |size| over(size, &["K", "K"])),
    ("older", |size| over(size, &["g"])),
    ("zoomed", |size| over(size, &["z"])),
    ("help", |size| over(size, &["?"])),
    ("palette", |size| {
        let mut story = over(size, &[":"]);
        story.type_in("stop co");
        story
    }),
    ("jump", |size| over(size, &["f"])),
    ("thread", |size| over(size, &["K"; 7])),
    ("copying", |size| over(size, &["K", "v", "k", "k"])),
    ("inbox-marked", |size| {
        let mut story = at(size, member("reviewer"), Tab::Inbox);
        story.press("*").press("j").press("j").press("*").settle();
        story
    }),
    ("layouts", |size| {
        let mut story = over(size, &["\\", "enter"]);
        story.type_in("reading").press("enter").press("\\");
        story
    }),
    ("bookmarks", |size| over(size, &["K", "\"", "K", "K", "\"", "'"])),
    ("settings", |size| over(size, &[","])),
    ("new-key", |size| {
        let mut story = over(size, &[","]);
        story.type_in("keys of").press("enter");
        story.type_in("go to anything with").press("enter").press("q");
        story
    }),
    ("menu", |size| {
        let mut story = at(size, member("coder"), Tab::Run);
        story.press("space");
        story
    }),
    ("peek", |size| {
        let mut story = over(size, &["p"]);
        story.settle();
        story
    }),
    ("message", |size| over(size, &["K", "K", "enter"])),
    ("why", |size| {
        let mut story = at(size, member("tester"), Tab::Run);
        story.press("Y").settle();
        story
    }),
    ("pager", |size| {
        let mut story = read(size);
        story.press("o");
        story
    }),
    ("outline", |size| {
        let mut story = read(size);
        story.press("enter").press("O");
        story
    }),
    ("search", |size| {
        let mut story = channel(size);
        story.press("S").paste("cursor").settle();
        story
    }),
    ("vote", |size| over_votes(size, &["v"])),
    ("vote-why", |size| over_votes(size, &["v", "1"])),
    ("start", |size| over(size, &["esc", "s"])),
    ("new-agent", |size| over(size, &["plus"])),
    ("new-group", |size| over(size, &["#"])),
    ("asked", |size| {
        let mut story = at(size, member("reviewer"), Tab::Run);
        story.press("x");
        story
    }),
    ("confirm", |size| {
        let mut story = over(size, &["X"]);
        story.press("backspace").type_in("review:pr-1");
        story
    }),
    ("refused", |size| {
        let mut story = channel(size);
        story.app.open(Window::Refused("stop coder@review:pr-123".to_owned(), trouble()));
        story
    }),
    ("not-sent", |size| {
        let mut story = writing(size);
        story.press("enter").fail_send(Some("workflow review:pr-123 is stopped"));
        story
    }),
    ("writing", |size| writing(size)),
    ("completing", |size| {
        let mut story = writing(size);
        story.press("ctrl+j").type_in("@te");
        story
    }),
    ("retarget", |size| {
        let mut story = writing(size);
        story.press("ctrl+t");
        story
    }),
];

/// All of them.
pub fn screens() -> impl Iterator<Item = Screen> {
    PANES.into_iter().chain(OTHERS)
}

fn member(name: &str) -> Subject {
    Subject::Agent(Target::member(name.parse().unwrap(), pr()))
}

fn pair() -> Subject {
    let [one, other] = ["coder", "user"].map(|name| name.parse().unwrap());
    Subject::Talk(pr(), Conversation::direct(one, other))
}

fn group() -> Subject {
    Subject::Talk(pr(), review_group())
}

fn at((width, height): (u16, u16), subject: Subject, tab: Tab) -> Story {
    let mut story = Story::team().sized(width, height);
    story.visit(subject, tab);
    story
}

/// Two agents were hired by another, and what one of them hired is folded.
fn hiring(size: (u16, u16)) -> Story {
    let mut story = at(size, Subject::Workflow(pr()), Tab::Agents);
    for (name, parent) in [("editor", "coder"), ("scout", "coder"), ("tester", "scout")] {
        let target = Target::member(name.parse().unwrap(), pr());
        let known = story.app.model.mirror().agent(&target).unwrap().clone();
        story.agent_is(&Agent { parent: Some(parent.parse().unwrap()), ..known });
    }
    story.press("j").press("j").press("h");
    story
}

fn channel(size: (u16, u16)) -> Story {
    at(size, Subject::Workflow(pr()), Tab::Channel)
}

/// The votes, and keys pressed there.
fn over_votes(size: (u16, u16), keys: &[&str]) -> Story {
    let mut story = at(size, Subject::Workflow(pr()), Tab::Proposals);
    for key in keys {
        story.press(key);
    }
    story
}

fn over(size: (u16, u16), keys: &[&str]) -> Story {
    let mut story = channel(size);
    for key in keys {
        story.press(key).settle();
    }
    story
}

/// The second document, which has a table, is read.
fn read(size: (u16, u16)) -> Story {
    let mut story = at(size, Subject::Workflow(pr()), Tab::Documents);
    story.press("j").settle();
    story.press("j").settle();
    story
}

fn writing(size: (u16, u16)) -> Story {
    let mut story = over(size, &["i"]);
    story.type_in("@coder inclusive: the acked message counts as read 👍, 已读。");
    story
}

fn nobody() -> Story {
    let mut story = Story::blank();
    story.app.model.connection.reach = Reach::Nobody {
        looked_at: "/srv/agent-worker/daemon.json".to_owned(),
        problem: Some("its port belongs to another program".to_owned()),
        is_starting: false,
    };
    story
}

fn empty() -> Snapshot {
    let mut snapshot = story::snapshot();
    snapshot.workflows.truncate(1);
    snapshot.agents.truncate(1);
    snapshot.groups.truncate(1);
    snapshot.runs.clear();
    snapshot
}

fn trouble() -> RequestError {
    RequestError {
        code: Some(ErrorCode::Invalid),
        message: "workflow review:pr-123 is stopped".to_owned(),
        hint: Some("agent-worker resume @review:pr-123".to_owned()),
        is_unsure: false,
    }
}
