//! Does what follows from what came in.

use std::path::Path;

use agent_worker_client::Clean;

use super::{connection::Wish, daemons::Daemon, editor};
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
        match effect {
            Effect::Ask(request) => daemon.link.wish(Wish::Ask(request)),
            Effect::Fetch(after) => daemon.link.wish(Wish::Fetch(after)),
            Effect::Follow(run) => daemon.link.wish(Wish::Follow(run)),
            Effect::Unfollow(run) => daemon.link.wish(Wish::Unfollow(run)),
            Effect::Retry => daemon.link.wish(Wish::Hurry),
            Effect::StartDaemon => daemon.link.wish(Wish::StartDaemon),
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
            Effect::Go(..)
            | Effect::Open(_)
            | Effect::Act(_)
            | Effect::Settle(_)
            | Effect::Perform(_)
            | Effect::Do(_)
            | Effect::Write(..)
            | Effect::Retarget(_)
            | Effect::SaveLayout(_)
            | Effect::Arrange(_)
            | Effect::TurnTo(..) => {} // the app has performed these, and the room the last
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
