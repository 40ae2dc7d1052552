//! What a run is told of the calls of earlier attempts, so that it can go on instead of doing them
//! twice.

use agent_worker_protocol::{
    Backend, BlockKind, EarlierCall, InboxPage, RunId,
    question::{DENIED, UNDONE},
};

use crate::{
    context::Cx,
    error::Result,
    rows::{
        RunRow,
        transcript::{self, ToolBlock},
    },
};

/// How much a run is told of the calls of earlier attempts, in bytes.
const MOST_EARLIER: usize = 16 << 10;

/// What a call takes beside its name and its arguments, in bytes.
const CALL: usize = 64;

/// Adds the newest calls that the attempts before this run made, oldest first.
pub fn add(cx: &Cx<'_>, run: &RunRow, inbox: &mut InboxPage) -> Result<()> {
    const MOST_ATTEMPTS: usize = 5;
    let (mut calls, mut made) = (Vec::new(), 0);
    let mut earlier = run.retry_of;
    for _ in 0..MOST_ATTEMPTS {
        let Some(id) = earlier.map(RunId::new) else { break };
        let Some(attempt) = RunRow::find(cx.db, id)? else { break };
        let (newest, unmade) = made_in(cx, &attempt)?;
        calls.extend(newest.into_iter().rev());
        made += transcript::count_calls(cx.db, id)? - unmade;
        earlier = attempt.retry_of;
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

/// The newest calls that an attempt made, oldest first, and how many calls it ended before. Our own
/// loop opens the block of a result when the call begins, so it has not made a call without one. An
/// agent program tells a result when the call is over, and those of calls side by side in any
/// order.
fn made_in(cx: &Cx<'_>, attempt: &RunRow) -> Result<(Vec<EarlierCall>, i64)> {
    // An answer for each call.
    let blocks = transcript::newest_tools(cx.db, attempt.id, 2 * MOST_EARLIER / CALL)?;
    let backend = attempt.backend.as_deref().and_then(|name| name.parse::<Backend>().ok());
    let is_own = backend.unwrap_or_default() == Backend::Default;
    // A full transcript ends with a notice, and does not have the results after that.
    let is_full = transcript::newest_kind(cx.db, attempt.id)? == Some(BlockKind::Notice);
    let (mut newest, mut unmade) = (Vec::new(), 0);
    for (call, answer) in answered(attempt.id, blocks) {
        let says_so = |text: &String| text.starts_with(DENIED) && text.contains(UNDONE);
        let denied = is_own && answer.as_ref().is_some_and(says_so);
        if is_own && !is_full && answer.is_none() {
            unmade += 1;
        } else {
            newest.push(EarlierCall { denied, ..call });
        }
    }
    Ok((newest, unmade))
}

/// Calls, oldest first, each with how its answer begins if it has one, among blocks that begin with
/// the newest. An answer belongs to the first call of its tool that has none.
fn answered(run: RunId, blocks: Vec<ToolBlock>) -> Vec<(EarlierCall, Option<String>)> {
    let mut calls: Vec<(EarlierCall, Option<String>)> = Vec::new();
    for ToolBlock { kind, name, text } in blocks.into_iter().rev() {
        let tool = name.unwrap_or_default();
        if kind == BlockKind::ToolCall {
            calls.push((EarlierCall { run, tool, arguments: text, denied: false }, None));
        } else if let Some((_, answer)) =
            calls.iter_mut().find(|(call, answer)| answer.is_none() && call.tool == tool)
        {
            *answer = Some(text);
        }
    }
    calls
}
