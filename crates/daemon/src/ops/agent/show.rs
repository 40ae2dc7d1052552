//! Lists and shows members.

use std::collections::HashMap;

use agent_worker_protocol::{
    AgentDetail, AgentList, AgentShow, AgentState, Agents, MemberKind, SessionId, Target, Team,
    TeamMember, TeamMembers, ToolSet,
};

use crate::{
    context::{Cx, Run},
    entities::{agent, run, schedule},
    error::Result,
    ops::list,
    rows::{AgentRow, RunRow, WorkflowRow, agent::changing::OwnStatus, session},
    rules::{self, offer},
};

impl Run for AgentList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agents> {
        let rows = match &cx.target {
            None if cx.is_person() => AgentRow::all(cx.db)?,
            Some(Target { name: Some(name), .. }) => {
                vec![AgentRow::by_name(cx.db, &cx.scope()?, name)?]
            }
            _ => {
                let scope = cx.listed_scope()?;
                AgentRow::of_scope(cx.db, scope.map_or_else(|| cx.scope(), Ok)?.id)?
            }
        };
        let agents = rows.iter().map(|row| row.entity(cx.db)).collect::<Result<Vec<_>, _>>()?;
        let mut runs = RunRow::live(cx.db)?;
        runs.retain(|run| agents.iter().any(|agent| agent.run == Some(run.id)));
        Ok(Agents { agents, runs: runs.iter().map(RunRow::entity).collect() })
    }
}

impl Run for AgentShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<AgentDetail> {
        let row = cx.locate_member(&self.target)?;
        let config = row.config(cx.db)?;
        let scope = WorkflowRow::by_id(cx.db, row.scope_id)?;
        let mut tools = Vec::new();
        if row.works() {
            let offered = offer::offered_to(cx, &row)?;
            let all = list::ALL.iter().map(|op| op.signature);
            tools.extend(all.filter(|op| op.is_tool).map(|op| op.name.to_owned()));
            // Some tools of a home are the worker's, the others are among the daemon's.
            for tool in ToolSet::HOME {
                if !tools.iter().any(|known| known == tool) {
                    tools.push(tool.to_owned());
                }
            }
            tools.retain(|tool| offered.has(tool));
        }
        let mail = row.changing(cx.db)?;
        let backend = rules::session::backend(&row);
        let session = session::main(cx.db, row.id, backend, scope.generation)?;
        // A run without a folder or a home of its agent works in the folder of the workflow.
        let is_of_scope = row.kind == MemberKind::Agent && row.home.is_none();
        let folder = scope.folder.filter(|_| is_of_scope);
        Ok(AgentDetail {
            agent: row.entity(cx.db)?,
            origin: row.origin,
            hired: row.depth > 0,
            created_at: row.created_at(cx.db)?,
            paused_at: row.paused_at,
            system: row.system(cx.db)?,
            cwd: config.cwd.or(folder),
            home: row.home.clone(),
            env: config.env,
            timeout: config.timeout.unwrap_or(cx.settings.runs.total),
            attempts: cx.settings.runs.attempts,
            tools,
            limits: scope.limits,
            schedules: schedule::of_agent(cx.db, row.id)?,
            held: mail.held,
            dead: mail.dead,
            session: session.map(|main| session::by_id(cx.db, SessionId::new(main))).transpose()?,
            runs: run::newest_of_agent(cx.db, row.id, 10)?,
        })
    }
}

impl Run for TeamMembers {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Team> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        let team = AgentRow::team(cx.db, scope.id)?;
        let states = agent::states(cx.db, scope.id, &team)?;
        let said = AgentRow::statuses(cx.db, scope.id)?;
        let mut said: HashMap<i64, OwnStatus> = said.into_iter().map(|it| (it.agent, it)).collect();
        let member = |(row, state): (&AgentRow, AgentState)| {
            let said = said.remove(&row.id);
            TeamMember {
                you: row.id == me.id,
                name: row.name.clone(),
                display_name: row.display_name.clone(),
                role: row.role.clone(),
                kind: row.kind,
                state,
                status: said.as_ref().and_then(|said| said.status.clone()),
                task: said.and_then(|said| said.task),
            }
        };
        let members = team.iter().zip(states).map(member).collect();
        Ok(Team { scope: scope.scope, members, more: None })
    }
}
