//! Does what follows from what came in.

use std::path::Path;

use agent_worker_client::Clean;

use super::{daemons::Daemon, editor};
use crate::{app::Msg, clipboard::Taken, model::Effect, terminal::Terminal};

/// What things are done with that are not a daemon's own.
pub struct Performer {
    pub terminal: Terminal,
    /// The exit code, once it is over
    pub code: Option<i32>,
}

impl Performer {
    /// Does it; some things have a result.
    pub fn perform(&mut self, daemon: &Daemon, effect: Effect) -> Option<Msg> {
        match daemon.link.take(effect)? {
            Effect::Store(record) => daemon.disk.store(record),
            Effect::Copy(text) => return self.copy(&daemon.folder, &text),
            Effect::Bell => self.terminal.bell(),
            Effect::Title(title) => self.terminal.title(&title),
            Effect::Mouse(on) => self.terminal.mouse(on),
            Effect::Redraw => self.terminal.redraw_all(),
            Effect::Suspend => self.terminal.suspend(),
            Effect::Outside(outside) => {
                let result = self
                    .terminal
                    .outside(|| editor::outside(&daemon.folder, &outside, editor::wait_for_enter));
                return Some(Msg::Outside(outside, result));
            }
            Effect::Quit(code) => self.code = Some(code),
            // The link has taken the first of these, the app has performed the others, and the room
            // the last.
            Effect::Ask(_)
            | Effect::Fetch(_)
            | Effect::Follow(_)
            | Effect::Unfollow(_)
            | Effect::Retry
            | Effect::StartDaemon
            | Effect::Go(..)
            | Effect::Open(_)
            | Effect::Act(_)
            | Effect::Settle(_)
            | Effect::Perform(_)
            | Effect::Do(_)
            | Effect::Write(..)
            | Effect::Retarget(_)
            | Effect::SaveLayout(_)
            | Effect::Arrange(_)
            | Effect::TurnTo(..) => {}
        }
        None
    }

    /// A text for the terminal's clipboard, as it is seen. Where the terminal does not say that it
    /// takes it, it goes into a file as well, which is named.
    fn copy(&mut self, folder: &Path, text: &str) -> Option<Msg> {
        // Pasted into a shell, it would run what an agent has hidden in it.
        let text = Clean::text(text);
        let text = text.as_str();
        let taken = self.terminal.copy(text);
        let count = text.chars().count();
        if taken == Taken::Yes {
            return Some(Msg::Copied(taken, count, String::new()));
        }
        let path = folder.join("copied.txt");
        let file = editor::write(&path, text).map(|()| path.display().to_string());
        let file = file.unwrap_or_else(|error| format!("no file: {error}"));
        Some(Msg::Copied(taken, count, file))
    }
}
