//! What every pane can be asked.

use agent_worker_protocol::{Event, RunId, Target};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    model::{Act, Answer, Effect, Item, Model, Pick, Place, Request, Subject, Tab},
    paint::{Painter, Row},
    parts::list::stride,
    theme::Role,
};

/// A pane: it changes itself, and what was loaded for all.
pub trait Pane {
    /// It came onto the screen, or what it shows is another: asks for what it needs.
    fn on_show(&mut self, _: &mut Model) -> Vec<Effect> {
        Vec::new()
    }

    /// It leaves the screen.
    fn on_hide(&mut self, _: &mut Model) {}

    /// The picture is a new one: what was loaded beside it may be old.
    fn on_reset(&mut self, _: &mut Model) -> Vec<Effect> {
        Vec::new()
    }

    fn on_event(&mut self, _: &mut Model, _: &Event) -> Vec<Effect> {
        Vec::new()
    }

    /// An answer to what it asked.
    fn on_answer(&mut self, model: &mut Model, _: &Request, answer: Answer) -> Vec<Effect> {
        if let Err(trouble) = answer {
            model.not_loaded(&trouble);
        }
        Vec::new()
    }

    /// Something is selected in it, before it is shown.
    fn go_to(&mut self, _: &mut Model, _: &Subject, _: Item) {}

    /// What an action does; none if it is not the pane's.
    fn act(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        let height = self.list_height(model);
        match height.and_then(|height| Some(Pick::Step(stride(action, height)?, height))) {
            Some(step) => Some(self.pick(model, step)),
            None => self.done(model, action),
        }
    }

    /// What an action does that does not move in its list; none if it is not the pane's.
    fn done(&mut self, _: &mut Model, _: Action) -> Option<Vec<Effect>> {
        None
    }

    /// Moves what is shown by rows, without moving what is selected.
    fn scroll(&mut self, model: &mut Model, rows: isize) -> Vec<Effect> {
        let action = if rows < 0 { Action::Up } else { Action::Down };
        let count = 0..rows.unsigned_abs();
        count.flat_map(|_| self.act(model, action).unwrap_or_default()).collect()
    }

    /// Rows above its list.
    fn rows_above(&self) -> usize {
        0
    }

    /// Moves what is selected in its list.
    fn pick(&mut self, _: &mut Model, _: Pick) -> Vec<Effect> {
        Vec::new()
    }

    /// Lines of its list for which there is room; `None` where keys and clicks select none.
    fn list_height(&self, _: &Model) -> Option<usize> {
        None
    }

    /// A row of it was clicked; `None` if nothing to select stands there.
    fn click(&mut self, model: &mut Model, row: u16) -> Option<Vec<Effect>> {
        let row = usize::from(row).checked_sub(self.rows_above())?;
        let height = self.list_height(model)?;
        let is_line = row < self.lines(model).0.len().min(height);
        is_line.then(|| self.pick(model, Pick::Row(row, height)))
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect);

    /// The agent that is selected, if it is about several.
    fn selected(&self, _: &Model) -> Option<Target> {
        None
    }

    /// The run that is selected, if it is about runs.
    fn run(&self, _: &Model) -> Option<RunId> {
        None
    }

    /// What is selected: where it is gone to, and what a bookmark of it is called. `None` where that
    /// is no more than the place.
    fn item(&self, _: &Model) -> Option<(Place, Item, String)> {
        None
    }

    /// What an act means for what is selected; none where it means the same as elsewhere.
    fn allowed(&self, _: &Model, _: Action) -> Option<Result<Act, String>> {
        None
    }

    /// Whether an action that only this pane has does something now.
    fn is_possible(&self, _: &Model, _: Action) -> bool {
        true
    }

    /// The text that is copied; `agent` is the selected one.
    fn copied(&self, _: &Model, agent: Option<Target>) -> Option<String> {
        agent.map(|target| target.to_string())
    }

    /// What the line of the composer says where something else matters more than who is written to.
    fn line(&self, _: &Model) -> Option<String> {
        None
    }

    /// What stands at the right of the tabs.
    fn note(&self, _: &Model) -> Row {
        Row::new()
    }

    /// How many things it shows in a tab of the shown subject; none at zero.
    fn count(&self, _: &Model, _: Tab) -> Option<(String, Role)> {
        None
    }

    /// Whether a time in it counts down.
    fn counts_down(&self, _: &Model) -> bool {
        false
    }

    /// What it can be filtered to, each with how many lines it has, and which is chosen.
    fn filters(&self, _: &Model) -> Option<(Vec<String>, usize)> {
        None
    }

    /// Shows only one of the kinds of [`Pane::filters`].
    fn filter(&mut self, _: &mut Model, _: usize) -> Vec<Effect> {
        Vec::new()
    }

    /// What its lines can be filtered and sorted by; empty where it is not a table.
    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &[]
    }

    /// The head of its table, as wide as this; empty without one.
    fn heading(&self, _: &Model, _: usize) -> Row {
        Row::new()
    }

    /// Columns of its table that can be hidden.
    fn columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its lines as they are searched, and which one is selected.
    fn lines(&self, _: &Model) -> (Vec<String>, Option<usize>) {
        (Vec::new(), None)
    }

    /// Whether its lines are those of a text that is read.
    fn is_text(&self, _: &Model) -> bool {
        false
    }

    /// Selects one of its lines.
    fn pick_line(&mut self, model: &mut Model, at: usize) -> Vec<Effect> {
        self.pick(model, Pick::Line(at))
    }
}
