//! The model of the answer (§6): where the final text of a run goes, and to whom.

use agent_worker_protocol::{Reason, RunKind};

use crate::ops::tests::model::{
    post::{Draft, alike},
    step::Post,
    team::{CHANNEL, Message, Team},
};

/// Where an answer belongs.
#[derive(Debug, Clone)]
struct Address {
    talk: usize,
    /// Who asked, and with which message
    askers: Vec<(usize, i64)>,
    /// The message it answers
    reply_to: Option<i64>,
}

impl Address {
    /// Adds those who asked, each with what it asked last.
    fn add(&mut self, askers: impl IntoIterator<Item = (usize, i64)>) {
        for (asker, message) in askers {
            if self.askers.iter().all(|(known, _)| *known != asker) {
                self.askers.push((asker, message));
            }
        }
    }
}

impl Team {
    /// Posts the final text of a run, unless it has said the same there and all agents that asked
    /// were answered: a reply to those who asked and were not answered, a note to the others.
    pub fn answer(&mut self, run: usize, text: &Post) {
        let Some(_) = text.words.filter(|_| self.runs[run].kind != RunKind::External) else {
            return;
        };
        let address = self.address(run, &[]);
        let said = self.said(run, address.talk);
        let is_said = said.iter().any(|at| alike(&self.messages[*at].text) == alike(&text.text()));
        if self.talks[address.talk].is_closed {
            return;
        }
        let sender = self.runs[run].member;
        let there = self.present_in(address.talk);
        let mut recipients: Vec<(usize, Reason)> = Vec::new();
        for (asker, _) in &address.askers {
            let is_known = recipients.iter().any(|(known, _)| known == asker);
            if there.contains(asker) && *asker != sender && !is_known {
                recipients.push((*asker, Reason::Reply));
            }
        }
        let is_reached = |asker: &usize| {
            let by = |at: &usize| self.messages[*at].is_request && self.has_reached(*at, *asker);
            said.iter().any(by)
        };
        let spares: Vec<usize> =
            recipients.iter().map(|(asker, _)| *asker).filter(is_reached).collect();
        let waits = |asker: usize| self.members[asker].works() && !spares.contains(&asker);
        if is_said && !recipients.iter().any(|(asker, _)| waits(*asker)) {
            return;
        }
        let has_called_all = self.has_called_all(run);
        for (named, reason) in self.named_in(text, &there, sender) {
            let is_refused = reason == Reason::All && has_called_all;
            if !is_refused && recipients.iter().all(|(known, _)| *known != named) {
                recipients.push((named, reason));
            }
        }
        let is_note = !said.is_empty() && spares.len() == recipients.len();
        recipients.retain(|(to, _)| !(is_said && is_reached(to)));
        let message = Message {
            talk: address.talk,
            sender: Some(sender),
            run: Some(run),
            text: text.text(),
            is_request: !is_note,
            calls_all: text.names.contains(&"all") && !has_called_all,
            hop: self.runs[run].hop + 1,
            root: self.root_in(Some(run)),
            reply_to: address.reply_to,
        };
        self.store(Draft { message, recipients, is_solo: false, spares });
    }

    /// What a run has posted in a conversation since it was last asked for something, as places in
    /// the list of messages.
    fn said(&self, run: usize, talk: usize) -> Vec<usize> {
        let later = usize::try_from(self.runs[run].leased_at).expect("it counts messages");
        let is_it =
            |at: &usize| self.messages[*at].run == Some(run) && self.messages[*at].talk == talk;
        (later..self.messages.len()).filter(is_it).collect()
    }

    /// Who asked a run, and where. A run that answers only replies answers for the run whose
    /// message was replied to.
    fn address(&self, run: usize, on_the_way: &[usize]) -> Address {
        let home = match self.runs[run].kind {
            RunKind::Scheduled => CHANNEL,
            _ => self.runs[run].talk,
        };
        let mut found = Address { talk: home, askers: Vec::new(), reply_to: None };
        if on_the_way.contains(&run) {
            // A reply to a message of the run itself leads back here, and no farther.
            return found;
        }
        let on_the_way = [on_the_way, &[run]].concat();
        let mut waking = self.runs[run].mail.clone();
        waking.retain(|at| self.mail[*at].wakes);
        waking.sort_by_key(|at| std::cmp::Reverse(self.mail[*at].seq));
        let (replies, requests): (Vec<usize>, Vec<usize>) =
            waking.into_iter().partition(|at| self.mail[*at].reason == Reason::Reply);
        let origins: Vec<Address> =
            replies.iter().filter_map(|at| self.origin(*at, &on_the_way)).collect();
        if let Some(newest) = requests.first() {
            found.reply_to = Some(self.mail[*newest].seq);
            for at in requests {
                let mail = &self.mail[at];
                found.add(mail.from.map(|from| (from, mail.seq)));
            }
        } else {
            let asked = origins.iter().find(|origin| !origin.askers.is_empty());
            if let Some(origin) = asked.or(origins.first()) {
                found.talk = origin.talk;
                found.reply_to = origin.reply_to;
            }
        }
        let talk = found.talk;
        for origin in origins.into_iter().filter(|origin| origin.talk == talk) {
            found.add(origin.askers);
        }
        found
    }

    /// For whom the run asked whose message this reply answers: the recipient's own message.
    fn origin(&self, reply: usize, on_the_way: &[usize]) -> Option<Address> {
        let reply = &self.mail[reply];
        let answering = self.message(reply.seq).run?;
        let askers = self.address(answering, on_the_way).askers;
        let (_, asked) = askers.into_iter().find(|(asker, _)| *asker == reply.to)?;
        Some(self.address(self.message(asked).run?, on_the_way))
    }
}
