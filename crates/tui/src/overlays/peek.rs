//! What an agent does and what was said around it, over whatever is below. Nothing behind it moves.

use agent_worker_protocol::{
    agent::{AgentState, MemberKind},
    conversation::Conversation,
    target::{Scope, Target},
};
use ratatui_core::layout::Rect;

use super::{Outcome, Overlay, pairs};
use crate::panes::run::{self, Column};
use crate::{
    app::{act, compose, go},
    key::{Code, Key},
    model::{
        Focus, State,
        acts::Act,
        drafts::Address,
        place::Tab,
        requests::{Effect, Request},
        talks::Side,
        tree, words,
    },
    overlays,
    paint::{Painter, Row},
    parts::flow::Flow as _,
    text::cut,
    theme::{Role, hue},
};

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

/// Opens it, for the agent that is selected or else the first that is at work here.
pub fn open(state: &mut State) -> Vec<Effect> {
    let own = state.scope();
    let is_at_work = |target: &Target| {
        let agent = state.mirror().agent(target);
        agent.is_some_and(|agent| agent.state == AgentState::Running && agent.scope == own)
    };
    let target = state.selected_agent().or_else(|| {
        let agents = agents(state);
        agents.iter().find(|target| is_at_work(target)).or(agents.first()).cloned()
    });
    let Some(target) = target else {
        state.tell("there is no agent to look at");
        return Vec::new();
    };
    overlays::open(state, Overlay::Peek(Peek { target: target.clone() }));
    ask(state, &target)
}

/// Asks for the last messages around an agent, if they are not known.
fn ask(state: &mut State, target: &Target) -> Vec<Effect> {
    let key = (scope_of(target), Conversation::Channel);
    if !state.is_live() || state.mirror().group(&key.0, &key.1).is_none() {
        return Vec::new();
    }
    state.talks.look(&key);
    let talk = state.talks.get_mut(&key);
    if talk.is_loaded || talk.loading.is_some() {
        return Vec::new();
    }
    talk.loading = Some(Side::Newest);
    vec![Effect::Ask(Request::Page(key.0, key.1, Side::Newest))]
}

fn scope_of(target: &Target) -> Scope {
    target.scope_or(&Scope::global())
}

/// All agents in the order in which it goes through them: those of this scope first.
fn agents(state: &State) -> Vec<Target> {
    let own = state.scope();
    let mut agents: Vec<_> =
        state.mirror().agents().filter(|agent| agent.kind == MemberKind::Agent).collect();
    agents.sort_by_key(|agent| {
        (agent.scope != own, agent.scope.clone(), tree::work_rank(state, agent), agent.name.clone())
    });
    agents.into_iter().map(|agent| agent.target.clone()).collect()
}

impl Peek {
    /// Whom it looks at.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// A key.
    pub fn key(&mut self, state: &State, key: Key) -> Outcome {
        let target = self.target.clone();
        match key.code {
            Code::Char('j') | Code::Down => self.step(state, 1),
            Code::Char('k') | Code::Up => self.step(state, -1),
            Code::Char('q' | 'p') => Outcome::close(),
            Code::Enter => Outcome::then(move |state| {
                state.focus = Focus::Main;
                go::agent(state, target, Tab::Run)
            }),
            Code::Char('i' | 'm') if !state.read_only => {
                Outcome::then(move |state| compose::open(state, Address::Agent(target)))
            }
            Code::Char('x') if self.may_stop(state) => {
                Outcome::then(move |state| act::ask(state, Act::Stop(vec![target])))
            }
            _ => Outcome::stay(),
        }
    }

    fn step(&mut self, state: &State, by: isize) -> Outcome {
        let agents = agents(state);
        if agents.is_empty() {
            return Outcome::stay();
        }
        let at = agents.iter().position(|target| *target == self.target).unwrap_or(0);
        let count = isize::try_from(agents.len()).unwrap_or(1);
        let to = (isize::try_from(at).unwrap_or(0) + by).rem_euclid(count);
        self.target = agents[usize::try_from(to).unwrap_or(0)].clone();
        let target = self.target.clone();
        Outcome::With(Box::new(move |state| ask(state, &target)))
    }

    fn may_stop(&self, state: &State) -> bool {
        let agent = state.mirror().agent(&self.target);
        !state.read_only && agent.is_some_and(|agent| agent.state != AgentState::Stopped)
    }

    /// Its keys.
    pub fn keys(&self, state: &State) -> Vec<(String, String)> {
        let mut keys = pairs(&[("j k", "other agents"), ("Enter", "open")]);
        if !state.read_only {
            keys.extend(pairs(&[("i", "write")]));
        }
        if self.may_stop(state) {
            keys.extend(pairs(&[("x", "stop")]));
        }
        keys.extend(pairs(&[("Esc", "close")]));
        keys
    }

    /// Draws it.
    pub fn draw(&self, state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
        let width = if area.width < 100 { 70 } else { 90 };
        let height = (area.height * 2 / 5).clamp(ROWS, MOST_ROWS);
        let bottom = if state.is_live() { "live" } else { "not live" };
        let inside = overlays::frame(painter, area, (width, height), self.title(state), bottom);
        let cells = usize::from(inside.width);
        let messages = self.messages(state, cells);
        let keys = 1;
        let below = u16::try_from(messages.len()).unwrap_or(0) + keys;
        let room = usize::from(inside.height.saturating_sub(below));
        for (y, row) in (0..).zip(self.blocks(state, cells, room)) {
            painter.row(inside, 0, y, &row);
        }
        let first = inside.height.saturating_sub(below);
        for (y, row) in (first..inside.height.saturating_sub(keys)).zip(messages) {
            painter.row(inside, 0, y, &row);
        }
        painter.row(inside, 0, inside.height.saturating_sub(keys), &self.footer(state));
        None
    }

    fn title(&self, state: &State) -> String {
        let mut title = format!("peek: {}", self.target);
        if let Some(agent) = state.mirror().agent(&self.target) {
            let is = words::agent(state, agent);
            let run = run::newest(state, &self.target).and_then(|id| run::run(state, id));
            let standing = match run.filter(|run| run.state.is_live()) {
                Some(run) => run::standing(state, run).text(),
                None => format!("{} {}", is.symbol, is.word),
            };
            title.push_str("  ");
            title.push_str(&standing);
        }
        title
    }

    fn footer(&self, state: &State) -> Row {
        let mut row = Row::new();
        for (key, label) in self.keys(state) {
            row.space(if row.width() > 0 { 3 } else { 0 });
            row.push(key, Role::Accent);
            row.push(" ", Role::Text);
            row.push(label, Role::Text);
        }
        row
    }

    /// The last blocks, as many as there is room for, the newest at the bottom.
    fn blocks(&self, state: &State, width: usize, room: usize) -> Vec<Row> {
        let column =
            run::newest(state, &self.target).and_then(|id| run::column_of(state, id, width));
        let column = match column {
            Some(column) if !column.is_empty() => column,
            _ => {
                let has_run = run::newest(state, &self.target).is_some();
                let words =
                    if has_run { "nothing of its run is here yet" } else { "it has not run yet" };
                return vec![Row::of(words, Role::Dim)];
            }
        };
        let mut rows: Vec<Row> = Vec::new();
        for at in (0..column.len()).rev() {
            let mut block = block(&column, at, width, state.look.symbols.ellipsis);
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

    /// The last messages of its channel.
    fn messages(&self, state: &State, width: usize) -> Vec<Row> {
        let key = (scope_of(&self.target), Conversation::Channel);
        let ellipsis = state.look.symbols.ellipsis;
        let mut rows = vec![Row::of("last messages", Role::Dim)];
        let talk = state.talks.get(&key);
        let messages = talk.map(|talk| &talk.messages).into_iter().flatten();
        let skip = talk.map_or(0, |talk| talk.messages.len().saturating_sub(MESSAGES));
        for message in messages.skip(skip) {
            let mut row = Row::of(state.look.zone.clock(message.created_at), Role::Dim);
            row.push(" ", Role::Text);
            let name = message.sender.to_string();
            let role = hue(&name);
            row.push(cut::end(name, 8, ellipsis), role);
            row.tab(15);
            row.push(cut::part(&message.content).to_owned(), Role::Text);
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
    let mut rows = vec![run::short(column, at).cut(width, ellipsis)];
    for text in column.tail(at, TEXT) {
        let mut row = Row::new().pad(2);
        row.append(text);
        rows.push(row.cut(width, ellipsis));
    }
    rows
}
