//! Asks before an act that ends many things or destroys one: its name has to be typed.

use ratatui_core::layout::Rect;

use super::{Field, Outcome, frame, pairs};
use crate::{
    app::act::perform,
    key::{Code, Key},
    model::{State, acts::Act},
    paint::{Painter, Row},
    text::wrap,
    theme::Role,
};

/// The question.
#[derive(Debug)]
pub struct Confirm {
    act: Act,
    consequences: Vec<String>,
    field: Field,
    /// Whether the button that does it is marked
    is_on_act: bool,
}

impl Confirm {
    /// Asks before this act.
    pub fn new(state: &State, act: Act) -> Self {
        let consequences = act.consequences(state);
        Self { act, consequences, field: Field::default(), is_on_act: false }
    }

    /// Where the name is typed.
    pub fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    fn is_typed(&self) -> bool {
        self.field.text() == self.act.typed()
    }

    /// A key: Enter does it once the name is typed, and never before.
    pub fn key(&mut self, _: &State, key: Key) -> Outcome {
        match key.code {
            Code::Enter if self.is_typed() => {
                let act = self.act.clone();
                return Outcome::then(move |state| perform(state, act));
            }
            Code::Enter => {}
            Code::Tab => self.is_on_act = self.is_typed() && !self.is_on_act,
            _ => {
                self.field.key(key);
            }
        }
        Outcome::stay()
    }

    /// Its keys.
    pub fn keys(&self) -> Vec<(String, String)> {
        let verb = format!("{} (once typed)", self.act.verb());
        pairs(&[("type", "the name"), ("Enter", &verb), ("Esc", "cancel")])
    }

    /// Draws it.
    pub fn draw(&self, _: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
        const WIDTH: u16 = 58;
        let lines: Vec<Row> =
            self.consequences.iter().map(|line| Row::of(line.clone(), Role::Text)).collect();
        let room = usize::from(WIDTH.min(area.width.saturating_sub(2)).saturating_sub(4));
        let lines = wrap::wrap(&lines, room, 2);
        let height = u16::try_from(lines.len() + 7).unwrap_or(u16::MAX);
        let title = format!("{} {} ?", self.act.verb(), self.act.object());
        let inside = frame(
            painter,
            area,
            (WIDTH, height),
            title,
            "Esc cancels; Enter works once the name is typed",
        );
        let mut y = 0;
        for row in &lines {
            painter.row(inside, 0, y, row);
            y += 1;
        }
        y += 1;
        let mut row = Row::of("type  ", Role::Text);
        row.push(self.act.typed(), Role::Strong);
        row.push("  to confirm: ", Role::Text);
        let x = painter.row(inside, 0, y, &row);
        let caret = self.field.draw(painter, inside, x, y);
        let role = if self.is_typed() { Role::Failed } else { Role::Dim };
        let buttons = Row::of("      [ Esc: cancel ]      ", Role::Text)
            .with(format!("Enter: {}", self.act.verb()), role);
        painter.row(inside, 0, y + 2, &buttons);
        let shell = Row::of("in a shell: ", Role::Dim).with(self.act.shell(), Role::Dim);
        painter.row(inside, 0, y + 3, &shell.cut(room, painter.symbols.ellipsis));
        Some(caret)
    }
}
