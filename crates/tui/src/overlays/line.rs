//! One line that is asked for: a time to go to.

use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay};
use crate::{
    key::{Code, Key},
    model::{Effect, Model},
    paint::{Painter, Row},
    panes::{Panes, conversation},
    parts::{field::Field, frame},
    text::{moment::FORMS, wrap},
    theme::Role,
};

/// Columns of the window.
const WIDTH: u16 = 66;

/// What is typed, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Line {
    field: Field,
    problem: Option<String>,
}

impl Line {
    /// A time in the shown conversation.
    pub fn moment() -> Self {
        Self::default()
    }

    fn done(&mut self, model: &mut Model) -> Outcome {
        let text = self.field.text().trim().to_owned();
        if text.is_empty() {
            return Outcome::close();
        }
        match conversation::go_to_moment(model, &text) {
            Ok(effects) => Outcome::Close(effects),
            Err(problem) => {
                self.problem = Some(problem);
                Outcome::stay()
            }
        }
    }
}

impl Overlay for Line {
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        if key.code == Code::Enter {
            return self.done(model);
        }
        self.problem = None;
        self.field.key(key);
        Outcome::stay()
    }

    fn keys(&self, _: &Model) -> Vec<(String, String)> {
        frame::pairs(&[("Enter", "go there"), ("Esc", "cancel")])
    }

    fn draw(&self, _: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let inside = frame::frame(painter, area, (WIDTH, 5), "go to a time", "");
        let x = painter.row(inside, 0, 0, &Row::of("> ", Role::Accent));
        let caret = self.field.draw(painter, inside, x, 0);
        let row = match &self.problem {
            Some(problem) => Row::of(problem.clone(), Role::Failed),
            None => Row::of(FORMS, Role::Dim),
        };
        let width = usize::from(inside.width.saturating_sub(x));
        for (y, row) in (1..).zip(wrap::wrap_row(&row, width, 0)) {
            painter.row(inside, x, y, &row);
        }
        Some(caret)
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn pasted(&mut self, _: &mut Model, _: &mut Panes) -> Vec<Effect> {
        self.problem = None;
        Vec::new()
    }
}
