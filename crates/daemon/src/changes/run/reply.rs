//! The answer of a run: its final text, posted where it was asked for.

use std::{collections::HashMap, sync::Arc};

use agent_worker_protocol::{Intent, Name, Reason, RunId, RunKind};

use crate::{
    changes::message::{conversation, post},
    context::Cx,
    error::Result,
    rows::{
        self, AgentRow, ConversationRow, DeliveryRow, QuestionRow, RunRow, WorkflowRow, delivery,
        document, message,
    },
    rules::{
        draft::{self, Draft},
        recipients,
    },
};

/// Where an answer belongs.
#[derive(Debug, Clone)]
struct Address {
    group: i64,
    /// Who asked, and with which message
    askers: Vec<(i64, i64)>,
    /// The message it answers
    reply_to: Option<i64>,
}

impl Address {
    /// Adds those who asked, each with what it asked last.
    fn add(&mut self, askers: impl IntoIterator<Item = (i64, i64)>) {
        for (asker, message) in askers {
            if !self.askers.iter().any(|(known, _)| *known == asker) {
                self.askers.push((asker, message));
            }
        }
    }
}

/// How far a chain of requests is followed back.
const LONGEST_CHAIN: usize = 64;

/// How many documents a notice names.
const MOST_NAMED: usize = 5;

/// Posts the final text of a run, so that nothing that was asked for stays in its transcript
/// alone. To those whom the run has answered already it is a note, which wakes none of them; to the
/// others it is the reply. What the run has posted there word for word is not posted again, unless
/// an agent that asked was not reached, and then only to those who were not. A run without a text
/// is answered for by what it wrote.
pub fn post_answer(cx: &mut Cx<'_>, run: &RunRow, agent: &AgentRow, text: &str) -> Result<()> {
    if run.kind == RunKind::External {
        return Ok(());
    }
    if text.trim().is_empty() {
        return post_written(cx, run, agent);
    }
    if run.kind == RunKind::Heartbeat {
        return post_news(cx, run, agent, text);
    }
    for place in Place::all_of(cx, run, agent)? {
        post_in(cx, run, agent, text, &place)?;
    }
    Ok(())
}

fn post_in(
    cx: &mut Cx<'_>,
    run: &RunRow,
    agent: &AgentRow,
    text: &str,
    place: &Place,
) -> Result<()> {
    let text = post::fitting(cx, text);
    let said = Said::of(cx, run, &place.group)?;
    let answered: Vec<i64> =
        place.askers.iter().map(|row| row.id).filter(|id| said.reached.contains(id)).collect();
    // An agent that asked is not answered by the same words in a message that did not reach it.
    let is_answered = |asker: &AgentRow| !asker.works() || answered.contains(&asker.id);
    let is_repeated = said.texts.contains(&draft::likeness(text));
    if is_repeated && place.askers.iter().all(is_answered) {
        return Ok(());
    }
    let (mut mentions, mut named) = recipients::mentioned(text, &place.members, agent.id);
    mentions.all &= !message::has_called_all(cx.db, run.id)?;
    // A reply reaches those who asked, whether it names them or not.
    named.retain(|(member, _)| !place.askers.iter().any(|asker| asker.id == member.id));
    let mut recipients: Vec<_> =
        place.askers.iter().map(|row| (row.clone(), Reason::Reply)).collect();
    for (member, reason) in recipients::fitting(cx, &mut mentions, named) {
        if reason != Reason::All || mentions.all {
            recipients.push((member, reason));
        }
    }
    // If a run has already spoken and its text asks no member, the text only adds to its reply.
    let asks_nobody = recipients.len() == answered.len();
    let is_note = asks_nobody && !said.texts.is_empty();
    if is_repeated {
        // The same words ask each member once.
        let is_reached = |member: &AgentRow| said.reached.contains(&member.id);
        recipients.retain(|(member, _)| !is_reached(member));
        let again = place.members.iter().filter(|member| is_reached(member));
        let again: Vec<_> = again.map(|member| &member.name).collect();
        mentions.resolved.retain(|name| !again.contains(&name));
    }
    let recipients = place.with_the_rest(recipients, Some(agent.id));
    let draft = Draft {
        sender: Some(agent),
        run: Some(run),
        intent: if is_note { Intent::Inform } else { Intent::Request },
        mentions,
        recipients,
        hop: run.hop + 1,
        root: run.root,
        reply_to: place.reply_to,
        spares: &answered,
        // A group's other members are not woken: answers would answer each other.
        ..Draft::new(&place.scope, &place.group, text)
    };
    post::post(cx, &draft).map(drop)
}

/// Tells the person what a heartbeat has found, unless all is well.
fn post_news(cx: &mut Cx<'_>, run: &RunRow, agent: &AgentRow, text: &str) -> Result<()> {
    if run.kind.is_silent(text) || agent.removed {
        return Ok(());
    }
    let scope = WorkflowRow::by_id(cx.db, run.scope_id)?;
    let person = AgentRow::by_name(cx.db, &scope, &Name::person())?;
    let group = conversation::direct(cx, &person, agent)?;
    let draft = Draft {
        sender: Some(agent),
        run: Some(run),
        intent: Intent::Request,
        recipients: vec![(person, Reason::To)],
        hop: run.hop + 1,
        root: run.root,
        ..Draft::new(&scope, &group, post::fitting(cx, text))
    };
    post::post(cx, &draft).map(drop)
}

/// Tells those who asked that a run ended without an answer. It wakes none of them.
pub fn post_silence(cx: &mut Cx<'_>, run: &RunRow, agent: &AgentRow) -> Result<()> {
    let text = format!(
        "{} ended without an answer: agent-worker logs {} shows its run",
        agent.name, run.id
    );
    post_notice(cx, run, agent, &text)
}

/// Tells those who asked which documents a run has written that says nothing.
fn post_written(cx: &mut Cx<'_>, run: &RunRow, agent: &AgentRow) -> Result<()> {
    let mut written = document::written_by(cx.db, run.id)?;
    if written.is_empty() {
        return Ok(());
    }
    if written.len() > MOST_NAMED {
        written.truncate(MOST_NAMED);
        written.push("…".to_owned());
    }
    let text = format!("{} ended without a message; it wrote {}", agent.name, written.join(", "));
    post_notice(cx, run, agent, &text)
}

/// Posts what the daemon says in place of an answer, where the run has said nothing. It wakes none
/// of those who asked.
fn post_notice(cx: &mut Cx<'_>, run: &RunRow, agent: &AgentRow, text: &str) -> Result<()> {
    for place in Place::all_of(cx, run, agent)? {
        if place.askers.is_empty() || !Said::of(cx, run, &place.group)?.texts.is_empty() {
            continue;
        }
        let askers = place.askers.iter().map(|asker| (asker.clone(), Reason::Reply)).collect();
        let draft = Draft {
            recipients: place.with_the_rest(askers, None),
            root: run.root,
            reply_to: place.reply_to,
            ..Draft::new(&place.scope, &place.group, text)
        };
        post::post(cx, &draft)?;
    }
    Ok(())
}

/// Where the answer of a run goes.
pub struct Place {
    scope: WorkflowRow,
    group: ConversationRow,
    /// Everyone there
    members: Arc<Vec<AgentRow>>,
    /// Those of them who asked
    askers: Vec<AgentRow>,
    /// The message it answers
    reply_to: Option<i64>,
}

impl Place {
    /// The conversation of the run, and the direct conversations with those who asked and are not
    /// in it, or with all of them where it is closed or the agent has left it. An agent that was
    /// removed has none.
    fn all_of(cx: &mut Cx<'_>, run: &RunRow, agent: &AgentRow) -> Result<Vec<Self>> {
        let address = Chains::new(cx).address(run, LONGEST_CHAIN)?;
        let group = ConversationRow::by_id(cx.db, address.group)?;
        let scope = WorkflowRow::by_id(cx.db, run.scope_id)?;
        let team = AgentRow::team(cx.db, scope.id)?;
        let has_asked = |member: &AgentRow| {
            member.id != agent.id && address.askers.iter().any(|(asker, _)| *asker == member.id)
        };
        let mut askers: Vec<_> = team.iter().filter(|it| has_asked(it)).cloned().collect();
        let mut places = Vec::new();
        if !group.closed && group.is_open_to(cx.db, agent)? {
            let members = rows::conversation::present(cx.db, &group, team)?;
            let is_here = |asker: &mut AgentRow| members.iter().any(|it| it.id == asker.id);
            let (scope, here) = (scope.clone(), askers.extract_if(.., is_here).collect());
            let reply_to = address.reply_to;
            places.push(Self { scope, group, members, askers: here, reply_to });
        } else if agent.removed {
            return Ok(Vec::new());
        }
        for asker in askers {
            let group = conversation::direct(cx, agent, &asker)?;
            let members = Arc::new(vec![agent.clone(), asker.clone()]);
            let (scope, askers) = (scope.clone(), vec![asker]);
            places.push(Self { scope, group, members, askers, reply_to: None });
        }
        Ok(places)
    }

    /// In a group, the recipients with all other members; the daemon itself writes what has no
    /// sender.
    fn with_the_rest(
        &self,
        recipients: Vec<(AgentRow, Reason)>,
        sender: Option<i64>,
    ) -> Vec<(AgentRow, Reason)> {
        if !self.group.name.is_group() {
            return recipients;
        }
        recipients::with_the_rest(recipients, &self.members, sender)
    }
}

/// What a run has posted in a conversation since it was last asked for something.
struct Said {
    /// Its texts, as the loop guard knows them
    texts: Vec<[u8; 8]>,
    /// Whom its requests have reached
    reached: Vec<i64>,
}

impl Said {
    fn of(cx: &Cx<'_>, run: &RunRow, group: &ConversationRow) -> Result<Self> {
        let mut said = Self { texts: Vec::new(), reached: Vec::new() };
        for (seq, likeness, intent) in message::sent_by_run(cx.db, run, group.id, run.lease_seq)? {
            said.texts.push(likeness);
            if intent == Intent::Request {
                let deliveries = delivery::of_message(cx.db, group.id, seq)?;
                said.reached.extend(deliveries.iter().map(|delivery| delivery.agent));
            }
        }
        Ok(said)
    }
}

/// The conversation of a run. What a schedule started answers in the channel.
pub fn home(cx: &Cx<'_>, run: &RunRow) -> Result<i64> {
    match run.group_id {
        Some(group) if run.kind != RunKind::Scheduled => Ok(group),
        _ => Ok(ConversationRow::channel(cx.db, &WorkflowRow::by_id(cx.db, run.scope_id)?)?.id),
    }
}

/// Follows chains of requests back. However many ways lead to a run, it is looked at once.
struct Chains<'c, 'x> {
    cx: &'c Cx<'x>,
    known: HashMap<RunId, Address>,
}

impl<'c, 'x> Chains<'c, 'x> {
    fn new(cx: &'c Cx<'x>) -> Self {
        Self { cx, known: HashMap::new() }
    }

    /// Who asked a run, and where. A run that answers only replies answers for the run whose
    /// message was replied to, so that a chain of requests comes back step by step.
    fn address(&mut self, run: &RunRow, depth: usize) -> Result<Address> {
        if let Some(known) = self.known.get(&run.id) {
            return Ok(known.clone());
        }
        let home = Address { group: home(self.cx, run)?, askers: Vec::new(), reply_to: None };
        // A reply to a message of the run itself leads back here, and no farther.
        self.known.insert(run.id, home.clone());
        let mut waking = delivery::of_run(self.cx.db, run.id.number(), run.agent)?;
        waking.retain(|row| row.wakes);
        waking.reverse();
        let (replies, requests): (Vec<_>, Vec<_>) =
            waking.into_iter().partition(|mail| mail.reason.answers());
        let mut origins = Vec::new();
        for reply in replies.iter().filter(|_| depth > 0) {
            origins.extend(self.origin(reply, depth - 1)?);
        }
        let found = gathered(home, &requests, origins);
        self.known.insert(run.id, found.clone());
        Ok(found)
    }

    /// For whom the run asked whose message this reply answers: of several, the recipient's own.
    /// What the person answers is answered to the run that asked the person.
    fn origin(&mut self, reply: &DeliveryRow, depth: usize) -> Result<Option<Address>> {
        if reply.reason == Reason::Answer {
            let asking = QuestionRow::asking_run(self.cx.db, reply.seq)?;
            let Some(asking) = asking else { return Ok(None) };
            let asking = RunRow::by_id(self.cx.db, asking)?;
            return self.address(&asking, depth).map(Some);
        }
        let Some(answering) = self.run_of(reply.seq)? else { return Ok(None) };
        let askers = self.address(&answering, depth)?.askers;
        let asked = askers.into_iter().find(|(asker, _)| *asker == reply.agent);
        let Some((_, asked)) = asked else { return Ok(None) };
        let Some(asking) = self.run_of(asked)? else { return Ok(None) };
        self.address(&asking, depth).map(Some)
    }

    /// The run that sent a message.
    fn run_of(&self, seq: i64) -> Result<Option<RunRow>> {
        let run = message::by_seq(self.cx.db, seq)?.run;
        run.map_or(Ok(None), |run| RunRow::find(self.cx.db, run))
    }
}

/// The senders of the requests that a run had, newest first; without any, those for whom the
/// newest reply was asked for. Both with those who are waiting behind its replies there.
fn gathered(home: Address, requests: &[DeliveryRow], origins: Vec<Address>) -> Address {
    let mut found = home;
    if let Some(newest) = requests.first() {
        found.reply_to = Some(newest.seq);
        for mail in requests {
            found.add(mail.sender_agent.map(|sender| (sender, mail.seq)));
        }
    } else {
        let asked = origins.iter().find(|origin| !origin.askers.is_empty());
        if let Some(origin) = asked.or(origins.first()) {
            found.group = origin.group;
            found.reply_to = origin.reply_to;
        }
    }
    let group = found.group;
    let here = origins.into_iter().filter(|origin| origin.group == group);
    for origin in here {
        found.add(origin.askers);
    }
    found
}
