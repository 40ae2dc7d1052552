//! The daemon of agent-worker: one process, one SQLite file, the only authority over all state.
//! It stores messages, decides which agent works, starts a worker process for each piece of work,
//! and tells everyone what has changed. It builds no prompt and speaks to no model.

mod announce;
mod changes;
mod clock;
mod context;
mod digest;
mod engine;
mod entities;
mod error;
mod fail_points;
mod fault;
mod keys;
mod lock;
mod log;
mod ops;
mod plain;
mod rows;
mod rules;

mod settings;
mod signals;
mod store;
mod surfaces;
mod token;

use std::{net::IpAddr, path::Path, sync::Arc, time::Duration};

use agent_worker_process as process;
use agent_worker_protocol::{DaemonFile, RunGrace};
use announce::Lock;
use changes::{daemon::recover, run::end};
use clock::Clock;
use context::{credential::Credential, cx::Cx, store::Store, surroundings::Surroundings};
use engine::{
    app::App,
    backup, indexer, orphans,
    place::Place,
    port,
    process::spawner::Spawner,
    programs, scheduler,
    serve_error::{not_opened, not_recovered, system},
};
use fail_points::reach;
use rules::schedule::due;
use settings::Settings;
use signals::Signals;
use store::{connections::WriterEnd, file::MAIN};
use surfaces::{gate::Gate, http};
use tokio::net::TcpListener;

pub use announce::NotTheDaemon;
pub use engine::doctor::report::examine_idle;
pub use engine::restore::{RestoreError, restore};
pub use engine::{options::Options, serve_error::ServeError};
pub use settings::{DEFAULT_TEXT as DEFAULT_SETTINGS, all_settings, check_settings};

/// Is the daemon of a state directory until it is told to end. `ready` is called with the address
/// once it can be reached.
pub async fn serve(options: Options, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let _fail_points = fail_points::begin();
    announce::make_home(&options.home)?;
    let lock = Lock::take(&options.home).await?;
    let place = Arc::new(Place::new(&options.home, lock));
    let mut signals = Signals::listen().map_err(system("listening for signals"))?;
    let (settings, digest) = read_settings(&options)?;
    log::begin(&options.home, settings.keep.log_bytes).map_err(system("opening daemon.log"))?;
    become_parent();
    reach("begin.locked");
    tidy(&options.home)?;
    let database = options.home.join(MAIN);
    let (store, mut writer_end, epoch) = open(&database, &settings).await?;
    let spawner = Spawner::start(&epoch).map_err(system("starting the spawner"))?;
    let app = App::new(store, place.clone(), spawner);
    let listener = port::bind(&options, &settings, &app).await?;
    reach("begin.bound");
    publish(&place, &app, &listener, digest)?;
    let gate = Gate { allowed_hosts: hosts(&options), ..Gate::default() };
    let (router, closing) = (http::router::router(&app, gate), app.closing().clone());
    let http = settings.http.clone();
    let server =
        tokio::spawn(async move { http::serve::serve(listener, router, &http, closing).await });
    let work = tokio::spawn(work(app.clone()));
    reach("begin.announced");
    tracing::info!(url = app.base_url(), pid = std::process::id(), "ready");
    ready(app.base_url());
    let broken = tokio::select! {
        () = told_to_end(&app, &mut signals) => None,
        end = &mut writer_end => Some(end.map_or(ServeError::WriterEnded, |source| {
            ServeError::Broken { path: database.display().to_string(), source }
        })),
        lost = place.keep() => lost.map(Into::into),
    };
    app.stopping().cancel();
    if let Some(broken) = broken {
        // Those who wait for an answer get it. All other state is on the disk.
        app.closing().cancel();
        drop(server.await);
        drop(place.withdraw());
        return Err(broken);
    }
    reach("stop.told");
    drop(work.await);
    end_runs(&app).await;
    reach("stop.runs-ended");
    app.closing().cancel();
    drop(server.await);
    reach("stop.server-ended");
    let stopped = app.store().write(Credential::Daemon, recover::note_clean_stop).await;
    if let Err(error) = stopped {
        tracing::warn!(%error, "noting the stop");
    }
    app.store().close();
    reach("stop.clean-noted");
    drop(writer_end.await);
    reach("stop.writer-ended");
    tracing::info!("stopped");
    place.withdraw().map_err(system("removing daemon.json"))
}

/// Does what runs beside the requests, until the daemon is told to stop.
async fn work(app: App) {
    if due::machine_name().is_none() {
        tracing::warn!(
            "the time zone of this machine has no name: schedules without a `timezone` use UTC"
        );
    }
    tokio::join!(scheduler::run(app.clone()), indexer::run(app.clone()), programs::run(app));
}

/// Removes half-made backups, and finishes a restore that was decided.
fn tidy(home: &Path) -> Result<(), ServeError> {
    backup::forget(home);
    engine::restore::finish(home).map_err(system("putting a restored database in its place"))
}

/// Opens the database, makes it true again, and ends what is left of the runs in it. Returns its
/// epoch too.
async fn open(
    database: &Path,
    settings: &Arc<Settings>,
) -> Result<(Store, WriterEnd, String), ServeError> {
    let around = Surroundings::new(Clock::System, settings.clone());
    let opened = Store::open(database, around);
    let (store, writer_end) = opened.map_err(|error| not_opened(database, error))?;
    reach("begin.opened");
    let epoch = uuid::Uuid::new_v4().simple().to_string();
    let begin = move |cx: &mut Cx<'_>| recover::begin(cx, &epoch);
    let leftovers = store.write(Credential::Daemon, begin).await;
    let leftovers = leftovers.map_err(|error| not_recovered(database, error))?;
    reach("recover.committed");
    let epoch = leftovers.epoch.clone();
    orphans::end(&store, leftovers).await;
    reach("recover.leftovers-ended");
    Ok((store, writer_end, epoch))
}

/// Reads `config.toml`, and tells what it was; creates it if it is missing.
fn read_settings(options: &Options) -> Result<(Arc<Settings>, String), ServeError> {
    let path = options.home.join("config.toml");
    let (settings, digest) = (Arc::new(Settings::load(&path)?), settings::digest(&path));
    if !path.exists() {
        settings::write_default(&path).map_err(system("writing config.toml"))?;
    }
    Ok((settings, digest))
}

/// Workers get no file that this process was started with, and what they leave behind comes home
/// to it, where it can be found and ended.
fn become_parent() {
    process::inherit_no_files();
    if let Err(error) = process::adopt_orphans() {
        tracing::warn!(%error, "this system does not let the daemon adopt what workers leave");
    }
}

/// What requests may call this daemon by, beside the names of loopback: what it was given, and the
/// address that it is told to listen on, by which clients and workers reach it.
fn hosts(options: &Options) -> Vec<String> {
    let address = match options.host {
        address if address.is_unspecified() => None,
        IpAddr::V4(address) => Some(address.to_string()),
        IpAddr::V6(address) => Some(format!("[{address}]")),
    };
    options.allowed_hosts.iter().cloned().chain(address).collect()
}

fn publish(
    place: &Place,
    app: &App,
    listener: &TcpListener,
    settings: String,
) -> Result<(), ServeError> {
    let bound = listener.local_addr().map_err(system("asking for the port"))?;
    let runs = &app.store().settings().runs;
    let file = DaemonFile {
        pid: std::process::id(),
        host: bound.ip().to_string(),
        port: bound.port(),
        token: app.operator_token().to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: app.store().clock().now(),
        settings: Some(settings),
        grace: Some(RunGrace { stop: runs.stop_grace, kill: runs.kill_grace }),
    };
    place.announce(file).map_err(system("writing daemon.json"))
}

/// Resolves when a signal or a request ends the daemon.
async fn told_to_end(app: &App, signals: &mut Signals) {
    tokio::select! {
        () = app.stopping().cancelled() => {}
        () = signals.told_to_end() => {}
    }
}

/// Gives live runs their time, in which the tools still answer them.
async fn end_runs(app: &App) {
    let request = |cx: &mut Cx<'_>| end::request_end_of_all(cx);
    if let Err(error) = app.store().write(Credential::Daemon, request).await {
        tracing::warn!(%error, "asking runs to end");
    }
    reach("stop.runs-asked");
    app.tasks().close();
    let runs = &app.store().settings().runs;
    let patience = runs.stop_grace.duration() + runs.kill_grace.duration() + Duration::from_secs(5);
    if tokio::time::timeout(patience, app.tasks().wait()).await.is_err() {
        tracing::warn!("runs that did not end are lost");
    }
}

/// What benches and tests of the whole use without a daemon.
#[doc(hidden)]
pub mod testing {
    pub use crate::changes::run::claim::Backlog;
    use crate::changes::run::{
        progress::{Progress, note},
        transcript::BlockWrite,
    };
    pub use crate::context::credential::Credential;
    pub use crate::context::run::Run;
    pub use crate::context::surroundings::Surroundings;
    pub use crate::rules::ending::Ended;
    pub use crate::{
        changes::{
            daemon::recover,
            run::{claim, finish},
        },
        clock::Clock,
        context::cx::Cx,
        context::store::Store,
        error::OpError,
        rows::statements,
        settings::Settings,
        store::connections::WriterEnd,
    };
    use agent_worker_protocol::{BlockKind, BlockState, RunId};

    /// Notes the first sign of life of a run.
    pub fn note_start(cx: &mut Cx<'_>, id: RunId) -> Result<(), OpError> {
        note(cx, id, &Progress { started: true, heartbeat: true, ..Progress::default() })
    }

    /// Stores the first block of a run's transcript.
    pub fn note_block(cx: &mut Cx<'_>, id: RunId, text: &str) -> Result<(), OpError> {
        let (kind, state) = (BlockKind::Text, BlockState::Done);
        let block = BlockWrite { n: 0, kind, name: None, text: text.to_owned(), state };
        note(cx, id, &Progress { blocks: vec![block], ..Progress::default() })
    }
}

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
