//! Which lines are told of what happens, and of what would be on the screen.

use std::collections::BTreeSet;

use agent_worker_client::{Clean, FeedItem, text::Words as _};
use agent_worker_protocol::{EventBody, Message, Name, ProposalStatus, Run, RunState, shell};

use super::drawn;
use crate::{
    action::Action,
    app::{App, Msg, tabs},
    keys::Context,
    model::{Composer, Model, Outside, Place, refusal, words},
    screen,
};

/// What was told last.
#[derive(Debug, Default)]
pub struct Told {
    connection: String,
    /// What helps against a daemon that does not talk or does not answer
    help: Option<String>,
    needs: BTreeSet<String>,
    place: Option<Place>,
    overlay: Vec<String>,
    /// When it was told, ms
    overlay_at: i64,
    marked: Option<Marked>,
    prompt: Vec<String>,
}

/// The list over the panes that was told last.
#[derive(Debug)]
struct Marked {
    /// How many boxes there are, the first line of the top one, and what is written in it
    list: (usize, String, String),
    /// The number of its marked line
    line: usize,
}

impl Marked {
    /// The list whose lines are these, if a line of it can be chosen.
    fn of(app: &mut App, lines: &[String]) -> Option<Self> {
        let depth = app.overlays.len();
        let over = app.overlays.last_mut()?;
        let is_list = over.choice().is_some() || over.told(&app.model).is_some();
        let line = over.marked().filter(|_| is_list)?;
        let written = over.field().map(|field| field.text().to_owned()).unwrap_or_default();
        Some(Self { list: (depth, lines.first()?.clone(), written), line })
    }
}

impl Told {
    /// Lines for what has become another: the connection, what needs the user.
    pub fn changes(&mut self, model: &Model) -> Vec<String> {
        let mut lines = Vec::new();
        let connection = screen::connection(model);
        if self.connection != connection {
            lines.push(connection.clone());
            self.connection = connection;
        }
        let help = refusal::of(model).map(|error| refusal::sentence(model, error));
        if self.help != help {
            lines.extend(help.as_deref().map(one));
            self.help = help;
        }
        let needs: BTreeSet<String> = model
            .mirror()
            .attention()
            .map(|item| {
                let (kind, subject) = (item.kind.word().text, &item.subject);
                one(&format!("needs you: {kind} {subject}: {}", item.reason))
            })
            .collect();
        lines.extend(needs.difference(&self.needs).cloned());
        self.needs = needs;
        lines
    }

    /// Has the place that is shown told again.
    pub fn forget_place(&mut self) {
        self.place = None;
        self.overlay.clear();
    }

    /// Has the notice and what is written told again.
    pub fn forget_prompt(&mut self) {
        self.prompt.clear();
    }

    /// Lines for what a command has led to.
    pub fn state(&mut self, app: &mut App) -> Vec<String> {
        let mut lines = self.changes(&app.model);
        if app.overlays.is_empty() {
            self.marked = None;
        }
        let place = &app.model.place;
        if !app.overlays.is_empty() {
            lines.extend(self.over(app));
        } else if app.model.has_picture() && self.place.as_ref() != Some(place) {
            self.overlay.clear();
            self.place = Some(place.clone());
            let (tab, _) = place.tab.label();
            lines.push(format!("{}, {tab}:", tabs::title(&app.model).text()));
            lines.extend(drawn::failed(&app.model));
            lines.extend(drawn::pane(app));
        }
        lines.extend(self.prompt(&app.model));
        lines
    }

    /// The box over the panes, if it is another. A time in it that only moves does not make it so:
    /// what was told is compared with the box as of then. Of a list in which only another line is
    /// marked, that line.
    fn over(&mut self, app: &mut App) -> Vec<String> {
        let now = std::mem::replace(&mut app.model.now, self.overlay_at);
        let as_of_then = drawn::overlay(app);
        app.model.now = now;
        if !self.overlay.is_empty() && as_of_then == self.overlay {
            return Vec::new();
        }
        let marked = Marked::of(app, &as_of_then);
        let is_moved =
            |(old, new): (&Marked, &Marked)| old.list == new.list && old.line != new.line;
        if self.marked.as_ref().zip(marked.as_ref()).is_some_and(is_moved) {
            (self.overlay, self.marked) = (as_of_then, marked);
            return drawn::marked(app);
        }
        self.overlay_at = app.model.now;
        self.overlay = drawn::overlay(app);
        self.marked = Marked::of(app, &self.overlay);
        self.overlay.clone()
    }

    /// What is asked; else what is told, then what is written.
    fn prompt(&mut self, model: &Model) -> Vec<String> {
        let composer = &model.writing.composer;
        let lines: Vec<String> = match (&model.prompt.question, &model.prompt.notice) {
            (Some(question), _) => vec![format!("{} (y or n)", question.text)],
            (None, notice) => {
                let notice = notice.iter().map(|notice| notice.text.clone());
                notice.chain(composer.is_open.then(|| writing(composer))).collect()
            }
        };
        let lines: Vec<String> = lines.iter().map(|line| one(line)).collect();
        let is_new = lines != self.prompt;
        self.prompt.clone_from(&lines);
        if is_new { lines } else { Vec::new() }
    }
}

/// What becomes of the next line while a message is written.
fn writing(composer: &Composer) -> String {
    let (to, draft) = (&composer.address, composer.text());
    if draft.is_empty() {
        return format!("writing to {to}: the next line is sent; cancel keeps the draft");
    }
    let draft = Clean::text(&draft);
    format!(
        "writing to {to}: the next line is sent behind the draft `{}`, an empty line sends the \
         draft alone; cancel keeps it",
        draft.as_str()
    )
}

/// A text that is told as one: its further lines are marked, so that none looks like an event.
fn one(text: &str) -> String {
    // What becomes a line break is known only once it is clean.
    Clean::text(text).as_str().lines().collect::<Vec<_>>().join("\n| ")
}

/// A text that was copied: each line is marked.
pub fn copied(text: &str) -> String {
    format!("| {}", one(text))
}

/// What to do instead of starting a program, which would read the lines of the standard input too.
pub fn instead(model: &Model, outside: &Outside) -> String {
    match outside {
        Outside::Message(_) => {
            "cannot start an editor with --linear: write the message as a line, or in a shell: \
             agent-worker send"
                .to_owned()
        }
        Outside::Document { scope, file, .. } => {
            let line = format!("agent-worker doc edit {} {scope}", shell::document(file));
            let line = model.connection.in_shell(&line);
            format!("cannot start an editor with --linear; in a shell: {line}")
        }
        Outside::Look(_) => {
            let problem = "cannot start an editor with --linear";
            // As `config.toml` names it.
            match model.settings.keymap.first(&[Context::Pager], Action::Copy) {
                Some(key) => format!("{problem}: `press {key}` prints the whole text"),
                None => format!("{problem}; no key prints the whole text"),
            }
        }
        Outside::Program { run, .. } => format!(
            "cannot attach to {run} with --linear; in a shell: \
             agent-worker resume-in-terminal {run} --exec"
        ),
    }
}

/// Lines for an event of the feed that has come.
pub fn event(model: &Model, msg: &Msg) -> Vec<String> {
    let Msg::Feed(FeedItem::Event(event)) = msg else { return Vec::new() };
    let zone = model.zone();
    let at = zone.clock(event.at);
    let told = match &event.body {
        EventBody::MessageSent { message, .. } => said(message),
        EventBody::RunChanged(run) => ended(run),
        EventBody::DocumentChanged(document) => Some(format!(
            "{} is version {} by {}",
            document.file, document.version, document.author
        )),
        EventBody::QuestionChanged(question) if question.answer.is_none() => {
            Some(format!("{} asks: {}", question.agent, question.text))
        }
        EventBody::ProposalChanged(proposal) => Some(match proposal.status {
            ProposalStatus::Active => {
                let votes = proposal.votes.len();
                format!(
                    "{} {}: {votes} of {} votes",
                    proposal.id,
                    proposal.title,
                    proposal.electors.len()
                )
            }
            status => format!("{} {}: {}", proposal.id, proposal.title, status.as_str()),
        }),
        _ => None,
    };
    // A member sees nothing as long as it is not known who it is.
    let is_seen = match &model.view {
        Some(view) => view.sees(event),
        None => model.settings.identity == Name::person(),
    };
    told.filter(|_| is_seen)
        .map(|words| one(&format!("{at} {}: {words}", event.scope.key())))
        .into_iter()
        .collect()
}

/// What was said, whole.
fn said(message: &Message) -> Option<String> {
    use agent_worker_protocol::Conversation;
    let place = match &message.group {
        Conversation::Channel => String::new(),
        other => format!(" ({})", words::talk_name(other)),
    };
    Some(format!("{}{place}: {}", message.sender, message.content.trim_end()))
}

/// How a run has ended.
fn ended(run: &Run) -> Option<String> {
    if run.state.is_live() || run.state == RunState::Ending {
        return None;
    }
    let error = run.error.as_ref().map(|error| format!(": {}", error.trim())).unwrap_or_default();
    Some(format!("{} of {} {}{error}", run.id, run.agent, run.state.as_str()))
}
