//! The keys of a transcript.

use agent_worker_protocol::{RunId, Target};

use super::{
    Transcripts,
    column::Column,
    frame::width_in,
    screen::agent,
    transcript::{Item, Look, Sight},
};
use crate::{
    action::Action,
    model::{Effect, Model, Window, history, known::talks::View},
    parts::{
        flow::{self, Flow as _, Spot},
        list::moved,
        search,
    },
    text::found::rows_of,
};

impl Transcripts {
    /// What an action does; none if it is nothing here.
    pub fn act_in(
        &mut self,
        model: &mut Model,
        pane: Sight,
        action: Action,
    ) -> Option<Vec<Effect>> {
        match action {
            Action::Whole if pane == Sight::Main => return Some(self.toggle_past(model)),
            Action::NextItem => self.step(model, pane, 1),
            Action::PreviousItem => self.step(model, pane, -1),
            Action::First | Action::Last => {
                self.go_to_edge(model, pane, action == Action::Last);
            }
            Action::Open => self.fold(model, pane),
            Action::Pager => return Some(self.pager(model, pane)),
            Action::Copy if pane.is_beside() => {
                return Some(self.copied_in(model, pane).map(Effect::Copy).into_iter().collect());
            }
            Action::Thinking => {
                self.hides_thinking = !self.hides_thinking;
                let now = if self.hides_thinking { "hidden" } else { "shown" };
                model.tell(format!("thinking is {now}"));
            }
            Action::Cause => return Some(self.cause(model, pane)),
            Action::Older if !pane.is_beside() => return Some(self.walk(model, 1)),
            Action::Newer if !pane.is_beside() => return Some(self.walk(model, -1)),
            _ => self.scroll_in(model, pane, moved(action, self.height_in(model, pane))?),
        }
        Some(self.reach_back(model))
    }

    /// What is looked at, changed by how it is on the screen now.
    fn change(
        &mut self,
        model: &Model,
        pane: Sight,
        change: impl FnOnce(&Column<'_>, usize, &mut Look),
    ) -> Option<()> {
        let height = self.height_in(model, pane);
        let mut look = self.seen_in(model, pane)?.look(pane).clone();
        let column = self.column_in(model, pane)?;
        if column.is_empty() {
            return None;
        }
        change(&column, height, &mut look);
        let transcript = match self.past_in(model, pane) {
            Some(_) => &mut self.past.as_mut()?.transcript,
            None => self.of.get_mut(&self.shown_in(model, pane)?)?,
        };
        *transcript.look_mut(pane) = look;
        Some(())
    }

    fn scroll_in(&mut self, model: &Model, pane: Sight, rows: isize) {
        self.change(model, pane, |column, height, look| {
            let spot = flow::scrolled(column, column.place(height), rows, height);
            stand(column, height, look, spot);
        });
    }

    /// Whether the view follows, or is told in the columns of today.
    pub fn is_settled(&self, model: &Model, pane: Sight) -> bool {
        let now = width_in(model, pane);
        let view = self.seen_in(model, pane).map(|seen| seen.look(pane).view);
        now == 0 || !matches!(view, Some(View::At { width, .. }) if width != now)
    }

    /// Tells the view in the columns of today, and has it not follow. A text that grows needs that
    /// before: its rows in earlier columns tell where the view is only while the text is the same.
    pub fn settle(&mut self, model: &Model, pane: Sight) {
        if self.is_settled(model, pane) {
            return;
        }
        self.change(model, pane, |column, height, look| {
            look.view = column.paused(column.place(height));
        });
    }

    /// Goes to the start or to the end, with no entry selected.
    fn go_to_edge(&mut self, model: &Model, pane: Sight, is_end: bool) {
        self.change(model, pane, |column, height, look| {
            let spot = if is_end { flow::end(column, height) } else { Spot::default() };
            stand(column, height, look, spot);
            look.selected = None;
        });
    }

    /// Selects the entry before or after the selected one, and keeps it on the screen.
    fn step(&mut self, model: &Model, pane: Sight, by: isize) {
        self.change(model, pane, |column, height, look| {
            let last = column.len() - 1;
            let at = column.selected_in(height);
            if at == Some(last) && by > 0 {
                look.selected = None;
                look.view = View::Following;
                look.read.clear();
                return;
            }
            let to = match at {
                Some(at) => at.saturating_add_signed(by).min(last),
                None => here(column, height),
            };
            look.selected = column.item(to).map(|item| column.transcript.key(item));
            let spot = flow::with(column, column.place(height), to, height);
            stand(column, height, look, spot);
        });
    }

    fn fold(&mut self, model: &Model, pane: Sight) {
        self.change(model, pane, |column, height, look| {
            let at = column.selected_in(height).unwrap_or_else(|| here(column, height));
            let Some(item) = column.item(at) else { return };
            let n = column.transcript.key(item);
            look.folds.insert(n, !column.is_open(at));
            look.selected = Some(n);
        });
        // What was folded stays on the screen, and what came onto it below that stays open.
        self.change(model, pane, |column, height, look| {
            let Some(at) = column.selected() else { return };
            let spot = column.place(height);
            if at < spot.item || (at == spot.item && spot.line > 0) {
                stand(column, height, look, flow::with(column, spot, at, height));
            } else if look.view != View::Following {
                pin(column, height, look, spot);
            }
        });
    }

    /// Selects the entry in a row of the column, or none; returns whether one stands there.
    pub fn click_in(&mut self, model: &Model, pane: Sight, row: usize) -> bool {
        let mut is_there = false;
        self.change(model, pane, |column, height, look| {
            let shown = column.window(column.place(height), height);
            let item = shown.get(row).and_then(|(spot, _)| column.item(spot.item));
            look.selected = item.map(|item| column.transcript.key(item));
            is_there = item.is_some();
        });
        is_there
    }

    /// Selects and opens an entry, with the first row that matches what is searched for on the screen.
    pub fn open_line(&mut self, model: &Model, pane: Sight, at: usize) {
        self.change(model, pane, |column, _, look| {
            let Some(item) = column.item(at) else { return };
            let n = column.transcript.key(item);
            look.folds.insert(n, true);
            look.selected = Some(n);
        });
        let wanted = search::wanted(model).to_owned();
        self.change(model, pane, |column, height, look| {
            let rows = column.rows(at, 0..column.height(at));
            let line = rows_of(&rows, &wanted).map_or(0, |(first, _)| first);
            let spot = Spot { item: at, line: line.saturating_sub(height / 3) };
            stand(column, height, look, spot.min(flow::end(column, height)));
        });
    }

    fn meant<'a>(&'a self, model: &'a Model, pane: Sight) -> Option<(Column<'a>, usize)> {
        let height = self.height_in(model, pane);
        let column = self.column_in(model, pane)?;
        if column.is_empty() {
            return None;
        }
        let at = column.selected_in(height).unwrap_or_else(|| here(&column, height));
        Some((column, at))
    }

    /// The text that is copied.
    pub fn copied_in(&self, model: &Model, pane: Sight) -> Option<String> {
        let (column, at) = self.meant(model, pane)?;
        Some(column.text(at))
    }

    fn pager(&self, model: &Model, pane: Sight) -> Vec<Effect> {
        let opened = self.meant(model, pane).map(|(column, at)| {
            let run = column.run.map(|run| run.id.to_string()).unwrap_or_default();
            let tool = match column.item(at) {
                Some(Item::Tool { call, result, .. }) => {
                    let block = call.or(result).map(|index| &column.transcript.blocks[index]);
                    block.and_then(|block| block.name.clone()).map(|name| format!(" {name}"))
                }
                _ => None,
            };
            let title =
                format!("{}{} of {run}", column.title(at).as_str(), tool.unwrap_or_default());
            Effect::Open(Window::finding(title, &column.text(at), search::wanted(model)))
        });
        opened.into_iter().collect()
    }

    /// Shows the message that woke the run, whichever conversation it is in.
    fn cause(&self, model: &mut Model, pane: Sight) -> Vec<Effect> {
        let of_entry = || {
            let (column, at) = self.meant(model, pane)?;
            column.transcript.run_of(column.item(at)?)
        };
        let run = of_entry().or_else(|| self.shown_in(model, pane));
        let Some(run) = run.and_then(|id| self.run(model, id)) else { return Vec::new() };
        if let Some(message) = run.cause {
            return vec![Effect::Open(Window::Message(message, None))];
        }
        model.tell("no message woke it")
    }

    /// Shows an older or a newer run of the same agent.
    fn walk(&mut self, model: &mut Model, older: isize) -> Vec<Effect> {
        let Some(target) = agent(model).cloned() else { return Vec::new() };
        let known: Vec<RunId> = history::known(model, &target).iter().map(|run| run.id).collect();
        let shown = self.run_of(model, &target);
        let at = shown.and_then(|shown| known.iter().position(|id| *id == shown)).unwrap_or(0);
        let to = at.checked_add_signed(older).filter(|to| *to < known.len());
        match to {
            Some(to) => {
                self.choose(model, &target, known[to]);
                let near_the_end = to + 2 > known.len() && older > 0;
                if near_the_end { history::more(model, Some(&target)) } else { Vec::new() }
            }
            None if older < 0 => model.tell("this is the newest run"),
            None => {
                let effects = history::more(model, Some(&target));
                let words =
                    if effects.is_empty() { "no older run" } else { "older runs are on their way" };
                model.tell(words);
                effects
            }
        }
    }

    /// Has an agent's tab show this run. The newest is shown until there is a newer one.
    pub fn choose(&mut self, model: &Model, target: &Target, run: RunId) {
        if history::newest(model, target) == Some(run) {
            self.chosen.remove(target);
        } else {
            self.chosen.insert(target.clone(), run);
        }
    }
}

/// Has the window stand there. Until it follows, the entries that were open in it stay open.
fn stand(column: &Column<'_>, height: usize, look: &mut Look, spot: Spot) {
    look.view = column.view(spot, height);
    if look.view == View::Following {
        look.read.clear();
    } else {
        pin(column, height, look, spot);
    }
}

/// Keeps the open entries in the window open: a text that is read does not fold when the next block
/// begins.
fn pin(column: &Column<'_>, height: usize, look: &mut Look, spot: Spot) {
    for at in spot.item..=flow::last_visible(column, spot, height) {
        if let Some(item) = column.item(at).filter(|_| column.is_open(at)) {
            look.read.insert(column.transcript.key(item));
        }
    }
}

/// The entry that is meant if none on the screen is selected: the last there.
fn here(column: &Column<'_>, height: usize) -> usize {
    flow::last_visible(column, column.place(height), height)
}
