//! The loop: what comes in changes the control room, what follows is done, and the screen is drawn.

use std::{
    fs::File,
    sync::Arc,
    time::{Duration, Instant},
};

use agent_worker_protocol::agent::Agent;

use super::{
    connection::Link,
    options::{Ended, Options},
    perform::Performer,
    queue::Queue,
    start::{initial, now},
    storage::{Disk, Kept},
};
use crate::{
    app::{App, Msg, leave, next_timer, update},
    model::writing::drafts::Drafts,
    screen,
    terminal::{self, Answer, Drawn, Input, NotATerminal, Recorder, Signal, Terminal},
};

/// The least time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(33);

/// The same while the size of the window changes.
const DRAGGED: Duration = Duration::from_millis(70);

/// Opens the control room, and comes back when the person has left it.
pub fn run(options: &Options) -> Result<Ended, NotATerminal> {
    let folder = options.home.control_room();
    let (mut app, _) = initial(options, (0, 0));
    let queue = Arc::new(Queue::default());
    let inputs = Arc::clone(&queue);
    let log = folder.join("tui.log");
    let (disk, kept) = match open_disk(options, &queue) {
        Ok((disk, kept)) => (Some(disk), kept),
        Err(error) => {
            app.model.warn(format!("drafts are not kept: {}: {error}", folder.display()));
            Default::default()
        }
    };
    let wishes = terminal::Options {
        mouse: app.model.display.has_mouse,
        log: disk.is_some().then(|| log.clone()),
    };
    let mut terminal = Terminal::open(wishes, move |input| inputs.input(input))?;
    if let Some(file) = &options.record
        && let Err(error) = record(&mut terminal, file, &queue)
    {
        app.model.warn(format!("nothing is recorded: {error}"));
    }
    terminal::install_panic_hook(log);
    app.model.display.size = terminal.size();
    app.model.writing.drafts = Drafts::new(kept.drafts);
    app.model.writing.composer.sent.0 = kept.sent;
    app.model.selection.filters = kept.filters;
    app.model.selection.layout = kept.layout;
    if let Some(draft) = app.model.writing.drafts.get(&app.model.writing.composer.address).cloned()
    {
        app.model.writing.composer.saved.clone_from(&draft.text);
        app.model.writing.composer.set(&draft);
    }
    let messages = Arc::clone(&queue);
    let link = Link::start(options.clone(), move |msg| messages.message(msg));
    let performer = Performer { terminal, disk, link, folder, code: None };
    let ended =
        Room { app, queue, performer, drawn_at: None, is_asked: true, is_dragged: false }.run();
    Ok(ended)
}

fn open_disk(options: &Options, queue: &Arc<Queue>) -> std::io::Result<(Disk, Kept)> {
    let told = Arc::clone(queue);
    Disk::open(&options.home, move |msg| told.message(msg))
}

/// Records the terminal's screen from here on.
fn record(terminal: &mut Terminal, file: &File, queue: &Arc<Queue>) -> std::io::Result<()> {
    let (told, size) = (Arc::clone(queue), terminal.size());
    let tell = move |problem| told.message(Msg::NotSaved(problem));
    terminal.record(Recorder::start(file.try_clone()?, size, now() / 1000, tell)?);
    Ok(())
}

struct Room {
    app: App,
    queue: Arc<Queue>,
    performer: Performer,
    drawn_at: Option<Instant>,
    /// Whether a key has asked for the next frame
    is_asked: bool,
    /// Whether the window has had another size since the last frame
    is_dragged: bool,
}

/// Whether this asks for a frame at once.
fn is_asking(input: &Input) -> bool {
    !matches!(input, Input::Resize(..) | Input::Free | Input::Answer(_))
}

impl Room {
    fn run(mut self) -> Ended {
        self.draw();
        let mut is_due = false;
        while self.performer.code.is_none() {
            let batch = self.queue.take(self.deadline(is_due));
            self.is_asked |= batch.inputs.iter().any(is_asking);
            self.is_dragged |= batch.inputs.iter().any(|input| matches!(input, Input::Resize(..)));
            // Also while a frame is due that the terminal does not take: what is to be done now is
            // otherwise to be done at once for ever.
            if batch.inputs.is_empty() && batch.messages.is_empty() {
                self.update(Msg::Tick);
            }
            for input in batch.inputs {
                self.input(input);
            }
            for msg in batch.messages {
                self.update(msg);
            }
            is_due = !self.may_draw() || !self.draw();
        }
        self.queue.close();
        let is_at_work = |agent: &&Agent| agent.run.is_some();
        Ended {
            code: self.performer.code.unwrap_or(0),
            drafts: self.app.model.writing.drafts.len(),
            running: self.app.model.mirror().agents().filter(is_at_work).count(),
        }
    }

    /// How long nothing needs to be done if nothing comes in.
    fn deadline(&self, is_due: bool) -> Option<Instant> {
        // A terminal that is busy says when it is free again.
        if is_due && !self.performer.terminal.is_busy() {
            let gap = self.drawn_at.map_or_else(Instant::now, |at| at + self.gap());
            return Some(gap.max(self.performer.terminal.free_at(self.is_asked).unwrap_or(gap)));
        }
        let at = next_timer(&self.app)?;
        let left = u64::try_from(at - now()).unwrap_or(0);
        Some(Instant::now() + Duration::from_millis(left))
    }

    fn may_draw(&self) -> bool {
        self.is_asked || self.drawn_at.is_none_or(|at| at.elapsed() >= self.gap())
    }

    fn gap(&self) -> Duration {
        if self.is_dragged { DRAGGED } else { FRAME }
    }

    /// Draws; false if the terminal takes no frame now.
    fn draw(&mut self) -> bool {
        let terminal = &self.performer.terminal;
        if terminal.is_busy() || !terminal.is_free(self.is_asked) {
            return false;
        }
        let frame = screen::draw(&self.app);
        assert!(
            !std::env::var_os("AW_TUI_PANIC")
                .is_some_and(|at| cfg!(debug_assertions) && at == "draw"),
            "the panic that AW_TUI_PANIC asks for"
        );
        self.drawn_at = Some(Instant::now());
        self.is_asked = false;
        self.is_dragged = false;
        self.performer.terminal.draw(&frame.buffer, frame.caret) != Drawn::Busy
    }

    fn update(&mut self, msg: Msg) {
        let effects = update(&mut self.app, now(), msg);
        for effect in effects {
            if let Some(msg) = self.performer.perform(effect) {
                self.update(msg);
            }
        }
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::Key(key) => self.update(Msg::Key(key)),
            Input::Burst(keys) => self.update(Msg::Burst(keys)),
            Input::Paste(text) => self.update(Msg::Paste(text)),
            Input::Mouse(mouse) => self.update(Msg::Mouse(mouse)),
            Input::Resize(width, height) => self.update(Msg::Resize(width, height)),
            Input::Focus(has_focus) => self.update(Msg::Focus(has_focus)),
            Input::Answer(answer) => self.answer(answer),
            Input::Signal(signal) => self.signal(signal),
            Input::Free => {}
            Input::Lost => self.leave(129),
        }
    }

    fn answer(&mut self, answer: Answer) {
        match answer {
            Answer::Background(r, g, b) => {
                let luma = 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
                self.update(Msg::Background(luma > 127.5));
            }
            Answer::Ambiguous(cells) if cells > 1 => self.update(Msg::WideSymbols),
            _ => {}
        }
    }

    fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::Terminate => self.leave(143),
            Signal::HangUp => self.leave(129),
            Signal::Interrupt => self.leave(130),
            Signal::Stop => self.performer.terminal.suspend(),
            Signal::Continue => {
                self.performer.terminal.resume();
                self.performer.link.hurry();
            }
        }
    }

    /// Leaves at once, with what was written on disk.
    fn leave(&mut self, code: i32) {
        for effect in leave(&mut self.app, code) {
            self.performer.perform(effect);
        }
    }
}
