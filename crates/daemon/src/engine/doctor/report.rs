//! The examination of a state directory: tables, files and processes, whether a daemon is at work
//! or not. It changes nothing.

use std::{path::Path, time::Duration};

use agent_worker_protocol::{Case, Examination, Finding};
use rusqlite::Connection;

use crate::{
    announce::{Lock, NotTheDaemon},
    context::{Credential, Cx},
    engine::{
        app::App,
        doctor::{
            self, files,
            tables::{
                all,
                processes::{self, KnownRun},
            },
        },
    },
    error::OpError,
    store::{
        file::{self, MAIN},
        found::{self, Unsound},
        identity, migrations,
    },
};

/// How long a run's processes, and the note of their end, may take. A state that lasts less is not
/// reported.
const PASSING: Duration = Duration::from_secs(1);

/// Examines the state directory of the daemon that this is.
pub async fn examine(app: &App) -> Result<Examination, OpError> {
    let look = |cx: &mut Cx<'_>| Ok((all::examine(cx.conn), processes::known_runs(cx.conn)?));
    let (mut findings, runs) = app.store().read(Credential::Daemon, look).await?;
    let mut suspects = doctor::processes::look(app.home(), runs, true).await;
    if !suspects.is_empty() {
        // Nothing announces that a process still runs.
        tokio::time::sleep(PASSING).await;
        let again = |cx: &mut Cx<'_>| Ok(processes::known_runs(cx.conn)?);
        let runs = app.store().read(Credential::Daemon, again).await?;
        let still = doctor::processes::look(app.home(), runs, true).await;
        suspects.retain(|suspect| still.contains(suspect));
    }
    findings.extend(doctor::processes::findings(&suspects));
    findings.extend(files::findings(app.home(), true));
    findings.extend(files::lock(app.place()));
    Ok(Examination::of(true, checks(), findings))
}

/// Examines a state directory that no daemon has. None has it until this is over.
pub async fn examine_idle(home: &Path) -> Result<Examination, NotTheDaemon> {
    let _lock = Lock::hold_to_read(home).await?;
    let mut findings = files::findings(home, false);
    let (of_tables, runs) = read_idle(&home.join(MAIN));
    findings.splice(0..0, of_tables);
    let mut suspects = doctor::processes::look(home, runs.clone(), false).await;
    if !suspects.is_empty() {
        // Workers that lost their daemon end by themselves, and nothing announces it.
        tokio::time::sleep(PASSING).await;
        let still = doctor::processes::look(home, runs, false).await;
        suspects.retain(|suspect| still.contains(suspect));
    }
    findings.extend(doctor::processes::findings(&suspects));
    Ok(Examination::of(false, checks(), findings))
}

fn checks() -> usize {
    all::names().count() + files::CHECKS + doctor::processes::CHECKS
}

/// What the tables say, and their live runs, of a database that no daemon has open. What cannot be
/// read is a finding.
fn read_idle(path: &Path) -> (Vec<Finding>, Vec<KnownRun>) {
    const RESTORE: &str = "agent-worker restore FILE";
    let unreadable = |what: String, hint: &str| {
        let case = Case::new(path.display().to_string(), what);
        let promise = "the database is one of agent-worker's, and can be read";
        let finding = Finding::broken("database.open", promise, case).hint(hint);
        (vec![finding], Vec::new())
    };
    // What a daemon would not open is broken, whatever SQLite can still read of it.
    match found::look(path) {
        Ok(false) => return (Vec::new(), Vec::new()),
        Ok(true) => {}
        Err(
            unsound @ (Unsound::ForeignLog { .. }
            | Unsound::Hidden { .. }
            | Unsound::Dangling { .. }),
        ) => return unreadable(unsound.to_string(), unsound.hint()),
        Err(unsound) => return unreadable(unsound.to_string(), RESTORE),
    }
    match open(path) {
        Ok(conn) if is_begun(&conn).unwrap_or(true) => (all::examine(&conn), own_runs(&conn, path)),
        Ok(conn) => {
            let found = all::wholeness(&conn).into_iter().chain([unbegun(path)]);
            (found.collect(), Vec::new())
        }
        Err((why, hint)) => unreadable(why, hint.unwrap_or(RESTORE)),
    }
}

/// Whether a daemon has finished a start with this database: that makes @global, and notes when.
fn is_begun(conn: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM workflows
               UNION ALL SELECT 1 FROM daemon_state WHERE key = 'started_at'";
    conn.prepare(sql)?.exists([])
}

/// The first start has made the database and was then cut off.
fn unbegun(path: &Path) -> Finding {
    let what = "the first start was not finished, and nothing is stored yet";
    let case = Case::new(path.display().to_string(), what);
    let finding = Finding::note("database.begun", "a daemon has started with the database", case);
    finding.hint("the next start finishes it: agent-worker daemon start")
}

/// The runs whose processes this state directory answers for: those of the original are not its
/// own.
fn own_runs(conn: &Connection, path: &Path) -> Vec<KnownRun> {
    if identity::is_copy(conn, path).unwrap_or(false) {
        return Vec::new();
    }
    processes::known_runs(conn).unwrap_or_default()
}

/// Opens a database that can be examined; else says why it cannot, and what helps.
pub fn open(path: &Path) -> Result<Connection, (String, Option<&'static str>)> {
    let unread = |error: rusqlite::Error| (error.to_string(), None::<&'static str>);
    let conn = file::open_idle(path).map_err(unread)?;
    match migrations::check(&conn) {
        Ok(()) => Ok(conn),
        Err(migrations::MigrationError::Sqlite(error)) => Err(unread(error)),
        Err(error) => Err((error.to_string(), error.hint())),
    }
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::Grade;

    use super::*;

    #[test]
    fn a_database_whose_first_start_was_cut_off_is_told_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent-worker.db");
        file::create(&path).unwrap();
        let (found, runs) = read_idle(&path);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((finding.check.as_str(), finding.grade), ("database.begun", Grade::Note));
        assert!(finding.hint.as_deref().unwrap().ends_with("agent-worker daemon start"));
        assert!(runs.is_empty());
    }
}
