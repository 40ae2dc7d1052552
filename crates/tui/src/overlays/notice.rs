//! A box with something to know: what failed, what was not changed, and the key that helps.

use agent_worker_client::{Clean, ClientError, mirror::Connection};
use agent_worker_protocol::{Explanation, Scope};
use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Address, Effect, Model, Purpose, RequestError},
    paint::{Ink, Painter, Row},
    panes::Panes,
    parts::frame,
    text::wrap,
    theme::Role,
};

/// Where its keys are.
const KEYS: &[Context] = &[Context::Box, Context::Move];

/// How much of a message is quoted, in characters.
const QUOTED: usize = 160;

#[derive(Debug)]
pub struct Message {
    title: String,
    rows: Vec<Row>,
    /// What `y` copies
    copy: Option<String>,
    /// Whether `e` goes back to the text
    has_edit: bool,
    top: usize,
}

impl Message {
    pub fn rows(title: String, rows: Vec<Row>) -> Self {
        Self { title, rows, copy: None, has_edit: false, top: 0 }
    }

    /// The daemon refused, or the outcome is unknown.
    pub fn refused(what: &str, trouble: RequestError) -> Self {
        let mut rows = said(&trouble);
        rows.push(Row::new());
        let (word, rest) = if !trouble.is_unsure {
            ("refused", "Nothing was changed.")
        } else if trouble.code.is_some() {
            ("refused in part", "The screen shows what has changed, if anything.")
        } else {
            ("no answer", "It may have been done: check the screen.")
        };
        rows.push(Row::of(rest, Role::Text));
        Self { copy: trouble.hint, ..Self::rows(format!("{what}: {word}"), rows) }
    }

    /// The daemon did not take a document.
    pub fn not_saved(model: &Model, scope: Scope, file: String, trouble: RequestError) -> Self {
        let mut message = Self::refused(&format!("save {file}"), trouble);
        let key = model.key_in(&[Context::Documents], Action::Edit);
        let is_on_disk = model.writing.drafts.is_on_disk(Purpose::Document(scope, file));
        let kept = if is_on_disk { "kept on disk" } else { "not on disk" };
        let kept = format!("Your text is {kept}: {key} on the document goes on with it.");
        message.rows.push(Row::of(kept, Role::Text));
        message
    }

    /// The daemon did not take a message.
    pub fn not_sent(model: &Model, address: &Address, text: &str, trouble: RequestError) -> Self {
        let mut rows = said(&trouble);
        let mut first: String = text.chars().take(QUOTED).collect();
        if first.len() < text.len() {
            first.push_str(" (and more)");
        }
        let kept = if model.writing.drafts.is_on_disk(address) {
            "Your text is back in the composer and on disk."
        } else {
            "Your text is back in the composer. It is not on disk."
        };
        rows.extend([
            Row::new(),
            Row::of("to       ", Role::Dim).with(address.to_string(), Role::Text),
            Row::of("text     ", Role::Dim).with(first, Role::Text),
            Row::new(),
            Row::of(kept, Role::Text),
        ]);
        Self {
            copy: Some(text.to_owned()),
            has_edit: true,
            ..Self::rows("message was not sent".to_owned(), rows)
        }
    }

    /// Why something is as it is.
    pub fn why(model: &Model, explanation: &Explanation) -> Self {
        let mut rows = vec![Row::of(explanation.state.clone(), Role::Strong), Row::new()];
        for link in &explanation.because {
            let mut row = Row::new();
            if let Some(at) = link.at {
                row = row.with(model.zone().clock(at), Role::Dim).pad(1);
            }
            let row = row.with(link.subject.clone(), Role::Accent).pad(1);
            rows.push(row.with(link.text.clone(), Role::Text));
        }
        rows.extend(help(explanation.hint.as_deref()));
        let copy = explanation.hint.clone();
        Self { copy, ..Self::rows(format!("why {}", explanation.subject), rows) }
    }

    /// How the connection is.
    pub fn connection(model: &Model) -> Self {
        let mut rows = Vec::new();
        let mut line = |name: &'static str, text: String| {
            rows.push(Row::of(name, Role::Dim).with(text, Role::Text));
        };
        match model.connection.feed.connection() {
            Connection::Reconnecting { tries, error } => {
                line("tries      ", tries.to_string());
                line("last error ", error.to_string());
                if let Some(source) = std::error::Error::source(error) {
                    line("because    ", source.to_string());
                }
                if let ClientError::Silent { hint, .. } = error {
                    line("what helps ", hint.clone());
                }
            }
            Connection::Refused { error } => line("refused    ", error.to_string()),
            Connection::Starting => line("state      ", "connecting".to_owned()),
            Connection::Live => line("state      ", "live".to_owned()),
            Connection::CatchingUp(missing) => {
                line("state      ", format!("catching up {missing}"));
            }
            Connection::Reloading { reason } => line("state      ", format!("reloading: {reason}")),
            Connection::Silent => line("state      ", "no heartbeat".to_owned()),
        }
        line("seen up to ", model.mirror().seq().to_string());
        line("log        ", model.connection.at_its_machine("agent-worker daemon logs"));
        Self::rows("connection".to_owned(), rows)
    }
}

fn said(trouble: &RequestError) -> Vec<Row> {
    let message = Clean::text(&trouble.message);
    let lines = message.as_str().lines().take(8);
    let lines = lines.map(|line| Row::of(Ink::from(line.to_owned()), Role::Failed));
    lines.chain(help(trouble.hint.as_deref())).collect()
}

/// What would help, behind a blank row.
fn help(hint: Option<&str>) -> Vec<Row> {
    let row =
        |hint: &str| Row::of("what would help: ", Role::Dim).with(hint.to_owned(), Role::Accent);
    hint.map(row).into_iter().flat_map(|row| [Row::new(), row]).collect()
}

impl Overlay for Message {
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        match model.settings.keymap.action(KEYS, key) {
            Some(Action::Copy) => return Outcome::copy(self.copy.clone()),
            Some(Action::Edit) if self.has_edit => {
                let address = model.writing.composer.address.clone();
                return Outcome::Close(vec![Effect::Write(address, String::new(), None)]);
            }
            Some(Action::Quit | Action::Open) => return Outcome::close(),
            Some(Action::Down) => self.scroll(model, 1),
            Some(Action::Up) => self.scroll(model, -1),
            _ => {}
        }
        Outcome::stay()
    }

    fn scroll(&mut self, _: &Model, rows: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.top = self.top.saturating_add_signed(rows).min(last);
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        let rows: &[(&[Action], &str)] = if self.has_edit {
            &[(&[Action::Edit], "edit"), (&[Action::Copy], "copy text")]
        } else if self.copy.is_some() {
            &[(&[Action::Copy], "copy what helps")]
        } else {
            &[]
        };
        frame::with_esc(keyed(model, KEYS, rows), "close")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let width = 70.min(area.width.saturating_sub(4));
        let rows = wrap::wrap(&self.rows, usize::from(width.saturating_sub(4)), 2);
        let height = u16::try_from(rows.len() + 4).unwrap_or(u16::MAX).min(20);
        let inside = frame::frame(painter, area, (width, height), self.title.clone(), "");
        let top = self.top.min(rows.len().saturating_sub(usize::from(inside.height)));
        let text = Rect { height: inside.height.saturating_sub(1), ..inside };
        painter.rows(text, 0, rows.iter().skip(top));
        let keys = frame::hints(Row::of("  ", Role::Text), self.keys(model), 3);
        painter.row(inside, 0, inside.height.saturating_sub(1), &keys.all(Role::Accent));
        None
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }
}
