//! An agent, whole: what it is, what runs it, what it is told.

use agent_worker_client::{Clean, text::numbers};
use agent_worker_protocol::{
    Agent, AgentDetail, Event, EventBody, Limits, Origin, Session, Target,
};
use ratatui_core::layout::Rect;

use super::Pane;
use crate::{
    action::Action,
    model::{Answer, Effect, Loaded, Model, Reply, Request, Tab, Window, family, layout, words},
    paint::{Painter, Row},
    parts::{list::stride, search},
    text::wrap,
    theme::Role,
};

/// Cells of what a line is about.
const NAME: usize = 11;

/// Lines of the system prompt that are shown.
const LINES: usize = 8;

/// Agents that were looked at whole.
#[derive(Debug, Default)]
pub struct Infos {
    known: Loaded<Target, AgentDetail, 100>,
    /// The first row on the screen, and of whom
    top: (Option<Target>, usize),
}

impl Infos {
    fn ask(&mut self, model: &Model) -> Vec<Effect> {
        let target = model.place.subject.agent().filter(|_| model.is_live());
        let wanted = target.filter(|target| self.known.ask(target)).cloned();
        wanted.map(|target| Effect::Ask(Request::Agent(target))).into_iter().collect()
    }

    fn detail<'a>(&'a self, model: &'a Model) -> Option<&'a AgentDetail> {
        self.known.get(model.place.subject.agent()?)
    }

    fn system(&self, model: &mut Model) -> Vec<Effect> {
        let system = self.detail(model).and_then(|detail| detail.system.clone());
        let Some(system) = system else { return model.tell("no system prompt") };
        vec![Effect::Open(Window::pager("system prompt", &system))]
    }

    fn rows(&self, model: &Model, width: usize) -> Vec<Row> {
        let agent = model.place.subject.agent().and_then(|target| model.mirror().agent(target));
        let Some(agent) = agent else { return Vec::new() };
        let mut facts = of_agent(model, agent);
        match self.detail(model) {
            Some(detail) => facts.extend(of_detail(model, detail)),
            None => facts.push(Row::of("loading the rest", Role::Dim)),
        }
        wrap::wrap(&facts, width, NAME)
    }
}

fn fact(name: &'static str, text: Option<String>) -> Row {
    let row = Row::of(name, Role::Dim).tabbed(NAME);
    match text {
        Some(text) => row.with(text, Role::Text),
        None => row.with("-", Role::Dim),
    }
}

fn of_agent(model: &Model, agent: &Agent) -> Vec<Row> {
    let is = words::agent(model, agent);
    let how = Row::of("state", Role::Dim).tabbed(NAME);
    let mut facts = vec![
        fact("target", Some(agent.target.to_string())),
        fact("called", Some(agent.display_name.clone().unwrap_or_else(|| agent.name.to_string()))),
        fact("role", agent.role.clone()),
        how.with(format!("{} {}", is.symbol, is.word), is.role),
    ];
    facts.extend(agent.parent.as_ref().map(|parent| fact("hired by", Some(parent.to_string()))));
    let hired = family::hired(model, agent).into_iter();
    let hired: Vec<_> = hired.map(|one| one.name.as_str()).collect();
    facts.extend((!hired.is_empty()).then(|| fact("hired", Some(hired.join(", ")))));
    facts.extend(agent.paused_reason.clone().map(|reason| fact("paused", Some(reason))));
    facts.extend([
        fact("task", agent.task.clone()),
        fact("model", agent.model.clone()),
        fact("backend", agent.backend.clone()),
        fact("unread", Some(agent.unread.to_string())),
    ]);
    facts
}

fn of_detail(model: &Model, detail: &AgentDetail) -> Vec<Row> {
    let joined = |words: &[String]| (!words.is_empty()).then(|| words.join(" "));
    let runs = detail.runs.first().map(|last| {
        let is = words::run_state(model.symbols(), last.state);
        format!("last {} {} {}", last.id, is.symbol, is.word)
    });
    let made = match detail.origin {
        Origin::File => "by its workflow file",
        Origin::New if detail.hired => "by the agent that hired it",
        Origin::New => "with new",
        Origin::System => "by the daemon",
    };
    let mut facts = vec![
        fact("held", Some(detail.held.to_string())),
        fact("dead", Some(detail.dead.to_string())),
        fact("runs", runs),
        fact("session", detail.session.as_ref().map(session)),
        fact("time limit", Some(detail.timeout.to_string())),
        fact("attempts", Some(detail.attempts.to_string())),
        fact("limits", limits(&detail.limits)),
        fact("cwd", detail.cwd.clone()),
        fact("env", joined(&detail.env)),
        fact("tools", joined(&detail.tools)),
        fact("created", Some(format!("{} {made}", model.zone().full(detail.created_at)))),
        Row::new(),
    ];
    let Some(system) = &detail.system else {
        facts.push(fact("system", None));
        return facts;
    };
    facts.push(Row::of("system prompt", Role::Title));
    let text = Clean::text(system);
    let lines: Vec<&str> = text.as_str().lines().collect();
    facts.extend(lines.iter().take(LINES).map(|line| Row::of((*line).to_owned(), Role::Text)));
    if lines.len() > LINES {
        let (ellipsis, open) = (model.symbols().ellipsis, model.pane_key(Action::Pager));
        let more = format!("{ellipsis} {} more lines, {open} opens", lines.len() - LINES);
        facts.push(Row::of(more, Role::Dim));
    }
    facts
}

/// The length of a session, and its cost.
fn session(session: &Session) -> String {
    let held = session.tokens.map(|count| format!(", {} tokens", numbers::short(count)));
    let cost = session.cost.map(|cost| format!(", {}", numbers::cost(Some(cost))));
    let (held, cost) = (held.unwrap_or_default(), cost.unwrap_or_default());
    let turns = numbers::counted(session.turns, "turn", "turns");
    let runs = numbers::counted(session.runs, "run", "runs");
    format!("{turns}, {}{held}, {runs}{cost}", numbers::size(session.bytes))
}

/// What its workflow may use; none if that is not limited.
fn limits(limits: &Limits) -> Option<String> {
    let mut words = Vec::new();
    words.extend(limits.hops.map(|hops| numbers::counted(hops, "hop", "hops")));
    words.extend(limits.runs.map(|it| numbers::counted(it, "run a message", "runs a message")));
    words.extend(limits.max_runs.map(|it| numbers::counted(it, "run at once", "runs at once")));
    words.extend(limits.agents.map(|agents| numbers::counted(agents, "agent", "agents")));
    words.extend(limits.tokens.map(|count| {
        format!("{} tokens", numbers::short(i64::try_from(count).unwrap_or(i64::MAX)))
    }));
    words.extend(limits.cost.map(|cost| numbers::cost(Some(cost))));
    words.extend(limits.duration.map(|duration| duration.to_string()));
    (!words.is_empty()).then(|| words.join(", "))
}

impl Pane for Infos {
    /// It came onto the screen.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        let target = model.place.subject.agent().cloned();
        if self.top.0 != target {
            self.top = (target, 0);
        }
        self.ask(model)
    }

    /// The picture is a new one: what was known may be old.
    fn on_reset(&mut self, _: &mut Model) -> Vec<Effect> {
        self.known.renew();
        Vec::new()
    }

    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        match &event.body {
            EventBody::AgentChanged(agent) => self.known.outdate(&agent.target),
            EventBody::RunChanged(run) if !run.state.is_live() => self.known.outdate(&run.agent),
            EventBody::DeliveryChanged(delivery) => self.known.outdate(&delivery.agent),
            EventBody::WorkflowChanged(workflow) => {
                let limited = model.mirror().agents_of(&workflow.scope);
                limited.for_each(|agent| self.known.outdate(&agent.target));
            }
            EventBody::AgentRemoved { target } => self.known.remove(target),
            _ => return Vec::new(),
        }
        if model.place.tab == Tab::Info { self.ask(model) } else { Vec::new() }
    }

    fn act(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        let height = usize::from(layout::regions(model).main.height);
        if let Some(by) = stride(action, height) {
            let last = self.rows(model, layout::channel_width(model)).len().saturating_sub(height);
            self.top.1 = self.top.1.min(last).saturating_add_signed(by).min(last);
            return Some(Vec::new());
        }
        matches!(action, Action::Pager | Action::Open).then(|| self.system(model))
    }

    /// Its rows as text.
    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        let rows = self.rows(model, usize::MAX / 2);
        let lines: Vec<_> = rows.iter().map(Row::text).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Its lines as they are searched, and the first one on the screen.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let rows = self.rows(model, layout::channel_width(model));
        let at = self.top.1.min(rows.len());
        (rows.iter().map(Row::text).collect(), Some(at))
    }

    /// Shows one of them at the top.
    fn pick_line(&mut self, _: &mut Model, at: usize) -> Vec<Effect> {
        self.top.1 = at;
        Vec::new()
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let rows = self.rows(model, usize::from(area.width));
        let shown = if search::wanted(model).is_empty() { usize::from(area.height) } else { 1 };
        let last = rows.len().saturating_sub(shown);
        let top = self.top.1.min(last);
        for (y, row) in (0..area.height).zip(rows.into_iter().skip(top)) {
            painter.row(area, 0, y, &search::mark(model, row));
        }
    }

    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        let Request::Agent(target) = request else { return Vec::new() };
        match answer {
            Ok(Reply::Agent(detail)) => {
                self.known.load(target.clone(), *detail);
                if model.place.tab == Tab::Info { self.ask(model) } else { Vec::new() }
            }
            Ok(_) => Vec::new(),
            Err(trouble) => {
                self.known.retry(target);
                model.not_loaded(&trouble)
            }
        }
    }
}
