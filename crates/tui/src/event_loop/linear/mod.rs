//! The control room without a screen: what happens is told in lines, and the commands of the palette
//! are written as words. For screen readers and for terminals that can do nothing else.

mod command;
mod drawn;
mod heard;
mod told;

use std::{
    collections::VecDeque,
    io::{BufRead, Write},
    sync::mpsc::Receiver,
    time::{Duration, Instant},
};

use agent_worker_client::Clean;

use self::{
    heard::{Heard, read_lines, waiting},
    told::Told,
};
use super::{
    awaited::Awaited,
    config::Problem,
    connection::Link,
    daemons::{close_disk, open_disk},
    options::{Ended, Options},
    start::{initial, now},
    storage::Disk,
};
use crate::{
    action::Action,
    app::{App, Msg, asked, leave, next_timer, takes_text, update},
    key::{Code, Key},
    keys,
    model::{Effect, Focus},
    parts::field::CUT,
    symbols::{Set, Symbols},
    theme::{Palette, Theme},
};

/// Columns and rows that texts are laid out for.
const SIZE: (u16, u16) = (100, 60);

/// How long a daemon has to answer a command before the next line is read.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is told at the beginning, and for `help`.
const HELP: &str = "write a command in words, such as `stop coder` or `open notes.md`
help: list the commands that do something here
help WORD: list the commands with this word
show: tell what is shown
NUMBER: select a line
press KEY: press a key
cancel: leave a text that is asked for; any other line is that text
quit: leave the control room; agents keep running";

/// Reads commands and tells what happens, until the input ends or `quit` is read. Returns how that
/// ended, and whether all could be told.
pub fn linear(
    options: &Options,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> (Ended, std::io::Result<()>) {
    let (mut app, problems) = initial(options, SIZE);
    app.model.display.is_zoomed = true;
    app.model.selection.focus = Focus::Main;
    app.model.display.look.symbols = Symbols::of(Set::Ascii);
    app.model.display.look.theme = Theme { palette: Palette::Mono, ..Theme::default() };
    let (heard, inbox) = waiting();
    // First, while there is room: it may tell something before anything is taken.
    let told = heard.clone();
    let disk = open_disk(&mut app, options, move |msg| drop(told.send(Heard::Msg(msg))));
    let messages = heard.clone();
    let link = Link::start(options.clone(), move |msg| drop(messages.send(Heard::Msg(msg))));
    let reading = read_lines(input, heard);
    let (told, awaited, waits, code) = (Told::default(), Awaited::default(), None, None);
    let mut room = Linear { inbox, app, link, disk, output, told, awaited, waits, code };
    let result = reading.and_then(|()| room.run(&problems));
    (room.end(), result)
}

struct Linear<W> {
    /// Dropped before the disk, which waits for a thread that may wait for room in it
    inbox: Receiver<Heard>,
    app: App,
    link: Link,
    disk: Disk,
    output: W,
    told: Told,
    awaited: Awaited,
    /// Until when the answers to a command are waited for, and what is told then
    waits: Option<Instant>,
    code: Option<i32>,
}

impl<W: Write> Linear<W> {
    fn run(&mut self, problems: &[Problem]) -> std::io::Result<()> {
        self.say_all(problems.iter().map(ToString::to_string))?;
        self.say(HELP)?;
        let mut lines: VecDeque<String> = VecDeque::new();
        let mut is_over = false;
        // The first lines wait for the first snapshot, or until no daemon is found.
        self.waits = Some(Instant::now() + PATIENCE);
        while self.code.is_none() {
            if self.waits.is_some_and(|until| self.is_settled() || Instant::now() >= until) {
                self.waits = None;
                self.awaited.give_up();
                self.tell_state()?;
            }
            if self.waits.is_none() {
                match lines.pop_front() {
                    Some(line) => {
                        self.line(&line)?;
                        continue;
                    }
                    None if is_over => {
                        self.leave()?;
                        continue;
                    }
                    None => {}
                }
            }
            match self.inbox.recv_timeout(self.patience()) {
                Ok(Heard::Line(line)) => lines.push_back(line),
                Ok(Heard::End) => is_over = true,
                Ok(Heard::Msg(msg)) => self.message(msg)?,
                Err(_) => self.update(Msg::Tick)?,
            }
        }
        Ok(())
    }

    /// Ends the writing. What was written is kept first, if the output broke.
    fn end(mut self) -> Ended {
        if self.code.is_none() {
            // Leaving tells nothing, so nothing of it fails.
            let _ = self.leave();
        }
        let running = self.app.model.mirror().agents().filter(|agent| agent.run.is_some()).count();
        drop(self.inbox);
        let (drafts, unsaved) = close_disk(&self.app.model.writing.drafts, self.disk);
        Ended { code: self.code.unwrap_or(0), drafts, unsaved, running }
    }

    /// How long nothing needs to be done if nothing comes in.
    fn patience(&self) -> Duration {
        let timer = next_timer(&self.app).map(|at| u64::try_from(at - now()).unwrap_or(0));
        let wait = self.waits.map(|until| until.saturating_duration_since(Instant::now()));
        let timer = timer.map_or(PATIENCE, Duration::from_millis);
        wait.map_or(timer, |wait| wait.min(timer)).max(Duration::from_millis(1))
    }

    /// Whether everything that was asked is answered.
    fn is_settled(&self) -> bool {
        use crate::model::Reach;
        match &self.app.model.connection.reach {
            Reach::Looking => false,
            Reach::Nobody { is_starting, .. } => !is_starting,
            Reach::Found => self.app.model.has_come() && self.awaited.is_empty(),
        }
    }

    fn message(&mut self, msg: Msg) -> std::io::Result<()> {
        self.awaited.hear(&self.app.model, &msg);
        let happened = told::event(&self.app.model, &msg);
        self.update(msg)?;
        self.say_all(happened)?;
        let changes = self.told.changes(&self.app.model);
        self.say_all(changes)
    }

    fn update(&mut self, msg: Msg) -> std::io::Result<()> {
        let effects = update(&mut self.app, now(), msg);
        self.perform(effects)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> std::io::Result<()> {
        for effect in effects {
            self.awaited.ask(&effect, &self.app.model);
            match self.link.take(effect) {
                Some(Effect::Copy(text)) => self.say(&told::copied(&text))?,
                Some(Effect::Quit(code)) => self.code = Some(code),
                Some(Effect::Store(record)) => self.disk.store(record),
                Some(Effect::Outside(outside)) => {
                    self.say(&told::instead(&self.app.model, &outside))?;
                }
                // Others are about a screen alone, or the link or the app has done them.
                _ => {}
            }
        }
        Ok(())
    }

    /// Does what a line says.
    fn line(&mut self, line: &str) -> std::io::Result<()> {
        let line = line.trim();
        self.waits = Some(Instant::now() + PATIENCE);
        if let Some(keys) = line.strip_prefix("press ") {
            return self.press(keys);
        }
        if self.app.model.writing.composer.is_open || !self.app.overlays.is_empty() {
            return self.answer(line);
        }
        match line {
            "y" | "yes" if self.app.model.prompt.question.is_some() => return self.press("y"),
            _ if !self.keep()? => {}
            "n" | "no" | "cancel" | "esc" => return Ok(()),
            _ => {}
        }
        match line {
            "y" | "yes" | "n" | "no" | "cancel" | "esc" => self.say("nothing is asked"),
            "" | "show" => {
                self.told.forget_place();
                Ok(())
            }
            "quit" | "exit" => self.leave(),
            "help" | "?" => self.help(""),
            words => match (words.parse::<usize>(), words.strip_prefix("help ")) {
                (Ok(number), _) => {
                    let at = number.saturating_sub(1);
                    let effects = self.app.in_pane(|pane, model| pane.pick_line(model, at));
                    let effects = asked(&self.app, effects);
                    self.told.forget_place();
                    self.perform(effects)
                }
                (_, Some(wanted)) => self.help(wanted.trim()),
                _ => self.command(words),
            },
        }
    }

    /// Answers no to an open question. Returns whether there was one.
    fn keep(&mut self) -> std::io::Result<bool> {
        let Some(question) = self.app.model.prompt.question.take() else { return Ok(false) };
        self.told.forget_prompt();
        self.say(&question.kept())?;
        Ok(true)
    }

    /// Leaves; what was written is kept first.
    fn leave(&mut self) -> std::io::Result<()> {
        let effects = leave(&mut self.app, 0);
        self.perform(effects)
    }

    /// The key of the first of these actions that has one where keys mean something now, or this.
    fn key_of(&self, actions: &[Action], or: Code) -> Key {
        let (keymap, contexts) = (&self.app.model.settings.keymap, self.app.contexts());
        let key = actions.iter().find_map(|action| keymap.first(&contexts, *action));
        key.unwrap_or(Key::plain(or))
    }

    /// A line for what is written or lies over the panes: its text, then the key that takes it.
    fn answer(&mut self, line: &str) -> std::io::Result<()> {
        // What was told before is answered by this line; the same told once more is news.
        self.app.model.prompt.notice = None;
        self.told.forget_prompt();
        let is_left = match self.app.overlays.last() {
            Some(over) => over.is_left_by(line),
            None => matches!(line, "cancel" | "esc"),
        };
        let is_over = !self.app.overlays.is_empty();
        if is_left {
            // Esc leaves what lies over the panes, with any keymap.
            let actions: &[Action] = if is_over { &[] } else { &[Action::Close] };
            let key = self.key_of(actions, Code::Esc);
            return self.update(Msg::Key(key));
        }
        if takes_text(&mut self.app) {
            // What was refused is written again as a whole.
            if let Some(field) = self.app.overlays.last_mut().and_then(|over| over.field()) {
                field.set("");
            }
            if !is_over && !line.is_empty() {
                self.app.model.writing.composer.end_line();
            }
            if is_over || !line.is_empty() {
                self.update(Msg::Paste(line.to_owned()))?;
                let notice = &mut self.app.model.prompt.notice;
                if let Some(cut) = notice.take_if(|notice| notice.text == CUT) {
                    return self.say(&format!("{}; write a shorter line, or cancel", cut.text));
                }
            }
            let over = self.app.overlays.last();
            if over.is_some_and(|over| over.told(&self.app.model).is_some()) {
                return Ok(());
            }
            let key = self.key_of(&[Action::Send], Code::Enter);
            return self.update(Msg::Key(key));
        }
        self.in_box(line)
    }

    /// A line for a box that takes no text: a key of it, or a word that is understood anywhere.
    fn in_box(&mut self, line: &str) -> std::io::Result<()> {
        match line {
            "quit" | "exit" => self.leave(),
            "help" | "show" => {
                self.told.forget_place();
                if line == "help" { self.say(HELP) } else { Ok(()) }
            }
            "" => {
                let key = self.key_of(&[Action::Send, Action::Open], Code::Enter);
                self.update(Msg::Key(key))
            }
            key => match keys::read(key) {
                Ok(key) => self.update(Msg::Key(key)),
                Err(_) => self.say("write a key of the last line, or cancel"),
            },
        }
    }

    /// Presses keys, as `config.toml` or the screen names them.
    fn press(&mut self, keys: &str) -> std::io::Result<()> {
        for key in keys.split_whitespace() {
            let Ok(key) = keys::read(key) else {
                return self.say(&format!("unknown key `{key}`: write j, enter, ctrl+d"));
            };
            // Lines are written with care: what was asked just now may be answered.
            if let Some(question) = &mut self.app.model.prompt.question {
                question.since = 0;
            }
            self.update(Msg::Key(key))?;
        }
        self.told.forget_place();
        Ok(())
    }

    /// Tells what has changed on what would be the screen.
    fn tell_state(&mut self) -> std::io::Result<()> {
        let lines = self.told.state(&mut self.app);
        self.say_all(lines)
    }

    fn say_all(&mut self, texts: impl IntoIterator<Item = String>) -> std::io::Result<()> {
        texts.into_iter().try_for_each(|text| self.say(&text))
    }

    fn say(&mut self, text: &str) -> std::io::Result<()> {
        for line in Clean::text(text).as_str().lines() {
            writeln!(self.output, "{line}")?;
        }
        self.output.flush()
    }
}

#[cfg(test)]
#[path = "../tests/linear.rs"]
mod tests;
