//! Supervises one run: launch, follow, finish, clean up.

use std::sync::Arc;

use agent_worker_process::is_shortage;
use agent_worker_protocol::{BackendConfig, OutputEvent, RunConfig, WorkerConfig};
use tokio::time::Instant;

use crate::{
    changes::run::{
        claim::Claimed,
        finish,
        progress::{self, Progress, Spawned},
    },
    context::Cx,
    engine::{
        app::App,
        callers::Caller,
        process::spawner::Launchpad,
        retry::insist,
        runs::{
            activity::Activity, environment, follower::Follower, homes, orders::unless_ended,
            outcome, speech::Speech, spending::Spending, transcript::Transcript, watch::Watch,
        },
    },
    fail_points::reach,
    rows::{EndCause, RunRow},
    rules::ending::Ended,
    token,
};

/// Does a claimed run to its end. Whatever happens, the run is over in the tables afterwards.
pub async fn supervise(app: App, claimed: Claimed, token: String) {
    let run = claimed.run.id;
    let caller = app.callers().expect(token::token_hash(&token));
    let home = unless_ended(&app, run, homes::ready(&app, &claimed)).await;
    let (ended, last) =
        match home.and_then(|home| environment::assemble(&app, &claimed, token, home)) {
            Ok((config, pad)) => {
                let scratch = environment::scratch(&config.backend).map(ToOwned::to_owned);
                let done = work(&app, &claimed, config, &pad, &caller).await;
                outcome::remove_scratch(scratch.as_deref()).await;
                done
            }
            Err(failure) => (failure.into(), Arc::default()),
        };
    let ended = Ended { jitter: rand::random(), ..ended };
    let failure = ended.failure.as_ref().map(|failure| failure.error.clone());
    let finish = move |cx: &mut Cx<'_>| {
        progress::take_in(cx, run, &last)?;
        finish::finish(cx, run, &ended)?;
        reach("finish.done");
        Ok(RunRow::by_id(cx.db, run)?.state)
    };
    let finished = insist(&app, finish).await;
    reach("finish.committed");
    match finished {
        Ok(state) => app.outputs().send(run, OutputEvent::End { state, error: failure }),
        Err(error) => tracing::error!(%run, %error, "a run could not be finished"),
    }
    app.outputs().close(run);
}

/// Starts the worker and follows it to its end. Gives what is to be noted with that.
async fn work(
    app: &App,
    claimed: &Claimed,
    config: Box<RunConfig>,
    pad: &Launchpad,
    caller: &Caller,
) -> (Ended, Arc<Progress>) {
    let run = claimed.run.id;
    let (cwd, price) = (config.cwd.clone(), environment::price(&config.backend));
    // Then the agent's tools are used by a program of its own, not by the worker.
    let is_program = matches!(config.backend, BackendConfig::Program(_));
    reach("spawn.wanted");
    let (mut worker, mut reports) = match app.spawner().spawn(&WorkerConfig::Run(config), pad).await
    {
        Ok(started) => started,
        Err(error) => return (not_started(&error), Arc::default()),
    };
    let process = worker.process;
    let started = (process.started != 0).then_some(process.started);
    let process = Some(Spawned { pid: process.pid, started, cwd: cwd.clone() });
    let settings = app.store().settings().clone();
    let follower = Follower {
        app,
        claimed,
        pieces: String::new(),
        turns: Vec::new(),
        transcript: Transcript::new(run, app.outputs(), &settings.transcript),
        watch: Watch::begin(&settings.runs, claimed.config.timeout, Instant::now()),
        folder: cwd.as_deref(),
        speech: Speech::begin(
            settings.runs.silent.duration(),
            app.store().clock().now(),
            Instant::now(),
        ),
        activity: Activity::new(is_program),
        spending: Spending::at(price),
        unreached: None,
        noted: Progress { process, ..Progress::default() },
        is_behind: false,
        terminal: None,
        is_believed: true,
        program: is_program.then_some(caller),
    };
    follower.follow(&mut worker, &mut reports).await
}

fn not_started(error: &std::io::Error) -> Ended {
    // A machine out of resources is not the agent's fault: it uses up no attempt.
    let class = if is_shortage(error) { EndCause::Unavailable } else { EndCause::Transient };
    Ended::failed(class, format!("its worker could not be started: {error}"))
}
