//! A question to the person, over the panes: what is asked, what can be chosen, and how long it
//! waits. Choosing asks once more; what is written is sent as a message is.

use agent_worker_client::{
    Clean,
    text::{Words as _, numbers},
};
use agent_worker_protocol::{id::QuestionId, question::Question, time::Timestamp};
use ratatui_core::layout::Rect;

use super::{Field, Outcome, frame, pairs};
use crate::{
    key::{Code, Key},
    model::{State, acts::Act},
    paint::{Painter, Row},
    text::wrap,
    theme::Role,
};

/// The question, and how far the person is with it.
#[derive(Debug)]
pub struct Asked {
    question: Box<Question>,
    /// The marked option; none before one is marked, so that no key chooses by itself
    marked: Option<usize>,
    /// Where words are written
    field: Field,
    top: usize,
}

/// The most options that a digit chooses.
const DIGITS: usize = 9;

impl Asked {
    /// Shows a question.
    pub fn new(question: &Question) -> Self {
        let question = Box::new(question.clone());
        Self { question, marked: None, field: Field::default(), top: 0 }
    }

    /// Where words are written, if they are wanted.
    pub fn field(&mut self) -> Option<&mut Field> {
        self.takes_text().then_some(&mut self.field)
    }

    /// Whether letters are text.
    pub fn takes_text(&self) -> bool {
        self.question.options.is_empty()
    }

    fn id(&self) -> QuestionId {
        self.question.id
    }

    /// A key.
    pub fn key(&mut self, state: &State, key: Key) -> Outcome {
        match key.code {
            Code::PageDown => self.top = (self.top + 1).min(self.last(state)),
            Code::PageUp => self.top = self.top.min(self.last(state)).saturating_sub(1),
            _ if self.takes_text() => return self.write(key),
            code => return self.choose(code),
        }
        Outcome::stay()
    }

    fn write(&mut self, key: Key) -> Outcome {
        let text = self.field.text().trim().to_owned();
        if key.code != Code::Enter {
            self.field.key(key);
        } else if !text.is_empty() {
            let answer = Act::Answer(self.id(), text);
            return Outcome::With(Box::new(move |state| super::does(state, answer)));
        }
        Outcome::stay()
    }

    fn choose(&mut self, code: Code) -> Outcome {
        let options = &self.question.options;
        let last = options.len().saturating_sub(1);
        match code {
            Code::Down | Code::Char('j') => {
                self.marked = Some(self.marked.map_or(0, |at| (at + 1).min(last)));
            }
            Code::Up | Code::Char('k') => {
                self.marked = Some(self.marked.map_or(last, |at| at.saturating_sub(1)));
            }
            Code::Enter => {
                if let Some(option) = self.marked.and_then(|at| options.get(at)) {
                    return self.chosen(option.clone());
                }
            }
            Code::Char('q') => return Outcome::close(),
            Code::Char(digit) => {
                let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                let at = number.and_then(|number| number.checked_sub(1));
                if let Some(option) = at.and_then(|at| options.get(at)) {
                    return self.chosen(option.clone());
                }
            }
            _ => {}
        }
        Outcome::stay()
    }

    fn chosen(&self, option: String) -> Outcome {
        let answer = Act::Choose(self.id(), option);
        Outcome::With(Box::new(move |state| super::does(state, answer)))
    }

    /// Its keys.
    pub fn keys(&self, state: &State) -> Vec<(String, String)> {
        let mut keys = Vec::new();
        if !state.read_only && self.is_open(state) {
            keys.extend(match self.question.options.len() {
                0 => pairs(&[("type", "the answer"), ("Enter", "send")]),
                1 => pairs(&[("1", "choose")]),
                many => {
                    let digits = format!("1-{}", many.min(DIGITS));
                    pairs(&[(&digits, "choose"), ("Up Down Enter", "choose")])
                }
            });
        }
        keys.extend(pairs(&[("PgDn", "scroll"), ("Esc", "leave it open")]));
        keys
    }

    fn is_open(&self, state: &State) -> bool {
        state.mirror().question(self.id()).is_some()
    }

    fn size(state: &State) -> (u16, u16) {
        (state.size.0.saturating_sub(4).min(76), state.size.1.saturating_sub(4).min(24))
    }

    /// Who asks, and what.
    fn text(&self, state: &State, width: usize) -> Vec<Row> {
        let question = &self.question;
        let mut head = Row::of(question.agent.to_string(), Role::Strong);
        head.push(format!(" {}", question.kind.word().text), Role::Text);
        let now = Timestamp(state.shown_now());
        let waits = numbers::elapsed(now.since(question.created_at));
        let left = numbers::elapsed(question.expires_at.since(now));
        let then = question.default.as_deref().map(|text| format!(", then: {text}"));
        let then = then.unwrap_or_default();
        head.push(format!("   for {waits}, {left} left{then}"), Role::Dim);
        let text = Clean::text(question.text.trim_end());
        let mut rows = vec![head, Row::new()];
        rows.extend(text.as_str().lines().map(|line| Row::of(Clean::line(line), Role::Text)));
        if text.hidden() > 0 {
            let words = format!("{} characters of it cannot be seen", text.hidden());
            rows.push(Row::of(words, Role::Failed));
        }
        wrap::wrap(&rows, width, 2)
    }

    /// What can be chosen, or that nothing can be.
    fn choices(&self, state: &State) -> Vec<Row> {
        if !self.is_open(state) {
            return vec![Row::of("It is no longer open.", Role::Wait)];
        }
        let symbols = state.look.symbols;
        let options = self.question.options.iter().enumerate();
        let rows = options.map(|(at, option)| {
            let mark = if self.marked == Some(at) { symbols.selected } else { " " };
            let number = if at < DIGITS { format!("{}  ", at + 1) } else { "   ".to_owned() };
            let row = Row::of(mark, Role::Accent).pad(1).with(number, Role::Accent);
            let row = row.with(option.clone(), Role::Strong);
            let is_default = self.question.default.as_ref() == Some(option);
            if is_default { row.with("   if nobody answers", Role::Dim) } else { row }
        });
        rows.collect()
    }

    /// Rows for the text when the choices have theirs.
    fn room(&self, state: &State, choices: usize) -> usize {
        let written = usize::from(self.takes_text());
        usize::from(Self::size(state).1.saturating_sub(3)).saturating_sub(choices + written).max(1)
    }

    fn last(&self, state: &State) -> usize {
        let width = usize::from(Self::size(state).0.saturating_sub(4));
        let room = self.room(state, self.choices(state).len());
        self.text(state, width).len().saturating_sub(room)
    }

    /// Draws it.
    pub fn draw(&self, state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
        let (width, height) = Self::size(state);
        let inner = usize::from(width.saturating_sub(4));
        let (text, choices) = (self.text(state, inner), self.choices(state));
        let is_written = self.takes_text() && self.is_open(state) && !state.read_only;
        let room = self.room(state, choices.len());
        let shown = text.len().min(room);
        let wanted = shown + choices.len() + usize::from(is_written) + 3;
        let top = self.top.min(text.len().saturating_sub(room));
        let hidden = text.len().saturating_sub(top + shown);
        let bottom = if hidden > 0 { format!("{hidden} more rows: PgDn") } else { String::new() };
        let wanted = u16::try_from(wanted).unwrap_or(u16::MAX).clamp(5, height.max(5));
        let inside = frame(painter, area, (width, wanted), self.id().to_string(), bottom);
        let mut y = 0;
        for row in text.iter().skip(top).take(shown) {
            painter.row(inside, 0, y, row);
            y += 1;
        }
        y += 1;
        for row in choices {
            let row = row.cut(usize::from(inside.width), painter.symbols.ellipsis);
            painter.row(inside, 0, y, &row);
            y += 1;
        }
        if !is_written {
            return None;
        }
        let x = painter.row(inside, 0, y, &Row::of("answer: ", Role::Accent));
        Some(self.field.draw(painter, inside, x, y))
    }
}
