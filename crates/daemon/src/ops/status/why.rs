//! Why something is as it is: the chain of causes of a run, or what keeps an agent or a workflow.

use agent_worker_protocol::{
    AgentState, Because, DeliveryState, Explanation, MemberKind, MessageId, Reason, RunId, RunKind,
    RunState, Target, Wanted, Why, daemon::disk_full,
};

use crate::{
    context::{Cx, Run},
    error::{OpError, Result},
    ops::status::daemon::folder,
    rows::{
        AgentRow, DeliveryRow, EndCause, QuestionRow, RunRow, WorkflowRow,
        agent::changing::Changing, candidate, delivery, message, question, workflow,
    },
    rules::{
        access::{self, run},
        blocker::{self, Blocker, counted},
        hint,
    },
};

/// How many links of a chain are told.
const LONGEST_CHAIN: usize = 50;

/// How many held messages and dead letters of an agent are told.
const MOST_KEPT: u32 = 5;

impl Run for Why {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Explanation> {
        if let Ok(id) = self.subject.parse::<RunId>() {
            return of_run(cx, &run::visible(cx, id)?);
        }
        if let Ok(id) = self.subject.parse::<MessageId>() {
            return of_message(cx, id);
        }
        let target: Target =
            self.subject.parse().map_err(|bad| OpError::invalid(format!("{bad}")))?;
        let (scope, name) = cx.locate(&target)?;
        match name {
            Some(name) => of_agent(cx, &scope, &AgentRow::by_name(cx.db, &scope, &name)?),
            None => of_scope(cx, &scope),
        }
    }
}

pub fn because(subject: &impl ToString, text: impl Into<String>) -> Because {
    Because { subject: subject.to_string(), text: text.into(), at: None }
}

/// Why no run is started, and why the end of a live run is not known yet: neither could be saved.
fn of_disk(cx: &Cx<'_>) -> Option<Because> {
    cx.is_disk_full.then(|| because(&"daemon", disk_full(&folder(cx))))
}

/// The word for a state.
pub fn word(state: impl Into<&'static str>) -> String {
    state.into().replace('_', " ")
}

pub fn of_run(cx: &Cx<'_>, run: &RunRow) -> Result<Explanation> {
    let mut links = Vec::new();
    if let Some(error) = &run.error {
        let class = run.class.map(word).unwrap_or_default();
        links.push(because(&run.id, format!("it ended {class}: {error}")));
    }
    links.extend(ending(run).map(|ending| because(&run.id, format!("it is {ending}"))));
    let logs = || format!("agent-worker logs {}", run.id);
    let mut hint = (run.state != RunState::Succeeded).then(logs);
    let asks = question::of_run(cx.db, run.id)?.is_some();
    if asks || run.away.is_some() {
        let blocker = blocker::of_run(cx, run)?;
        hint = blocker.hint.clone().filter(|_| asks).or(hint);
        links.push(blocker.because());
    }
    if run.state.is_live() {
        links.extend(of_disk(cx));
    }
    let mut next = Some(run.clone());
    while let Some(run) = next.take() {
        if links.len() >= LONGEST_CHAIN {
            break;
        }
        next = link(cx, &run, &mut links)?;
    }
    Ok(Explanation { subject: run.id.to_string(), state: word(run.state), because: links, hint })
}

/// What ends a run whose end is decided.
fn ending(run: &RunRow) -> Option<String> {
    let class = run.end_class.filter(|_| run.state == RunState::Ending)?;
    let error = run.end_error.as_deref().unwrap_or_default();
    Some(format!("ending {}: {error}", word(class.class())))
}

/// Tells what started a run, and gives the run that sent it.
fn link(cx: &Cx<'_>, run: &RunRow, links: &mut Vec<Because>) -> Result<Option<RunRow>> {
    let Some(cause) = run.cause else {
        let text = format!("{} was woken by the user", run.agent_name);
        links.push(Because { at: Some(run.started_at), ..because(&run.id, text) });
        return Ok(None);
    };
    let attempt =
        if run.attempt > 1 { format!(", attempt {}", run.attempt) } else { String::new() };
    let started = format!("{} of {}{attempt} was started by", run.id, run.agent_name);
    if access::message::find(cx, cause)?.is_none() {
        let text = format!("{started} a private message");
        links.push(Because { at: Some(run.started_at), ..because(&run.id, text) });
        return Ok(None);
    }
    let message = message::by_seq(cx.db, cause)?;
    let delivery = delivery::find(cx.db, run.agent, cause)?;
    let sent = match delivery.map(|row| row.reason) {
        Some(Reason::Mention | Reason::All) => "a mention by",
        Some(Reason::Group) => "a group message from",
        Some(Reason::Reply) => "a reply from",
        Some(Reason::Answer) => "an answer from",
        Some(Reason::Schedule) => "a scheduled message from",
        Some(Reason::Heartbeat) => "its heartbeat, by",
        Some(Reason::Proposal) => "news of a proposal from",
        Some(Reason::To) | None => "a direct message from",
    };
    let first_line: String =
        message.content.lines().next().unwrap_or_default().chars().take(80).collect();
    let text = format!("{started} {sent} {}: {first_line}", message.sender);
    links.push(Because { at: Some(message.created_at), ..because(&message.id, text) });
    message.run.map_or(Ok(None), |sender| RunRow::find(cx.db, sender))
}

fn of_agent(cx: &Cx<'_>, scope: &WorkflowRow, agent: &AgentRow) -> Result<Explanation> {
    let target = agent.target();
    let entity = agent.entity(cx.db)?;
    let mut links = Vec::new();
    let mut hint = None;
    if let Some(run) = entity.run {
        let row = RunRow::by_id(cx.db, run)?;
        let text = match (ending(&row), &entity.away) {
            (Some(ending), _) => format!("it is {ending}"),
            (None, Some(away)) => away.explained(cx.now),
            (None, None) => format!("{target} is at work: {}", row.entity().doing(cx.now)),
        };
        links.push(because(&run, text));
        links.extend(of_disk(cx));
        hint = Some(format!("agent-worker logs {run} --follow"));
    }
    let mut open = QuestionRow::open_of_scope(cx.db, scope.id)?;
    open.retain(|question| question.agent == agent.id);
    for mut asked in open.iter().map(blocker::of_question) {
        hint = asked.hint.take().or(hint);
        links.push(asked.because());
    }
    if let Some(mut wanted) = blocker::of_wanted(scope, agent) {
        hint = wanted.hint.take();
        links.push(wanted.because());
    }
    if let Some(mut takes_none) = blocker::of_scope(scope) {
        hint = hint.or(takes_none.hint.take());
        links.push(takes_none.because());
    }
    if entity.run.is_none() && agent.wanted == Wanted::Active && scope.takes_work() {
        waiting(cx, agent, &mut links)?;
        let is_over = entity.state == AgentState::Backoff && links.is_empty();
        let is_due = is_over && (agent.woken || candidate::has_waking(cx.db, agent.id)?);
        if is_due || entity.state == AgentState::Queued {
            queued(cx, scope, agent, &mut links, &mut hint)?;
        }
    }
    for mut blocker in kept(cx, scope, agent)? {
        hint = hint.or(blocker.hint.take());
        links.push(blocker.because());
    }
    if links.is_empty() {
        for mut paused in blocker::of_schedules(cx.db, agent)? {
            hint = hint.or(paused.hint.take());
            links.push(paused.because());
        }
    }
    if links.is_empty() {
        links.push(because(&target, "nothing waits for it"));
    }
    Ok(Explanation { subject: target.to_string(), state: word(entity.state), because: links, hint })
}

/// For which time an active agent without a run waits.
fn waiting(cx: &Cx<'_>, agent: &AgentRow, links: &mut Vec<Because>) -> Result<()> {
    links.extend(blocker::of_model(cx, agent)?.map(Blocker::because));
    let open = delivery::open(cx.db, agent.id, 5)?;
    links.extend(open.iter().filter_map(|row| blocker::of_time(cx, row)).map(Blocker::because));
    Ok(())
}

/// Why an agent with due mail is not started yet.
fn queued(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    agent: &AgentRow,
    links: &mut Vec<Because>,
    hint: &mut Option<String>,
) -> Result<()> {
    let of_place = if let Some(outside) = blocker::of_outside(cx.db, agent)? {
        links.push(outside.because());
        blocker::of_budget(cx, scope).into_iter().collect()
    } else {
        links.extend(of_disk(cx));
        blocker::of_place(cx, scope)?
    };
    for mut blocker in of_place {
        *hint = blocker.hint.take().or(hint.take());
        links.push(blocker.because());
    }
    if links.is_empty() {
        links.push(blocker::none(agent).because());
    }
    Ok(())
}

/// Mail that waits for the person: the first, and how much there is if there is more.
fn kept(cx: &Cx<'_>, scope: &WorkflowRow, agent: &AgentRow) -> Result<Vec<Blocker>> {
    let rows = delivery::first_kept(cx.db, agent.id, MOST_KEPT)?;
    let mut found: Vec<_> = rows.iter().filter_map(|row| blocker::of_kept(scope, row)).collect();
    let Changing { held, dead, .. } = agent.changing(cx.db)?;
    if held + dead > i64::from(MOST_KEPT)
        && let Some(first) = found.first_mut()
    {
        let target = agent.target();
        first.hint = Some(hint::of_kept(scope, &target, &rows[0]));
        let text = format!("{} messages are held or dead letters in all", held + dead);
        found.push(Blocker::told(&target, text));
    }
    Ok(found)
}

/// What became of a message: a link for each of its recipients.
pub fn of_message(cx: &Cx<'_>, id: MessageId) -> Result<Explanation> {
    let found = access::message::find(cx, id.number())?;
    let (group, _) = found.ok_or_else(|| message::missing(id))?;
    let scope = WorkflowRow::by_id(cx.db, group.scope_id)?;
    let (mut links, mut states, mut hint) = (Vec::new(), Vec::new(), None);
    for row in delivery::of_message(cx.db, group.id, id.number())? {
        let agent = AgentRow::by_id(cx.db, row.agent)?;
        let (state, link) = match agent.kind {
            MemberKind::Person if row.state == DeliveryState::Acked => ("read".to_owned(), None),
            MemberKind::Person => ("unread".to_owned(), None),
            _ => (blocker::word(&row), of_delivery(cx, &scope, &agent, &row)?),
        };
        let link = link.unwrap_or_else(|| Blocker::told(&agent.target(), format!("it is {state}")));
        hint = hint.or(link.hint.clone());
        links.push(Because { subject: agent.target().to_string(), ..link.because() });
        if !states.contains(&state) {
            states.push(state);
        }
    }
    if links.is_empty() {
        links.push(because(&id, "it was delivered to no other member"));
        states.push("sent".to_owned());
    }
    Ok(Explanation { subject: id.to_string(), state: states.join(", "), because: links, hint })
}

/// What keeps a delivery, or which run has it, with what helps or tells more.
fn of_delivery(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    agent: &AgentRow,
    row: &DeliveryRow,
) -> Result<Option<Blocker>> {
    let run = RunId::new(row.run.unwrap_or_default());
    let told = |text: String| Blocker::told(&agent.target(), text);
    let more = format!("agent-worker why {}", agent.target());
    Ok(match row.state {
        DeliveryState::Held | DeliveryState::Dead => blocker::of_kept(scope, row),
        DeliveryState::Waiting => blocker::of_scope(scope)
            .or_else(|| blocker::of_wanted(scope, agent))
            .or_else(|| blocker::of_time(cx, row))
            .or_else(|| Some(told("it is due".to_owned()).hint(more))),
        DeliveryState::Pending => Some(told("it is pending".to_owned()).hint(more)),
        DeliveryState::Leased => {
            let text = format!("{run} is working on it");
            Some(told(text).hint(format!("agent-worker logs {run} --follow")))
        }
        DeliveryState::Acked if row.run.is_some() => {
            let text = format!("{run} has acknowledged it");
            Some(told(text).hint(format!("agent-worker logs {run}")))
        }
        DeliveryState::Acked => None,
        DeliveryState::Dropped => of_cancel(cx, agent, row)?
            .or_else(|| row.discarded_because().map(|why| told(format!("it is discarded: {why}")))),
    })
}

/// The cancel that dropped a question. Other mail of a cancelled run is held.
fn of_cancel(cx: &Cx<'_>, agent: &AgentRow, row: &DeliveryRow) -> Result<Option<Blocker>> {
    let Some(id) = row.run.map(RunId::new) else { return Ok(None) };
    let was_cancelled = |run: &RunRow| {
        run.kind == RunKind::Ask
            && run.state == RunState::Cancelled
            && run.end_class == Some(EndCause::Cancelled)
    };
    Ok(RunRow::find(cx.db, id)?.filter(was_cancelled).map(|run| {
        let text = format!("it is discarded: the user cancelled {id}");
        Blocker::told(&agent.target(), text)
            .at(run.ended_at)
            .hint(format!("agent-worker logs {id}"))
    }))
}

pub fn of_scope(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<Explanation> {
    let mut links = Vec::new();
    if let Some(reason) = &scope.outcome_reason {
        links.push(Because { at: scope.ended_at, ..because(&scope.scope, reason.clone()) });
    }
    if let Some(step) = &scope.setup {
        links.push(because(&scope.scope, format!("its setup is running: {step}")));
    }
    for run in RunRow::live_of_scope(cx.db, scope.id)? {
        let doing = ending(&run).unwrap_or_else(|| run.entity().doing(cx.now));
        links.push(because(&run.id, format!("{}: {doing}", run.agent_name)));
    }
    for question in QuestionRow::open_of_scope(cx.db, scope.id)? {
        links.push(blocker::of_question(&question).because());
    }
    for member in AgentRow::of_scope(cx.db, scope.id)?.iter().filter(|member| member.works()) {
        if candidate::has_waking(cx.db, member.id)? {
            let mail = counted(member.changing(cx.db)?.unread, "message");
            let text = match (member.kind, member.entity(cx.db)?.state) {
                (MemberKind::External, _)
                    if member.wanted == Wanted::Active && scope.takes_work() =>
                {
                    format!("it is external and must fetch {mail}")
                }
                (_, AgentState::Backoff) => {
                    format!("it has {mail} and waits before it tries again")
                }
                (_, AgentState::Waiting) => format!("it has {mail} and asks you"),
                (_, state) => format!("it has {mail} and is {}", word(state)),
            };
            links.push(because(&member.target(), text));
        }
        // The outcome names it already.
        if scope.outcome_reason.is_none() {
            for blocker in kept(cx, scope, member)? {
                let text = format!("to {}: {}", member.name, blocker.text);
                links.push(Blocker { text, ..blocker }.because());
            }
        }
    }
    if links.is_empty() {
        links.push(because(&scope.scope, "nothing is left to do"));
    } else if scope.takes_work() {
        links.extend(of_disk(cx));
    }
    let hint = hint::of_scope(cx.db, scope)?;
    Ok(Explanation {
        subject: scope.scope.to_string(),
        state: workflow::word(scope.state).to_owned(),
        because: links,
        hint,
    })
}
