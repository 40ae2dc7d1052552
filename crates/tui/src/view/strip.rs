//! What all agents of the scope do, below a conversation.

use agent_worker_protocol::agent::{Agent, AgentState};
use ratatui_core::layout::Rect;

use crate::{
    paint::{Painter, Row},
    panes::list::margin,
    state::{State, nav, words},
    text::numbers::elapsed,
    theme::{Role, hue},
};

/// The agents that it shows: those at work, then those that wait for the person.
pub fn agents(state: &State) -> Vec<&Agent> {
    let mut agents: Vec<&Agent> = state
        .mirror()
        .agents()
        .filter(|agent| matches!(agent.state, AgentState::Running | AgentState::Waiting))
        .collect();
    let own = state.scope();
    agents.sort_by_key(|agent| {
        let is_waiting = agent.state == AgentState::Waiting;
        (is_waiting, agent.scope != own, nav::work_rank(state, agent), agent.name.clone())
    });
    agents
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let all = agents(state);
    let asking = all.iter().filter(|agent| agent.state == AgentState::Waiting).count();
    let mut title = format!("live: {} running", all.len() - asking);
    if asking > 0 {
        title = format!("{title}, {asking} asks");
    }
    painter.rule(margin(area), 0, Some(Row::of(title, Role::Dim)));
    for (y, agent) in (1..area.height).zip(&all) {
        let row = line(state, agent).cut(usize::from(area.width), state.look.symbols.ellipsis);
        painter.row(area, 0, y, &row);
    }
}

fn line(state: &State, agent: &Agent) -> Row {
    let is = words::agent(state, agent);
    let mut row = Row::of(is.symbol, is.role).pad(1);
    row.push(agent.name.to_string(), hue(agent.name.as_str()));
    row.tab(12);
    let run = state.mirror().live_run(&agent.target);
    let lasts = run.map(|run| elapsed(state.shown_now() - run.started_at.0)).unwrap_or_default();
    row.tab(18_usize.saturating_sub(lasts.len()));
    row.push(lasts, Role::Dim);
    row.space(2);
    row.push(is.word, is.role);
    let says = words::question(state, agent).or_else(|| agent.task.clone());
    if let Some(says) = says {
        row.tab((row.width() + 2).max(31));
        row.push(says, Role::Dim);
    }
    row
}
