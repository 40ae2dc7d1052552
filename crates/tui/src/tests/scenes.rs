//! Screens that have something in them: a run at work, documents, events, what is searched for.

use agent_worker_protocol::{
    BlockKind, Document, DocumentText, EventBody, EventPage, LoggedEvent, Timestamp,
};

use super::{
    screens::needy,
    story::{NOW, Story, block, grows, message, review, run},
};
use crate::model::{
    Focus,
    place::{Subject, Tab},
    requests::{Reply, Request},
};

/// Each with its name.
pub fn all() -> Vec<(&'static str, Story)> {
    let mut searching = needy();
    searching.open_channel_with((1..40).map(|seq| message(seq, "coder", "a word")).collect());
    searching.press("/").type_in("word").press("enter");
    let mut zoomed = needy();
    zoomed.open_channel().press("z").press("k");
    let mut marked = needy();
    marked.open(Subject::Workflow(review()), Tab::Agents).press("*");
    vec![
        ("a run at work", at_work()),
        ("documents", documents()),
        ("events", events()),
        ("searching", searching),
        ("zoomed and scrolled", zoomed),
        ("marked", marked),
        ("a list of commands", listed()),
        ("a text sent before", sent()),
    ]
}

/// A reviewer who has thought, asked a tool and goes on.
fn at_work() -> Story {
    let mut story = needy();
    story.select_agent("reviewer@review").press("tab");
    let text = |kind| if kind == BlockKind::ToolCall { "{}" } else { "some text\nof two lines" };
    let kinds = [
        BlockKind::Prompt,
        BlockKind::Thinking,
        BlockKind::ToolCall,
        BlockKind::ToolResult,
        BlockKind::Text,
    ];
    for (n, kind) in (0..).zip(kinds) {
        let at = n * 1_000 - 60_000;
        story.output(8, block(n, kind, "bash", text(kind), at, at + 500));
    }
    story.output(8, vec![super::begins(5, BlockKind::Text, "", -1_000), grows(5, 0, "and on")]);
    assert_eq!(story.app.model.selection.focus, Focus::Main);
    story.press("k");
    story
}

/// A document with three versions; the second is open.
fn documents() -> Story {
    let mut story = needy();
    let version = |version, file: &str| Document {
        scope: review(),
        file: file.to_owned(),
        version,
        owner: None,
        author: "coder".parse().unwrap(),
        bytes: 40,
        updated_at: Timestamp(NOW),
    };
    for (number, file) in [(1, "plan.md"), (3, "notes.md")] {
        story.happens(EventBody::DocumentChanged(version(number, file)));
    }
    story.open(Subject::Workflow(review()), Tab::Documents);
    for key in ["", "enter", "<"] {
        if !key.is_empty() {
            story.press(key);
        }
        for asked in story.asks() {
            let Request::Document(_, file, version) = &asked else { continue };
            let text = DocumentText {
                file: file.clone(),
                content: format!("# Of {version:?}\n\ntext\n\n## More\n\ntext\n"),
                version: version.unwrap_or(3),
                owner: None,
                chars: 40,
                more: false,
            };
            story.answer(asked, Reply::Document(text));
        }
    }
    story
}

/// A feed with something of a run in it.
fn events() -> Story {
    let mut story = needy();
    story.open(Subject::Workflow(review()), Tab::Events);
    let logged = |seq| LoggedEvent {
        seq,
        scope: review(),
        kind: "run.changed".to_owned(),
        subject: "run_8".to_owned(),
        run: Some(agent_worker_protocol::RunId::new(8)),
        actor: "reviewer".to_owned(),
        at: Timestamp(NOW),
        body: serde_json::to_value(run(8, "reviewer@review")).unwrap(),
    };
    let (epoch, next) = ("e".to_owned(), None);
    let page = EventPage {
        events: (80..100).map(logged).collect(),
        more: false,
        next,
        epoch,
        oldest: 80,
        newest: 99,
    };
    for asked in story.asks() {
        if let Request::Log(..) = asked {
            story.answer(asked, Reply::Log(page.clone()));
        }
    }
    story.press("k");
    story
}

/// The palette with a command found that a shell has too.
fn listed() -> Story {
    let mut story = needy();
    story.select_agent("reviewer@review").press(":").type_in("stop").press("down");
    story
}

/// A box in which a text that was sent before can be had again.
fn sent() -> Story {
    let mut story = needy();
    story.open_channel();
    story.app.model.writing.composer.sent.0 = vec!["@coder again".to_owned()];
    story.press("i");
    story
}
