//! What can be seen of a team in the tables, and what must always hold there.

use std::{collections::HashMap, fmt::Debug, str::FromStr};

use agent_worker_protocol::{
    Agent, Delivery, DeliveryState, FailureClass, Intent, Limits, MemberKind, Mode, Reason,
    RunKind, RunState, Wanted, WorkflowState,
};
use rusqlite::{Connection, Row, types::FromSql};
use serde::de::DeserializeOwned;

use crate::{
    context::cx::Cx,
    error::OpError,
    ops::tests::model::{
        seen::{Seen, SeenMail, SeenMember, SeenMessage, SeenRun, SeenTalk, SeenWorkflow, Which},
        team::Held,
    },
    rows::{agent::AgentRow, delivery},
};

/// The places of rows in the order in which they were made, by their numbers.
type Places = HashMap<i64, usize>;

fn place(places: &Places, id: i64) -> usize {
    places.get(&id).copied().unwrap_or(usize::MAX)
}

fn run_place(id: i64) -> usize {
    usize::try_from(id - 1).unwrap_or(usize::MAX)
}

fn word<T: FromStr<Err: Debug>>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    Ok(row.get::<_, String>(column)?.parse().unwrap())
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    Ok(serde_json::from_str(&row.get::<_, String>(column)?).unwrap())
}

fn rows<T>(
    conn: &Connection,
    sql: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, OpError> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([], read)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

fn places(conn: &Connection, sql: &str) -> Result<Places, OpError> {
    let ids = rows(conn, sql, |row| row.get::<_, i64>(0))?;
    Ok(ids.into_iter().enumerate().map(|(place, id)| (id, place)).collect())
}

fn members(conn: &Connection) -> Result<Places, OpError> {
    places(conn, "SELECT id FROM agents WHERE scope = 2 ORDER BY id")
}

/// What the tables show of the team's scope (the scope beside `@global`), and a snapshot of its
/// agents.
pub fn seen(cx: &Cx<'_>, after: i64, shown: &[Agent]) -> Result<Seen, OpError> {
    let conn = cx.conn;
    let members = members(conn)?;
    let talks = places(conn, "SELECT id FROM groups WHERE scope = 2 ORDER BY id")?;
    Ok(Seen {
        workflow: workflow(conn)?,
        members: seen_members(conn, shown)?,
        talks: seen_talks(conn)?,
        messages: messages(conn, after, &members, &talks)?,
        mail: mail(conn, Which::Unfinished)?,
        runs: runs(conn, &members, &talks)?,
    })
}

fn workflow(conn: &Connection) -> Result<Option<SeenWorkflow>, OpError> {
    let sql = "SELECT mode, state, generation, limits, tokens_used, cost_used, runs_used,
                   duration_used, running_since FROM workflows WHERE id = 2";
    let mut found = rows(conn, sql, |row| {
        Ok(SeenWorkflow {
            mode: word::<Mode>(row, 0)?,
            state: word::<WorkflowState>(row, 1)?,
            generation: row.get(2)?,
            limits: json::<Limits>(row, 3)?,
            tokens: row.get(4)?,
            cents: row.get::<_, i64>(5)? / 10_000,
            runs: row.get(6)?,
            running_for: row.get(7)?,
            running_since: row.get(8)?,
        })
    })?;
    Ok(found.pop())
}

fn seen_members(conn: &Connection, shown: &[Agent]) -> Result<Vec<SeenMember>, OpError> {
    let sql =
        "SELECT name, kind, removed_at IS NOT NULL, wanted, not_before, woken, status, unread,
                   held, dead
         FROM agents JOIN agent_counts ON agent = id WHERE scope = 2 ORDER BY id";
    rows(conn, sql, |row| {
        let (name, is_removed): (String, bool) = (row.get(0)?, row.get(2)?);
        let is_it = |agent: &&Agent| agent.name.as_str() == name && !agent.scope.is_global();
        let state = shown.iter().find(is_it).filter(|_| !is_removed).map(|agent| agent.state);
        Ok(SeenMember {
            name,
            kind: word::<MemberKind>(row, 1)?,
            is_removed,
            wanted: word::<Wanted>(row, 3)?,
            not_before: row.get(4)?,
            is_woken: row.get(5)?,
            label: row.get(6)?,
            counts: [row.get(7)?, row.get(8)?, row.get(9)?],
            state,
        })
    })
}

fn seen_talks(conn: &Connection) -> Result<Vec<SeenTalk>, OpError> {
    let sql = "SELECT g.kind = 'channel' AS is_channel, g.closed_at IS NOT NULL AS is_closed,
                   g.messages, g.last_seq, coalesce(m.last_read_seq, 0) AS read_seq,
                   coalesce(m.read_messages + m.own_later, 0) AS read_messages
               FROM groups AS g LEFT JOIN group_members AS m ON m.group_id = g.id
                   AND m.agent = (SELECT id FROM agents WHERE scope = 2 AND kind = 'person')
               WHERE g.scope = 2 ORDER BY g.id";
    rows(conn, sql, |row| {
        Ok(SeenTalk {
            is_channel: row.get(0)?,
            is_closed: row.get(1)?,
            messages: row.get(2)?,
            last_seq: row.get(3)?,
            read_seq: row.get(4)?,
            read_messages: row.get(5)?,
        })
    })
}

fn messages(
    conn: &Connection,
    after: i64,
    members: &Places,
    talks: &Places,
) -> Result<Vec<SeenMessage>, OpError> {
    let sql = "SELECT group_id, sender_agent, run, intent, mentions, hop, root, reply_to,
                   iif(sender_agent IS NULL, '', content)
               FROM messages WHERE seq > ?1 ORDER BY seq";
    let mut statement = conn.prepare_cached(sql)?;
    let seen = statement.query_map([after], |row| {
        Ok(SeenMessage {
            talk: place(talks, row.get(0)?),
            sender: row.get::<_, Option<i64>>(1)?.map(|id| place(members, id)),
            run: row.get::<_, Option<i64>>(2)?.map(run_place),
            is_request: word::<Intent>(row, 3)? == Intent::Request,
            calls_all: json::<serde_json::Value>(row, 4)?["all"] == true,
            hop: row.get(5)?,
            root: row.get(6)?,
            reply_to: row.get(7)?,
            text: row.get(8)?,
        })
    })?;
    Ok(seen.collect::<Result<_, _>>()?)
}

/// Why mail is held, by the first word of its reason.
fn held(reason: &str) -> Held {
    let known = [
        ("hops", Held::Hops),
        ("pair rate", Held::Pair),
        ("repetition", Held::Repetition),
        ("runs", Held::Runs),
        ("budget", Held::Budget),
        ("cancelled", Held::Cancelled),
        ("lost", Held::Lost),
    ];
    let found = known.iter().find(|(word, _)| reason.starts_with(word));
    found.unwrap_or_else(|| panic!("nobody knows why mail is held for `{reason}`")).1
}

/// Mail by its recipients.
pub fn mail(conn: &Connection, which: Which) -> Result<Vec<SeenMail>, OpError> {
    let members = members(conn)?;
    let which = match which {
        Which::All => "",
        Which::Unfinished => "WHERE state NOT IN ('acked', 'dropped')",
    };
    let sql = format!(
        "SELECT agent, seq, state, reason, wakes, solo, run, attempts, lost_count, marked_by,
             not_before, held_reason, released, hop, root
         FROM deliveries {which} ORDER BY agent, seq"
    );
    rows(conn, &sql, |row| {
        Ok(SeenMail {
            to: place(&members, row.get(0)?),
            seq: row.get(1)?,
            state: word::<DeliveryState>(row, 2)?,
            reason: word::<Reason>(row, 3)?,
            wakes: row.get(4)?,
            is_solo: row.get(5)?,
            run: row.get::<_, Option<i64>>(6)?.map(run_place),
            attempts: row.get(7)?,
            lost: row.get(8)?,
            marked_by: row.get::<_, Option<i64>>(9)?.map(run_place),
            not_before: row.get(10)?,
            held: row.get::<_, Option<String>>(11)?.as_deref().map(held),
            is_released: row.get(12)?,
            hop: row.get(13)?,
            root: row.get(14)?,
        })
    })
}

fn runs(conn: &Connection, members: &Places, talks: &Places) -> Result<Vec<SeenRun>, OpError> {
    let sql =
        "SELECT agent, kind, generation, group_id, cause, attempt, retry_of, hop, root, state,
                   class, end_by, input_tokens, cost, ended_at FROM runs ORDER BY id";
    rows(conn, sql, |row| {
        Ok(SeenRun {
            member: place(members, row.get(0)?),
            kind: word::<RunKind>(row, 1)?,
            generation: row.get(2)?,
            talk: place(talks, row.get(3)?),
            cause: row.get(4)?,
            attempt: row.get(5)?,
            before: row.get::<_, Option<i64>>(6)?.map(run_place),
            hop: row.get(7)?,
            root: row.get(8)?,
            state: word::<RunState>(row, 9)?,
            class: row
                .get::<_, Option<String>>(10)?
                .map(|class| class.parse::<FailureClass>().unwrap()),
            end_by: row.get(11)?,
            tokens: row.get(12)?,
            cents: row.get::<_, Option<i64>>(13)?.map(|micros| micros / 10_000),
            ended: row.get(14)?,
        })
    })
}

/// All mail as clients see it.
pub fn deliveries(cx: &Cx<'_>) -> Result<Vec<Delivery>, OpError> {
    let ids = rows(cx.conn, "SELECT id FROM agents ORDER BY id", |row| row.get(0))?;
    let mut deliveries = Vec::new();
    for id in ids {
        let agent = AgentRow::by_id(cx.db, id)?;
        let rows = delivery::newest(cx.db, id, i64::MAX, u32::MAX, true)?;
        deliveries.extend(rows.iter().map(|row| row.entity(&agent)));
    }
    Ok(deliveries)
}

fn number<T: FromSql>(conn: &Connection, sql: &str) -> Result<T, OpError> {
    Ok(conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// What is wrong in the tables if it is ever more than nothing.
const NEVER: [(&str, &str); 6] = [
    (
        "an agent has two live runs",
        "SELECT count(*) - count(DISTINCT agent) FROM runs
         WHERE state IN ('starting', 'running', 'ending')",
    ),
    (
        "mail is leased to a run that is over, or to one of another agent",
        "SELECT count(*) FROM deliveries AS d LEFT JOIN runs AS r
             ON r.id = d.run AND r.agent = d.agent AND r.state IN ('starting', 'running', 'ending')
         WHERE d.state = 'leased' AND r.id IS NULL",
    ),
    (
        "an agent's counters are not what it has",
        "SELECT count(*) FROM agents AS a LEFT JOIN agent_counts AS c ON c.agent = a.id
         WHERE c.unread IS NOT (SELECT count(*) FROM deliveries WHERE agent = a.id AND state IN ('pending', 'waiting'))
            OR c.held IS NOT (SELECT count(*) FROM deliveries WHERE agent = a.id AND state = 'held')
            OR c.dead IS NOT (SELECT count(*) FROM deliveries WHERE agent = a.id AND state = 'dead')",
    ),
    (
        "held mail has no reason, or other mail has one",
        "SELECT count(*) FROM deliveries WHERE (state = 'held') <> (held_reason IS NOT NULL)",
    ),
    (
        "a paused agent has no reason, or another has one",
        "SELECT count(*) FROM agents WHERE (wanted = 'paused') <> (paused_reason IS NOT NULL)",
    ),
    (
        "a stalled or failed workflow has no reason",
        "SELECT count(*) FROM workflows
         WHERE state IN ('stalled', 'failed') AND coalesce(outcome_reason, '') = ''",
    ),
];

/// What is wrong in the tables.
pub fn broken(cx: &Cx<'_>) -> Result<Option<&'static str>, OpError> {
    for (what, sql) in NEVER {
        if number::<i64>(cx.conn, sql)? > 0 {
            return Ok(Some(what));
        }
    }
    let gaps = "SELECT coalesce(max(seq), 0) - count(*) FROM events";
    Ok((number::<i64>(cx.conn, gaps)? != 0).then_some("the feed has a gap"))
}
