//! Random histories: members propose, vote, vote again and take back, time passes with a daemon and
//! without, members come and go. What comes of each proposal is what a plain model of it says.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{AgentResume, AgentStop, TieBreak};
use proptest::{prelude::*, sample};

use super::*;
use crate::{
    cases::cases,
    entities::feed,
    ops::tests::{
        model::Real,
        proposals::plain::{End, Member, Motion, is_of_members},
    },
    rows::event,
    settings::Settings,
};

/// In the order of their names. The last one is the person.
const MEMBERS: [&str; 5] = ["alice", "bob", "carol", "dave", "user"];

const PERSON: usize = 4;

const COLOURS: [&str; 5] = ["red", "blue", "green", "white", "grey"];

const MINUTE: i64 = 60_000;

/// How many proposals an agent may have open.
const MOST_OPEN: usize = 20;

#[derive(Debug, Clone)]
struct Draft {
    kind: ProposalType,
    resolution: Resolution,
    tie_break: TieBreak,
    options: Option<Vec<usize>>,
    quorum: Option<usize>,
    electors: Option<Vec<usize>>,
    minutes: i64,
    binding: Option<bool>,
    sets_owner: bool,
}

#[derive(Debug, Clone)]
enum Step {
    /// A member proposes something.
    Create(usize, Draft),
    /// A member votes on one of the newest proposals, in one of several spellings.
    Vote { by: usize, back: usize, choice: usize, spelling: usize },
    /// A member proposes something, and all vote on it at once, each as is said here.
    Poll(usize, Draft, [usize; 5]),
    /// A member takes one of the newest proposals back.
    Cancel { by: usize, back: usize },
    /// Time passes, and a daemon closes what is over.
    Wait(i64),
    /// The daemon ends, or is killed, and another begins after some time.
    Restart { minutes: i64, is_killed: bool },
    /// An agent is stopped, or active again.
    Toggle(usize),
    /// An agent goes, and another of its name comes.
    Replace(usize),
}

fn draft() -> impl Strategy<Value = Draft> {
    use agent_worker_protocol::proposal::ProposalType::Approval;
    use agent_worker_protocol::proposal::ProposalType::Assignment;
    use agent_worker_protocol::proposal::ProposalType::Decision;
    use agent_worker_protocol::proposal::ProposalType::Election;
    use agent_worker_protocol::proposal::Resolution::Majority;
    use agent_worker_protocol::proposal::Resolution::Plurality;
    use agent_worker_protocol::proposal::Resolution::Unanimous;
    let some_of =
        |least: usize| sample::subsequence((0..5).collect::<Vec<_>>(), least..=4).prop_shuffle();
    (
        sample::select(vec![Election, Decision, Decision, Approval, Assignment]),
        sample::select(vec![Plurality, Plurality, Majority, Unanimous]),
        sample::select(vec![TieBreak::None, TieBreak::First, TieBreak::Creator, TieBreak::Creator]),
        prop_oneof![
            1 => Just(None),
            2 => some_of(1).prop_map(Some),
            1 => (0..PERSON).prop_map(|one| Some(vec![one])),
        ],
        prop_oneof![3 => Just(None), 2 => (0..=5_usize).prop_map(Some)],
        prop_oneof![2 => Just(None), 3 => some_of(0).prop_map(Some)],
        prop_oneof![1..=5_i64, Just(60)],
        prop_oneof![3 => Just(None), 1 => any::<bool>().prop_map(Some)],
        prop::bool::weighted(0.3),
    )
        .prop_map(
            |(
                kind,
                resolution,
                tie_break,
                options,
                quorum,
                electors,
                minutes,
                binding,
                sets_owner,
            )| {
                // What a decision is about must be said.
                let options = options.or((kind == Decision).then(|| vec![0, 1]));
                let sets_owner = sets_owner && kind != Decision;
                Draft {
                    kind,
                    resolution,
                    tie_break,
                    options,
                    quorum,
                    electors,
                    minutes,
                    binding,
                    sets_owner,
                }
            },
        )
}

fn step() -> impl Strategy<Value = Step> {
    // Choices beyond the options are there too, and most often the first ones.
    let choice = || prop_oneof![4 => 0..2_usize, 1 => 0..6_usize];
    let back = || prop_oneof![4 => Just(0_usize), 2 => 0..4_usize];
    prop_oneof![
        4 => (0..5_usize, draft()).prop_map(|(by, draft)| Step::Create(by, draft)),
        16 => (0..5_usize, back(), choice(), 0..4_usize)
            .prop_map(|(by, back, choice, spelling)| Step::Vote { by, back, choice, spelling }),
        4 => (0..5_usize, draft(), [0..2_usize, 0..2, 0..2, 0..2, 0..2])
            .prop_map(|(by, draft, choices)| Step::Poll(by, draft, choices)),
        1 => (0..5_usize, back()).prop_map(|(by, back)| Step::Cancel { by, back }),
        2 => (1..4_i64).prop_map(|minutes| Step::Wait(minutes * 30_000)),
        1 => (0..4_i64, any::<bool>())
            .prop_map(|(minutes, is_killed)| Step::Restart { minutes, is_killed }),
        1 => (0..PERSON).prop_map(Step::Toggle),
        1 => (0..PERSON).prop_map(Step::Replace),
    ]
}

/// What there is by the contract.
#[derive(Default)]
struct Model {
    now: i64,
    motions: Vec<Motion>,
    /// How many of each name there were before
    before: [u32; 5],
    is_stopped: [bool; 5],
    /// Who owns the document that may be handed over
    owner: Option<String>,
}

impl Model {
    fn member(&self, index: usize) -> Member {
        (MEMBERS[index], self.before[index])
    }

    /// Makes a proposal, if there can be such a one.
    fn create(&mut self, by: usize, draft: &Draft) -> bool {
        let of_members = is_of_members(draft.kind);
        let mut electors = match &draft.electors {
            Some(named) => named.clone(),
            None => (0..PERSON).filter(|index| !self.is_stopped[*index]).collect(),
        };
        electors.sort_unstable();
        let names = if of_members { MEMBERS } else { COLOURS };
        let said = |all: &[usize]| all.iter().map(|one| names[*one].to_owned()).collect();
        let options: Vec<String> = match &draft.options {
            Some(options) => said(options),
            None if of_members => {
                let agents = electors.iter().copied().filter(|index| *index != PERSON);
                said(&agents.collect::<Vec<_>>())
            }
            None => vec!["approve".to_owned(), "reject".to_owned()],
        };
        let usual = match draft.resolution {
            Resolution::Unanimous => electors.len(),
            _ => electors.len() / 2 + 1,
        };
        let quorum = draft.quorum.unwrap_or(usual);
        let is_own = by == PERSON || self.owner.as_deref() == Some(MEMBERS[by]);
        let is_free = is_own || draft.electors.is_none() && 2 * quorum > electors.len();
        let can_be_set = of_members && draft.binding != Some(false) && is_free;
        let me = self.member(by);
        let is_own_open = |motion: &&Motion| motion.end.is_none() && motion.creator == me;
        let open = self.motions.iter().filter(is_own_open).count();
        let is_refused = electors.is_empty()
            || by != PERSON && open >= MOST_OPEN
            || options.len() < if of_members { 1 } else { 2 }
            || !(1..=electors.len()).contains(&quorum)
            || draft.sets_owner && !can_be_set;
        if is_refused {
            return false;
        }
        self.motions.push(Motion {
            kind: draft.kind,
            resolution: draft.resolution,
            tie_break: draft.tie_break,
            quorum,
            options,
            electors: electors.into_iter().map(|index| self.member(index)).collect(),
            gone: BTreeSet::new(),
            creator: self.member(by),
            meant: (0..MEMBERS.len()).map(|index| self.member(index)).collect(),
            binding: draft.binding.unwrap_or(true),
            sets_owner: draft.sets_owner,
            expires_at: self.now + draft.minutes * MINUTE,
            votes: BTreeMap::default(),
            end: None,
            changes: 1,
        });
        true
    }

    /// Votes, or tells for which reasons that cannot be.
    fn vote(&mut self, by: usize, at: Option<usize>, choice: usize) -> Vec<ErrorCode> {
        let (me, now) = (self.member(by), self.now);
        let Some(at) = at else { return vec![ErrorCode::NotFound] };
        let motion = &mut self.motions[at];
        let reasons: Vec<_> = [
            (ErrorCode::Denied, !motion.electors.contains(&me)),
            (ErrorCode::Conflict, motion.end.is_some()),
            (ErrorCode::Invalid, choice >= motion.options.len()),
        ]
        .into_iter()
        .filter_map(|(code, is_so)| is_so.then_some(code))
        .collect();
        if reasons.is_empty() {
            motion.votes.insert(me, choice);
            motion.changes += 1;
            if motion.judge(false, now) {
                self.act(at);
            }
        }
        reasons
    }

    fn cancel(&mut self, by: usize, at: Option<usize>) -> Vec<ErrorCode> {
        let Some(at) = at else { return vec![ErrorCode::NotFound] };
        let (me, now) = (self.member(by), self.now);
        let motion = &mut self.motions[at];
        let mut reasons = Vec::new();
        if by != PERSON && motion.creator != me {
            reasons.push(ErrorCode::Denied);
        }
        match &motion.end {
            None if reasons.is_empty() => {
                let (status, outcome) = (ProposalStatus::Cancelled, Outcome::Cancelled);
                motion.end = Some(End { status, outcome, result: None, at: now });
                motion.changes += 1;
            }
            Some(end) if end.outcome != Outcome::Cancelled => reasons.push(ErrorCode::Conflict),
            _ => {}
        }
        reasons
    }

    /// Closes what is over.
    fn look(&mut self) {
        for at in 0..self.motions.len() {
            let motion = &mut self.motions[at];
            if motion.end.is_none() && motion.expires_at <= self.now {
                motion.changes += 1;
                assert!(motion.judge(true, self.now), "nothing stays open for ever");
                self.act(at);
            }
        }
    }

    /// Announces what goes on without an elector, and closes what the others cannot decide.
    fn go_on_without(&mut self, gone: Member) {
        for at in 0..self.motions.len() {
            let motion = &mut self.motions[at];
            if motion.end.is_some() || !motion.electors.contains(&gone) {
                continue;
            }
            motion.changes += 1;
            motion.gone.insert(gone);
            if motion.judge(false, self.now) {
                self.act(at);
            }
        }
    }

    /// Whether a member is still there.
    fn has(&self, member: Member) -> bool {
        (0..MEMBERS.len()).any(|index| self.member(index) == member)
    }

    /// A result that hands a document over does so, if it may.
    fn act(&mut self, at: usize) {
        let motion = &self.motions[at];
        let Some(winner) = self.elected(at).filter(|_| motion.sets_owner).map(str::to_owned) else {
            return;
        };
        let option = motion.options.iter().position(|option| *option == winner);
        let votes = motion.votes.values().filter(|chosen| Some(**chosen) == option).count();
        if self.is_of_owner(motion)
            || self.owner.as_ref() == Some(&winner)
            || 2 * votes > motion.electors.len().max(self.usual(motion))
        {
            self.owner = Some(winner);
        }
    }

    /// How many of those that were there when it was made would now vote by default.
    fn usual(&self, motion: &Motion) -> usize {
        let is_usual =
            |index: &usize| !self.is_stopped[*index] && motion.meant.contains(&self.member(*index));
        (0..PERSON).filter(is_usual).count()
    }

    /// Whether the person made it, or the one who now owns the document.
    fn is_of_owner(&self, motion: &Motion) -> bool {
        let (name, _) = motion.creator;
        name == MEMBERS[PERSON] || self.has(motion.creator) && self.owner.as_deref() == Some(name)
    }

    /// The winner, if the elected member is still the same agent.
    fn elected(&self, at: usize) -> Option<&str> {
        let motion = &self.motions[at];
        let result = motion.end.as_ref()?.result.as_deref()?;
        let is_meant =
            |index: usize| MEMBERS[index] == result && motion.meant.contains(&self.member(index));
        (0..MEMBERS.len()).any(is_meant).then_some(result)
    }

    /// When the next one is over.
    fn next(&self) -> Option<i64> {
        let open = self.motions.iter().filter(|motion| motion.end.is_none());
        open.map(|motion| motion.expires_at).min()
    }

    /// Whether its creator goes on with the result and no other elector is left.
    fn is_of_creator_alone(&self, at: usize) -> bool {
        let motion = &self.motions[at];
        let (name, _) = motion.creator;
        let is_cancelled = motion.end.as_ref().is_some_and(|end| end.outcome == Outcome::Cancelled);
        let goes_on = motion.binding
            && !is_cancelled
            && self.winner(at).is_none()
            && name != MEMBERS[PERSON]
            && self.has(motion.creator);
        let is_other = |elector: &Member| *elector != motion.creator && self.has(*elector);
        goes_on && !motion.electors.iter().any(is_other)
    }

    /// The winner who is told to do the work, if there is a winner.
    fn winner(&self, at: usize) -> Option<&str> {
        let motion = &self.motions[at];
        let acts = motion.binding && motion.is_of_members();
        self.elected(at).filter(|_| acts)
    }
}

/// The world and the model, side by side.
struct Both {
    real: Real,
    model: Model,
}

impl Both {
    fn new(is_on_disk: bool) -> Self {
        let real = Real::new(Settings::default(), is_on_disk);
        real.world.start_with(&MEMBERS[..PERSON], "hello", Mode::Start, Limits::default());
        Self { real, model: Model { now: BEGIN, ..Model::default() } }
    }

    fn world(&self) -> &World {
        &self.real.world
    }

    fn newest_event(&self) -> i64 {
        self.world().daemon(|cx| event::range(cx.db)).1
    }

    fn at(&self, back: usize) -> (Option<usize>, ProposalId) {
        let count = self.model.motions.len();
        let at = count.checked_sub(1).map(|newest| newest - back % count);
        (at, ProposalId::new(at.map_or(1, |at| i64::try_from(at).unwrap() + 1)))
    }

    fn create(&mut self, by: usize, draft: &Draft) {
        let names = if is_of_members(draft.kind) { MEMBERS } else { COLOURS };
        let said = |all: &Option<Vec<usize>>, names: [&'static str; 5]| {
            all.as_ref().map(|all| all.iter().map(|one| names[*one]).collect::<Vec<_>>())
        };
        let fields = json!({
            "type": draft.kind, "resolution": draft.resolution, "tie_break": draft.tie_break,
            "options": said(&draft.options, names), "quorum": draft.quorum,
            "electors": said(&draft.electors, MEMBERS), "binding": draft.binding,
            "expires_in": format!("{}m", draft.minutes),
            "sets_owner": draft.sets_owner.then_some("plan.md"),
        });
        let member = (by != PERSON).then_some(MEMBERS[by]);
        let made = self.world().call_as("@team", member, create(&fields));
        assert_eq!(made.is_ok(), self.model.create(by, draft), "{made:?}");
    }

    fn vote(&mut self, by: usize, back: usize, choice: usize, spelling: usize) {
        let (at, id) = self.at(back);
        let motion = at.map(|at| &self.model.motions[at]);
        let option = motion.and_then(|motion| motion.options.get(choice).cloned());
        let word = option.unwrap_or_else(|| "mauve".to_owned());
        let word = match spelling {
            0 => word.to_uppercase(),
            1 => format!(" {word} "),
            2 if motion.is_some_and(Motion::is_of_members) => format!("@{word}"),
            _ => word,
        };
        let answer = self.world().vote(MEMBERS[by], id, &word);
        let reasons = self.model.vote(by, at, choice);
        agree(&answer, &reasons);
        if let Ok(told) = answer {
            assert_eq!(told, self.world().proposal(id), "the answer is how it stands");
        }
    }

    fn cancel(&mut self, by: usize, back: usize) {
        let (at, proposal) = self.at(back);
        let member = (by != PERSON).then_some(MEMBERS[by]);
        let answer = self.world().call_as("@team", member, ProposalCancel { proposal });
        agree(&answer, &self.model.cancel(by, at));
    }

    /// Time passes while a daemon is there, which wakes for each that is over.
    fn wait(&mut self, ms: i64) {
        let until = self.model.now + ms;
        loop {
            let next = self.world().daemon(close::close_late).map(|at| at.0);
            self.model.look();
            assert_eq!(next, self.model.next());
            let now = next.filter(|next| *next <= until).unwrap_or(until);
            if now == self.model.now {
                return;
            }
            self.world().pass(now - self.model.now);
            self.model.now = now;
        }
    }

    fn restart(&mut self, minutes: i64, is_killed: bool) {
        self.model.now += minutes * MINUTE;
        self.world().pass(minutes * MINUTE);
        if is_killed {
            self.real.die();
        } else {
            self.real.restart();
        }
        self.model.look();
    }

    fn toggle(&mut self, index: usize) {
        let target = target(&format!("{}@team", MEMBERS[index]));
        let is_stopped = &mut self.model.is_stopped[index];
        *is_stopped = !*is_stopped;
        if *is_stopped {
            self.real.world.call("", AgentStop { target, now: true }).unwrap();
        } else {
            self.real.world.call("", AgentResume { target }).unwrap();
        }
    }

    fn replace(&mut self, index: usize) {
        let gone @ (name, _) = self.model.member(index);
        self.world().make_anew(name);
        if self.model.owner.as_deref() == Some(name) {
            self.model.owner = Some("user".to_owned());
        }
        self.model.before[index] += 1;
        self.model.is_stopped[index] = false;
        self.model.go_on_without(gone);
    }

    fn take(&mut self, step: &Step) {
        let before = (self.newest_event(), self.model.motions.clone());
        match step {
            Step::Create(by, draft) => self.create(*by, draft),
            Step::Vote { by, back, choice, spelling } => {
                self.vote(*by, *back, *choice, *spelling);
            }
            Step::Poll(by, draft, choices) => {
                self.create(*by, draft);
                for (by, choice) in choices.iter().enumerate() {
                    self.vote(by, 0, *choice, 3);
                }
            }
            Step::Cancel { by, back } => self.cancel(*by, *back),
            Step::Wait(ms) => self.wait(*ms),
            Step::Restart { minutes, is_killed } => self.restart(*minutes, *is_killed),
            Step::Toggle(index) => self.toggle(*index),
            Step::Replace(index) => self.replace(*index),
        }
        let changes =
            |motions: &[Motion]| motions.iter().map(|motion| motion.changes).sum::<usize>();
        let is_still = changes(&self.model.motions) == changes(&before.1);
        if is_still && matches!(step, Step::Create(..) | Step::Vote { .. } | Step::Cancel { .. }) {
            assert_eq!(self.newest_event(), before.0, "a refusal changes nothing");
        }
        for (at, motion) in self.model.motions.iter().enumerate() {
            let was_open = before.1.get(at).is_none_or(|motion| motion.end.is_none());
            if was_open && motion.end.is_some() {
                self.assert_closed(at);
            }
        }
        self.assert_same();
    }

    /// The electors are told once, and the winner once more. Where the creator goes on and no other
    /// elector is left, the message to it is all that is said.
    fn assert_closed(&self, at: usize) {
        let (closed, won) = (format!("prop_{} is closed: ", at + 1), format!("prop_{}:", at + 1));
        let messages = self.world().messages();
        let told = messages.iter().filter(|one| one.content.starts_with(&closed));
        let is_alone = self.model.is_of_creator_alone(at);
        assert_eq!(told.count(), usize::from(!is_alone), "{closed}");
        let own = format!(", your prop_{} is closed: ", at + 1);
        let goes_on = messages.iter().filter(|one| one.content.contains(&own)).count();
        assert!(goes_on <= 1 && (goes_on == 1 || !is_alone), "{own}");
        let won = format!(", you have won {won}");
        let mut won = messages.iter().filter(|one| one.content.contains(&won));
        let task = won.next();
        assert_eq!((task.is_some(), won.next()), (self.model.winner(at).is_some(), None));
        if let (Some(task), Some(winner)) = (task, self.model.winner(at)) {
            let delivery = self.world().delivery(winner, task.id);
            assert_eq!(delivery.reason, Reason::Proposal);
            assert!(delivery.wakes || winner == "user", "{delivery:?}");
        }
    }

    fn assert_same(&self) {
        for (at, motion) in self.model.motions.iter().enumerate() {
            let id = ProposalId::new(i64::try_from(at).unwrap() + 1);
            let told = self.world().proposal(id);
            let end = told.outcome.map(|outcome| End {
                status: told.status,
                outcome,
                result: told.result.clone(),
                at: told.resolved_at.expect("it is closed").0,
            });
            assert_eq!(end, motion.end, "{id}: {motion:?}");
            assert_eq!(told.status == ProposalStatus::Active, motion.end.is_none());
            assert_eq!(told.options, motion.options);
            assert_eq!(
                (told.quorum as usize, told.expires_at.0),
                (motion.quorum, motion.expires_at)
            );
            let names = |members: &[Name]| members.iter().map(Name::to_string).collect::<Vec<_>>();
            let electors: Vec<_> =
                motion.electors.iter().map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(names(&told.electors), electors);
            let gone = motion.gone.iter().filter(|_| motion.end.is_none());
            let removed: Vec<_> = gone.map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(names(&told.removed), removed);
            let votes: Vec<_> = told
                .votes
                .iter()
                .map(|vote| (vote.voter.to_string(), vote.choice.clone()))
                .collect();
            let expected: Vec<_> = motion
                .votes
                .iter()
                .map(|((name, _), option)| ((*name).to_owned(), motion.options[*option].clone()))
                .collect();
            assert_eq!(votes, expected);
            let tally: Vec<_> = told.tally.iter().map(|one| one.votes as usize).collect();
            assert_eq!(tally, motion.counts());
        }
        let documents = self.world().call("@team", DocList {}).unwrap().documents;
        let owner = documents.first().and_then(|one| one.owner.as_ref()).map(Name::to_string);
        assert_eq!(owner, self.model.owner);
        let all = ProposalList { all: true, limit: Some(200), before: None };
        let count = self.world().call("@team", all).unwrap().proposals.len();
        assert_eq!(count, self.model.motions.len());
    }

    /// Every change was one event, and one of them the close.
    fn assert_told(&self) {
        let filter = feed::Filter::default();
        let lines = self.world().daemon(move |cx| feed::page(cx.db, &filter, 0, usize::MAX)).0;
        let mut told = vec![(0, 0); self.model.motions.len()];
        for line in lines.iter().filter(|line| line.kind == "proposal.changed") {
            let event: Value = serde_json::from_str(&line.json).unwrap();
            let id = event["body"]["id"].as_str().unwrap().strip_prefix("prop_").unwrap();
            let (changes, ends) = &mut told[id.parse::<usize>().unwrap() - 1];
            assert_eq!(*ends, 0, "nothing is told of it after its close");
            *changes += 1;
            *ends += usize::from(event["body"]["status"] != "active");
        }
        let expected: Vec<_> = self
            .model
            .motions
            .iter()
            .map(|motion| (motion.changes, usize::from(motion.end.is_some())))
            .collect();
        assert_eq!(told, expected);
    }

    fn play(&mut self, steps: &[Step]) {
        for step in steps {
            self.take(step);
        }
        self.take(&Step::Wait(2 * 60 * MINUTE));
        assert!(self.model.motions.iter().all(|motion| motion.end.is_some()));
        self.assert_told();
    }
}

/// An answer is given where nothing speaks against it, and a refusal says what does.
fn agree<T: std::fmt::Debug>(answer: &Result<T, OpError>, reasons: &[ErrorCode]) {
    match answer {
        Ok(done) => assert_eq!(reasons, [], "{done:?}"),
        Err(OpError::Refused(body)) => assert!(reasons.contains(&body.code), "{body:?}"),
        Err(fault) => panic!("{fault}"),
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn every_proposal_ends_once_as_the_model_says(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        Both::new(false).play(&steps);
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn every_proposal_outlives_the_daemon_that_has_it(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        Both::new(true).play(&steps);
    }
}
