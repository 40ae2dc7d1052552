//! A message whole: its text, who got it, who has read it, which run wrote it and which it led to.

mod rows;

use agent_worker_client::Clean;
use agent_worker_protocol::{channel::Message, id::MessageId};
use ratatui_core::layout::Rect;

use self::rows::KEYS;
use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::Key,
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

    fn act(&self, model: &mut Model, action: Option<Action>) -> Outcome {
        let Some(message) = self.shown(model).cloned() else { return Outcome::stay() };
        match action {
            Some(Action::Copy) => {
                let text = Clean::text(&message.content).as_str().to_owned();
                Outcome::Stay(vec![Effect::Copy(text)])
            }
            Some(Action::CopyCode) => match Effect::copy_code(blocks(&message.content)) {
                Some(effect) => Outcome::Stay(vec![effect]),
                None => Outcome::Stay(model.tell("no code block here")),
            },
            Some(Action::Pager) => Outcome::Stay(message::whole(model, &message)),
            Some(Action::Cause) => Outcome::Close(conversation::cause_of(model, &message)),
            Some(Action::Reply) if !model.settings.read_only => {
                Outcome::Close(conversation::reply_to(model, &message))
            }
            _ => Outcome::stay(),
        }
    }
}

impl Overlay for Detail {
    fn is_of_database(&self) -> bool {
        true
    }

    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let last = self.last(model);
        let page = usize::from(Self::size(model).1.saturating_sub(3)).max(1);
        match model.settings.keymap.action(KEYS, key) {
            Some(Action::Down) => self.scroll(model, 1),
            Some(Action::Up) => self.scroll(model, -1),
            Some(Action::PageDown) => self.top = (self.top + page).min(last),
            Some(Action::PageUp) => self.top = self.top.min(last).saturating_sub(page),
            Some(Action::First) => self.top = 0,
            Some(Action::Last) => self.top = last,
            Some(Action::Quit | Action::Open) => return Outcome::close(),
            action => return self.act(model, action),
        }
        Outcome::stay()
    }

    fn scroll(&mut self, model: &Model, rows: isize) {
        let last = self.last(model);
        self.top = self.top.min(last).saturating_add_signed(rows).min(last);
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Cause, Copy, CopyCode, Down, Pager, Reply, Up};
        let mut rows: Vec<(&[Action], &str)> = vec![
            (&[Down, Up], "scroll"),
            (&[Pager], "whole text"),
            (&[Copy], "copy"),
            (&[Cause], "cause"),
        ];
        if !model.settings.read_only {
            rows.push((&[Reply], "reply"));
        }
        if self.shown(model).is_some_and(|message| !blocks(&message.content).is_empty()) {
            rows.push((&[CopyCode], "copy code"));
        }
        frame::with_esc(keyed(model, KEYS, &rows), "close")
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
        KEYS.to_vec()
    }

    fn message(&self) -> Option<MessageId> {
        Some(self.id)
    }
}
