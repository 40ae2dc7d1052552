//! The daemons of the room. Each has an app of its own; one of them is on the screen.

use std::path::PathBuf;

use super::{
    connection::Link,
    options::{Ended, Options},
    storage::{Disk, Kept},
};
use crate::{
    app::{App, Msg, next_timer},
    model::{Drafts, NavId, Root, Roots},
    screen,
};

/// A daemon, and what belongs to it alone.
pub struct Daemon {
    pub app: App,
    pub link: Link,
    /// What outlives the program
    pub disk: Disk,
    /// The control room's own folder for it
    pub folder: PathBuf,
    /// Whether its lines in the tree of the one on the screen are old
    is_changed: bool,
}

/// The daemons, and which one is on the screen.
pub struct Daemons {
    all: Vec<Daemon>,
    shown: usize,
}

/// What was kept of a daemon in its folder, which is told to the app. What is written from then on
/// is told to `sink`.
pub fn open_disk(app: &mut App, options: &Options, sink: impl Fn(Msg) + Send + 'static) -> Disk {
    match Disk::open(&options.home, sink) {
        Ok((disk, kept)) => {
            take(app, kept);
            disk
        }
        Err(error) => {
            let folder = options.home.control_room();
            app.model.warn(format!("drafts are not kept: {}: {error}", folder.display()));
            app.model.writing.drafts = Drafts::in_memory();
            Disk::closed()
        }
    }
}

/// Ends the writing of drafts. Returns how many are kept on disk, and the texts of the others as
/// they were written, each below what it is for.
pub fn close_disk(drafts: &Drafts, disk: Disk) -> (usize, Vec<String>) {
    let unsaved = disk.close();
    let kept = drafts.all().filter(|(purpose, _)| !unsaved.drafts.contains_key(*purpose)).count();
    (kept, unsaved.told())
}

/// Gives the app what was kept, with the draft for the box in the box.
fn take(app: &mut App, kept: Kept) {
    app.model.selection.filters = kept.filters;
    app.model.selection.layout = kept.layout;
    let writing = &mut app.model.writing;
    writing.drafts = Drafts::new(kept.drafts);
    writing.composer.unsure = writing.drafts.unsure();
    writing.composer.sent.0 = kept.sent;
    if let Some(draft) = writing.drafts.get(&writing.composer.address) {
        writing.composer.saved.clone_from(&draft.text);
        writing.composer.set(draft);
    }
}

impl Daemon {
    /// Connects to it; what it says is told to `sink`.
    pub fn connect(
        app: App,
        disk: Disk,
        options: &Options,
        sink: impl Fn(Msg) + Send + Sync + 'static,
    ) -> Self {
        let folder = options.home.control_room();
        Self { app, link: Link::start(options.clone(), sink), disk, folder, is_changed: true }
    }
}

impl Daemons {
    /// The first is on the screen, which has this size.
    pub fn new(mut all: Vec<Daemon>, size: (u16, u16)) -> Self {
        let roots = if all.len() > 1 { vec![Root::default(); all.len()] } else { Vec::new() };
        for (at, daemon) in all.iter_mut().enumerate() {
            daemon.app.model.display.size = size;
            daemon.app.model.display.has_focus = at == 0;
        }
        if let Some(first) = all.first_mut() {
            first.app.model.selection.tree.roots = Roots { all: roots, ..Roots::default() };
        }
        Self { all, shown: 0 }
    }

    /// The one on the screen.
    pub fn shown(&self) -> usize {
        self.shown
    }

    pub fn app(&self) -> &App {
        &self.all[self.shown].app
    }

    pub fn is_one(&self) -> bool {
        self.all.len() == 1
    }

    pub fn get(&self, at: usize) -> &Daemon {
        &self.all[at]
    }

    /// Something is to become of it.
    pub fn change(&mut self, at: usize) -> &mut App {
        self.all[at].is_changed = true;
        &mut self.all[at].app
    }

    pub fn iter(&self) -> impl Iterator<Item = &Daemon> {
        self.all.iter()
    }

    /// When something must be done even if nothing comes in, ms.
    pub fn next_timer(&self) -> Option<i64> {
        self.all.iter().filter_map(|daemon| next_timer(&daemon.app)).min()
    }

    /// Brings another one onto the screen; what it is to be told.
    pub fn turn_to(&mut self, at: usize, line: NavId) -> Msg {
        let left = std::mem::replace(&mut self.shown, at);
        Msg::TurnedTo(Box::new(self.change(left).turn_away(at, line)))
    }

    /// Has the one on the screen know how the others are.
    pub fn tell(&mut self) {
        let display = self.app().model.display.clone();
        let chosen = self.app().model.settings.chosen.clone();
        for at in (0..self.all.len()).filter(|at| *at != self.shown) {
            let daemon = &mut self.all[at];
            let own = &mut daemon.app.model;
            let is_same_screen = own.display.size == display.size
                && own.display.look.symbols.set == display.look.symbols.set
                && own.settings.chosen == chosen;
            if is_same_screen && !daemon.is_changed {
                continue;
            }
            own.display.size = display.size;
            own.display.look = display.look.clone();
            own.settings.chosen = chosen.clone();
            daemon.is_changed = false;
            let root = screen::root(own);
            self.all[self.shown].app.model.selection.tree.roots.all[at] = root;
        }
    }

    /// What the window is called: how much needs the user on all of them.
    pub fn title(&self) -> String {
        let count = |daemon: &Daemon| daemon.app.model.mirror().attention().count();
        match self.all.iter().map(count).sum() {
            0 => "aw".to_owned(),
            needs => format!("aw ?{needs}"),
        }
    }

    /// How it ended, with this exit code, once everything is written.
    pub fn ended(self, code: i32) -> Ended {
        let mut ended = Ended { code, drafts: 0, unsaved: Vec::new(), running: 0 };
        for Daemon { app, disk, .. } in self.all {
            let (kept, unsaved) = close_disk(&app.model.writing.drafts, disk);
            ended.drafts += kept;
            ended.unsaved.extend(unsaved);
            ended.running += screen::running(&app.model);
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::Scope;

    use super::*;
    use crate::model::{
        Address, Effect, Record,
        writing::drafts::{Draft, Purpose},
    };

    #[test]
    fn texts_that_are_not_on_disk_are_given_back_as_they_were_written() {
        let text = "all:\n\tmake\u{200c}it \u{1b}[2J";
        let purpose = Purpose::from(&Address::Channel(Scope::global()));
        let (mut drafts, disk) = (Drafts::in_memory(), Disk::closed());
        let kept = drafts.keep(purpose.clone(), Draft::ended(text.to_owned()));
        let Effect::Store(record) = kept else { panic!("{kept:?}") };
        disk.store(record);
        disk.store(Record::Unsent(purpose.clone(), "more".to_owned()));
        disk.store(Record::Unsent(purpose, "sent after all".to_owned()));
        disk.store(Record::Sent("sent after all".to_owned()));
        let (kept, unsaved) = close_disk(&drafts, disk);
        let unsaved = unsaved.iter().map(|told| told.split_once('\n').unwrap().1);
        assert_eq!((kept, unsaved.collect::<Vec<_>>()), (0, vec![text, "more"]));
    }
}
