//! The lines of the tree: what needs the person first, then workflows with their agents, agents of
//! `@global`, groups, conversations of two.

use agent_worker_client::text::natural;
use agent_worker_protocol::{
    Agent, AgentState, AttentionItem, AttentionKind, Conversation, Group, MemberKind, Name, Scope,
    Target, Workflow, WorkflowState,
};

use super::{NavId, Roots, family};
use crate::model::{
    Model, Place, Subject, Tab,
    needs::{self, proposal_of},
    settings::Order,
};

impl NavId {
    /// What it shows; none for headings, and for a question that is no longer open. A remembered
    /// tab is the caller's to put in.
    pub fn place(&self, model: &Model) -> Option<Place> {
        Some(match self {
            Self::Heading(_) | Self::Nothing(_) | Self::Root(_) | Self::Far(..) => return None,
            Self::All => Place::of(Subject::All),
            Self::Workflow(scope) => Place::of(Subject::Workflow(scope.clone())),
            Self::Channel(scope) => Place::at(Subject::Workflow(scope.clone()), Tab::Channel),
            Self::Agent(target) => Place::of(Subject::Agent(target.clone())),
            Self::Talk(scope, talk) => Place::of(Subject::Talk(scope.clone(), talk.clone())),
            Self::Need(AttentionKind::Question, _) => {
                Place::of(Subject::Agent(needs::of_line(model, self)?.agent.clone()))
            }
            Self::Need(AttentionKind::Vote, _) => {
                let scope = proposal_of(model, self)?.scope.clone();
                Place::at(Subject::Workflow(scope), Tab::Proposals)
            }
            Self::Need(kind, subject) => need_place(model, *kind, subject)?,
        })
    }
}

/// The lines of the tree; of several daemons one below the other.
pub fn lines(model: &Model) -> Vec<NavId> {
    let mut lines = unfiltered(model);
    if !model.selection.tree.filter.is_empty() {
        let wanted = model.selection.tree.filter.to_lowercase();
        lines.retain(|line| match line {
            NavId::Heading(_) | NavId::Root(_) => true,
            NavId::Nothing(_) => false,
            line => line.is_open() && line.name(model).to_lowercase().contains(&wanted),
        });
        if !lines.iter().any(|line| line.is_open() && !matches!(line, NavId::Root(_))) {
            lines = vec![NavId::Nothing("nothing matches")];
        }
    }
    lines
}

/// The same with those that the filter hides.
fn unfiltered(model: &Model) -> Vec<NavId> {
    every(model, |at| !model.selection.tree.roots.folded.contains(&at))
}

/// Whether the selected line is in the tree, if only behind its filter.
pub fn has_selected(model: &Model) -> bool {
    unfiltered(model).contains(&model.selection.tree.selected)
}

/// The daemons, if several are shown. As a member sees it there is one.
pub fn roots(model: &Model) -> Option<&Roots> {
    Some(&model.selection.tree.roots).filter(|roots| !roots.all.is_empty() && model.view.is_none())
}

/// The lines of every daemon that is unfolded.
fn every(model: &Model, is_unfolded: impl Fn(usize) -> bool) -> Vec<NavId> {
    let Some(roots) = roots(model) else { return own(model) };
    let mut lines = Vec::new();
    for (at, root) in roots.all.iter().enumerate() {
        lines.push(NavId::Root(at));
        if at != roots.here && is_unfolded(at) {
            lines.extend(root.lines(at));
        } else if is_unfolded(at) && model.has_picture() {
            lines.extend(own(model));
        }
    }
    lines
}

/// The lines of this daemon.
pub fn own(model: &Model) -> Vec<NavId> {
    let mut lines = Vec::new();
    let items = needs(model);
    if !items.is_empty() {
        lines.push(NavId::Heading("NEEDS YOU"));
    }
    lines.extend(items.iter().map(|item| NavId::Need(item.kind, item.subject.clone())));
    lines.push(NavId::Heading("WORKFLOWS"));
    lines.push(NavId::All);
    let mut workflows: Vec<&Workflow> =
        model.mirror().workflows().filter(|workflow| !workflow.scope.is_global()).collect();
    workflows.sort_by_cached_key(|workflow| {
        (!stands_above(model, workflow), natural::key(&workflow.scope.key()))
    });
    for workflow in &workflows {
        lines.push(NavId::Workflow(workflow.scope.clone()));
        if is_unfolded(model, workflow) {
            lines.push(NavId::Channel(workflow.scope.clone()));
            agents(model, &workflow.scope, &mut lines);
        }
    }
    if workflows.is_empty() {
        lines.push(NavId::Nothing("none yet"));
    }
    global(model, &mut lines);
    talks(model, "GROUPS", Conversation::is_group, &mut lines);
    talks(model, "DIRECT", |name| is_direct(model, name), &mut lines);
    lines
}

/// What needs the user on every daemon, in the order of the tree.
pub fn all_needs(model: &Model) -> Vec<NavId> {
    let mut lines = every(model, |_| true);
    lines.retain(|line| match line {
        NavId::Far(_, line) => matches!(**line, NavId::Need(..)),
        line => matches!(line, NavId::Need(..)),
    });
    lines
}

/// The selected line, where it is, and which lines there are.
pub fn position(model: &Model) -> (Vec<NavId>, Option<usize>) {
    let lines = lines(model);
    let at = lines.iter().position(|line| *line == model.selection.tree.selected);
    (lines, at)
}

/// Whether a workflow's lines are shown: those that have ended are folded until asked for.
pub fn is_unfolded(model: &Model, workflow: &Workflow) -> bool {
    if stands_above(model, workflow) {
        !model.selection.tree.folded.contains(&workflow.scope)
    } else {
        model.selection.tree.unfolded.contains(&workflow.scope)
    }
}

/// Whether a workflow stands among those at work: it keeps its place when it ends, while in view.
fn stands_above(model: &Model, workflow: &Workflow) -> bool {
    let keeps_place = model.settings.chosen.order != Order::Need;
    is_at_work(workflow)
        || keeps_place && model.selection.tree.seen_at_work.contains(&workflow.scope)
}

/// Notes which workflows are at work.
pub fn note_at_work(model: &mut Model) {
    let at_work = model.mirror().workflows().filter(|workflow| is_at_work(workflow));
    let at_work: Vec<_> = at_work.map(|workflow| workflow.scope.clone()).collect();
    model.selection.tree.seen_at_work.extend(at_work);
}

pub(super) fn is_at_work(workflow: &Workflow) -> bool {
    workflow.state.is_live()
        || matches!(workflow.state, WorkflowState::Stalled | WorkflowState::Created)
}

/// What needs the user, the most pressing first and of one kind the oldest: the daemon's order.
pub fn needs(model: &Model) -> Vec<&AttentionItem> {
    let mut items: Vec<_> = model.mirror().attention().collect();
    items.sort_by_key(|item| (item.kind, item.since));
    items
}

/// The agents of a scope: by name, so that nothing moves under the eyes, or as the settings say
/// those in need first, then those at work.
pub fn members<'a>(model: &'a Model, scope: &'a Scope) -> Vec<&'a Agent> {
    let members = model.mirror().agents_of(scope);
    let mut agents: Vec<&Agent> =
        members.into_iter().filter(|agent| agent.kind != MemberKind::Person).collect();
    let is_by_need = model.settings.chosen.order == Order::Need;
    agents.sort_by_cached_key(|agent| {
        (is_by_need.then(|| work_rank(model, agent)), natural::key(agent.name.as_str()))
    });
    agents
}

/// How early an agent stands in a list.
pub fn work_rank(model: &Model, agent: &Agent) -> u8 {
    let target = agent.target.to_string();
    let has_need =
        model.mirror().attention_of(&agent.scope).iter().any(|item| item.subject == target)
            || needs::of_agent(model, &agent.target).is_some();
    match agent.state {
        _ if has_need => 0,
        AgentState::Paused | AgentState::Waiting => 1,
        AgentState::Running => 2,
        AgentState::Backoff => 3,
        AgentState::Queued => 4,
        AgentState::Idle => 5,
        AgentState::Stopped => 6,
    }
}

fn agents(model: &Model, scope: &Scope, lines: &mut Vec<NavId>) {
    let branches = family::arranged(&members(model, scope), &model.selection.tree.parents);
    lines.extend(branches.into_iter().map(|branch| NavId::Agent(branch.agent.target.clone())));
}

fn global(model: &Model, lines: &mut Vec<NavId>) {
    let scope = Scope::global();
    lines.push(NavId::Heading("GLOBAL"));
    let channel = model.mirror().group(&scope, &Conversation::Channel);
    let agents_there = members(model, &scope);
    if channel.is_none_or(|channel| channel.messages == 0) && agents_there.is_empty() {
        lines.push(NavId::Nothing("none yet"));
        return;
    }
    lines.push(NavId::Channel(scope.clone()));
    agents(model, &scope, lines);
}

/// Conversations of one kind. A group is there before anything is said in it.
fn talks(
    model: &Model,
    heading: &'static str,
    is_wanted: impl Fn(&Conversation) -> bool,
    lines: &mut Vec<NavId>,
) {
    let groups = model.mirror().groups().filter(|group| is_wanted(&group.name));
    let mut talks: Vec<&Group> =
        groups.filter(|group| group.messages > 0 || group.name.is_group()).collect();
    if talks.is_empty() {
        return;
    }
    if model.settings.chosen.order == Order::Need {
        talks.sort_by_key(|group| std::cmp::Reverse(group.last_seq));
    }
    lines.push(NavId::Heading(heading));
    lines.extend(talks.iter().map(|group| NavId::Talk(group.scope.clone(), group.name.clone())));
}

/// Whether a conversation of two has a line. One of the daemon with an agent concerns no one else.
fn is_direct(model: &Model, name: &Conversation) -> bool {
    let Conversation::Direct(one, other) = name else { return false };
    [one, other].contains(&model.person()) || ![one, other].contains(&&Name::system())
}

fn need_place(model: &Model, kind: AttentionKind, subject: &str) -> Option<Place> {
    let target: Target = subject.parse().ok()?;
    let scope = target.scope_or(&Scope::global());
    Some(match (kind, &target.name) {
        (AttentionKind::Mention, _) => unread_place(model, &scope),
        (AttentionKind::Dead | AttentionKind::Held, Some(_)) => {
            Place::at(Subject::Agent(target), Tab::Inbox)
        }
        (_, Some(_)) => Place::of(Subject::Agent(target)),
        (_, None) => Place::at(Subject::Workflow(scope), Tab::Agents),
    })
}

/// Where unread messages to the person are: the channel, unless only others of the person's
/// conversations have any.
fn unread_place(model: &Model, scope: &Scope) -> Place {
    let groups = model.mirror().groups().filter(|group| group.scope == *scope);
    let unread = groups.filter(|group| model.unread(group) > 0).map(|group| &group.name);
    let is_in_channel = needs::named(model, scope) > 0;
    let first = unread.min_by_key(|name| (**name == Conversation::Channel) != is_in_channel);
    Place::of_conversation(scope, first.unwrap_or(&Conversation::Channel))
}

/// The first line that is shown: so that the selected one is, unless the wheel moved it.
pub fn top(model: &Model, height: u16) -> usize {
    let (lines, at) = position(model);
    let (height, at) = (usize::from(height), at.unwrap_or(0));
    let lowest = (at + 1).saturating_sub(height);
    let last = lines.len().saturating_sub(height);
    if model.selection.tree.scrolled_from.as_ref() == Some(&model.selection.tree.selected) {
        return model.selection.tree.top.min(last);
    }
    // A heading above the first line is shown with it.
    let highest = if at <= 1 { 0 } else { at };
    model.selection.tree.top.clamp(lowest, highest.max(lowest)).min(last)
}
