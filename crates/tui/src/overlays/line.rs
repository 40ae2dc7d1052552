//! One line that is asked for: a time to go to, how a table is filtered, the name of a layout.

use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Effect, Model, Record},
    paint::{Painter, Row},
    panes::{Panes, conversation},
    parts::{
        field::{Field, recalled},
        frame,
    },
    text::{moment::FORMS, query::Query, wrap},
    theme::Role,
};

/// Columns of the window.
const WIDTH: u16 = 66;

/// What a layout holds.
const NAMED: &str = "what is shown, its table, the side panel; a layout of this name is replaced";

/// The longest name of a layout, in characters.
const LONGEST: usize = 40;

/// How many filters are remembered.
const MOST_FILTERS: usize = 100;

/// What the line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Purpose {
    Moment,
    /// Which lines of the shown table are shown, by these names.
    Filter(&'static [&'static str]),
    /// The name of the layout of the screen, or another one of a saved one
    Layout(Option<String>),
}

/// What is typed, and what is wrong with it.
#[derive(Debug)]
pub struct Line {
    purpose: Purpose,
    field: Field,
    problem: Option<String>,
    /// Which of the earlier filters stands in the line; the newest is the last
    at: Option<usize>,
}

impl Line {
    fn new(purpose: Purpose, text: &str) -> Self {
        Self { purpose, field: Field::with(text), problem: None, at: None }
    }

    /// A time in the shown conversation.
    pub fn moment() -> Self {
        Self::new(Purpose::Moment, "")
    }

    /// Which lines of the shown table are shown.
    pub fn filter(model: &Model, fields: &'static [&'static str]) -> Self {
        let own = model.selection.queries.get(&model.place.tab);
        Self::new(Purpose::Filter(fields), own.map_or("", |own| &own.text))
    }

    /// The name of the layout of the screen, or another one of a saved one.
    pub fn layout(old: Option<String>) -> Self {
        let text = old.clone().unwrap_or_default();
        Self::new(Purpose::Layout(old), &text)
    }

    fn done(&mut self, model: &mut Model, panes: &mut Panes) -> Outcome {
        let text = self.field.text().trim().to_owned();
        let done = match &self.purpose {
            Purpose::Moment | Purpose::Layout(_) if text.is_empty() => return Outcome::close(),
            Purpose::Moment => conversation::go_to_moment(model, &text),
            Purpose::Filter(fields) => filter(model, panes, &text, fields),
            Purpose::Layout(old) => name(model, text, old.as_deref()),
        };
        match done {
            Ok(effects) => Outcome::Close(effects),
            Err(problem) => {
                self.problem = Some(problem);
                Outcome::stay()
            }
        }
    }

    /// Puts an earlier filter into the line, or a later one.
    fn recall(&mut self, model: &Model, is_earlier: bool) {
        let known = &model.selection.filters;
        self.at = recalled(self.at, is_earlier, known.len());
        self.field.set(self.at.and_then(|at| known.get(at)).map_or("", String::as_str));
    }
}

/// Filters the shown table; without a text all of it is shown.
fn filter(
    model: &mut Model,
    panes: &mut Panes,
    text: &str,
    fields: &[&str],
) -> Result<Vec<Effect>, String> {
    let query = Query::parse(text, fields)?;
    let tab = model.place.tab;
    if query.is_empty() {
        model.selection.queries.remove(&tab);
        return Ok(panes.of_mut(tab).on_show(model));
    }
    let known = &mut model.selection.filters;
    known.retain(|known| *known != query.text);
    known.push(query.text.clone());
    let from = known.len().saturating_sub(MOST_FILTERS);
    known.drain(..from);
    let mut effects = vec![Effect::Store(Record::Filter(query.text.clone()))];
    model.selection.queries.insert(tab, query);
    effects.extend(panes.of_mut(tab).on_show(model));
    let count = panes.of(tab).lines(model).0.len();
    let back = model.key(Action::Back);
    model.tell(match count {
        0 => format!("no line matches: {back} removes the filter"),
        1 => format!("1 line matches: {back} removes the filter"),
        many => format!("{many} lines match: {back} removes the filter"),
    });
    Ok(effects)
}

/// Saves the layout of the screen under a name, or gives a saved one another name.
fn name(model: &mut Model, name: String, old: Option<&str>) -> Result<Vec<Effect>, String> {
    if name.chars().count() > LONGEST {
        return Err(format!("at most {LONGEST} characters"));
    }
    let Some(old) = old else { return Ok(vec![Effect::SaveLayout(name)]) };
    let named = &mut model.selection.layout.named;
    if name != old && named.contains_key(&name) {
        return Err(format!("`{name}` exists already"));
    }
    if let Some(layout) = named.remove(old) {
        named.insert(name, layout);
    }
    Ok(vec![Effect::Store(Record::Layout(model.selection.layout.clone()))])
}

impl Overlay for Line {
    fn key(&mut self, model: &mut Model, panes: &mut Panes, key: Key) -> Outcome {
        let is_filter = matches!(self.purpose, Purpose::Filter(_));
        match model.settings.keymap.action(&[Context::Picker], key) {
            Some(Action::Send) => return self.done(model, panes),
            Some(Action::Up) if is_filter => self.recall(model, true),
            Some(Action::Down) if is_filter => self.recall(model, false),
            _ => _ = self.field.key(key),
        }
        self.problem = None;
        Outcome::stay()
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Send, Up};
        let rows: &[(&[Action], &str)] = match self.purpose {
            Purpose::Moment => &[(&[Send], "go there")],
            Purpose::Layout(_) => &[(&[Send], "save")],
            Purpose::Filter(_) => &[(&[Send], "filter"), (&[Up], "earlier ones")],
        };
        frame::with_esc(keyed(model, &[Context::Picker], rows), "cancel")
    }

    fn draw(&self, _: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let (title, hint, height) = match &self.purpose {
            Purpose::Layout(None) => ("save this layout as", NAMED.to_owned(), 5),
            Purpose::Layout(Some(old)) => ("rename layout", format!("until now {old}"), 5),
            Purpose::Moment => ("go to a time", FORMS.to_owned(), 5),
            Purpose::Filter(fields) => (
                "filter",
                format!("state:failed cost:>0.1 agent:re* -word; by {}", fields.join(", ")),
                7,
            ),
        };
        let inside = frame::frame(painter, area, (WIDTH, height), title, "");
        let x = painter.row(inside, 0, 0, &Row::of("> ", Role::Accent));
        let caret = self.field.draw(painter, inside, x, 0);
        let row = match &self.problem {
            Some(problem) => Row::of(problem.clone(), Role::Failed),
            None => Row::of(hint, Role::Dim),
        };
        let width = usize::from(inside.width.saturating_sub(x));
        for (y, row) in (1..inside.height).zip(wrap::wrap_row(&row, width, 0)) {
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

    fn loses_text(&self) -> bool {
        !self.field.text().is_empty()
    }

    fn contexts(&self) -> Vec<Context> {
        vec![Context::Picker]
    }
}
