//! One message with all that became of it.

use agent_worker_protocol::{
    DeliveryDetail, MemberKind, Message, MessageDetail, MessageId, MessageShow, Name, Reader,
    Run as RunEntity, RunId,
};

use crate::{
    context::{Cx, Run, limit},
    error::Result,
    rows::{
        self, AgentRow, ConversationRow, DeliveryRow, RunRow, delivery,
        message::{Inside, RUNS},
    },
    rules::access::message,
};

/// How many runs are told of one message.
const MOST_RUNS: u32 = 100;

impl Run for MessageShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<MessageDetail> {
        let seq = self.id.number();
        let missing = || rows::message::missing(self.id);
        let (group, inside) = message::find(cx, seq)?.ok_or_else(missing)?;
        let message = rows::message::by_seq(cx.db, seq)?;
        let sent_by = message.run.map_or(Ok(None), |run| RunRow::find(cx.db, run))?;
        let (runs, more_runs) = runs(cx, &inside, seq)?;
        let known = known(cx, &group, &inside, delivery::of_message(cx.db, group.id, seq)?)?;
        Ok(MessageDetail {
            read_by: readers(cx, &group, &known, &runs, &message)?,
            deliveries: known.iter().map(detail).collect(),
            message,
            bytes: inside.bytes,
            root: MessageId::new(inside.root),
            sent_by: sent_by.map(|run| run.entity()),
            runs,
            more_runs,
        })
    }
}

pub fn runs(cx: &Cx<'_>, inside: &Inside, seq: i64) -> Result<(Vec<RunEntity>, bool)> {
    let ids: Vec<RunId> = cx.db.all(RUNS, (inside.root, seq, MOST_RUNS + 1))?;
    let (ids, more) = limit::cut(ids, MOST_RUNS);
    let runs = ids.into_iter().map(|id| Ok(RunRow::by_id(cx.db, id)?.entity()));
    Ok((runs.collect::<Result<_>>()?, more))
}

/// The deliveries that the caller may see. The user sees all, and a member its own. The sender sees
/// all of its message, as it was told of them.
pub fn known(
    cx: &Cx<'_>,
    group: &ConversationRow,
    inside: &Inside,
    rows: Vec<DeliveryRow>,
) -> Result<Vec<(AgentRow, DeliveryRow)>> {
    let me = if cx.is_person() { None } else { cx.member_in(group.scope_id)?.map(|me| me.id) };
    let is_known =
        |row: &DeliveryRow| me.is_none_or(|me| row.agent == me || inside.sender == Some(me));
    rows.into_iter()
        .filter(is_known)
        .map(|row| Ok((AgentRow::by_id(cx.db, row.agent)?, row)))
        .collect()
}

fn detail((agent, row): &(AgentRow, DeliveryRow)) -> DeliveryDetail {
    DeliveryDetail { delivery: row.entity(agent), marked_at: row.marked_at }
}

pub fn readers(
    cx: &Cx<'_>,
    group: &ConversationRow,
    known: &[(AgentRow, DeliveryRow)],
    runs: &[RunEntity],
    message: &Message,
) -> Result<Vec<Reader>> {
    let mut readers = Vec::new();
    let is_persons = message.sender_kind == MemberKind::Person;
    if !is_persons && group.entity(cx.db)?.read_seq >= message.seq {
        readers.push(Reader { name: Name::person(), run: None, at: None });
    }
    for (agent, _) in known.iter().filter(|(agent, _)| agent.kind != MemberKind::Person) {
        if let Some(run) = runs.iter().find(|run| run.agent == agent.target()) {
            let at = Some(run.started_at).filter(|at| *at >= message.created_at);
            readers.push(Reader { name: agent.name.clone(), run: Some(run.id), at });
        }
    }
    Ok(readers)
}
