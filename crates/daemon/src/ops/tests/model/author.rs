//! Writes random histories: which step comes next, and what it says.

use agent_worker_protocol::MemberKind;

use crate::{
    ops::tests::model::{
        chance::Chance,
        spec::{File, random_limits},
        step::{By, End, Fate, Move, NAMES, Named, Post, Setup, Step, Turn, Verb},
    },
    rows::run::EndCause,
};

/// Writes random steps for a team.
pub struct Author {
    chance: Chance,
    mood: Mood,
    /// Its agents at the start
    agents: Vec<&'static str>,
}

/// What a history is mostly about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    /// Agents that talk to each other
    Talk,
    /// Runs that fail, and a daemon that restarts
    Trouble,
    /// A person who does much
    Person,
    /// All of it
    Mixed,
}

impl Author {
    pub fn new(mut chance: Chance, agents: Vec<&'static str>) -> Self {
        let mood = match chance.below(8) {
            0..3 => Mood::Talk,
            3..5 => Mood::Trouble,
            5..7 => Mood::Person,
            _ => Mood::Mixed,
        };
        Self { chance, mood, agents }
    }

    /// An agent, which usually exists.
    fn agent(&mut self) -> &'static str {
        if self.agents.is_empty() || self.chance.one_in(12) {
            self.chance.pick(&NAMES)
        } else {
            self.chance.pick(&self.agents)
        }
    }

    /// A word that may be a member's name.
    fn word(&mut self) -> &'static str {
        match self.chance.below(20) {
            0 => "user",
            1 => "all",
            2 => "zed",
            _ => self.agent(),
        }
    }

    fn words(&mut self, counts: &[usize]) -> Vec<&'static str> {
        (0..self.chance.pick(counts)).map(|_| self.word()).collect()
    }

    fn post(&mut self) -> Post {
        Post {
            names: self.words(&[0, 1, 1, 1, 1, 2, 2, 3]),
            to: self.words(&[0, 0, 0, 0, 0, 1, 1, 2]),
            words: (!self.chance.one_in(50)).then(|| self.chance.pick(&[1, 1, 1, 2])),
            is_long: self.chance.one_in(8),
            is_inform: self.chance.one_in(8),
            answers: self.chance.one_in(5).then(|| self.chance.between(0, 15)),
        }
    }

    /// The first message of a team: most of them mention a member.
    fn kickoff(&mut self) -> Post {
        let mut names = vec![if self.chance.one_in(4) { "all" } else { self.agent() }];
        names.extend(self.words(&[0, 0, 1]));
        let is_long = self.chance.one_in(8);
        Post { to: Vec::new(), names, words: Some(0), is_long, is_inform: false, answers: None }
    }

    /// The final text of a run.
    fn answer(&mut self) -> Post {
        Post {
            to: Vec::new(),
            names: self.words(&[0, 0, 0, 0, 1, 1, 2]),
            words: Some(self.chance.pick(&[1, 2, 4, 5])),
            is_long: self.chance.one_in(8),
            is_inform: false,
            answers: None,
        }
    }

    fn sender(&mut self) -> By {
        match self.chance.below(16) {
            0..4 => By::Person,
            4..6 => By::PersonTo(self.word()),
            6..8 => By::Outside(self.agent()),
            _ => By::Run,
        }
    }

    /// Most readers are runs and members outside.
    fn reader(&mut self) -> By {
        match self.chance.below(12) {
            0 => By::Person,
            1..6 => By::Outside(self.agent()),
            _ => By::Run,
        }
    }

    fn end(&mut self) -> End {
        let fails = match self.mood {
            Mood::Talk => self.chance.one_in(8),
            Mood::Trouble => !self.chance.one_in(4),
            Mood::Person | Mood::Mixed => self.chance.one_in(3),
        };
        if fails {
            let (class, told) = self.failure();
            return End::Failure(class, told);
        }
        let says = !self.chance.one_in(4);
        End::Success(says.then(|| self.answer()))
    }

    fn failure(&mut self) -> (EndCause, Option<i64>) {
        use crate::rows::run::EndCause::Cancelled;
        use crate::rows::run::EndCause::Lost;
        use crate::rows::run::EndCause::OverBudget;
        use crate::rows::run::EndCause::Overflow;
        use crate::rows::run::EndCause::Permanent;
        use crate::rows::run::EndCause::Stopped;
        use crate::rows::run::EndCause::TimedOut;
        use crate::rows::run::EndCause::Transient;
        use crate::rows::run::EndCause::Unavailable;
        let often = [Transient, Transient, TimedOut, Unavailable, Overflow];
        let seldom = [Transient, Permanent, Lost, OverBudget, Cancelled, Stopped];
        let class = if self.chance.one_in(3) {
            self.chance.pick(&seldom)
        } else {
            self.chance.pick(&often)
        };
        let told = [None, None, Some(1_500), Some(90_000), Some(200_000_000)];
        (class, if class == Unavailable { self.chance.pick(&told) } else { None })
    }

    fn kept(&mut self) -> Step {
        let verb = self.chance.pick(&[Verb::Retry, Verb::Drop, Verb::Release, Verb::Release]);
        let named = match self.chance.below(4) {
            0 => Named::Agent(self.agent()),
            1 => Named::Team,
            _ => Named::Message,
        };
        Step::Kept(verb, named)
    }

    /// What a file begins with, if it has a kickoff.
    pub fn first_message(&mut self) -> Option<Post> {
        let has_kickoff = !self.chance.one_in(12);
        has_kickoff.then(|| self.kickoff())
    }

    /// A file that a team is started with again.
    fn file(&mut self) -> File {
        let kickoff = self.first_message();
        File::random(&mut self.chance, kickoff)
    }

    fn end_of_setup(&mut self) -> Step {
        Step::EndSetup(match self.chance.below(4) {
            0 => Setup::NothingToDo,
            1 => Setup::Failed,
            _ => Setup::Done((!self.chance.one_in(4)).then(|| self.kickoff())),
        })
    }

    fn clock(&mut self) -> Step {
        Step::Clock(match self.chance.below(10) {
            0..4 => Move::NextDue,
            4..7 => Move::By(self.chance.between(1, 20_000)),
            7 => Move::By(self.chance.between(60_000, 900_000)),
            8 => Move::By(self.chance.between(3_600_000, 100_000_000)),
            _ => Move::By(-self.chance.between(1_000, 7_200_000)),
        })
    }

    fn note(&mut self) -> Step {
        Step::Note {
            started: self.chance.one_in(2),
            tokens: self.chance.pick(&[0, 10, 60, 150]),
            cents: self.chance.pick(&[0, 0, 25, 50]),
        }
    }

    fn creation(&mut self) -> Step {
        let kind = if self.chance.one_in(3) { MemberKind::External } else { MemberKind::Agent };
        Step::Create(self.agent(), kind)
    }

    /// The next thing that happens.
    pub fn turn(&mut self) -> Turn {
        let mood = self.mood;
        let weight = |kind: &Kind| match mood {
            Mood::Talk => kind.0[0],
            Mood::Trouble => kind.0[1],
            Mood::Person => kind.0[2],
            Mood::Mixed => kind.0.iter().sum(),
        };
        let mut at = self.chance.below(KINDS.iter().map(weight).sum());
        let (_, make) = KINDS
            .iter()
            .find(|kind| {
                let is_here = at < weight(kind);
                at = at.saturating_sub(weight(kind));
                is_here
            })
            .expect("the weights add up");
        let step = make(self);
        let fate = Fate::Answered;
        Turn { step, fate, run: self.chance.pointer(), message: self.chance.pointer() }
    }
}

/// A kind of step: how often it is taken in each mood, and what makes one.
type Kind = ([usize; 3], fn(&mut Author) -> Step);

const KINDS: [Kind; 28] = [
    ([30, 14, 20], |a| Step::Send(a.sender(), a.post())),
    ([1, 1, 2], |a| Step::Ask(a.agent())),
    ([24, 20, 16], |a| Step::Claim { is_backlog_open: !a.chance.one_in(10) }),
    ([8, 4, 6], |a| Step::Inbox(a.reader(), a.chance.pick(&[None, None, Some(1), Some(2)]))),
    ([5, 3, 4], |a| Step::Ack(a.reader())),
    ([2, 6, 4], Author::note),
    ([1, 0, 1], |_| Step::Label),
    ([26, 20, 14], |a| Step::Finish(a.end())),
    ([0, 4, 2], |a| {
        let (class, told) = a.failure();
        Step::BeginEnd(class, told)
    }),
    ([1, 4, 4], |_| Step::EndDue),
    ([0, 2, 2], |_| Step::Cancel),
    ([0, 1, 3], |a| Step::Stop { agent: a.agent(), now: a.chance.one_in(2) }),
    ([1, 3, 4], |a| Step::Resume(a.agent())),
    ([1, 1, 4], |a| Step::Wake(a.agent())),
    ([0, 0, 3], |a| Step::Remove(a.agent())),
    ([0, 0, 3], Author::creation),
    ([2, 5, 8], Author::kept),
    ([0, 2, 2], |_| Step::RetryRun),
    ([1, 1, 3], |a| Step::Limits(random_limits(&mut a.chance))),
    ([0, 0, 2], |a| Step::StopAll { now: a.chance.one_in(2) }),
    ([0, 1, 3], |_| Step::ResumeAll),
    ([1, 1, 4], |a| Step::Start(a.file())),
    ([1, 1, 1], Author::end_of_setup),
    ([0, 1, 0], |_| Step::ShutDown),
    ([0, 4, 1], |_| Step::Restart),
    ([1, 2, 2], |_| Step::Sweep),
    ([6, 16, 8], Author::clock),
    ([1, 1, 3], |_| Step::Read),
];
