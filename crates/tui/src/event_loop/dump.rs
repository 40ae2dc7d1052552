//! One screen as text, for scripts and for bug reports: no terminal is needed.

use std::time::{Duration, Instant};

use super::{
    awaited::Awaited,
    daemons::{Daemon, Daemons},
    options::Options,
    start::{initial, now},
    storage::Disk,
};
use crate::{
    app::{App, update},
    model::{Model, Reach, Subject, refusal},
    screen,
};

/// How long the daemon has to answer everything that the screen needs.
const PATIENCE: Duration = Duration::from_secs(10);

/// The screen at this size, once everything on it is loaded: lines without colours. Other daemons
/// are roots of the same tree.
///
/// Error: the target is not there, or the user acts as a member that no daemon knows.
pub fn dump(
    options: &Options,
    others: &[Options],
    size: (u16, u16),
) -> Result<Vec<String>, String> {
    let (told, heard) = std::sync::mpsc::channel();
    let all = std::iter::once(options).chain(others).enumerate();
    let all: Vec<Daemon> = all
        .map(|(at, options)| {
            let (app, told) = (initial(options, size).0, told.clone());
            Daemon::connect(app, Disk::closed(), options, move |msg| drop(told.send((at, msg))))
        })
        .collect();
    let mut awaited: Vec<Awaited> = all.iter().map(|_| Awaited::default()).collect();
    let mut daemons = Daemons::new(all, size);
    let until = Instant::now() + PATIENCE;
    let is_whole = |daemons: &Daemons, awaited: &[Awaited]| {
        daemons.iter().zip(awaited).all(|(daemon, awaited)| is_whole(&daemon.app.model, awaited))
    };
    while !is_whole(&daemons, &awaited) {
        let left = until.saturating_duration_since(Instant::now());
        let Ok((at, msg)) = heard.recv_timeout(left) else { break };
        awaited[at].hear(&daemons.get(at).app.model, &msg);
        for effect in update(daemons.change(at), now(), msg) {
            awaited[at].ask(&effect, &daemons.get(at).app.model);
            daemons.get(at).link.take(effect);
        }
    }
    daemons.tell();
    let models: Vec<&Model> = daemons.iter().map(|daemon| &daemon.app.model).collect();
    match missing(&models) {
        Some(problem) => Err(problem),
        None => Ok(lines(daemons.app())),
    }
}

/// What was asked for and is not there, as far as the daemons have said what is: the member as
/// whom everything is seen, or the target, which is the first daemon's. A room that stays open
/// waits for it.
fn missing(models: &[&Model]) -> Option<String> {
    let first = models.first()?;
    if models.iter().all(|model| model.connection.stranger.is_some()) {
        return first.connection.stranger.as_ref().map(|(problem, _)| problem.clone());
    }
    let awaited = first.selection.awaited.as_ref().filter(|_| first.has_picture())?;
    match &awaited.subject {
        Subject::Agent(target) => Some(format!("agent `{target}` not found")),
        Subject::Workflow(scope) => Some(format!("workflow `{scope}` not found")),
        Subject::All | Subject::Talk(..) => None,
    }
}

/// Whether nothing that the screen shows is on its way.
fn is_whole(model: &Model, awaited: &Awaited) -> bool {
    match model.connection.reach {
        Reach::Looking => false,
        Reach::Nobody { is_starting, .. } => !is_starting,
        // A daemon that refuses has said all that it will say.
        Reach::Found => refusal::of(model).is_some() || (model.is_live() && awaited.is_empty()),
    }
}

/// A drawn screen as lines, each as wide as the screen.
pub fn lines(app: &App) -> Vec<String> {
    let frame = screen::draw(app);
    let area = frame.buffer.area;
    let line =
        |y: u16| -> String { (0..area.width).map(|x| frame.buffer[(x, y)].symbol()).collect() };
    (0..area.height).map(line).collect()
}

#[cfg(test)]
#[path = "tests/dump.rs"]
mod tests;
