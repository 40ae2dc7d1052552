//! A message whole: its text, who got it, who has read it, which run wrote it and which it led to.

mod rows;

use agent_worker_client::Clean;
use agent_worker_protocol::{channel::Message, id::MessageId};
use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay};
use crate::{
    key::{Code, Key},
    keys::Context,
    model::{Effect, Model},
    paint::{Painter, Row},
    panes::{Panes, conversation},
    parts::{frame, message},
    text::fenced::blocks,
    theme::Role,
};

/// One message, over the panes.
#[derive(Debug)]
pub struct Detail {
    id: MessageId,
    message: Option<Box<Message>>,
    top: usize,
}

impl Detail {
    /// A message, as far as it is known.
    pub fn new(id: MessageId, message: Option<Box<Message>>) -> Self {
        Self { id, message, top: 0 }
    }

    fn shown<'a>(&'a self, model: &'a Model) -> Option<&'a Message> {
        let known = model.known.messages.get(&self.id).map(|detail| &detail.message);
        known.or(self.message.as_deref())
    }

    fn rows(&self, model: &Model, width: usize) -> Vec<Row> {
        match self.shown(model) {
            Some(message) => rows::rows(model, message, model.known.messages.get(&self.id), width),
            None if model.known.messages.has_failed(&self.id) => {
                vec![Row::of("it could not be loaded", Role::Failed)]
            }
            None => vec![Row::of("loading", Role::Dim)],
        }
    }

    fn size(model: &Model) -> (u16, u16) {
        (
            model.display.size.0.saturating_sub(4).min(100),
            model.display.size.1.saturating_sub(4).min(20),
        )
    }

    fn last(&self, model: &Model) -> usize {
        let (width, height) = Self::size(model);
        let count = self.rows(model, usize::from(width.saturating_sub(4))).len();
        count.saturating_sub(usize::from(height.saturating_sub(2)))
    }

    fn act(&self, model: &mut Model, code: Code) -> Outcome {
        let Some(message) = self.shown(model).cloned() else { return Outcome::stay() };
        match code {
            Code::Char('y') => {
                let text = Clean::text(&message.content).as_str().to_owned();
                Outcome::Stay(vec![Effect::Copy(text)])
            }
            Code::Char('C') => match Effect::copy_code(blocks(&message.content)) {
                Some(effect) => Outcome::Stay(vec![effect]),
                None => Outcome::Stay(model.tell("no code block here")),
            },
            Code::Char('o') => Outcome::Stay(message::whole(model, &message)),
            Code::Char('c') => Outcome::Close(conversation::cause_of(model, &message)),
            Code::Char('r') if !model.settings.read_only => {
                Outcome::Close(conversation::reply_to(model, &message))
            }
            _ => Outcome::stay(),
        }
    }
}

impl Overlay for Detail {
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let last = self.last(model);
        let page = usize::from(Self::size(model).1.saturating_sub(3)).max(1);
        match key.code {
            Code::Down | Code::Char('j') => self.top = (self.top + 1).min(last),
            Code::Up | Code::Char('k') => self.top = self.top.min(last).saturating_sub(1),
            Code::PageDown | Code::Char(' ') => self.top = (self.top + page).min(last),
            Code::PageUp => self.top = self.top.min(last).saturating_sub(page),
            Code::Home | Code::Char('g') => self.top = 0,
            Code::End | Code::Char('G') => self.top = last,
            Code::Char('q') | Code::Enter => return Outcome::close(),
            code => return self.act(model, code),
        }
        Outcome::stay()
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        let mut keys =
            frame::pairs(&[("j k", "scroll"), ("o", "whole text"), ("y", "copy"), ("c", "cause")]);
        if !model.settings.read_only {
            keys.extend(frame::pairs(&[("r", "reply")]));
        }
        if self.shown(model).is_some_and(|message| !blocks(&message.content).is_empty()) {
            keys.extend(frame::pairs(&[("C", "copy code")]));
        }
        keys.extend(frame::pairs(&[("Esc", "close")]));
        keys
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let (width, height) = Self::size(model);
        let rows = self.rows(model, usize::from(width.saturating_sub(4)));
        let wanted = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX).clamp(5, height.max(5));
        let top = self.top.min(self.last(model));
        let seen = top + usize::from(wanted.saturating_sub(2));
        let bottom = if seen < rows.len() {
            format!("{} more rows", rows.len() - seen)
        } else {
            String::new()
        };
        let title = self.id.to_string();
        let inside = frame::frame(painter, area, (width, wanted), title, bottom);
        painter.rows(inside, 0, rows.iter().skip(top));
        None
    }

    fn contexts(&self) -> Vec<Context> {
        vec![Context::Move]
    }

    fn message(&self) -> Option<MessageId> {
        Some(self.id)
    }
}
