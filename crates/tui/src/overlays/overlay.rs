//! What everything that lies over the panes can be asked.

use agent_worker_protocol::{Event, MessageId, Target};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Effect, Found, Model, Purpose, Request},
    paint::Painter,
    panes::Panes,
    parts::field::Field,
};

/// Where a caret is: column and row; none: hidden.
pub type Caret = Option<(u16, u16)>;

/// What a key did to an overlay.
pub enum Outcome {
    /// It stays, and this is to be done.
    Stay(Vec<Effect>),
    /// It goes away, and then this is to be done.
    Close(Vec<Effect>),
}

impl Outcome {
    /// It stays as it is.
    pub fn stay() -> Self {
        Self::Stay(Vec::new())
    }

    /// It goes away, and nothing else happens.
    pub fn close() -> Self {
        Self::Close(Vec::new())
    }

    /// It goes away, and this text is copied; without a text it stays.
    pub fn copy(text: Option<String>) -> Self {
        text.map_or_else(Self::stay, |text| Self::Close(vec![Effect::Copy(text)]))
    }
}

/// The keys of actions in these contexts, with what they do in a box; without a key an action is
/// not named.
pub fn keyed(
    model: &Model,
    contexts: &[Context],
    rows: &[(&[Action], &str)],
) -> Vec<(String, String)> {
    let keymap = &model.settings.keymap;
    let names = |actions: &[Action]| {
        let names: Vec<_> =
            actions.iter().filter_map(|action| keymap.name(contexts, *action)).collect();
        names.join(" ")
    };
    let rows = rows.iter().map(|(actions, label)| (names(actions), (*label).to_owned()));
    rows.filter(|(names, _)| !names.is_empty()).collect()
}

/// What lies over the panes: the top one gets the keys.
pub trait Overlay: std::fmt::Debug {
    fn key(&mut self, model: &mut Model, panes: &mut Panes, key: Key) -> Outcome;

    /// Scrolls its text, or moves in its list.
    fn scroll(&mut self, _: &Model, _: isize) {}

    /// What the wheel does over it.
    fn wheel(&mut self, model: &Model, _: &mut Panes, rows: isize) -> Vec<Effect> {
        self.scroll(model, rows);
        Vec::new()
    }

    /// Its keys, with what they do.
    fn keys(&self, model: &Model) -> Vec<(String, String)>;

    /// Draws it; gives where its caret is.
    fn draw(&self, model: &Model, panes: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret;

    /// Where keys mean something.
    fn contexts(&self) -> Vec<Context> {
        Vec::new()
    }

    /// Where words are written, if letters are text.
    fn field(&mut self) -> Option<&mut Field> {
        None
    }

    /// All lines of a list that a screen shows in part, the marked one with its sign. Without a
    /// screen a line that is written filters such a list, and takes nothing of it.
    fn told(&self, _: &Model) -> Option<Vec<String>> {
        None
    }

    /// Whether this line leaves it as Esc does. Only without a screen are lines written.
    fn is_left_by(&self, line: &str) -> bool {
        matches!(line, "cancel" | "esc")
    }

    /// What is written in it, and for what: it is kept when the box goes away.
    fn draft(&self) -> Option<(Purpose, &str)> {
        None
    }

    /// The line of its list that Enter takes.
    fn choice(&self) -> Option<String> {
        None
    }

    /// The number of the marked line of its list.
    fn marked(&self) -> Option<usize> {
        None
    }

    /// Marks the line of its list with this number; `first` is the first one on the screen.
    fn mark(&mut self, _: &Model, _line: usize, _first: usize) {}

    /// What takes the marked line: a double click does the same.
    fn takes(&self) -> Action {
        Action::Send
    }

    /// Whether what is written in it is lost when it goes away.
    fn loses_text(&self) -> bool {
        false
    }

    /// Whether Esc means something inside of it first.
    fn keeps_esc(&self) -> bool {
        false
    }

    /// A text was pasted into its field.
    fn pasted(&mut self, _: &mut Model, _: &mut Panes) -> Vec<Effect> {
        Vec::new()
    }

    /// It came onto the screen, or the picture is another: asks for what it needs.
    fn on_show(&self, _: &Model, _: &mut Panes) -> Vec<Effect> {
        Vec::new()
    }

    fn on_event(&mut self, _: &Model, _: &Event) {}

    /// The workflow files that can be started.
    fn take_files(&mut self, _: Vec<Found>) {}

    /// Whether it has asked this, and has nothing more to do once it is done.
    fn has_asked(&self, _: &Request) -> bool {
        false
    }

    /// Whether it is about something with a number, which in another database is another thing.
    fn is_of_database(&self) -> bool {
        self.message().is_some() || self.agent().is_some()
    }

    /// The message that it shows whole.
    fn message(&self) -> Option<MessageId> {
        None
    }

    /// The agent whose run it shows.
    fn agent(&self) -> Option<&Target> {
        None
    }
}
