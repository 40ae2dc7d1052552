//! What all agents of the scope do, below a conversation.

use agent_worker_client::text::{natural, numbers};
use agent_worker_protocol::{Agent, AgentState, Scope};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    model::{Model, words},
    paint::{Painter, Row},
    parts::list::margin,
    theme::{Role, hue},
};

/// The agents that it shows: those of the scope that are at work or wait for the user, by name.
fn agents<'a>(model: &'a Model, scope: &'a Scope) -> Vec<&'a Agent> {
    let mut agents: Vec<&Agent> = model.mirror().agents_of(scope).collect();
    agents.retain(|agent| words::is_at_work(agent) || agent.state == AgentState::Waiting);
    agents.sort_by_cached_key(|agent| natural::key(agent.name.as_str()));
    agents
}

pub fn draw(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let scope = model.scope();
    let all = agents(model, &scope);
    let asking = all.iter().filter(|agent| agent.state == AgentState::Waiting).count();
    let mut title = format!("live: {} running", all.len() - asking);
    if asking > 0 {
        title = format!("{title}, {asking} asks");
    }
    painter.rule(margin(area), 0, Some(Row::of(title, Role::Dim)));
    let rows = usize::from(area.height.saturating_sub(1));
    let shown = if all.len() > rows { rows.saturating_sub(1) } else { all.len() };
    if all.len() > shown {
        let key = model.key(Action::Tab2);
        let more = format!("and {} more: {key} shows all agents", all.len() - shown);
        painter.row(area, 2, area.height - 1, &Row::of(more, Role::Dim));
    }
    for (y, agent) in (1..area.height).zip(&all[..shown]) {
        let row = line(model, agent).cut(usize::from(area.width), model.symbols().ellipsis);
        painter.row(area, 0, y, &row);
    }
}

fn line(model: &Model, agent: &Agent) -> Row {
    let is = words::agent(model, agent);
    let row = Row::of(is.symbol, is.role).pad(1);
    let row = row.with(agent.name.to_string(), hue(agent.name.as_str())).tabbed(12);
    let run = model.mirror().live_run(&agent.target);
    let now = model.shown_at();
    let lasts = run.map(|run| numbers::elapsed(now.since(run.started_at))).unwrap_or_default();
    let row = row.tabbed(19_usize.saturating_sub(lasts.len())).with(lasts, Role::Dim);
    let mut row = row.pad(2).with(is.word, is.role);
    if let Some(says) = words::question(model, agent).or_else(|| agent.task.clone()) {
        row.put((row.width() + 2).max(31), says, Role::Dim);
    }
    row
}
