//! Which command a line means, and the list of all commands.

use std::io::Write;

use super::{HELP, Linear, drawn};
use crate::{
    action::Action,
    app::Msg,
    key::{Code, Key},
    model::Window,
};

impl<W: Write> Linear<W> {
    /// Does the command with this shell command or this key, else the best that the palette finds.
    /// A command that has a word only as a part of another is listed and not done.
    pub(super) fn command(&mut self, words: &str) -> std::io::Result<()> {
        let exact = self.exact(words);
        if exact.is_none() && !drawn::palette(&self.app, words).is_as_typed() {
            return self.guess(words);
        }
        let effects = self.app.open(Window::Palette);
        self.perform(effects)?;
        let before = self.app.overlays.len();
        if let Some(at) = exact {
            if let Some(palette) = self.app.overlays.last_mut() {
                palette.mark(&self.app.model, at, 0);
            }
        } else {
            self.update(Msg::Paste(words.to_owned()))?;
        }
        let Some(choice) = self.app.overlays.last().and_then(|palette| palette.choice()) else {
            self.update(Msg::Key(Key::plain(Code::Esc)))?;
            return self.say(&unknown(words));
        };
        self.say(&format!("> {choice}"))?;
        let key = self.key_of(&[Action::Send], Code::Enter);
        self.update(Msg::Key(key))?;
        debug_assert!(self.app.overlays.len() <= before, "the palette is closed");
        Ok(())
    }

    /// The number in the whole palette of the command with this shell command, else with this key.
    /// The place is told again after a key.
    fn exact(&mut self, words: &str) -> Option<usize> {
        let palette = drawn::palette(&self.app, "");
        let all = palette.found();
        let line = words.strip_prefix("agent-worker ").unwrap_or(words);
        let shell = self.app.model.connection.in_shell(&format!("agent-worker {line}"));
        // For another machine, what is listed names it already.
        let is_meant = |listed: &String| *listed == shell || listed == words;
        if let Some(at) = all.iter().position(|entry| entry.shell.as_ref().is_some_and(is_meant)) {
            return Some(at);
        }
        let at = all.iter().position(|entry| entry.key.as_deref() == Some(words))?;
        self.told.forget_place();
        Some(at)
    }

    /// Lists what a line may mean, and does nothing.
    fn guess(&mut self, words: &str) -> std::io::Result<()> {
        let commands = drawn::commands(&self.app, words);
        if commands.is_empty() {
            return self.say(&unknown(words));
        }
        self.say(&format!("no command is called `{words}`; did you mean:"))?;
        self.say_all(commands)
    }

    /// Lists the commands that do something here: all of them, or those with these words.
    pub(super) fn help(&mut self, words: &str) -> std::io::Result<()> {
        let commands = drawn::commands(&self.app, words);
        if words.is_empty() {
            self.say(HELP)?;
        } else if commands.is_empty() {
            self.say(&unknown(words))?;
        }
        self.say_all(commands)
    }
}

/// That no command has these words.
fn unknown(words: &str) -> String {
    format!("no command is called `{words}`: help lists them")
}
