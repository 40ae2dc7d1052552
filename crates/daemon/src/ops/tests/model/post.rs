//! The model of §4 and §7: who gets a message, and what the loop guard keeps from whom.

use agent_worker_protocol::{DeliveredState, DeliveryState, MemberKind, Reason, Wanted};

use crate::ops::tests::model::{
    step::Post,
    team::{CHANNEL, Held, Mail, Message, PERSON, Refused, Talk, Team},
};

/// Pairs are looked at over ten minutes.
const PAIR_WINDOW: i64 = 600_000;

/// A message with its recipients, about to be stored.
#[derive(Debug)]
pub struct Draft {
    pub message: Message,
    pub recipients: Vec<(usize, Reason)>,
    pub is_solo: bool,
    /// Recipients whom it does not wake.
    pub spares: Vec<usize>,
}

/// What the sender of a message is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub seq: i64,
    pub delivered: Vec<(String, DeliveredState)>,
    pub unresolved: Vec<String>,
}

impl Team {
    /// A member, or the person, sends; agents do so in a run.
    pub fn send(
        &mut self,
        sender: usize,
        run: Option<usize>,
        post: &Post,
    ) -> Result<Sent, Refused> {
        if post.words.is_none() {
            return Err(Refused);
        }
        let addressed = self.addressed(sender, &post.to)?;
        let calls_all = addressed.is_empty() && post.names.contains(&"all");
        if calls_all && run.is_some_and(|run| self.has_called_all(run)) {
            return Err(Refused);
        }
        if let Some(answered) = post.answers
            && self.talk_of(answered)? != self.known_talk(sender, &addressed)?
        {
            return Err(Refused);
        }
        let talk = match addressed.as_slice() {
            [one] => self.direct(sender, *one),
            _ => CHANNEL,
        };
        let (recipients, unresolved) = if addressed.is_empty() {
            let everyone = self.present();
            let named = self.named_in(post, &everyone, sender);
            (named, self.unknown_in(post))
        } else {
            (addressed.into_iter().map(|member| (member, Reason::To)).collect(), Vec::new())
        };
        let message = Message {
            talk,
            sender: Some(sender),
            run,
            text: post.text(),
            is_request: !post.is_inform,
            calls_all,
            hop: run.map_or(0, |run| self.runs[run].hop + 1),
            root: self.root_in(run),
            reply_to: post.answers,
        };
        let draft = Draft { message, recipients, is_solo: false, spares: Vec::new() };
        Ok(Sent { unresolved, ..self.store(draft) })
    }

    /// The person asks one agent, which answers in a run of its own.
    pub fn ask(&mut self, name: &str) -> Result<Sent, Refused> {
        let agent = self.agent(name)?;
        let member = &self.members[agent];
        let can_answer = member.kind == MemberKind::Agent && member.wanted == Wanted::Active;
        if !can_answer || !self.takes_work() || self.is_over_budget() {
            return Err(Refused);
        }
        let message = Message {
            talk: self.direct(PERSON, agent),
            sender: Some(PERSON),
            run: None,
            text: "how much?".to_owned(),
            is_request: true,
            calls_all: false,
            hop: 0,
            root: self.newest_seq() + 1,
            reply_to: None,
        };
        Ok(self.store(Draft {
            message,
            recipients: vec![(agent, Reason::To)],
            is_solo: true,
            spares: Vec::new(),
        }))
    }

    /// The daemon sends a message to the channel that mentions no member.
    pub fn say(&mut self) {
        let message = Message {
            talk: CHANNEL,
            sender: None,
            run: None,
            text: String::new(),
            is_request: false,
            calls_all: false,
            hop: 0,
            root: self.newest_seq() + 1,
            reply_to: None,
        };
        self.store(Draft { message, recipients: Vec::new(), is_solo: false, spares: Vec::new() });
    }

    /// What a message that is sent in a run goes back to; else to itself.
    pub fn root_in(&self, run: Option<usize>) -> i64 {
        run.and_then(|run| self.runs[run].root).unwrap_or(self.newest_seq() + 1)
    }

    pub fn has_called_all(&self, run: usize) -> bool {
        self.messages.iter().any(|message| message.run == Some(run) && message.calls_all)
    }

    fn addressed(&self, sender: usize, to: &[&str]) -> Result<Vec<usize>, Refused> {
        let mut addressed = Vec::new();
        for name in to {
            let member = self.named(name)?;
            if member == sender {
                return Err(Refused);
            }
            if !addressed.contains(&member) {
                addressed.push(member);
            }
        }
        Ok(addressed)
    }

    /// Whom a text names among some members: a set, and never the sender.
    pub fn named_in(&self, post: &Post, among: &[usize], sender: usize) -> Vec<(usize, Reason)> {
        let mut named: Vec<(usize, Reason)> = Vec::new();
        let others: Vec<usize> = among.iter().copied().filter(|other| *other != sender).collect();
        for name in &post.names {
            let is_new = |member: &usize| named.iter().all(|(known, _)| known != member);
            let found = others.iter().find(|other| self.members[**other].name == *name);
            if let Some(member) = found.filter(|member| is_new(member)) {
                named.push((*member, Reason::Mention));
            }
        }
        if post.names.contains(&"all") {
            for other in others {
                if self.members[other].works() && named.iter().all(|(known, _)| *known != other) {
                    named.push((other, Reason::All));
                }
            }
        }
        named
    }

    /// Mentions in a text that are not a member's name, each once.
    fn unknown_in(&self, post: &Post) -> Vec<String> {
        let mut unknown: Vec<String> = Vec::new();
        for name in &post.names {
            let is_known = *name == "all" || self.named(name).is_ok();
            if !is_known && unknown.iter().all(|known| known != name) {
                unknown.push((*name).to_owned());
            }
        }
        unknown
    }

    /// The conversation that a message is in. A reply must be there too.
    fn talk_of(&self, seq: i64) -> Result<usize, Refused> {
        let at = usize::try_from(seq - 1).map_err(|_| Refused)?;
        self.messages.get(at).map(|message| message.talk).ok_or(Refused)
    }

    /// Where a message to these goes, if that conversation has begun.
    fn known_talk(&self, sender: usize, addressed: &[usize]) -> Result<usize, Refused> {
        match addressed {
            [one] => self.open_direct(pair_of(sender, *one)).ok_or(Refused),
            _ => Ok(CHANNEL),
        }
    }

    fn open_direct(&self, pair: [usize; 2]) -> Option<usize> {
        let is_open = |talk: &Talk| !talk.is_closed && talk.pair == Some(pair);
        self.talks.iter().position(is_open)
    }

    /// The conversation of two; with a member made anew it begins anew.
    fn direct(&mut self, one: usize, other: usize) -> usize {
        let pair = pair_of(one, other);
        if let Some(known) = self.open_direct(pair) {
            return known;
        }
        let names = Some(self.names_of(pair));
        for talk in 1..self.talks.len() {
            self.talks[talk].is_closed |= self.names_in(talk) == names;
        }
        self.talks.push(Talk {
            pair: Some(pair),
            is_closed: false,
            messages: 0,
            last_seq: 0,
            read_seq: 0,
            read_messages: 0,
            own_later: 0,
        });
        self.talks.len() - 1
    }

    /// Stores a message and a delivery for each recipient.
    pub fn store(&mut self, draft: Draft) -> Sent {
        let Draft { message, recipients, is_solo, spares } = draft;
        let mut mail = Vec::new();
        for (to, reason) in recipients {
            let wakes = message.is_request && self.members[to].works() && !spares.contains(&to);
            let guarded = self.hold_reason(&message, to, reason, wakes);
            // Nothing claims the mail of a member outside, so the budget holds it here.
            let is_refused =
                wakes && self.fetches(to) && self.takes_work() && self.is_over_budget();
            let held = guarded.or(is_refused.then_some(Held::Budget));
            let state = if held.is_some() { DeliveryState::Held } else { DeliveryState::Pending };
            mail.push(Mail {
                to,
                seq: self.newest_seq() + 1,
                talk: message.talk,
                from: message.sender,
                reason,
                wakes,
                is_solo,
                state,
                run: None,
                attempts: 0,
                lost: 0,
                marked_by: None,
                not_before: None,
                held,
                is_released: false,
                hop: message.hop,
                root: message.root,
                bytes: message.text.len(),
                sent_at: self.now,
            });
        }
        let mut delivered: Vec<_> = mail
            .iter()
            .map(|mail| (self.members[mail.to].name.clone(), self.delivered_state(mail)))
            .collect();
        delivered.sort_by(|one, other| one.0.cmp(&other.0));
        self.count(&message);
        self.messages.push(message);
        self.mail.extend(mail);
        Sent { seq: self.newest_seq(), delivered, unresolved: Vec::new() }
    }

    /// Counts a message; who had read all before has read what it says itself.
    fn count(&mut self, message: &Message) {
        let seq = self.newest_seq() + 1;
        let talk = &mut self.talks[message.talk];
        if message.sender == Some(PERSON) && talk.read_messages == talk.messages {
            talk.read_seq = seq;
            talk.read_messages += 1;
        } else if message.sender == Some(PERSON) {
            talk.own_later += 1;
        }
        talk.messages += 1;
        talk.last_seq = seq;
    }

    fn delivered_state(&self, mail: &Mail) -> DeliveredState {
        let member = &self.members[mail.to];
        if mail.to == PERSON {
            return DeliveredState::Stored;
        }
        if mail.state == DeliveryState::Held {
            return DeliveredState::Held;
        }
        match member.wanted {
            _ if !mail.wakes => DeliveredState::Inform,
            Wanted::Stopped => DeliveredState::Stopped,
            Wanted::Paused => DeliveredState::Paused,
            Wanted::Active if !self.takes_work() => DeliveredState::Stopped,
            Wanted::Active if self.is_over_budget() => DeliveredState::Held,
            Wanted::Active => DeliveredState::Woken,
        }
    }

    /// Why the loop guard keeps a message from a recipient. It guards agents from agents.
    fn hold_reason(
        &self,
        message: &Message,
        to: usize,
        reason: Reason,
        wakes: bool,
    ) -> Option<Held> {
        let sender = message.sender.filter(|sender| *sender != PERSON)?;
        if to == PERSON {
            return None;
        }
        if wakes && message.hop > self.most_hops() {
            return Some(Held::Hops);
        }
        if wakes && self.wakes_between(sender, to) >= self.numbers.pair_wakes {
            return Some(Held::Pair);
        }
        if reason == Reason::Reply {
            return None;
        }
        message.run?;
        let is_same = |at: usize| {
            let known = &self.messages[at];
            known.run.is_some()
                && known.sender == Some(sender)
                && known.root == message.root
                && alike(&known.text) == alike(&message.text)
                && self.has_reached(at, to)
        };
        let same = (0..self.messages.len()).filter(|at| is_same(*at)).count();
        let most = usize::try_from(self.numbers.repeats).expect("it is small");
        (same + 1 >= most).then_some(Held::Repetition)
    }

    /// Whether the message at a place in the list was delivered to a member.
    pub fn has_reached(&self, at: usize, to: usize) -> bool {
        self.mail.iter().any(|mail| mail.to == to && mail.seq == seq_of(at))
    }

    pub fn most_hops(&self) -> i64 {
        i64::from(self.workflow.limits.hops.unwrap_or(self.numbers.hops))
    }

    /// How often one woke the other within ten minutes, and without the person in between, to
    /// either. What was kept back before a run had it has not woken anybody.
    fn wakes_between(&self, sender: usize, to: usize) -> i64 {
        let is_asked = |mail: &&Mail| mail.to == sender && mail.from == Some(PERSON);
        let asked = self.mail.iter().rfind(is_asked).map_or(0, |mail| mail.seq);
        let mut wakes = 0;
        for mail in self.mail.iter().rev().filter(|mail| mail.to == to) {
            let is_old = self.now - mail.sent_at > PAIR_WINDOW || self.is_far_ahead(mail.sent_at);
            if mail.from == Some(PERSON) || mail.seq < asked || is_old {
                break;
            }
            let is_kept = matches!(mail.state, DeliveryState::Held | DeliveryState::Dropped);
            let has_woken = mail.wakes && !(is_kept && mail.run.is_none());
            wakes += i64::from(has_woken && mail.from == Some(sender));
        }
        wakes
    }
}

/// A text without regard to case and white space.
pub fn alike(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn pair_of(one: usize, other: usize) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

/// The number of the message at a place in the list.
fn seq_of(at: usize) -> i64 {
    i64::try_from(at + 1).expect("there are few messages")
}
