//! A soak: teams of mock agents under steady load for a chosen time, with crashes, hangs, killed
//! daemons and cut feeds. It prints what the daemon takes over time, and at the end whether every
//! promise was kept.
//!
//! `cargo bench --bench soak -- 20m`, and where wished `rate=6` (messages a second), `kill=60s`
//! (between two kills of the daemon; 0s for none), `sample=5s`.

#[path = "../../benches/figures/table.rs"]
#[expect(dead_code, reason = "figures have more to show")]
mod table;

mod daemon;
mod feeds;
mod judge;
mod load;
mod plan;
mod processes;
mod samples;
mod teams;

use std::{process::ExitCode, sync::Arc, time::Instant};

use daemon::Daemon;
use plan::Plan;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let Some(plan) = Plan::from_args(std::env::args().skip(1)) else {
        eprintln!("soak: give it a time, as in `cargo bench --bench soak -- 20m`");
        return ExitCode::SUCCESS;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let faults = runtime.block_on(soak(plan));
    for fault in &faults {
        eprintln!("FAULT {fault}");
    }
    eprintln!("{}", if faults.is_empty() { "every promise was kept" } else { "not good" });
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn soak(plan: Plan) -> Vec<String> {
    let daemon = Arc::new(Daemon::start());
    teams::start(&daemon).await;
    let (over, watched_enough) = (CancellationToken::new(), CancellationToken::new());
    let feeds = feeds::follow(&daemon, &watched_enough);
    let sampling = tokio::spawn(samples::take(daemon.clone(), plan.sample, over.clone()));
    let killing = tokio::spawn(daemon::kill_now_and_then(daemon.clone(), plan.kill, over.clone()));
    let backups = tokio::spawn(load::back_up(daemon.clone(), over.clone()));
    let sending = load::send(&daemon, plan.rate, &over);
    let begun = Instant::now();
    tokio::time::sleep(plan.time).await;
    over.cancel();
    let sent = load::gather(sending).await;
    let kills = killing.await.expect("it does not panic");
    let backups = backups.await.expect("it does not panic");
    let samples = sampling.await.expect("it does not panic");
    eprintln!(
        "{} messages in {:.0?}, {kills} kills of the daemon, {backups} backups",
        sent.len(),
        begun.elapsed()
    );
    samples::print(&samples);
    let mut faults = samples::judge(&samples);
    faults.extend(judge::settle(&daemon).await);
    let reference = feeds::reference(&daemon).await;
    watched_enough.cancel();
    faults.extend(feeds::compare(feeds, &reference).await);
    faults.extend(judge::judge(&sent, &reference));
    faults.extend(judge::stop(&daemon));
    faults
}
