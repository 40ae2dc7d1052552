//! The tree of everything: what needs the person first, then workflows with their agents, agents of
//! `@global`, conversations of two and of groups.

use std::collections::BTreeSet;

use agent_worker_protocol::{
    agent::{Agent, AgentState, MemberKind},
    attention::{AttentionItem, AttentionKind},
    conversation::{Conversation, Group},
    id::ProposalId,
    proposal::Proposal,
    target::{Scope, Target},
    workflow::{Workflow, WorkflowState},
};

use super::settings::Order;
use super::{
    State,
    place::{Place, Subject, Tab},
    questions,
};
use crate::text::natural;

/// A line of the tree, by what it stands for: it stays selected wherever it moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NavId {
    /// A heading; never selected.
    Heading(&'static str),
    /// A line that says that there is nothing; never selected.
    Nothing(&'static str),
    /// What needs the person: what kind of thing, and what it is about.
    Need(AttentionKind, String),
    /// Everything.
    All,
    /// A workflow.
    Workflow(Scope),
    /// A workflow's channel.
    Channel(Scope),
    /// An agent.
    Agent(Target),
    /// A conversation.
    Talk(Scope, Conversation),
}

/// The tree as the person left it.
#[derive(Debug, Clone)]
pub struct Nav {
    /// What is selected
    pub selected: NavId,
    /// Where it was in the tree, for when it goes away
    pub was_at: usize,
    /// The first line that is shown
    pub top: usize,
    /// Scopes whose agents are hidden
    pub folded: BTreeSet<Scope>,
    /// Scopes whose agents the person wants to see although they have ended
    pub unfolded: BTreeSet<Scope>,
    /// The workflows that were at work since the room was opened
    pub seen_at_work: BTreeSet<Scope>,
    /// What lines must hold
    pub filter: String,
    /// What needed the person when it was looked at last
    pub known: BTreeSet<(AttentionKind, String)>,
    /// How many things need the person by the title of the window
    pub titled: usize,
}

impl Default for Nav {
    fn default() -> Self {
        Self {
            selected: NavId::All,
            was_at: 0,
            top: 0,
            folded: BTreeSet::new(),
            unfolded: BTreeSet::new(),
            seen_at_work: BTreeSet::new(),
            filter: String::new(),
            known: BTreeSet::new(),
            titled: 0,
        }
    }
}

impl NavId {
    /// Whether it can be selected.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Heading(_) | Self::Nothing(_))
    }

    /// What it shows; none for headings, and for a question that is no longer open. A remembered
    /// tab is the caller's to put in.
    pub fn place(&self, state: &State) -> Option<Place> {
        Some(match self {
            Self::Heading(_) | Self::Nothing(_) => return None,
            Self::All => Place::of(Subject::All),
            Self::Workflow(scope) => Place::of(Subject::Workflow(scope.clone())),
            Self::Channel(scope) => Place::at(Subject::Workflow(scope.clone()), Tab::Channel),
            Self::Agent(target) => Place::of(Subject::Agent(target.clone())),
            Self::Talk(scope, talk) => Place::of(Subject::Talk(scope.clone(), talk.clone())),
            Self::Need(AttentionKind::Question, _) => {
                Place::of(Subject::Agent(questions::of_line(state, self)?.agent.clone()))
            }
            Self::Need(AttentionKind::Vote, _) => {
                let scope = proposal_of(state, self)?.scope.clone();
                Place::at(Subject::Workflow(scope), Tab::Votes)
            }
            Self::Need(kind, subject) => need_place(*kind, subject)?,
        })
    }

    /// The scope it belongs to.
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Self::Workflow(scope) | Self::Channel(scope) | Self::Talk(scope, _) => Some(scope),
            Self::Agent(target) => target.scope.as_ref(),
            _ => None,
        }
    }
}

/// The open proposal that a line stands for.
pub fn proposal_of<'s>(state: &'s State, line: &NavId) -> Option<&'s Proposal> {
    let NavId::Need(AttentionKind::Vote, subject) = line else { return None };
    let id: ProposalId = subject.parse().ok()?;
    state.mirror().proposals().find(|proposal| proposal.id == id)
}

fn need_place(kind: AttentionKind, subject: &str) -> Option<Place> {
    let target: Target = subject.parse().ok()?;
    let scope = target.scope_or(&Scope::global());
    Some(match (kind, &target.name) {
        (AttentionKind::Mention, _) => Place::at(Subject::Workflow(scope), Tab::Channel),
        (AttentionKind::Dead | AttentionKind::Held, Some(_)) => {
            Place::at(Subject::Agent(target), Tab::Inbox)
        }
        (_, Some(_)) => Place::of(Subject::Agent(target)),
        (_, None) => Place::at(Subject::Workflow(scope), Tab::Agents),
    })
}

/// The lines of the tree.
pub fn lines(state: &State) -> Vec<NavId> {
    let mut lines = Vec::new();
    need_lines(state, &mut lines);
    lines.push(NavId::Heading("WORKFLOWS"));
    lines.push(NavId::All);
    let mut workflows: Vec<&Workflow> =
        state.mirror().workflows().filter(|workflow| !workflow.scope.is_global()).collect();
    workflows.sort_by_cached_key(|workflow| {
        (!stands_above(state, workflow), natural::key(&workflow.scope.key()))
    });
    for workflow in &workflows {
        lines.push(NavId::Workflow(workflow.scope.clone()));
        if is_unfolded(state, workflow) {
            lines.push(NavId::Channel(workflow.scope.clone()));
            agents(state, &workflow.scope, &mut lines);
        }
    }
    if workflows.is_empty() {
        lines.push(NavId::Nothing("none yet"));
    }
    global(state, &mut lines);
    direct(state, &mut lines);
    if !state.nav.filter.is_empty() {
        let wanted = state.nav.filter.to_lowercase();
        lines.retain(|line| match line {
            NavId::Heading(_) => true,
            NavId::Nothing(_) => false,
            line => super::words::nav_name(state, line).to_lowercase().contains(&wanted),
        });
        if !lines.iter().any(NavId::is_open) {
            lines = vec![NavId::Nothing("nothing matches")];
        }
    }
    lines
}

/// The selected line, where it is, and which lines there are.
pub fn position(state: &State) -> (Vec<NavId>, Option<usize>) {
    let lines = lines(state);
    let at = lines.iter().position(|line| *line == state.nav.selected);
    (lines, at)
}

/// Whether a workflow's lines are shown: those that have ended are folded until asked for.
pub fn is_unfolded(state: &State, workflow: &Workflow) -> bool {
    if stands_above(state, workflow) {
        !state.nav.folded.contains(&workflow.scope)
    } else {
        state.nav.unfolded.contains(&workflow.scope)
    }
}

/// Whether a workflow stands among those at work: one that ends keeps its place while one looks.
fn stands_above(state: &State, workflow: &Workflow) -> bool {
    let keeps_place = state.settings.order != Order::Need;
    is_at_work(workflow) || keeps_place && state.nav.seen_at_work.contains(&workflow.scope)
}

/// Notes which workflows are at work.
pub fn note_at_work(state: &mut State) {
    let at_work = state.mirror().workflows().filter(|workflow| is_at_work(workflow));
    let at_work: Vec<_> = at_work.map(|workflow| workflow.scope.clone()).collect();
    state.nav.seen_at_work.extend(at_work);
}

fn is_at_work(workflow: &Workflow) -> bool {
    workflow.state.is_live()
        || matches!(workflow.state, WorkflowState::Stalled | WorkflowState::Created)
}

/// What needs the user, the most pressing first and of one kind the oldest: the daemon's order.
pub fn needs(state: &State) -> Vec<&AttentionItem> {
    let mut items: Vec<_> = state.mirror().attention().collect();
    items.sort_by_key(|item| (item.kind, item.since));
    items
}

fn need_lines(state: &State, lines: &mut Vec<NavId>) {
    let items = needs(state);
    if items.is_empty() {
        return;
    }
    lines.push(NavId::Heading("NEEDS YOU"));
    lines.extend(items.iter().map(|item| NavId::Need(item.kind, item.subject.clone())));
}

/// The agents of a scope: by name, so that nothing moves under the eyes, or as the settings say
/// those in need first, then those at work.
pub fn members<'a>(state: &'a State, scope: &'a Scope) -> Vec<&'a Agent> {
    let members = state.mirror().agents_of(scope);
    let mut agents: Vec<&Agent> =
        members.into_iter().filter(|agent| agent.kind != MemberKind::Person).collect();
    let is_by_need = state.settings.order == Order::Need;
    agents.sort_by_cached_key(|agent| {
        (is_by_need.then(|| work_rank(state, agent)), natural::key(agent.name.as_str()))
    });
    agents
}

/// How early an agent stands in a list.
pub fn work_rank(state: &State, agent: &Agent) -> u8 {
    let has_need = state
        .mirror()
        .attention_of(&agent.scope)
        .iter()
        .any(|item| item.subject == agent.target.to_string())
        || questions::of_agent(state, &agent.target).is_some();
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

fn agents(state: &State, scope: &Scope, lines: &mut Vec<NavId>) {
    lines.extend(members(state, scope).iter().map(|agent| NavId::Agent(agent.target.clone())));
}

fn global(state: &State, lines: &mut Vec<NavId>) {
    let scope = Scope::global();
    lines.push(NavId::Heading("GLOBAL"));
    let channel = state.mirror().group(&scope, &Conversation::Channel);
    let agents_there = members(state, &scope);
    if channel.is_none_or(|channel| channel.messages == 0) && agents_there.is_empty() {
        lines.push(NavId::Nothing("none yet"));
        return;
    }
    lines.push(NavId::Channel(scope.clone()));
    agents(state, &scope, lines);
}

fn direct(state: &State, lines: &mut Vec<NavId>) {
    let mut talks: Vec<&Group> = state
        .mirror()
        .groups()
        .filter(|group| group.name != Conversation::Channel && group.messages > 0)
        .collect();
    if talks.is_empty() {
        return;
    }
    if state.settings.order == Order::Need {
        talks.sort_by_key(|group| std::cmp::Reverse(group.last_seq));
    }
    lines.push(NavId::Heading("DIRECT"));
    lines.extend(talks.iter().map(|group| NavId::Talk(group.scope.clone(), group.name.clone())));
}
