//! Does what follows from what came in.

use std::path::PathBuf;

use agent_worker_client::Clean;

use super::{connection::Link, editor, storage::Disk};
use crate::{app::Msg, clipboard::Taken, model::Effect, terminal::Terminal};

/// Whatever things are done with.
pub struct Performer {
    pub terminal: Terminal,
    /// What outlives the program; none if it cannot be written
    pub disk: Option<Disk>,
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
            Effect::Keep(address, draft) => self.on_disk(|disk| disk.keep(address, draft)),
            Effect::NoteSent(text) => self.on_disk(|disk| disk.note_sent(text)),
            Effect::NoteFilter(text) => self.on_disk(|disk| disk.note_filter(text)),
            Effect::KeepLayout(layout) => self.on_disk(|disk| disk.keep_layout(layout)),
            Effect::KeepSetting(name, value) => self.on_disk(|disk| disk.keep_setting(name, value)),
            Effect::KeepKeys(context, action, keys) => {
                self.on_disk(|disk| disk.keep_keys(context, action, keys));
            }
            Effect::Copy(text) => return self.copy(&text),
            Effect::Bell => self.terminal.bell(),
            Effect::Title(title) => self.terminal.title(&title),
            Effect::Mouse(on) => self.terminal.mouse(on),
            Effect::Redraw => self.terminal.redraw_all(),
            Effect::Suspend => self.terminal.suspend(),
            Effect::Outside(outside) => {
                let folder = self.folder.clone();
                let result = self.terminal.outside(|| editor::outside(&folder, &outside));
                return Some(Msg::Outside(outside, result));
            }
            Effect::Quit(code) => self.code = Some(code),
            Effect::Go(..)
            | Effect::Open(_)
            | Effect::Act(_)
            | Effect::Settle(_)
            | Effect::Perform(_)
            | Effect::Do(_)
            | Effect::Write(..)
            | Effect::Retarget(_)
            | Effect::SaveLayout(_)
            | Effect::Arrange(_) => {} // the app has performed these
        }
        None
    }

    fn on_disk(&self, keep: impl FnOnce(&Disk)) {
        if let Some(disk) = &self.disk {
            keep(disk);
        }
    }

    /// A text for the terminal's clipboard, as it is seen. Where the terminal does not say that it
    /// takes it, it goes into a file as well, which is named.
    fn copy(&mut self, text: &str) -> Option<Msg> {
        // Pasted into a shell, it would run what an agent has hidden in it.
        let text = Clean::text(text);
        let text = text.as_str();
        let taken = self.terminal.copy(text);
        let count = text.chars().count();
        if taken == Taken::Yes {
            return Some(Msg::Copied(taken, count, String::new()));
        }
        let path = self.folder.join("copied.txt");
        let file = editor::write(&path, text).map(|()| path.display().to_string());
        let file = file.unwrap_or_else(|error| format!("no file: {error}"));
        Some(Msg::Copied(taken, count, file))
    }
}
