//! What an agent does and what was said around it, over whatever is below. Nothing behind it moves.

use agent_worker_protocol::{AgentState, Conversation, MemberKind, Scope, Target};
use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Act, Address, Effect, Model, history, known::talks::Side, needs, tree_lines, words},
    paint::{Painter, Row},
    panes::{
        Panes,
        conversation::scroll,
        run::{Column, Sight, short},
    },
    parts::{flow::Flow as _, frame, run},
    text::{cut, wrap},
    theme::{Role, hue},
};

/// Where its keys are.
const KEYS: &[Context] = &[Context::Box, Context::Agents, Context::Move];

/// Rows of the box, and of the last messages in it.
const ROWS: u16 = 13;
const MOST_ROWS: u16 = 25;
const MESSAGES: usize = 2;

/// Rows of a block's text.
const TEXT: usize = 2;

/// Whom it looks at.
#[derive(Debug, Clone)]
pub struct Peek {
    target: Target,
}

/// Asks for the last messages around an agent, if they are not known.
pub fn ask(model: &mut Model, target: &Target) -> Vec<Effect> {
    let key = (scope_of(target), Conversation::Channel);
    if !model.is_live() || model.mirror().group(&key.0, &key.1).is_none() {
        return Vec::new();
    }
    model.known.talks.look(&key);
    if model.known.talks.get_mut(&key).is_loaded {
        return Vec::new();
    }
    scroll::ask(model, &key, Side::Newest)
}

fn scope_of(target: &Target) -> Scope {
    target.scope_or(&Scope::global())
}

/// All agents in the order in which it goes through them: those of this scope first.
pub fn agents(model: &Model) -> Vec<Target> {
    let own = model.scope();
    let mut agents: Vec<_> =
        model.mirror().agents().filter(|agent| agent.kind == MemberKind::Agent).collect();
    agents.sort_by_key(|agent| {
        let rank = tree_lines::work_rank(model, agent);
        (agent.scope != own, agent.scope.clone(), rank, agent.name.clone())
    });
    agents.into_iter().map(|agent| agent.target.clone()).collect()
}

impl Peek {
    pub fn new(target: Target) -> Self {
        Self { target }
    }

    fn step(&mut self, model: &mut Model, by: isize) -> Outcome {
        let agents = agents(model);
        if agents.is_empty() {
            return Outcome::stay();
        }
        let at = agents.iter().position(|target| *target == self.target).unwrap_or(0);
        let to = (at + agents.len()).saturating_add_signed(by) % agents.len();
        self.target = agents[to].clone();
        Outcome::Stay(ask(model, &self.target))
    }

    fn may_stop(&self, model: &Model) -> bool {
        let agent = model.mirror().agent(&self.target);
        !model.settings.read_only && agent.is_some_and(|agent| agent.state != AgentState::Stopped)
    }

    fn title(&self, model: &Model, panes: &Panes) -> String {
        let title = format!("peek: {}", self.target);
        let Some(agent) = model.mirror().agent(&self.target) else { return title };
        let is = words::agent(model, agent);
        let run = history::newest(model, &self.target).and_then(|id| panes.run.run(model, id));
        match run.filter(|run| run.state.is_live()) {
            Some(run) => format!("{title}  {}", run::standing(model, run).text()),
            None => format!("{title}  {} {}", is.symbol, is.word),
        }
    }

    /// The last blocks, as many as there is room for, the newest at the bottom.
    fn blocks(&self, model: &Model, panes: &Panes, width: usize, room: usize) -> Vec<Row> {
        let run = history::newest(model, &self.target);
        let column = Column::of(model, &panes.run, Sight::Dock(run, Rect::default()), width);
        let Some(column) = column.filter(|column| !column.is_empty()) else {
            let words = match run {
                Some(_) => "nothing of its run is here yet",
                None if model.mirror().agent(&self.target).is_none() => "it is gone",
                None => "it has not run yet",
            };
            return vec![Row::of(words, Role::Dim)];
        };
        let mut rows: Vec<Row> = Vec::new();
        for at in (0..column.len()).rev() {
            let mut block = block(&column, at, width, model.symbols().ellipsis);
            // A blank row stays below them, and of a text the last rows.
            let left = room.saturating_sub(rows.len() + 1);
            if left == 0 {
                break;
            }
            block.drain(1..=block.len().saturating_sub(left));
            rows.splice(0..0, block);
        }
        rows
    }

    /// Why the setup of its workflow failed, if that needs the user.
    fn failed(&self, model: &Model, width: usize) -> Vec<Row> {
        let reason = needs::failed_setup(model, &scope_of(&self.target));
        let told = reason.map(|reason| {
            let row = Row::of(model.symbols().failed, Role::Failed);
            row.with(format!(" its workflow failed: {reason}"), Role::Text)
        });
        told.map_or_else(Vec::new, |row| wrap::wrap_row(&row, width, 2))
    }

    /// The last messages of its channel.
    fn messages(&self, model: &Model, width: usize) -> Vec<Row> {
        let key = (scope_of(&self.target), Conversation::Channel);
        let ellipsis = model.symbols().ellipsis;
        let mut rows = vec![Row::of("last messages", Role::Dim)];
        let talk = model.known.talks.get(&key);
        let messages = talk.map(|talk| &talk.messages).into_iter().flatten();
        let skip = talk.map_or(0, |talk| talk.messages.len().saturating_sub(MESSAGES));
        for message in messages.skip(skip) {
            let name = cut::end(message.sender.to_string(), 8, ellipsis);
            let row = Row::of(model.zone().clock(message.created_at), Role::Dim)
                .with(" ", Role::Text)
                .with(name, hue(message.sender.as_str()))
                .tabbed(15)
                .with(cut::part(&message.content).to_owned(), Role::Text);
            rows.push(row.cut(width, ellipsis));
        }
        if rows.len() == 1 {
            rows.push(Row::of("none is here yet", Role::Dim));
        }
        rows.push(Row::new());
        rows
    }
}

/// A block in two or three rows.
fn block(column: &Column<'_>, at: usize, width: usize, ellipsis: &'static str) -> Vec<Row> {
    let mut rows = vec![short(column, at).cut(width, ellipsis)];
    let text = column.tail(at, TEXT).into_iter();
    rows.extend(text.map(|row| Row::new().pad(2).and(row).cut(width, ellipsis)));
    rows
}

impl Overlay for Peek {
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let target = self.target.clone();
        match model.settings.keymap.action(KEYS, key) {
            Some(Action::Down) => self.step(model, 1),
            Some(Action::Up) => self.step(model, -1),
            Some(Action::Quit | Action::Peek) => Outcome::close(),
            Some(Action::Open) => Outcome::Close(vec![Effect::show_agent(target)]),
            Some(Action::Write | Action::Message) if !model.settings.read_only => {
                Outcome::Close(vec![Effect::Write(Address::Agent(target), String::new(), None)])
            }
            Some(Action::Stop) if self.may_stop(model) => {
                Outcome::Close(vec![Effect::Act(Act::Stop(vec![target]))])
            }
            _ => Outcome::stay(),
        }
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Down, Open, Stop, Up, Write};
        let mut rows: Vec<(&[Action], &str)> =
            vec![(&[Down, Up], "other agents"), (&[Open], "open")];
        if !model.settings.read_only {
            rows.push((&[Write], "write"));
        }
        if self.may_stop(model) {
            rows.push((&[Stop], "stop"));
        }
        frame::with_esc(keyed(model, KEYS, &rows), "close")
    }

    fn draw(&self, model: &Model, panes: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let width = if area.width < 100 { 70 } else { 90 };
        let height = (area.height * 2 / 5).clamp(ROWS, MOST_ROWS);
        let bottom = if model.is_live() { "live" } else { "not live" };
        let inside = frame::frame(painter, area, (width, height), self.title(model, panes), bottom);
        let cells = usize::from(inside.width);
        let messages = self.messages(model, cells);
        let keys = 1;
        let below = u16::try_from(messages.len()).unwrap_or(0) + keys;
        let room = usize::from(inside.height.saturating_sub(below));
        let mut rows = self.failed(model, cells);
        rows.extend(self.blocks(model, panes, cells, room.saturating_sub(rows.len())));
        rows.truncate(room);
        painter.rows(inside, 0, &rows);
        painter.rows(inside, inside.height.saturating_sub(below), &messages);
        let footer = frame::hints(Row::new(), self.keys(model), 3);
        painter.row(inside, 0, inside.height.saturating_sub(keys), &footer);
        None
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }

    fn agent(&self) -> Option<&Target> {
        Some(&self.target)
    }
}
