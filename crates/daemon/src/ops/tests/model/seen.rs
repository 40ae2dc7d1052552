//! What can be seen of a team, of the model and of the tables alike.

use agent_worker_protocol::{
    AgentState, DeliveryState, FailureClass, Limits, MemberKind, Mode, Reason, RunKind, RunState,
    Wanted, WorkflowState,
};

use crate::ops::tests::model::team::{Held, Mail, Member, Message, Run, Talk, Team};

#[derive(Debug, PartialEq)]
pub struct SeenWorkflow {
    pub mode: Mode,
    pub state: WorkflowState,
    pub generation: i64,
    pub limits: Limits,
    pub tokens: i64,
    pub cents: i64,
    pub runs: i64,
    pub running_for: i64,
    pub running_since: Option<i64>,
}

#[derive(Debug, PartialEq)]
pub struct SeenMember {
    pub name: String,
    pub kind: MemberKind,
    pub is_removed: bool,
    pub wanted: Wanted,
    pub not_before: Option<i64>,
    pub is_woken: bool,
    pub label: Option<String>,
    /// Unread, held and dead mail
    pub counts: [i64; 3],
    pub state: Option<AgentState>,
}

#[derive(Debug, PartialEq)]
pub struct SeenTalk {
    pub is_channel: bool,
    pub is_closed: bool,
    pub messages: i64,
    pub last_seq: i64,
    pub read_seq: i64,
    pub read_messages: i64,
}

#[derive(Debug, PartialEq)]
pub struct SeenMessage {
    pub talk: usize,
    /// Nothing where the daemon speaks
    pub text: String,
    pub sender: Option<usize>,
    pub run: Option<usize>,
    pub is_request: bool,
    pub calls_all: bool,
    pub hop: i64,
    pub root: i64,
    pub reply_to: Option<i64>,
}

#[derive(Debug, PartialEq)]
pub struct SeenMail {
    pub to: usize,
    pub seq: i64,
    pub state: DeliveryState,
    pub reason: Reason,
    pub wakes: bool,
    pub is_solo: bool,
    pub run: Option<usize>,
    pub attempts: i64,
    pub lost: i64,
    pub marked_by: Option<usize>,
    pub not_before: Option<i64>,
    pub held: Option<Held>,
    pub is_released: bool,
    pub hop: i64,
    pub root: i64,
}

#[derive(Debug, PartialEq)]
pub struct SeenRun {
    pub member: usize,
    pub kind: RunKind,
    pub generation: i64,
    pub talk: usize,
    pub cause: Option<i64>,
    pub attempt: i64,
    pub before: Option<usize>,
    pub hop: i64,
    pub root: Option<i64>,
    pub state: RunState,
    pub class: Option<FailureClass>,
    pub end_by: Option<i64>,
    pub tokens: Option<i64>,
    pub cents: Option<i64>,
    pub ended: Option<i64>,
}

/// All of it. Members, conversations, messages and runs are in the order in which they were made.
#[derive(Debug, Default)]
pub struct Seen {
    pub workflow: Option<SeenWorkflow>,
    pub members: Vec<SeenMember>,
    pub talks: Vec<SeenTalk>,
    /// Messages never change: those after the ones that were compared before
    pub messages: Vec<SeenMessage>,
    pub mail: Vec<SeenMail>,
    pub runs: Vec<SeenRun>,
}

/// Which mail is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    /// What is not at its end
    Unfinished,
}

impl Team {
    /// What is to be seen of the model.
    pub fn seen(&self, after: i64) -> Seen {
        let workflow = &self.workflow;
        let known = usize::try_from(after).expect("it counts messages");
        Seen {
            workflow: (workflow.state != WorkflowState::Created).then_some(SeenWorkflow {
                mode: workflow.mode,
                state: workflow.state,
                generation: workflow.generation,
                limits: workflow.limits,
                tokens: workflow.tokens,
                cents: workflow.cents,
                runs: workflow.runs,
                running_for: workflow.running_for,
                running_since: workflow.running_since,
            }),
            members: (0..self.members.len()).map(|member| self.seen_member(member)).collect(),
            talks: self.talks.iter().map(seen_talk).collect(),
            messages: self.messages[known..].iter().map(seen_message).collect(),
            mail: self.seen_mail(Which::Unfinished),
            runs: self.runs.iter().map(seen_run).collect(),
        }
    }

    pub fn seen_mail(&self, which: Which) -> Vec<SeenMail> {
        let is_over =
            |mail: &Mail| matches!(mail.state, DeliveryState::Acked | DeliveryState::Dropped);
        let mut mail: Vec<&Mail> =
            self.mail.iter().filter(|mail| which == Which::All || !is_over(mail)).collect();
        mail.sort_by_key(|mail| (mail.to, mail.seq));
        mail.into_iter().map(seen_mail).collect()
    }

    fn seen_member(&self, index: usize) -> SeenMember {
        let member: &Member = &self.members[index];
        let mut counts = [0; 3];
        for mail in self.mail.iter().filter(|mail| mail.to == index) {
            match mail.state {
                DeliveryState::Pending | DeliveryState::Waiting => counts[0] += 1,
                DeliveryState::Held => counts[1] += 1,
                DeliveryState::Dead => counts[2] += 1,
                _ => {}
            }
        }
        SeenMember {
            name: member.name.clone(),
            kind: member.kind,
            is_removed: member.is_removed,
            wanted: member.wanted,
            not_before: member.not_before,
            is_woken: member.is_woken,
            label: member.label.clone(),
            counts,
            state: (!member.is_removed).then(|| self.shown_state(index)),
        }
    }
}

fn seen_talk(talk: &Talk) -> SeenTalk {
    SeenTalk {
        is_channel: talk.pair.is_none(),
        is_closed: talk.is_closed,
        messages: talk.messages,
        last_seq: talk.last_seq,
        read_seq: talk.read_seq,
        read_messages: talk.read_messages + talk.own_later,
    }
}

fn seen_message(message: &Message) -> SeenMessage {
    SeenMessage {
        talk: message.talk,
        text: message.text.clone(),
        sender: message.sender,
        run: message.run,
        is_request: message.is_request,
        calls_all: message.calls_all,
        hop: message.hop,
        root: message.root,
        reply_to: message.reply_to,
    }
}

fn seen_mail(mail: &Mail) -> SeenMail {
    SeenMail {
        to: mail.to,
        seq: mail.seq,
        state: mail.state,
        reason: mail.reason,
        wakes: mail.wakes,
        is_solo: mail.is_solo,
        run: mail.run,
        attempts: mail.attempts,
        lost: mail.lost,
        marked_by: mail.marked_by,
        not_before: mail.not_before,
        held: mail.held,
        is_released: mail.is_released,
        hop: mail.hop,
        root: mail.root,
    }
}

fn seen_run(run: &Run) -> SeenRun {
    SeenRun {
        member: run.member,
        kind: run.kind,
        generation: run.generation,
        talk: run.talk,
        cause: run.cause,
        attempt: run.attempt,
        before: run.before,
        hop: run.hop,
        root: run.root,
        state: run.state,
        class: run.class,
        end_by: run.end_by,
        tokens: run.tokens,
        cents: run.cents,
        ended: run.ended,
    }
}

/// The first thing in which the model and the tables differ.
pub fn difference(model: &Seen, tables: &Seen) -> Option<String> {
    if model.workflow.is_some() && model.workflow != tables.workflow {
        return Some(told("the workflow", &model.workflow, &tables.workflow));
    }
    differing("member", &model.members, &tables.members)
        .or_else(|| differing("conversation", &model.talks, &tables.talks))
        .or_else(|| differing("new message", &model.messages, &tables.messages))
        .or_else(|| differing("run", &model.runs, &tables.runs))
        .or_else(|| mail_difference(&model.mail, &tables.mail))
}

/// The first mail in which the model and the tables differ.
pub fn mail_difference(model: &[SeenMail], tables: &[SeenMail]) -> Option<String> {
    differing("mail", model, tables)
}

fn differing<T: PartialEq + std::fmt::Debug>(
    what: &str,
    model: &[T],
    tables: &[T],
) -> Option<String> {
    let most = model.len().max(tables.len());
    (0..most)
        .find(|at| model.get(*at) != tables.get(*at))
        .map(|at| told(&format!("{what} {at}"), &model.get(at), &tables.get(at)))
}

fn told(what: &str, model: &impl std::fmt::Debug, tables: &impl std::fmt::Debug) -> String {
    format!("{what} differs\n  model:  {model:?}\n  tables: {tables:?}")
}
