//! A question to the person, over the panes: what is asked, what can be chosen, and how long it
//! waits. Choosing asks once more; what is written is sent as a message is.

use agent_worker_client::{
    Clean,
    text::{Words as _, numbers},
};
use agent_worker_protocol::Question;
use ratatui_core::layout::Rect;

use super::{
    Caret, Outcome, Overlay,
    options::{DIGITS, Listed, Options, head, numbered},
    overlay::keyed,
};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Act, Effect, Model, Purpose},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame, list},
    text::wrap,
    theme::Role,
};

/// Where its keys are.
const KEYS: &[Context] = &[Context::Box, Context::Move];

/// The question, and how far the person is with it.
#[derive(Debug)]
pub struct Asked {
    question: Box<Question>,
    options: Options,
    /// Where words are written
    field: Field,
    top: usize,
}

impl Asked {
    /// With what was written before.
    pub fn new(model: &Model, question: Box<Question>) -> Self {
        let field = Field::with(model.writing.drafts.text(Purpose::Answer(question.id)));
        Self { question, options: Options::default(), field, top: 0 }
    }

    /// Whether words are wanted: nothing can be chosen.
    fn is_written(&self) -> bool {
        self.question.options.is_empty()
    }

    /// Whether digits choose: where options are numbers themselves, a digit could mean two of them.
    fn has_digits(&self) -> bool {
        Question::has_numbered(&self.question.options)
    }

    fn write(&mut self, model: &Model, key: Key) -> Outcome {
        let text = self.field.text().trim().to_owned();
        let action = model.settings.keymap.action(&[Context::Picker], key);
        if action != Some(Action::Send) {
            self.field.key(key);
        } else if !text.is_empty() && self.is_open(model) {
            let answer = Act::Answer(self.question.id, text);
            return Outcome::Stay(vec![Effect::Settle(answer)]);
        }
        Outcome::stay()
    }

    fn choose(&mut self, model: &Model, action: Option<Action>, key: Key) -> Outcome {
        if action == Some(Action::Quit) {
            return Outcome::close();
        }
        let digit = numbered(key).filter(|_| self.has_digits());
        let (_, listed, (_, room)) = self.laid(model);
        let taken = self.options.take(&self.question.options, action, digit, (&listed, room));
        // Once it is closed the window says so already, and the daemon would refuse the answer.
        let Some(option) = taken.filter(|_| self.is_open(model)) else { return Outcome::stay() };
        Outcome::Stay(vec![Effect::Settle(Act::Choose(self.question.id, option))])
    }

    fn is_open(&self, model: &Model) -> bool {
        model.mirror().question(self.question.id).is_some()
    }

    fn size(model: &Model) -> (u16, u16) {
        let (width, height) = model.display.size;
        (width.saturating_sub(4).min(76), height.saturating_sub(4).min(24))
    }

    /// Who asks, and what.
    fn text(&self, model: &Model, width: usize) -> Vec<Row> {
        let question = &self.question;
        let mut head = Row::of(question.agent.to_string(), Role::Strong);
        head.push(format!(" {}", question.kind.word().text), Role::Text);
        let now = model.shown_at();
        let waits = numbers::elapsed(now.since(question.created_at));
        let left = numbers::elapsed(question.expires_at.since(now));
        let then = question.default.as_deref().map(|text| format!(", then: {text}"));
        if self.is_open(model) {
            let then = then.unwrap_or_default();
            head.push(format!("   for {waits}, {left} left{then}"), Role::Dim);
        }
        let text = Clean::text(question.text.trim_end());
        let mut rows = vec![head, Row::new()];
        rows.extend(text.as_str().lines().map(|line| Row::of(Clean::line(line), Role::Text)));
        if text.hidden() > 0 {
            let what = numbers::counted(text.hidden(), "character", "characters");
            rows.push(Row::of(format!("{what} of it cannot be seen"), Role::Failed));
        }
        wrap::wrap(&rows, width, 2)
    }

    /// What can be chosen, or that nothing can be.
    fn choices(&self, model: &Model, width: usize) -> Listed {
        let mut listed = Listed::default();
        if !self.is_open(model) {
            listed.add(Row::new(), &Row::of("It is no longer open.", Role::Wait), width);
            return listed;
        }
        let symbols = model.symbols();
        for (at, option) in self.question.options.iter().enumerate() {
            let begin = head(at, self.options.marked == Some(at), self.has_digits(), symbols);
            let row = Row::of(option.clone(), Role::Strong);
            let is_default = self.question.default.as_ref() == Some(option);
            let row = if is_default { row.with("   default", Role::Dim) } else { row };
            listed.add(begin, &row, width);
        }
        listed
    }

    /// The text and the choices, and how many rows of each there is room for: the choices get half
    /// of the box, or what the text leaves if that is more.
    fn laid(&self, model: &Model) -> (Vec<Row>, Listed, (usize, usize)) {
        let (width, height) = Self::size(model);
        let width = usize::from(width.saturating_sub(4));
        let (text, choices) = (self.text(model, width), self.choices(model, width));
        let written = usize::from(self.is_written());
        let rows = usize::from(height.saturating_sub(3)).saturating_sub(written);
        let listed = choices.height().min((rows / 2).max(rows.saturating_sub(text.len())));
        (text, choices, (rows.saturating_sub(listed).max(1), listed))
    }
}

/// How many rows of the text are below what is shown, and what is said of the options there.
fn below(model: &Model, rows: usize, options: &str) -> String {
    let page = model.key_in(KEYS, Action::PageDown);
    let more = numbers::counted(rows, "more row", "more rows");
    let rows = if rows > 0 { format!("{more}: {page}") } else { String::new() };
    let between = if rows.is_empty() || options.is_empty() { "" } else { ", " };
    rows + between + options
}

impl Overlay for Asked {
    fn is_of_database(&self) -> bool {
        true
    }

    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let keymap = &model.settings.keymap;
        let action = if self.is_written() {
            keymap.beside_text(KEYS, key)
        } else {
            keymap.action(KEYS, key)
        };
        match action {
            Some(page @ (Action::PageDown | Action::PageUp)) => {
                let (_, _, (room, _)) = self.laid(model);
                self.scroll(model, list::moved(page, room).unwrap_or(0));
            }
            _ if self.is_written() => return self.write(model, key),
            action => return self.choose(model, action, key),
        }
        Outcome::stay()
    }

    fn scroll(&mut self, model: &Model, rows: isize) {
        let (text, _, (room, _)) = self.laid(model);
        let last = text.len().saturating_sub(room);
        self.top = self.top.min(last).saturating_add_signed(rows).min(last);
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Down, Open, PageDown, Send, Up};
        let mut keys = Vec::new();
        if !model.settings.read_only && self.is_open(model) {
            match self.question.options.len() {
                0 => {
                    keys.extend(frame::pairs(&[("type", "the answer")]));
                    keys.extend(keyed(model, &[Context::Picker], &[(&[Send], "send")]));
                }
                _ if !self.has_digits() => {
                    keys.extend(keyed(model, KEYS, &[(&[Down, Up, Open], "choose")]));
                }
                1 => keys.extend(frame::pairs(&[("1", "choose")])),
                many => {
                    let digits = format!("1-{}", many.min(DIGITS));
                    keys.extend(frame::pairs(&[(&digits, "choose")]));
                    keys.extend(keyed(model, KEYS, &[(&[Down, Up, Open], "choose")]));
                }
            }
        }
        keys.extend(keyed(model, KEYS, &[(&[PageDown], "scroll")]));
        let esc = if self.is_open(model) { "leave it open" } else { "close" };
        frame::with_esc(keys, esc)
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let (width, height) = Self::size(model);
        let inner = usize::from(width.saturating_sub(4));
        let (text, choices, (room, listed)) = self.laid(model);
        let can_answer = self.is_open(model) && !model.settings.read_only;
        // The written text stays visible, also after another client has answered.
        let is_written = self.is_written() && (can_answer || !self.field.text().is_empty());
        let shown = text.len().min(room);
        let wanted = shown + listed + usize::from(is_written) + 3;
        let top = self.top.min(text.len().saturating_sub(room));
        let hidden = text.len().saturating_sub(top + shown);
        let first = self.options.top(self.options.marked, &choices, listed);
        let bottom = below(model, hidden, &choices.more(first + listed));
        let wanted = u16::try_from(wanted).unwrap_or(u16::MAX).clamp(5, height.max(5));
        let inside =
            frame::frame(painter, area, (width, wanted), self.question.id.to_string(), bottom);
        painter.rows(inside, 0, text.iter().skip(top).take(shown));
        let mut y = u16::try_from(shown + 1).unwrap_or(u16::MAX);
        for (at, row) in choices.shown(first, listed, inner, painter.symbols.ellipsis) {
            painter.row(inside, 0, y, &row);
            if self.is_open(model) {
                painter.spot(inside, y, at);
            }
            y += 1;
        }
        if !is_written {
            return None;
        }
        let x = painter.row(inside, 0, y, &Row::of("answer: ", Role::Accent));
        Some(self.field.draw(painter, inside, x, y))
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.is_written().then_some(&mut self.field)
    }

    fn draft(&self) -> Option<(Purpose, &str)> {
        self.is_written().then(|| (Purpose::Answer(self.question.id), self.field.text()))
    }

    fn marked(&self) -> Option<usize> {
        self.options.marked
    }

    fn mark(&mut self, _: &Model, line: usize, first: usize) {
        self.options.mark(line, first);
    }

    fn takes(&self) -> Action {
        Action::Open
    }

    fn contexts(&self) -> Vec<Context> {
        if self.is_written() { vec![Context::Picker] } else { KEYS.to_vec() }
    }
}
