//! What the daemon takes, over time.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use agent_worker_protocol::MemberKind;
use tokio_util::sync::CancellationToken;

use crate::{daemon::Daemon, processes, table};

/// One look.
#[derive(Debug, Clone)]
pub struct Sample {
    at: Duration,
    daemon: u32,
    anonymous: u64,
    descriptors: usize,
    wal: u64,
    database: u64,
    below: usize,
    orphans: usize,
    backlog: i64,
}

/// The write-ahead log stays below this.
const MOST_WAL: u64 = 64 << 20;

/// Growth that is none.
const SLACK: (f64, f64) = (1.25, 4096.0);

/// Looks again and again until it is over.
pub async fn take(daemon: Arc<Daemon>, every: Duration, over: CancellationToken) -> Vec<Sample> {
    let begun = Instant::now();
    let mut samples = Vec::new();
    loop {
        tokio::select! {
            () = over.cancelled() => return samples,
            () = tokio::time::sleep(every) => {}
        }
        samples.extend(look(&daemon, begun).await);
    }
}

/// None while the daemon is away.
async fn look(daemon: &Daemon, begun: Instant) -> Option<Sample> {
    let snapshot = daemon.client().await.snapshot().await.ok()?;
    let agents = snapshot.agents.iter().filter(|agent| agent.kind == MemberKind::Agent);
    let pid = daemon.pid()?;
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
    let (below, orphans) = processes::count(&daemon.home(), pid);
    let anonymous = processes::anonymous(pid);
    (anonymous > 0).then(|| Sample {
        at: begun.elapsed(),
        daemon: pid,
        anonymous,
        descriptors: processes::descriptors(pid),
        wal: size(&daemon.home().join("agent-worker.db-wal")),
        database: size(&daemon.home().join("agent-worker.db")),
        below,
        orphans,
        backlog: agents.map(|agent| agent.unread).sum(),
    })
}

/// Prints what was seen, in at most forty lines.
pub fn print(samples: &[Sample]) {
    let step = samples.len().div_ceil(40).max(1);
    let rows: Vec<_> = samples.iter().step_by(step).map(row).collect();
    let header = [
        "time",
        "daemon",
        "anonymous",
        "descriptors",
        "WAL",
        "database",
        "processes",
        "orphans",
        "backlog",
    ];
    table::print("The daemon over time", &header, &rows);
}

#[expect(clippy::cast_precision_loss, reason = "sizes to look at")]
fn row(sample: &Sample) -> Vec<String> {
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    vec![
        format!("{:.0} s", sample.at.as_secs_f64()),
        sample.daemon.to_string(),
        mib(sample.anonymous * 1024),
        sample.descriptors.to_string(),
        mib(sample.wal),
        mib(sample.database),
        sample.below.to_string(),
        sample.orphans.to_string(),
        sample.backlog.to_string(),
    ]
}

type Figure = fn(&Sample) -> f64;

/// What is wrong with it: growth between the first and the last third, a large log, orphans that
/// stay.
#[expect(clippy::cast_precision_loss, reason = "means of counts")]
pub fn judge(samples: &[Sample]) -> Vec<String> {
    let mut faults = Vec::new();
    let third = samples.len() / 3;
    if third == 0 {
        return vec!["there were too few samples".to_owned()];
    }
    let (first, last) = (&samples[..third], &samples[samples.len() - third..]);
    let mean = |part: &[Sample], of: Figure| part.iter().map(of).sum::<f64>() / part.len() as f64;
    let figures: [(&str, Figure, f64); 3] = [
        ("KiB of anonymous memory", |sample| sample.anonymous as f64, SLACK.1),
        ("descriptors", |sample| sample.descriptors as f64, 10.0),
        ("messages of backlog", |sample| sample.backlog as f64, 50.0),
    ];
    for (name, of, slack) in figures {
        let (before, after) = (mean(first, of), mean(last, of));
        let is_flat = after <= before * SLACK.0 + slack;
        let word = if is_flat { "flat" } else { "NOT FLAT" };
        eprintln!("{name}: {before:.0} in the first third, {after:.0} in the last: {word}");
        if !is_flat {
            faults.push(format!("{name} grow from {before:.0} to {after:.0}"));
        }
    }
    let wal = samples.iter().map(|sample| sample.wal).max().unwrap_or(0);
    eprintln!("largest WAL: {} KiB", wal >> 10);
    if wal > MOST_WAL {
        faults.push(format!("the WAL has grown to {} MiB", wal >> 20));
    }
    // An orphan in two samples in a row was not ended.
    if samples.windows(2).any(|pair| pair.iter().all(|sample| sample.orphans > 0)) {
        faults.push("processes of runs are below no daemon".to_owned());
    }
    faults
}
