//! The loop: what comes in changes the control room, what follows is done, and the screen is drawn.

use std::{
    fs::File,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    connection::Wish,
    daemons::{Daemon, Daemons, open_disk},
    options::{Ended, Options},
    perform::Performer,
    queue::Queue,
    start::{initial, now},
};
use crate::{
    app::{Msg, leave, update},
    model::Effect,
    screen,
    terminal::{self, Answer, Drawn, Input, NotATerminal, Recorder, Signal, Terminal},
};

/// The least time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(33);

/// The same while the size of the window changes.
const DRAGGED: Duration = Duration::from_millis(70);

/// Opens the control room, and comes back when the person has left it. Other daemons are roots of
/// the same tree.
pub fn run(options: &Options, others: &[Options]) -> Result<Ended, NotATerminal> {
    let queue = Arc::new(Queue::default());
    let (mut app, _) = initial(options, (0, 0));
    let told = Arc::clone(&queue);
    let disk = open_disk(&mut app, options, move |msg| told.message(0, msg));
    let log = options.home.control_room().join("tui.log");
    let wishes = terminal::Options {
        mouse: app.model.display.has_mouse,
        log: disk.is_open().then(|| log.clone()),
    };
    let inputs = Arc::clone(&queue);
    let mut terminal = Terminal::open(wishes, move |input| inputs.input(input))?;
    if let Some(file) = &options.record
        && let Err(error) = record(&mut terminal, file, &queue)
    {
        app.model.warn(format!("nothing is recorded: {error}"));
    }
    terminal::install_panic_hook(log);
    let (size, told) = (terminal.size(), Arc::clone(&queue));
    let mut all = vec![Daemon::connect(app, disk, options, move |msg| told.message(0, msg))];
    for (at, options) in (1..).zip(others) {
        let (mut app, _) = initial(options, size);
        let told = Arc::clone(&queue);
        let disk = open_disk(&mut app, options, move |msg| told.message(at, msg));
        let told = Arc::clone(&queue);
        all.push(Daemon::connect(app, disk, options, move |msg| told.message(at, msg)));
    }
    let daemons = Daemons::new(all, size);
    let performer = Performer { terminal, code: None };
    let room =
        Room { daemons, queue, performer, drawn_at: None, is_asked: true, is_dragged: false };
    Ok(room.run())
}

/// Records the terminal's screen from here on.
fn record(terminal: &mut Terminal, file: &File, queue: &Arc<Queue>) -> std::io::Result<()> {
    let (told, size) = (Arc::clone(queue), terminal.size());
    let tell = move |problem| told.message(0, Msg::NotSaved(problem));
    terminal.record(Recorder::start(file.try_clone()?, size, now() / 1000, tell)?);
    Ok(())
}

struct Room {
    daemons: Daemons,
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

/// Whether the screen may be another after this. That a frame was shown changes nothing: drawn for
/// it alone, times that go on between two ticks would make a second frame of each.
fn is_news(input: &Input) -> bool {
    !matches!(input, Input::Free | Input::Answer(Answer::Ready))
}

impl Room {
    fn run(mut self) -> Ended {
        self.draw();
        let mut is_due = false;
        while self.performer.code.is_none() {
            let batch = self.queue.take(self.deadline(is_due));
            self.is_asked |= batch.inputs.iter().any(is_asking);
            self.is_dragged |= batch.inputs.iter().any(|input| matches!(input, Input::Resize(..)));
            let is_timer = batch.inputs.is_empty() && batch.messages.is_empty();
            // Also while a frame is due that the terminal does not take: what is to be done now is
            // otherwise to be done at once for ever.
            if is_timer {
                self.tick();
            }
            is_due |= is_timer || !batch.messages.is_empty() || batch.inputs.iter().any(is_news);
            if !batch.inputs.is_empty() {
                self.daemons.tell();
            }
            for input in batch.inputs {
                self.input(input);
            }
            for (daemon, msg) in batch.messages {
                self.update(daemon, msg);
            }
            is_due = is_due && (!self.may_draw() || !self.draw());
        }
        self.queue.close();
        let code = self.performer.code.unwrap_or(0);
        self.leave(code);
        self.daemons.ended(code)
    }

    fn tick(&mut self) {
        for daemon in 0..self.daemons.iter().count() {
            self.update(daemon, Msg::Tick);
        }
    }

    /// How long nothing needs to be done if nothing comes in.
    fn deadline(&self, is_due: bool) -> Option<Instant> {
        // A terminal that is busy says when it is free again.
        if is_due && !self.performer.terminal.is_busy() {
            let gap = self.drawn_at.map_or_else(Instant::now, |at| at + self.gap());
            return Some(gap.max(self.performer.terminal.free_at(self.is_asked).unwrap_or(gap)));
        }
        let at = self.daemons.next_timer()?;
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
        self.daemons.tell();
        let frame = screen::draw(self.daemons.app());
        assert!(
            !std::env::var_os("AW_TUI_PANIC")
                .is_some_and(|at| cfg!(debug_assertions) && at == "draw"),
            "the panic that AW_TUI_PANIC asks for"
        );
        self.drawn_at = Some(Instant::now());
        (self.is_asked, self.is_dragged) = (false, false);
        self.performer.terminal.draw(&frame.buffer, frame.caret) != Drawn::Busy
    }

    fn update(&mut self, daemon: usize, msg: Msg) {
        for effect in update(self.daemons.change(daemon), now(), msg) {
            self.perform(daemon, effect);
        }
    }

    fn perform(&mut self, daemon: usize, effect: Effect) {
        let msg = match effect {
            Effect::TurnTo(other, line) => {
                let turn = self.daemons.turn_to(other, line);
                return self.update(other, turn);
            }
            Effect::Title(_) if !self.daemons.is_one() => {
                let title = Effect::Title(self.daemons.title());
                self.performer.perform(self.daemons.get(daemon), title)
            }
            effect => self.performer.perform(self.daemons.get(daemon), effect),
        };
        if let Some(msg) = msg {
            self.update(daemon, msg);
        }
    }

    /// Something for the one on the screen.
    fn show(&mut self, msg: Msg) {
        self.update(self.daemons.shown(), msg);
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::Key(key) => self.show(Msg::Key(key)),
            Input::Burst(keys) => self.show(Msg::Burst(keys)),
            Input::Paste(text) => self.show(Msg::Paste(text)),
            Input::Mouse(mouse) => {
                let key = screen::key_at(self.daemons.app(), mouse);
                self.show(key.map_or(Msg::Mouse(mouse), Msg::Key));
            }
            Input::Resize(width, height) => self.show(Msg::Resize(width, height)),
            Input::Focus(has_focus) => self.show(Msg::Focus(has_focus)),
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
                self.show(Msg::Background(luma > 127.5));
            }
            Answer::Ambiguous(cells) if cells > 1 => self.show(Msg::WideSymbols),
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
                self.daemons.iter().for_each(|daemon| daemon.link.wish(Wish::Hurry));
            }
        }
    }

    /// Leaves at once, with what was written on disk.
    fn leave(&mut self, code: i32) {
        for daemon in 0..self.daemons.iter().count() {
            for effect in leave(self.daemons.change(daemon), code) {
                self.perform(daemon, effect);
            }
        }
    }
}
