//! Asks before an act that ends many things or destroys one: its name has to be typed.

use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Act, Effect, Model},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame},
    text::wrap,
    theme::Role,
};

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
    pub fn new(model: &Model, act: Act) -> Self {
        let consequences = act.consequences(model);
        Self { act, consequences, field: Field::default(), is_on_act: false }
    }

    fn is_typed(&self) -> bool {
        self.field.text() == self.act.typed()
    }
}

impl Overlay for Confirm {
    fn is_of_database(&self) -> bool {
        true
    }

    /// A key: Enter does it once the name is typed, and never before.
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        match model.settings.keymap.action(&[Context::Picker], key) {
            Some(Action::Send) if self.is_typed() => {
                return Outcome::Close(vec![Effect::Perform(self.act.clone())]);
            }
            Some(Action::Send) => {}
            Some(Action::Complete) => self.is_on_act = self.is_typed() && !self.is_on_act,
            _ => _ = self.field.key(key),
        }
        Outcome::stay()
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        let verb = format!("{} (once typed)", self.act.verb());
        let mut keys = frame::pairs(&[("type", "the name")]);
        keys.extend(keyed(model, &[Context::Picker], &[(&[Action::Send], &verb)]));
        frame::with_esc(keys, "cancel")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        const WIDTH: u16 = 58;
        let lines: Vec<Row> =
            self.consequences.iter().map(|line| Row::of(line.clone(), Role::Text)).collect();
        let room = usize::from(WIDTH.min(area.width.saturating_sub(2)).saturating_sub(4));
        let lines = wrap::wrap(&lines, room, 2);
        let shell = model.connection.in_shell(&self.act.shell());
        let shell = Row::of("in a shell: ", Role::Dim).with(shell, Role::Dim);
        let shell = wrap::wrap_row(&shell, room, 2);
        let height = u16::try_from(lines.len() + 6 + shell.len()).unwrap_or(u16::MAX);
        let title = format!("{} {}?", self.act.verb(), self.act.object());
        let send = model.key_in(&[Context::Picker], Action::Send);
        let bottom = format!("Esc cancels; {send} works once the name is typed");
        let inside = frame::frame(painter, area, (WIDTH, height), title, bottom);
        painter.rows(inside, 0, &lines);
        let y = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
        let row = Row::of("type  ", Role::Text).with(self.act.typed(), Role::Strong);
        let x = painter.row(inside, 0, y, &row.with("  to confirm: ", Role::Text));
        let caret = self.field.draw(painter, inside, x, y);
        let role = if self.is_typed() { Role::Failed } else { Role::Dim };
        let buttons = Row::of("      [ Esc: cancel ]      ", Role::Text)
            .with(format!("{send}: {}", self.act.verb()), role);
        painter.row(inside, 0, y + 2, &buttons);
        painter.rows(inside, y + 3, &shell);
        Some(caret)
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn is_left_by(&self, line: &str) -> bool {
        matches!(line, "n" | "no" | "cancel" | "esc") && line != self.act.typed()
    }

    fn loses_text(&self) -> bool {
        !self.field.text().is_empty()
    }

    fn contexts(&self) -> Vec<Context> {
        vec![Context::Picker]
    }
}
