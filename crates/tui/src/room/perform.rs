//! Does what follows from what came in.

use std::path::PathBuf;

use agent_worker_client::Clean;

use crate::{
    disk::Disk,
    link::Link,
    message::{Effect, Msg},
    outside,
    terminal::Terminal,
};

/// Whatever things are done with.
pub struct Performer {
    /// The terminal
    pub terminal: Terminal,
    /// What outlives the program; none if it cannot be written
    pub disk: Option<Disk>,
    /// The daemon
    pub link: Link,
    /// The control room's own folder
    pub folder: PathBuf,
    /// The exit code, once it is over
    pub code: Option<i32>,
}

impl Performer {
    /// Does it; some things have a result.
    pub fn perform(&mut self, effect: Effect) -> Option<Msg> {
        match effect {
            Effect::Ask(request) => self.link.ask(request),
            Effect::Fetch(after) => self.link.fetch(after),
            Effect::Follow(run) => self.link.follow(run),
            Effect::Unfollow(run) => self.link.unfollow(run),
            Effect::Retry => self.link.hurry(),
            Effect::StartDaemon => self.link.start_daemon(),
            Effect::Keep(address, draft) => {
                if let Some(disk) = &self.disk {
                    disk.keep(address, draft);
                }
            }
            Effect::NoteSent(text) => {
                if let Some(disk) = &self.disk {
                    disk.note_sent(text);
                }
            }
            Effect::Copy(text) => return self.copy(&text),
            Effect::Bell => self.terminal.bell(),
            Effect::Title(title) => self.terminal.title(&title),
            Effect::Mouse(on) => self.terminal.mouse(on),
            Effect::Redraw => self.terminal.redraw_all(),
            Effect::Suspend => self.terminal.suspend(),
            Effect::Outside(outside) => {
                let folder = self.folder.clone();
                let result = self.terminal.outside(|| outside::edit(&folder, &outside));
                return Some(Msg::Outside(outside, result));
            }
            Effect::Quit(code) => self.code = Some(code),
        }
        None
    }

    /// A text for the terminal's clipboard, as it is seen; one that is too long for it goes into a
    /// file, which is named.
    fn copy(&mut self, text: &str) -> Option<Msg> {
        // Whoever pastes it into a shell would run what an agent has hidden in it.
        let text = Clean::text(text);
        let text = text.as_str();
        if self.terminal.copy(text) {
            return Some(Msg::Copied(Ok(text.chars().count())));
        }
        let path = self.folder.join("copied.txt");
        let result = outside::write(&path, text).map(|()| path.display().to_string());
        Some(Msg::Copied(Err(result.unwrap_or_else(|error| format!("nowhere: {error}")))))
    }
}
