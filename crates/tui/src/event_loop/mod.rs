//! The loop: what comes in changes the state, what follows is done, and the screen is drawn.

pub mod config;
pub mod connection;
pub mod dump;
pub mod editor;
pub mod files;
mod perform;
mod queue;
pub mod storage;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use agent_worker_client::{Home, mirror::MirrorFeed};
use agent_worker_protocol::{
    name::{Name, Tag},
    target::Target,
    workflow::Source,
};

use self::{connection::Link, storage::Disk};
use crate::{
    app,
    model::{
        Focus, Reach, State,
        drafts::{Composer, Drafts},
        place::{Place, Subject, Tab},
        requests::Msg,
        settings::Environment,
        talks::Talks,
        tree::Nav,
    },
    panes::Panes,
    screen,
    terminal::{self, Answer, Drawn, Input, NotATerminal, Signal, Terminal},
};
use perform::Performer;
use queue::Queue;

/// Reads a workflow file with everything beside it that the daemon needs.
pub type Collect = Arc<dyn Fn(&Path, Option<Tag>) -> Result<Source, String> + Send + Sync>;

/// How the control room is opened.
#[derive(Clone)]
pub struct Options {
    pub home: Home,
    /// This program, which is also the daemon
    pub program: PathBuf,
    /// What is shown first
    pub target: Option<Target>,
    /// As whom the person acts
    pub identity: Name,
    pub read_only: bool,
    /// Reads a workflow file
    pub collect: Collect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub code: i32,
    /// How many texts are kept that were not sent
    pub drafts: usize,
    /// How many agents are at work
    pub running: usize,
}

/// The least time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(33);

/// The same while the size of the window changes.
const DRAGGED: Duration = Duration::from_millis(70);

/// The state before anything is known.
pub fn initial(options: &Options, size: (u16, u16)) -> (State, Vec<config::Problem>) {
    let environment = Environment::of_process();
    let (wishes, problems) = config::read(&options.home.path().join("config.toml"));
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let look = wishes.settings.look(&environment);
    let is_read_only = options.read_only || wishes.settings.is_read_only(&host);
    let has_mouse = wishes.settings.takes_mouse(&environment);
    let mut state = State {
        now: now(),
        size,
        look,
        settings: wishes.settings,
        keymap: wishes.keymap,
        read_only: is_read_only,
        host,
        identity: options.identity.clone(),
        reach: Reach::Looking,
        feed: MirrorFeed::default(),
        as_of: 0,
        heard_at: 0,
        daemon_since: None,
        fetch_after: 0,
        retry_at: None,
        nav: Nav::default(),
        place: Place::of(Subject::All),
        tabs: BTreeMap::default(),
        trail: Default::default(),
        focus: Focus::default(),
        is_zoomed: false,
        dock: None,
        is_cutting: false,
        has_focus: true,
        has_mouse,
        talks: Talks::default(),
        composer: Composer::default(),
        drafts: Drafts::default(),
        overlays: Vec::new(),
        question: None,
        notice: None,
        pulses: BTreeMap::default(),
        stopping: BTreeMap::default(),
        marked: BTreeSet::default(),
        leaving: None,
        panes: Panes::default(),
    };
    state.panes.awaited = options.target.as_ref().map(awaited);
    if let [first, rest @ ..] = problems.as_slice() {
        let more =
            if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
        state.warn(format!("{first}{more}"));
    }
    (state, problems)
}

fn awaited(target: &Target) -> Place {
    let scope = target.scope_or(&agent_worker_protocol::target::Scope::global());
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

/// Opens the control room, and comes back when the person has left it.
pub fn run(options: &Options) -> Result<Ended, NotATerminal> {
    let folder = options.home.path().join("tui");
    let (mut state, _) = initial(options, (0, 0));
    let queue = Arc::new(Queue::default());
    let inputs = Arc::clone(&queue);
    let log = folder.join("tui.log");
    let (disk, kept) = match open_disk(&folder, &queue) {
        Ok((disk, kept)) => (Some(disk), kept),
        Err(error) => {
            state.warn(format!("drafts are not kept: {}: {error}", folder.display()));
            Default::default()
        }
    };
    let wishes =
        terminal::Options { mouse: state.has_mouse, log: disk.is_some().then(|| log.clone()) };
    let terminal = Terminal::open(wishes, move |input| inputs.input(input))?;
    terminal::install_panic_hook(log);
    state.size = terminal.size();
    state.drafts = Drafts::new(kept.drafts);
    state.composer.sent.0 = kept.sent;
    if let Some(draft) = state.drafts.get(&state.composer.address).cloned() {
        state.composer.saved.clone_from(&draft.text);
        state.composer.set(&draft);
    }
    let messages = Arc::clone(&queue);
    let link = Link::start(options.clone(), move |msg| messages.message(msg));
    let performer = Performer { terminal, disk, link, folder, code: None };
    let ended = Room { state, queue, performer, drawn_at: None, is_dragged: false }.run();
    Ok(ended)
}

fn open_disk(folder: &Path, queue: &Arc<Queue>) -> std::io::Result<(Disk, self::storage::Kept)> {
    let told = Arc::clone(queue);
    Disk::open(folder, move |msg| told.message(msg))
}

struct Room {
    state: State,
    queue: Arc<Queue>,
    performer: Performer,
    drawn_at: Option<Instant>,
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
            let is_asked = batch.inputs.iter().any(is_asking);
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
            is_due = !self.may_draw(is_asked) || !self.draw();
        }
        self.queue.close();
        let is_at_work = |agent: &&agent_worker_protocol::agent::Agent| agent.run.is_some();
        Ended {
            code: self.performer.code.unwrap_or(0),
            drafts: self.state.drafts.len(),
            running: self.state.mirror().agents().filter(is_at_work).count(),
        }
    }

    /// How long nothing needs to be done if nothing comes in.
    fn deadline(&self, is_due: bool) -> Option<Instant> {
        // A terminal that is busy says when it is free again.
        if is_due && !self.performer.terminal.is_busy() {
            return Some(self.drawn_at.map_or_else(Instant::now, |at| at + self.gap()));
        }
        let at = app::act::next_timer(&self.state)?;
        let left = u64::try_from(at - now()).unwrap_or(0);
        Some(Instant::now() + Duration::from_millis(left))
    }

    fn may_draw(&self, is_asked: bool) -> bool {
        is_asked || self.drawn_at.is_none_or(|at| at.elapsed() >= self.gap())
    }

    fn gap(&self) -> Duration {
        if self.is_dragged { DRAGGED } else { FRAME }
    }

    /// Draws; false if the terminal takes no frame now.
    fn draw(&mut self) -> bool {
        if self.performer.terminal.is_busy() {
            return false;
        }
        let frame = screen::draw(&self.state);
        assert!(
            !std::env::var_os("AW_TUI_PANIC")
                .is_some_and(|at| cfg!(debug_assertions) && at == "draw"),
            "the panic that AW_TUI_PANIC asks for"
        );
        self.drawn_at = Some(Instant::now());
        self.is_dragged = false;
        self.performer.terminal.draw(&frame.buffer, frame.caret) != Drawn::Busy
    }

    fn update(&mut self, msg: Msg) {
        let effects = app::update(&mut self.state, now(), msg);
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
        for effect in app::act::leave(&mut self.state, code) {
            self.performer.perform(effect);
        }
    }
}
