//! One question to one agent: a direct message that gets a run for itself.

use agent_worker_protocol::{Ask, Intent, MemberKind, Reason, Wanted, run::Asked};

use crate::{
    changes::{
        message::{conversation, post},
        run::session,
    },
    context::{Cx, Run},
    error::{OpError, Result},
    ops::message::send,
    rows::{AgentRow, NewChatMessage, WorkflowRow, workflow},
    rules::{budget, draft::Draft, hint},
};

impl Run for Ask {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Asked> {
        cx.operator_only("asking")?;
        let agent = cx.locate_member(&self.agent)?;
        let scope = WorkflowRow::by_id(cx.db, agent.scope_id)?;
        check(&agent, &scope)?;
        budget::check_open(cx, &scope, &format!("`{}` would not answer", agent.target()))?;
        let person = AgentRow::by_name(cx.db, &scope, &agent_worker_protocol::Name::person())?;
        let group = conversation::direct(cx, &person, &agent)?;
        let session = session::chat(cx, &agent, &scope, self)?;
        let draft = Draft {
            sender: Some(&person),
            intent: Intent::Request,
            recipients: vec![(agent, Reason::To)],
            solo: true,
            ..Draft::new(&scope, &group, &self.message)
        };
        let sent = send::sent(post::post(cx, &draft)?, draft.mentions, &[]);
        if let Some(session) = session {
            cx.db.insert(&NewChatMessage { message: sent.seq, session })?;
        }
        Ok(Asked { sent, session })
    }
}

/// Refuses a question that would wait for something the asker does not see.
pub fn check(agent: &AgentRow, scope: &WorkflowRow) -> Result<()> {
    let target = agent.target();
    let rest = hint::of_rest(scope, agent);
    match agent.wanted {
        _ if agent.kind == MemberKind::Person => {
            Err(OpError::invalid(format!("`{target}` is the user, not an agent")))
        }
        _ if agent.kind == MemberKind::External => {
            Err(OpError::invalid(format!("`{target}` is external: the daemon cannot start it"))
                .hint(format!("agent-worker send {target} MESSAGE")))
        }
        Wanted::Stopped => Err(OpError::conflict(format!("`{target}` is stopped")).hint(rest)),
        Wanted::Paused => {
            let reason = agent.paused_reason.as_deref().unwrap_or("no reason was given");
            Err(OpError::conflict(format!("`{target}` is paused: {reason}")).hint(rest))
        }
        Wanted::Active if !scope.takes_work() => {
            let state = workflow::word(scope.state);
            let text = format!("{} is {state}: `{target}` would not answer", scope.scope);
            Err(OpError::conflict(text).hint(hint::of_state(scope)))
        }
        Wanted::Active => Ok(()),
    }
}
