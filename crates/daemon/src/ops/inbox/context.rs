//! What a run is given to work with: `context_take`.

use agent_worker_protocol::{
    agent::TeamMembers,
    channel::ChannelRead,
    context::{Context, ContextTake},
    document::DocRead,
    error::ErrorCode,
    id::RunId,
    inbox::{EarlierCall, InboxPage, MyInbox},
};

use crate::{
    context::{
        cx::{Cx, Who},
        run::Run,
    },
    error::OpError,
    rows::{run::RunRow, transcript},
};

/// How much a run is told of the calls of earlier attempts, in bytes.
const MOST_EARLIER: usize = 16 << 10;

/// What a call takes beside its name and its arguments, in bytes.
const CALL: usize = 64;

impl Run for ContextTake {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Context, OpError> {
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
            add_earlier(cx, run, &mut inbox)?;
        }
        let channel = ChannelRead::of_prompt().run(cx)?;
        let document = match DocRead::of_prompt().run(cx) {
            Err(OpError::Refused(_)) => None,
            document => Some(document?),
        };
        let team = TeamMembers {}.run(cx)?;
        Ok(Context { inbox, channel, document, team })
    }
}

/// Adds the newest calls that the attempts before this run made, oldest first.
fn add_earlier(cx: &Cx<'_>, run: &RunRow, inbox: &mut InboxPage) -> Result<(), OpError> {
    const MOST_ATTEMPTS: usize = 5;
    let (mut calls, mut made) = (Vec::new(), 0);
    let mut earlier = run.retry_of;
    for _ in 0..MOST_ATTEMPTS {
        let Some(id) = earlier.map(RunId::new) else { break };
        calls.extend(transcript::newest_calls(cx.db, id, MOST_EARLIER / CALL)?);
        made += transcript::count_calls(cx.db, id)?;
        earlier = RunRow::find(cx.db, id)?.and_then(|run| run.retry_of);
    }
    let mut bytes = 0;
    let fits = |call: &&EarlierCall| {
        bytes += CALL + call.tool.len() + call.arguments.len();
        bytes <= MOST_EARLIER
    };
    let fit = calls.iter().take_while(fits).count();
    calls.truncate(fit);
    calls.reverse();
    inbox.earlier_omitted = made - i64::try_from(calls.len()).unwrap_or(made);
    inbox.earlier = calls;
    Ok(())
}
