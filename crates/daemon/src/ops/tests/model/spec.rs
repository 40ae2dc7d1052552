//! A random small team: its numbers, small so that limits are reached, and its workflow file.

use std::time::Duration;

use agent_worker_protocol::{Limits, MemberKind, Mode};

use crate::{
    ops::tests::model::{
        author::Author,
        chance::Chance,
        step::{NAMES, Post},
    },
    settings::Settings,
};

/// The settings that a team is played with.
#[derive(Debug, Clone)]
pub struct Numbers {
    pub attempts: i64,
    pub timeout_attempts: i64,
    pub lost_limit: i64,
    pub crash_loop_runs: i64,
    pub max_runs: u32,
    pub hops: u32,
    pub runs: u32,
    pub pair_wakes: i64,
    pub repeats: i64,
    pub inbox_messages: u32,
    pub inbox_bytes: u32,
    /// The longest delay of mail, and of an agent: what lies farther ahead is of another clock.
    pub longest_retry: i64,
    pub longest_backoff: i64,
}

/// A workflow file, and how it is started.
#[derive(Debug, Clone)]
pub struct File {
    pub agents: Vec<(&'static str, MemberKind)>,
    pub mode: Mode,
    pub limits: Limits,
    pub has_setup: bool,
    pub kickoff: Option<Post>,
}

/// All that a history begins with.
#[derive(Debug, Clone)]
pub struct Spec {
    pub numbers: Numbers,
    pub file: File,
}

impl Spec {
    pub fn random(chance: &mut Chance) -> Self {
        let numbers = Numbers::random(chance);
        let mut file = File::random(chance, None);
        file.kickoff = Author::new(chance.clone(), file.names()).first_message();
        Self { numbers, file }
    }
}

impl Numbers {
    fn random(chance: &mut Chance) -> Self {
        let small = |chance: &mut Chance, low, high| {
            u32::try_from(chance.between(low, high)).expect("it is small")
        };
        let mut numbers = Self {
            attempts: chance.between(1, 3),
            timeout_attempts: chance.between(1, 3),
            lost_limit: chance.between(2, 4),
            crash_loop_runs: chance.between(2, 6),
            max_runs: small(chance, 1, 4),
            hops: small(chance, 2, 8),
            runs: small(chance, 3, 12),
            pair_wakes: chance.between(2, 6),
            repeats: 3,
            inbox_messages: small(chance, 1, 5),
            inbox_bytes: if chance.one_in(4) { small(chance, 60, 300) } else { 65_536 },
            longest_retry: 0,
            longest_backoff: 0,
        };
        let settings = numbers.settings();
        let ms = |span: Duration| i64::try_from(span.as_millis()).expect("it is short");
        numbers.longest_retry = ms(settings.longest_retry());
        numbers.longest_backoff = ms(settings.longest_backoff());
        numbers
    }

    pub fn settings(&self) -> Settings {
        let mut settings = defaults();
        settings.runs.attempts = self.attempts;
        settings.runs.timeout_attempts = self.timeout_attempts;
        settings.runs.lost_limit = self.lost_limit;
        settings.runs.crash_loop_runs = self.crash_loop_runs;
        settings.runs.max_runs = self.max_runs;
        settings.guard.hops = self.hops;
        settings.guard.runs = self.runs;
        settings.guard.pair_wakes = self.pair_wakes;
        settings.guard.repeats = self.repeats;
        settings.inbox.messages = self.inbox_messages;
        settings.inbox.bytes = self.inbox_bytes;
        settings
    }
}

/// The default settings, which are read once for all teams.
fn defaults() -> Settings {
    static DEFAULTS: std::sync::LazyLock<Settings> = std::sync::LazyLock::new(Settings::default);
    DEFAULTS.clone()
}

impl File {
    /// The names of its agents.
    pub fn names(&self) -> Vec<&'static str> {
        self.agents.iter().map(|(name, _)| *name).collect()
    }

    pub fn random(chance: &mut Chance, kickoff: Option<Post>) -> Self {
        let count = chance.pick(&[1, 2, 2, 3, 3, 3, 4, 5]);
        let mut agents: Vec<_> =
            NAMES[..count].iter().map(|name| (*name, MemberKind::Agent)).collect();
        if chance.one_in(3) {
            let outside = chance.below(count);
            agents[outside].1 = MemberKind::External;
        }
        if chance.one_in(6) {
            agents.remove(chance.below(count));
        }
        let mode = if chance.one_in(6) { Mode::Start } else { Mode::Run };
        let mut limits = random_limits(chance);
        // A file with more agents than its own limit is refused before it gets here.
        let own = u32::try_from(agents.len()).expect("there are few");
        limits.agents = limits.agents.map(|most| most.max(own));
        Self { agents, mode, limits, has_setup: chance.one_in(12), kickoff }
    }
}

/// Limits, most of them not set.
pub fn random_limits(chance: &mut Chance) -> Limits {
    let mut limits = Limits::default();
    let small = |chance: &mut Chance, low, high| {
        u32::try_from(chance.between(low, high)).expect("it is small")
    };
    if chance.one_in(6) {
        limits.hops = Some(small(chance, 1, 8));
    }
    if chance.one_in(6) {
        limits.runs = Some(small(chance, 1, 8));
    }
    if chance.one_in(6) {
        limits.max_runs = Some(small(chance, 1, 3));
    }
    if chance.one_in(6) {
        limits.tokens = Some(u64::from(small(chance, 1, 5)) * 100);
    }
    if chance.one_in(8) {
        limits.cost = Some(f64::from(small(chance, 1, 4)) / 4.0);
    }
    if chance.one_in(8) {
        limits.duration = Some(Duration::from_secs(u64::from(small(chance, 1, 4)) * 300).into());
    }
    if chance.one_in(16) {
        limits.agents = Some(small(chance, 1, 5));
    }
    limits
}
