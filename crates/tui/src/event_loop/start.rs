//! The control room before anything is known.

use std::time::{SystemTime, UNIX_EPOCH};

use agent_worker_protocol::{Scope, Target};

use super::{config, depth, options::Options};
use crate::{
    app::App,
    model::{Display, Environment, Model, Place, Preferences, Subject, Tab},
};

/// The control room before anything is known.
pub fn initial(options: &Options, size: (u16, u16)) -> (App, Vec<config::Problem>) {
    let environment = Environment::of_process(depth::depth());
    let (wishes, problems) = config::read(&options.home.path().join("config.toml"));
    let host = match options.home.host() {
        Some(host) => host.destination().to_string(),
        None => rustix::system::uname().nodename().to_string_lossy().into_owned(),
    };
    let look = wishes.settings.look(&environment);
    let is_read_only = options.read_only || wishes.settings.is_read_only(&host);
    let has_mouse = wishes.settings.takes_mouse(&environment);
    let settings = Preferences {
        chosen: wishes.settings,
        keymap: wishes.keymap,
        environment,
        read_only: is_read_only,
        identity: options.identity.clone(),
    };
    let display = Display::new(size, look, has_mouse);
    let mut app = App::new(Model::new(now(), display, settings, host));
    app.model.connection.is_remote = options.home.host().is_some();
    app.model.selection.awaited = options.target.as_ref().map(awaited);
    if let [first, rest @ ..] = problems.as_slice() {
        let more =
            if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
        app.model.warn(format!("{first}{more}"));
    }
    (app, problems)
}

fn awaited(target: &Target) -> Place {
    let scope = target.scope_or(&Scope::global());
    match &target.name {
        Some(name) => Place::of(Subject::Agent(Target::member(name.clone(), scope))),
        None => Place::at(Subject::Workflow(scope), Tab::Channel),
    }
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
