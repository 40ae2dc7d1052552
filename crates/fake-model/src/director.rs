//! Who is said what: the state of the play.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use agent_worker_protocol::Usage;
use agent_worker_workflow_file::script::Pattern;
use tokio::sync::watch;

use crate::{
    answer::Answer,
    asked::{Asked, key},
    counts::Counts,
    offered::Call,
    scenario::{Break, Conversation, Scenario, Turn, is_among},
    strict,
    values::{self, Values},
};

/// What stands for an answer where the scenario has none.
const NOTHING_FITS: &str = "No conversation of the scenario fits.";
const NOTHING_LEFT: &str = "The scenario has nothing more to say here.";

/// The scenario, and how far it is.
#[derive(Debug)]
pub struct Director {
    scenario: Scenario,
    state: Mutex<State>,
    /// What nothing is held by any more
    released: watch::Sender<HashSet<String>>,
    /// How many requests there were
    requests: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    counts: Counts,
    /// Conversations by what they began with
    open: HashMap<u64, Open>,
    /// How many conversations each of the scenario's has been
    begun: HashMap<usize, u32>,
}

/// A conversation that goes on.
#[derive(Debug, Clone)]
struct Open {
    /// Which of the scenario's it is
    place: usize,
    /// How many requests it has had
    served: u32,
    found: BTreeMap<String, String>,
}

/// What comes next in a conversation.
enum Next {
    /// A turn, with what its conversation has found
    Turn(Box<Turn>, BTreeMap<String, String>),
    /// A search for a tool of the next turn
    Search(Call),
}

/// What is to be done with a request.
#[derive(Debug)]
pub struct Cue {
    /// The turn that is played.
    pub turn: Turn,
    /// What is said in it.
    pub answer: Answer,
}

impl Director {
    pub fn new(scenario: Scenario) -> Self {
        let (released, requests) = (watch::Sender::default(), watch::Sender::default());
        Self { scenario, state: Mutex::default(), released, requests }
    }

    /// What a request gets.
    pub fn cue(&self, asked: &Asked) -> Cue {
        let mut state = self.state();
        let n = state.counts.ask(asked.agent(), &asked.model, asked.longest());
        self.requests.send_replace(n);
        if let Some(share) = self.scenario.refuse.filter(|share| is_among(share, n)) {
            return self.refusal(n, share.status, share.retry_after, "there are too many requests");
        }
        if let Some(refusal) = strict::refusal(asked, self.scenario.longest) {
            let cue = self.refusal(n, 400, None, &refusal.message);
            return Cue { turn: Turn { code: refusal.code, ..cue.turn }, ..cue };
        }
        let saying = |text: &str| {
            let answer = Answer::saying(n, text, &self.scenario);
            Cue { turn: Turn::default(), answer }
        };
        if asked.is_aside() {
            return saying("A title");
        }
        let (turn, found) = match self.next(&mut state, asked) {
            Some(Next::Turn(turn, found)) => (*turn, found),
            Some(Next::Search(call)) => {
                let Cue { turn, answer } = saying("");
                return Cue { turn, answer: Answer { calls: vec![call], ..answer } };
            }
            None if state.open.contains_key(&key(asked)) => return saying(NOTHING_LEFT),
            None => return saying(NOTHING_FITS),
        };
        drop(state);
        if let Some(what) = turn.expect.as_ref().filter(|what| what.find(&asked.last).is_none()) {
            let (what, told) = (what.regex(), &asked.last);
            let message = format!("the scenario expected `{what}`, and was told: {told}");
            return self.refusal(n, 400, None, &message);
        }
        if let Some(what) = amiss(&turn, asked) {
            return self.refusal(n, 400, None, &what);
        }
        let values = Values::new(&found, &asked.last);
        let answer = Answer::of(n, &turn, &self.scenario, &values, &asked.tools);
        Cue { turn, answer }
    }

    fn refusal(
        &self,
        n: u64,
        status: u16,
        retry_after: Option<agent_worker_protocol::Interval>,
        message: &str,
    ) -> Cue {
        let turn = Turn {
            refuse: Some(status),
            retry_after,
            message: Some(message.to_owned()),
            ..Turn::default()
        };
        Cue { answer: Answer::saying(n, "", &self.scenario), turn }
    }

    /// The next turn of a conversation, which may begin with this request.
    fn next(&self, state: &mut State, asked: &Asked) -> Option<Next> {
        let key = key(asked);
        if !state.open.contains_key(&key) {
            let open = self.begin(state, asked)?;
            state.open.insert(key, open);
        }
        let open = state.open.get_mut(&key)?;
        let turns = &self.scenario.conversations[open.place].turns;
        let mut before = open.served;
        let turn = turns.iter().find(|turn| {
            let times = turn.times.max(1);
            let is_it = before < times;
            before = before.saturating_sub(times);
            is_it
        })?;
        let search = turn.calls().find_map(|called| Call::search(&called.call, &asked.tools));
        if let Some(call) = search.filter(|_| !asked.has_searched) {
            return Some(Next::Search(call));
        }
        open.served += 1;
        Some(Next::Turn(Box::new(turn.clone()), open.found.clone()))
    }

    fn begin(&self, state: &mut State, asked: &Asked) -> Option<Open> {
        let fits = |(place, conversation): (usize, &Conversation)| {
            let begun = state.begun.get(&place).copied().unwrap_or(0);
            let is_free = conversation.times == 0 || begun < conversation.times;
            let is_whose = conversation.agent.as_ref();
            let is_whose = is_whose.is_none_or(|agent| asked.agent() == Some(agent.as_str()));
            values::find(conversation.model.as_ref(), &asked.model)?;
            let found = values::find(conversation.when.as_ref(), asked.mail())?;
            (is_free && is_whose).then_some(Open { place, served: 0, found })
        };
        let open = self.scenario.conversations.iter().enumerate().find_map(fits)?;
        *state.begun.entry(open.place).or_default() += 1;
        Some(open)
    }

    /// Notes what was told of what an answer has used.
    pub fn used(&self, n: u64, usage: Usage) {
        self.state().counts.used(n, usage);
    }

    /// Notes what became of a request.
    pub fn ended(&self, n: u64, status: u16, breaks: Option<Break>) {
        self.state().counts.ended(n, status, breaks);
    }

    /// Waits until this many requests have come.
    pub async fn asked(&self, times: u64) {
        let mut requests = self.requests.subscribe();
        drop(requests.wait_for(|requests| *requests >= times).await);
    }

    /// Waits until answers of this name are let go.
    pub async fn held(&self, name: &str) {
        let mut released = self.released.subscribe();
        // The sender lives as long as this does.
        drop(released.wait_for(|names| names.contains(name)).await);
    }

    /// Lets the answers go that are held by this name, and holds no more of them.
    pub fn release(&self, name: &str) {
        self.released.send_modify(|names| {
            names.insert(name.to_owned());
        });
    }

    /// What was asked and given so far.
    pub fn counts(&self) -> Counts {
        self.state().counts.clone()
    }

    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the conversation lacks, or has and should not.
fn amiss(turn: &Turn, asked: &Asked) -> Option<String> {
    let has = |pattern: &Pattern| pattern.regex().is_match(&asked.conversation);
    let lacks = turn.remembers.as_ref().filter(|pattern| !has(pattern));
    let lacks = lacks.map(|pattern| format!("nothing in it is `{}`", pattern.regex()));
    let knows = turn.forgets.as_ref().filter(|pattern| has(pattern));
    let knows = knows.map(|pattern| format!("something in it is `{}`", pattern.regex()));
    lacks.or(knows).map(|what| format!("the conversation is not as it should be: {what}"))
}
