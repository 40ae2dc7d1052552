//! A whole text, as in `less`.

use std::{cell::RefCell, ops::Range};

use agent_worker_client::{Clean, text::numbers};
use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::{Code, Key},
    keys::Context,
    model::{Effect, Model, Outside, layout},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, list::moved},
    text::{
        code,
        found::{marked, starts, worded},
        wrap::Laid,
    },
    theme::Role,
};

/// Where its keys are.
const KEYS: &[Context] = &[Context::Pager, Context::Move];

/// The text and where it is looked at.
#[derive(Debug)]
pub struct Pager {
    title: String,
    text: Clean,
    /// Where the first row on the screen begins, in bytes: rows are others with each width
    top: usize,
    search: Field,
    is_searching: bool,
    is_patch: bool,
    /// Rows that are selected, by where they begin: the first one, and the other end
    selected: Option<(usize, usize)>,
    /// Laid out for a width; a long text is laid out once.
    laid: RefCell<Option<(usize, Laid)>>,
}

impl Pager {
    /// A text, from its beginning.
    pub fn new(title: String, text: &str) -> Self {
        Self {
            title,
            text: Clean::text(text),
            top: 0,
            search: Field::default(),
            is_searching: false,
            is_patch: code::is_patch(text),
            selected: None,
            laid: RefCell::new(None),
        }
    }

    /// The same text from the first match on, with a search begun.
    pub fn finding(mut self, model: &Model, wanted: &str) -> Self {
        if wanted.is_empty() {
            return self;
        }
        self.search.set(wanted);
        let text = self.text.as_str();
        // Where it was found, the marks between its words may not be shown.
        let words = || worded(text, wanted).first().map(|(from, _)| *from);
        if let Some(at) = starts(text, wanted).first().copied().or_else(words) {
            self.go(model, self.row(model, at));
        }
        self
    }

    fn height(model: &Model) -> usize {
        usize::from(model.display.size.1.saturating_sub(3)).max(1)
    }

    /// What is done with the text laid out for the screen.
    fn with<T>(&self, model: &Model, look: impl FnOnce(&Laid) -> T) -> T {
        let width = layout::pager_width(model);
        let mut laid = self.laid.borrow_mut();
        if laid.as_ref().is_none_or(|(known, _)| *known != width) {
            *laid = Some((width, Laid::new(&self.text, width, 0)));
        }
        let (_, laid) = laid.as_ref().expect("it was laid out");
        look(laid)
    }

    /// Rows of the text; the lines of a patch look as what they are.
    fn rows(&self, laid: &Laid, range: Range<usize>) -> Vec<Row> {
        let rows = laid.rows(&self.text, Role::Text, range.clone());
        if !self.is_patch {
            return rows;
        }
        let text = self.text.as_str();
        let role = |row: usize| {
            let start = laid.start_of(row).unwrap_or(text.len());
            let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
            code::changed(&text[line..])
        };
        range.zip(rows).map(|(number, row)| row.all(role(number))).collect()
    }

    /// The row that a byte of the text is in.
    fn row(&self, model: &Model, at: usize) -> usize {
        self.with(model, |laid| laid.row_of(at))
    }

    /// Where a row begins, in bytes.
    fn start(&self, model: &Model, row: usize) -> usize {
        self.with(model, |laid| laid.start_of(row)).unwrap_or(self.text.as_str().len())
    }

    /// Shows a row first.
    fn go(&mut self, model: &Model, row: usize) {
        self.top = self.start(model, row);
    }

    fn last(&self, model: &Model) -> usize {
        self.with(model, Laid::len).saturating_sub(Self::height(model))
    }

    /// The first row on the screen: in a wider or higher window the end of the text fills it.
    fn first(&self, model: &Model) -> usize {
        self.row(model, self.top).min(self.last(model))
    }

    /// Moves the end of what is selected, and the view with it.
    fn extend(&mut self, model: &Model, by: isize) {
        let (height, last) = (Self::height(model), self.last(model));
        let count = self.with(model, Laid::len);
        if let Some((begin, end)) = self.selected {
            let end = self.row(model, end).saturating_add_signed(by).min(count.saturating_sub(1));
            let top = self.first(model).clamp((end + 1).saturating_sub(height), end);
            self.selected = Some((begin, self.start(model, end)));
            self.go(model, top.min(last));
        }
    }

    /// The text of the rows that are selected.
    fn part(&self, model: &Model, (one, other): (usize, usize)) -> String {
        let text = self.text.as_str();
        let (from, to) = (one.min(other), self.row(model, one.max(other)) + 1);
        let (from, to) = (self.start(model, self.row(model, from)), self.start(model, to));
        text[from.min(to)..to].trim_end_matches('\n').to_owned()
    }

    /// What a key does while rows are selected; `None` if it means what it always does.
    fn selecting(&mut self, model: &Model, action: Option<Action>) -> Option<Outcome> {
        let selected = self.selected?;
        let action = action?;
        match action {
            Action::Select => self.selected = None,
            Action::Copy => {
                self.selected = None;
                return Some(Outcome::Stay(vec![Effect::Copy(self.part(model, selected))]));
            }
            _ => self.extend(model, moved(action, Self::height(model))?),
        }
        Some(Outcome::stay())
    }

    fn act(&mut self, model: &Model, action: Action) -> Outcome {
        if let Some(by) = moved(action, Self::height(model)) {
            self.scroll(model, by);
        }
        match action {
            Action::Search => {
                self.is_searching = true;
                self.search.set("");
            }
            Action::NextMatch => self.find(model, false),
            Action::PreviousMatch => self.find(model, true),
            Action::Select => {
                let start = self.start(model, self.first(model));
                self.selected = Some((start, start));
            }
            Action::Copy => {
                return Outcome::Stay(vec![Effect::Copy(self.text.as_str().to_owned())]);
            }
            Action::Editor => {
                let look = Outside::Look(self.text.as_str().to_owned());
                return Outcome::Stay(vec![Effect::Outside(look)]);
            }
            Action::Quit => return Outcome::close(),
            _ => {}
        }
        Outcome::stay()
    }

    /// A key of the line in which is searched.
    fn search_key(&mut self, model: &Model, key: Key) {
        match key.code {
            Code::Esc => self.is_searching = false,
            Code::Enter => {
                self.is_searching = false;
                self.find(model, false);
            }
            _ => _ = self.search.key(key),
        }
    }

    /// Moves to the next line that holds what is searched for, around the end.
    fn find(&mut self, model: &Model, back: bool) {
        let matches = starts(self.text.as_str(), self.search.text());
        let row = self.row(model, self.top);
        let here = self.with(model, |laid| laid.start_of(row)).unwrap_or(0);
        let at = if back {
            matches.iter().rev().find(|at| **at < here).or(matches.last())
        } else {
            let end = self.with(model, |laid| laid.start_of(row + 1)).unwrap_or(here + 1);
            matches.iter().find(|at| **at >= end).or(matches.first())
        };
        if let Some(at) = at {
            self.go(model, self.row(model, *at));
        }
    }
}

impl Overlay for Pager {
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        if self.is_searching {
            self.search_key(model, key);
            return Outcome::stay();
        }
        if self.selected.is_some() && key == Key::plain(Code::Esc) {
            self.selected = None;
            return Outcome::stay();
        }
        let action = model.settings.keymap.action(KEYS, key);
        if let Some(outcome) = self.selecting(model, action) {
            return outcome;
        }
        action.map_or_else(Outcome::stay, |action| self.act(model, action))
    }

    fn scroll(&mut self, model: &Model, rows: isize) {
        let to = self.first(model).saturating_add_signed(rows);
        self.go(model, to.min(self.last(model)));
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Copy, Down, Editor, NextMatch, PreviousMatch, Quit, Search, Select, Up};
        let rows: [(&[Action], &str); 7] = [
            (&[Down, Up], "scroll"),
            (&[Search], "search"),
            (&[NextMatch, PreviousMatch], "match"),
            (&[Copy], "copy"),
            (&[Select], "select"),
            (&[Editor], "editor"),
            (&[Quit], "close"),
        ];
        keyed(model, KEYS, &rows)
    }

    /// Draws it over everything.
    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let height = Self::height(model);
        let body = Rect { y: area.y, height: area.height.saturating_sub(1), ..area };
        painter.clear(body);
        painter.rule(body, 0, Some(Row::of(self.title.clone(), Role::Title)));
        let top = self.first(model);
        let (rows, count) = self.with(model, |laid| {
            let to = (top + height).min(laid.len());
            (self.rows(laid, top.min(to)..to), laid.len())
        });
        let rows_of = |(one, other): (usize, usize)| {
            self.row(model, one.min(other))..=self.row(model, one.max(other))
        };
        let selected = self.selected.map(rows_of);
        let is_selected = |row: usize| selected.as_ref().is_some_and(|range| range.contains(&row));
        for (number, (y, row)) in (top..).zip((1..).zip(rows)) {
            painter.row(body, 1, y, &marked(row, self.search.text()));
            if is_selected(number) {
                painter.tint(Rect { y: body.y + y, height: 1, ..body }, Role::Selected);
            }
        }
        let y = body.height.saturating_sub(1);
        if self.is_searching {
            let x = painter.row(body, 1, y, &Row::of("/", Role::Accent));
            return Some(self.search.draw(painter, body, x, y));
        }
        let seen = (top + height).min(count);
        let hidden = self.text.hidden();
        let mut words = format!("{seen} of {count} lines");
        if let Some(selected) = selected {
            let copy = model.settings.keymap.name(KEYS, Action::Copy).unwrap_or_default();
            words = format!("{words}, {} selected: {copy} copies them", selected.count());
        }
        if hidden > 0 {
            let hidden = numbers::counted(hidden, "hidden character", "hidden characters");
            words = format!("{words}, {hidden}");
        }
        painter.row(body, 1, y, &Row::of(words, Role::Dim));
        None
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.is_searching.then_some(&mut self.search)
    }

    fn keeps_esc(&self) -> bool {
        self.is_searching || self.selected.is_some()
    }
}
