//! What a run is given to work with: `context_take`.

use agent_worker_protocol::{
    ChannelRead, Context, ContextTake, DocRead, ErrorCode, MyInbox, TeamMembers,
};

use crate::{
    context::{Cx, Run, Who},
    error::{OpError, Result},
    ops::inbox::earlier,
};

/// How many members of a team a prompt lists. `team_members` lists more.
const MOST_MEMBERS: usize = 100;

impl Run for ContextTake {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Context> {
        let refuse = match &cx.who {
            Who::Run(run) if run.id == self.id => None,
            Who::Run(_) => Some(ErrorCode::Denied),
            _ => Some(ErrorCode::Conflict),
        };
        if let Some(code) = refuse {
            let text = format!("only {} itself takes its messages", self.id);
            let hint = format!("agent-worker logs {}", self.id);
            return Err(OpError::refused(code, text).hint(hint));
        }
        let mut inbox = MyInbox::in_full().run(cx)?;
        if let Who::Run(run) = &cx.who {
            earlier::add(cx, run, &mut inbox)?;
        }
        let channel = ChannelRead::of_prompt().run(cx)?;
        let document = match DocRead::of_prompt().run(cx) {
            Err(OpError::Refused(_)) => None,
            document => Some(document?),
        };
        let team = TeamMembers {}.run(cx)?.at_most(MOST_MEMBERS);
        Ok(Context { inbox, channel, document, team })
    }
}
