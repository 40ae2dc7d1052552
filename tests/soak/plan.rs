//! What was asked for.

use std::time::Duration;

use agent_worker_protocol::Interval;

/// How long, and how hard.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// For how long there is load
    pub time: Duration,
    /// Messages a second
    pub rate: f64,
    /// Between two kills of the daemon; zero for none
    pub kill: Duration,
    /// Between two looks at the daemon
    pub sample: Duration,
}

fn span(text: &str) -> Duration {
    let span: Result<Interval, _> = text.parse();
    span.unwrap_or_else(|_| panic!("`{text}` is no time, such as 5m or 90s")).duration()
}

impl Plan {
    /// Reads the plan; `None` if the arguments name no time, as when all benches run.
    pub fn from_args(args: impl Iterator<Item = String>) -> Option<Self> {
        let mut plan = Self {
            time: Duration::ZERO,
            rate: 6.0,
            kill: Duration::from_mins(1),
            sample: Duration::from_secs(5),
        };
        for arg in args.filter(|arg| !arg.starts_with('-')) {
            match arg.split_once('=') {
                Some(("rate", rate)) => plan.rate = rate.parse().expect("a number"),
                Some(("kill", every)) => plan.kill = span(every),
                Some(("sample", every)) => plan.sample = span(every),
                Some((name, _)) => panic!("`{name}` is none of rate, kill, sample"),
                None if arg.starts_with(|first: char| first.is_ascii_digit()) => {
                    plan.time = span(&arg);
                }
                None => return None,
            }
        }
        (!plan.time.is_zero()).then_some(plan)
    }
}
