//! What an operation runs in: one transaction, who calls, what time it is, and what it announces.

use std::{collections::BTreeSet, sync::Arc};

use agent_worker_protocol::{
    Event, EventBody, Name, RunId, Scope, Target, Timestamp, error::LEAVE_AS_OUT,
};
use rusqlite::Connection;

use crate::{
    clock::Stopwatch,
    context::{Credential, Surroundings},
    error::{OpError, Result},
    rows::{AgentRow, Db, RunRow, WorkflowRow, event, member_token},
    settings::Settings,
};

#[derive(Debug, Clone)]
pub enum Who {
    Daemon,
    /// The person, or a member in whose name the person acts.
    Operator {
        /// Whose name; the person's own if none
        member: Option<Name>,
    },
    Run(Box<RunRow>),
}

/// One operation at work.
pub struct Cx<'a> {
    pub conn: &'a Connection,
    /// The tables in it
    pub db: Db<'a>,
    /// The one time that this operation knows
    pub now: Timestamp,
    /// Started with the daemon; the time of day may be set meanwhile
    pub uptime: Stopwatch,
    pub settings: &'a Settings,
    /// Whether the last change could not be saved because the disk was full
    pub is_disk_full: bool,
    pub who: Who,
    /// Whether an agent's tool is called, rather than a command
    pub calls_tool: bool,
    /// Where the caller said to act
    pub target: Option<Target>,
    /// The name of the scope in which the caller acts
    pub default_scope: Scope,
    pub by: By,
    pub events: Vec<Event>,
    /// Whose entities are announced when the transaction ends
    pub touched: BTreeSet<Touched>,
    /// Workflows that are judged when the operation is over
    pub judged: BTreeSet<i64>,
}

/// Who did something, as it stands in the feed.
#[derive(Debug, Clone)]
pub struct By {
    pub actor: Arc<str>,
    pub run: Option<RunId>,
}

impl By {
    fn of(who: &Who) -> Self {
        match who {
            Who::Daemon => Self { actor: "daemon".into(), run: None },
            Who::Operator { member: None } => Self { actor: "operator".into(), run: None },
            Who::Operator { member: Some(name) } => Self { actor: name.as_str().into(), run: None },
            Who::Run(run) => Self { actor: run.agent_name.as_str().into(), run: Some(run.id) },
        }
    }
}

/// An entity that may have changed, by the number of its row. They are announced in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    Conversation(i64),
    Agent(i64),
    Workflow(i64),
    /// What needs the person in a workflow
    Attention(i64),
}

/// The name beside a token is for people to read; where it is given, it must be the token's.
fn check_agent(holder: &Target, said: Option<&Target>) -> Result<()> {
    let Some(said) = said else { return Ok(()) };
    let scope = holder.scope_or(&Scope::global());
    if said.name == holder.name && said.scope_or(&scope) == scope {
        return Ok(());
    }
    Err(OpError::denied(format!("this token is of `{holder}`, not of `{said}`")))
}

/// Refusal of the user who acts as someone that the scope does not have.
pub fn not_a_member(name: &Name, scope: &Scope) -> OpError {
    OpError::denied(scope.lacks(name)).hint(format!("agent-worker list {scope}"))
}

/// A token acts in its own scope alone.
fn check_scope(what: &str, own: &Scope, target: Option<&Target>) -> Result<()> {
    let Some(wanted) = target.map(|target| target.scope_or(own)) else { return Ok(()) };
    if wanted == *own {
        return Ok(());
    }
    Err(OpError::denied(format!("this {what} belongs to {own}, not {wanted}")))
}

impl<'a> Cx<'a> {
    /// Looks the caller up. A run must be live and not at its end.
    pub fn open(
        conn: &'a Connection,
        db: Db<'a>,
        around: &'a Surroundings,
        credential: &Credential,
    ) -> Result<Self> {
        let (credential, calls_tool) = match credential {
            Credential::Tool(caller) => (caller.as_ref(), true),
            caller => (caller, matches!(caller, Credential::Run { .. })),
        };
        let (who, target, own) = match credential {
            Credential::Tool(_) => return Err(OpError::Broken("a tool in a tool".to_owned())),
            Credential::Daemon => (Who::Daemon, None, Scope::global()),
            Credential::Operator { target, member } => {
                let who = Who::Operator { member: member.clone() };
                (who, target.clone(), Scope::global())
            }
            Credential::Run { token_hash, target, agent } => {
                // Most calls are of runs.
                if let Some(run) = RunRow::by_token(db, token_hash)? {
                    check_agent(&run.target(), agent.as_ref())?;
                    let scope = run.scope.clone();
                    check_scope("run", &scope, target.as_ref())?;
                    (Who::Run(Box::new(run)), target.clone(), scope)
                } else if let Some(member) = member_token::holder(db, token_hash)? {
                    check_agent(&member.target(), agent.as_ref())?;
                    check_scope("member", &member.scope, target.as_ref())?;
                    let who = Who::Operator { member: Some(member.name) };
                    // Its scope is named, so that a member with the same name in another does not
                    // match.
                    let name = target.as_ref().and_then(|target| target.name.clone());
                    let target = Target { name, scope: Some(member.scope.clone()) };
                    (who, Some(target), member.scope)
                } else {
                    return Err(OpError::unauthorized("invalid token"));
                }
            }
        };
        let default_scope = target.as_ref().map_or_else(|| own.clone(), |t| t.scope_or(&own));
        Ok(Self {
            conn,
            db,
            now: around.clock.now(),
            uptime: around.uptime,
            settings: &around.settings,
            is_disk_full: around.is_disk_full(),
            by: By::of(&who),
            who,
            calls_tool,
            target,
            default_scope,
            events: Vec::new(),
            touched: BTreeSet::new(),
            judged: BTreeSet::new(),
        })
    }

    /// The scope in which the caller acts.
    pub fn scope(&self) -> Result<WorkflowRow> {
        WorkflowRow::by_name(self.db, &self.default_scope)
    }

    /// The number of a scope that exists.
    pub fn scope_id(&self, scope: &Scope) -> Result<i64> {
        Ok(WorkflowRow::by_name(self.db, scope)?.id)
    }

    /// The live run that calls.
    pub fn run(&self) -> Option<&RunRow> {
        match &self.who {
            Who::Run(run) => Some(run),
            _ => None,
        }
    }

    /// The member that calls, or in whose name the operator acts.
    pub fn member(&self) -> Result<AgentRow> {
        match &self.who {
            Who::Run(run) => AgentRow::by_id(self.db, run.agent),
            Who::Operator { member } => {
                let scope = self.scope()?;
                let name = member.clone().unwrap_or_else(Name::person);
                AgentRow::by_name(self.db, &scope, &name)
            }
            Who::Daemon => Err(OpError::Broken("the daemon is not a member".to_owned())),
        }
    }

    /// The person's own place in a scope.
    pub fn person_of(&self, scope: i64) -> Result<AgentRow> {
        AgentRow::by_name(self.db, &WorkflowRow::by_id(self.db, scope)?, &Name::person())
    }

    /// The caller's place in a scope: its own, the person's, or that of the member in whose name
    /// the person acts. None where it has none, or said to act elsewhere.
    pub fn member_in(&self, scope: i64) -> Result<Option<AgentRow>> {
        match &self.who {
            Who::Run(run) if run.scope_id == scope => AgentRow::by_id(self.db, run.agent).map(Some),
            Who::Run(_) | Who::Daemon => Ok(None),
            Who::Operator { member } => {
                let is_elsewhere =
                    self.target.is_some() && !self.is_person() && self.scope()?.id != scope;
                if is_elsewhere {
                    return Ok(None);
                }
                let name = member.as_ref().map_or(Name::PERSON, Name::as_str);
                AgentRow::find(self.db, scope, name)
            }
        }
    }

    /// The scope whose things a list has, in which the caller is a member; none for the person who
    /// named no scope: then those of all.
    pub fn listed_scope(&self) -> Result<Option<WorkflowRow>> {
        if self.is_person() {
            return if self.target.is_some() { self.scope().map(Some) } else { Ok(None) };
        }
        self.member()?;
        self.scope().map(Some)
    }

    /// What to do next: a tool for its caller, a command for the user.
    pub fn either<'t>(&self, tool: &'t str, command: &'t str) -> &'t str {
        if self.calls_tool { tool } else { command }
    }

    /// Whether the person calls in no other's name, or the daemon: they may read everything.
    pub fn is_person(&self) -> bool {
        match &self.who {
            Who::Operator { member } => {
                member.as_ref().is_none_or(|name| name.as_str() == Name::PERSON)
            }
            Who::Daemon => true,
            Who::Run(_) => false,
        }
    }

    /// Refuses agents, and the operator acting as one: it may not do more than that agent.
    pub fn operator_only(&self, what: &str) -> Result<()> {
        self.operator_or("the user", what)
    }

    /// The same for what others may do too: `who` names everyone who may.
    pub fn operator_or(&self, who: &str, what: &str) -> Result<()> {
        match &self.who {
            Who::Run(run) => Err(OpError::denied(format!(
                "{what}: only {who} can do this, and this is a run of {}",
                run.agent_name
            ))),
            Who::Operator { member: Some(name) } if !self.is_person() => Err(OpError::denied(
                format!("{what}: only {who} can do this, and you act as {name}"),
            )
            .hint(self.either("ask your user", LEAVE_AS_OUT))),
            _ => Ok(()),
        }
    }

    /// A target of the caller's, with its scope. Callers that are not members of the scope are
    /// refused.
    pub fn locate(&self, target: &Target) -> Result<(WorkflowRow, Option<Name>)> {
        let scope = target.scope_or(&self.default_scope);
        if let Who::Run(run) = &self.who
            && run.scope != scope
        {
            return Err(OpError::denied(format!("this run belongs to {}, not {scope}", run.scope)));
        }
        let row = WorkflowRow::by_name(self.db, &scope)?;
        if let Who::Operator { member: Some(name) } = &self.who
            && !self.is_person()
            && self.member_in(row.id)?.is_none()
        {
            return Err(not_a_member(name, &scope));
        }
        Ok((row, target.name.clone()))
    }

    /// The member that a target names.
    pub fn locate_member(&self, target: &Target) -> Result<AgentRow> {
        let (scope, name) = self.locate(target)?;
        let Some(name) = name else {
            return Err(OpError::invalid(format!("{} is a workflow, not an agent", scope.scope)));
        };
        AgentRow::by_name(self.db, &scope, &name)
    }

    /// Announces a change: a row of the feed, in this transaction.
    pub fn emit(&mut self, scope: &Scope, body: EventBody) -> Result<()> {
        self.emit_of_run(scope, None, body)
    }

    /// Announces a change that belongs to a run; to the caller's if none is named.
    pub fn emit_of_run(
        &mut self,
        scope: &Scope,
        run: Option<RunId>,
        body: EventBody,
    ) -> Result<()> {
        let (run, actor) = (run.or(self.by.run), self.by.actor.to_string());
        self.events.push(event::insert(self.db, self.now, scope, run, actor, body)?);
        Ok(())
    }

    /// The member's entity may have changed.
    pub fn touch_agent(&mut self, id: i64) {
        self.touched.insert(Touched::Agent(id));
    }

    /// The conversation's entity may have changed.
    pub fn touch_conversation(&mut self, id: i64) {
        self.touched.insert(Touched::Conversation(id));
    }

    /// The workflow's entity has changed.
    pub fn touch_scope(&mut self, id: i64) {
        self.touched.insert(Touched::Workflow(id));
    }

    /// What the workflow waits for may have changed: judge at the end whether it goes on.
    pub fn judge(&mut self, scope: i64) {
        self.judged.insert(scope);
    }

    /// What needs the person in this scope may have changed.
    pub fn touch_attention(&mut self, scope: i64) {
        self.touched.insert(Touched::Attention(scope));
    }
}
