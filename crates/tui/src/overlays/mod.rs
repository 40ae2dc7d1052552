//! What lies over the panes: the top one gets the keys.

mod confirm;
mod find;
mod form;
mod help;
pub mod menu;
pub mod message;
mod notice;
pub mod pager;
pub mod palette;
pub mod peek;
mod question;
mod vote;

#[cfg(test)]
mod tests;

use agent_worker_protocol::{
    attention::Explanation,
    event::{Event, EventBody},
    proposal::Proposal,
    question::Question,
    schedule::Schedule,
    target::Target,
};
use ratatui_core::layout::Rect;

use crate::parts::field::Field;
use crate::{
    app::act,
    key::{Code, Key},
    keys::Context,
    model::{
        State,
        acts::Act,
        drafts::Address,
        requests::{Effect, Trouble},
    },
    paint::{Painter, Row},
    theme::Role,
};
use confirm::Confirm;
use find::Find;
use form::Form;
use help::Help;
use menu::Menu;
use notice::Message;
use pager::Pager;
use palette::Picker;
use question::Asked;
use vote::Vote;

/// One of them.
#[derive(Debug)]
pub enum Overlay {
    /// The keys.
    Help(Help),
    /// A list that is searched: commands, places, recipients.
    Picker(Picker),
    /// What can be done with the selected thing.
    Menu(Menu),
    /// Asks before an act on many, or one that destroys.
    Confirm(Confirm),
    /// A question of an agent.
    Asked(Asked),
    /// A vote of the person.
    Vote(Vote),
    /// What is searched for in everything.
    Find(Find),
    /// Fields to fill in.
    Form(Form),
    /// A whole text.
    Pager(Pager),
    /// A box with something to know, and keys that help.
    Message(Message),
    /// A message whole.
    Detail(self::message::Detail),
    /// What an agent does, over whatever is below.
    Peek(self::peek::Peek),
}

/// What is done to the state below an overlay.
type Doing = Box<dyn FnOnce(&mut State) -> Vec<Effect>>;

/// What a key did to an overlay.
pub enum Outcome {
    /// It stays.
    Stay(Vec<Effect>),
    /// It goes away.
    Close(Vec<Effect>),
    /// It goes away, and then this is done.
    Then(Doing),
    /// It stays, and this is done to the state below it.
    With(Doing),
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

    /// It goes away, and then this is done.
    pub fn then(act: impl FnOnce(&mut State) -> Vec<Effect> + 'static) -> Self {
        Self::Then(Box::new(act))
    }
}

/// Asks before what an overlay is about, in its tier, or does it: then the overlay goes away.
fn does(state: &mut State, act: Act) -> Vec<Effect> {
    if state.read_only {
        state.warn("read-only: nothing was done");
        return Vec::new();
    }
    if !state.is_live() {
        state.warn("not connected: nothing was done");
        return Vec::new();
    }
    state.overlays.pop();
    act::ask(state, act)
}

/// Puts an overlay on top.
pub fn open(state: &mut State, overlay: Overlay) -> Vec<Effect> {
    state.notice = None;
    state.overlays.push(overlay);
    Vec::new()
}

/// A key for the top one.
pub fn key(state: &mut State, key: Key) -> Vec<Effect> {
    let Some(mut overlay) = state.overlays.pop() else { return Vec::new() };
    let is_left = key == Key::ctrl('c') || key == Key::plain(Code::Esc);
    let outcome =
        if is_left && !overlay.keeps_esc() { Outcome::close() } else { overlay.key(state, key) };
    match outcome {
        Outcome::Stay(effects) => {
            state.overlays.push(overlay);
            effects
        }
        Outcome::With(act) => {
            state.overlays.push(overlay);
            act(state)
        }
        Outcome::Close(effects) => effects,
        Outcome::Then(act) => act(state),
    }
}

/// Something has a name that had none, or has none any more: where it can be gone to is told anew.
pub fn heard(state: &mut State, event: &Event) {
    let is_named = matches!(
        event.body,
        EventBody::AgentChanged(_)
            | EventBody::AgentRemoved { .. }
            | EventBody::WorkflowChanged(_)
            | EventBody::WorkflowRemoved { .. }
            | EventBody::DocumentChanged(_)
            | EventBody::ProposalChanged(_)
            | EventBody::ScheduleChanged(_)
            | EventBody::GroupChanged(_)
    );
    if is_named
        && matches!(state.overlays.last(), Some(Overlay::Picker(picker)) if picker.is_jump())
    {
        let fresh = Picker::jump(state);
        if let Some(Overlay::Picker(picker)) = state.overlays.last_mut() {
            picker.renew(fresh);
        }
    }
}

/// A text was pasted; none where there is no field for it.
pub fn paste(state: &mut State, text: &str) -> Option<Vec<Effect>> {
    let overlay = state.overlays.last_mut()?;
    if !overlay.paste(text) {
        return None;
    }
    let Overlay::Find(find) = overlay else { return Some(Vec::new()) };
    let wanted = find.text();
    Some(crate::panes::search::want(state, &wanted))
}

impl Overlay {
    /// The keys of what has focus.
    pub fn help(state: &State) -> Self {
        Self::Help(Help::new(state))
    }

    /// All commands.
    pub fn palette(state: &State) -> Self {
        Self::Picker(Picker::palette(state))
    }

    /// Everything with a name.
    pub fn jump(state: &State) -> Self {
        Self::Picker(Picker::jump(state))
    }

    /// What can be done with the selected thing.
    pub fn menu(state: &State) -> Self {
        Self::Menu(Menu::new(state))
    }

    /// What of the shown pane is shown; none if it is never filtered.
    pub fn filters(state: &State) -> Option<Self> {
        Picker::filter(state).map(Self::Picker)
    }

    /// Whom the text is for.
    pub fn retarget(state: &State) -> Self {
        Self::Picker(Picker::retarget(state))
    }

    /// What lines of the tree must hold.
    pub fn filter(state: &State) -> Self {
        Self::Form(Form::filter(state))
    }

    /// What is looked for in a conversation.
    pub fn search(state: &State) -> Self {
        Self::Form(Form::search(state))
    }

    /// What is looked for in the shown pane.
    pub fn search_pane(state: &State) -> Self {
        Self::Form(Form::search_pane(state))
    }

    /// What is looked for in everything.
    pub fn find(state: &State) -> Self {
        Self::Find(Find::new(state))
    }

    /// A workflow from a file.
    pub fn start(_: &State) -> Self {
        Self::Form(Form::start())
    }

    /// A new agent.
    pub fn new_agent(_: &State) -> Self {
        Self::Form(Form::new_agent())
    }

    /// A schedule, to be changed.
    pub fn schedule(schedule: &Schedule) -> Self {
        Self::Form(Form::schedule(schedule))
    }

    /// A new schedule, of this agent, or of one in this scope.
    pub fn new_schedule(of: Option<&Target>) -> Self {
        Self::Form(Form::new_schedule(of))
    }

    /// Asks before an act, by name.
    pub fn confirm(state: &State, act: Act) -> Self {
        Self::Confirm(Confirm::new(state, act))
    }

    /// What an agent asks the person.
    pub fn asked(question: &Question) -> Self {
        Self::Asked(Asked::new(question))
    }

    /// A vote of the person.
    pub fn vote(state: &State, proposal: &Proposal) -> Self {
        Self::Vote(Vote::new(state, proposal))
    }

    /// A whole text.
    pub fn pager(title: impl Into<String>, text: &str) -> Self {
        Self::Pager(Pager::new(title.into(), text))
    }

    /// A refusal.
    pub fn refused(what: &str, trouble: Trouble) -> Self {
        Self::Message(Message::refused(what, trouble))
    }

    /// A message that is not stored.
    pub fn not_sent(address: &Address, text: &str, trouble: Trouble) -> Self {
        Self::Message(Message::not_sent(address, text, trouble))
    }

    /// Why something is as it is.
    pub fn why(state: &State, explanation: &Explanation) -> Self {
        Self::Message(Message::why(state, explanation))
    }

    /// How the connection is.
    pub fn connection(state: &State) -> Self {
        Self::Message(Message::connection(state))
    }

    /// A box with rows, which Esc closes.
    pub fn rows(title: impl Into<String>, rows: Vec<Row>) -> Self {
        Self::Message(Message::rows(title.into(), rows))
    }

    /// Where keys mean something.
    pub fn contexts(&self) -> Vec<Context> {
        match self {
            Self::Help(_) | Self::Pager(_) => vec![Context::Pager, Context::Move],
            Self::Picker(_) => vec![Context::Picker],
            Self::Peek(_) | Self::Detail(_) | Self::Menu(_) => vec![Context::Move],
            Self::Confirm(_)
            | Self::Find(_)
            | Self::Form(_)
            | Self::Message(_)
            | Self::Asked(_)
            | Self::Vote(_) => Vec::new(),
        }
    }

    /// Whether letters are text.
    pub fn takes_text(&self) -> bool {
        match self {
            Self::Help(_) | Self::Picker(_) | Self::Confirm(_) | Self::Find(_) | Self::Form(_) => {
                true
            }
            Self::Pager(pager) => pager.takes_text(),
            Self::Asked(asked) => asked.takes_text(),
            Self::Vote(vote) => vote.takes_text(),
            Self::Message(_) | Self::Peek(_) | Self::Detail(_) | Self::Menu(_) => false,
        }
    }

    /// Whether Esc means something inside of it first.
    fn keeps_esc(&self) -> bool {
        match self {
            Self::Pager(pager) => pager.takes_text(),
            Self::Help(help) => help.is_filtered(),
            _ => false,
        }
    }

    fn key(&mut self, state: &State, key: Key) -> Outcome {
        match self {
            Self::Help(help) => help.key(state, key),
            Self::Picker(picker) => picker.key(state, key),
            Self::Menu(menu) => menu.key(state, key),
            Self::Confirm(confirm) => confirm.key(state, key),
            Self::Asked(asked) => asked.key(state, key),
            Self::Vote(vote) => vote.key(key),
            Self::Find(find) => find.key(state, key),
            Self::Form(form) => form.key(state, key),
            Self::Pager(pager) => pager.key(state, key),
            Self::Message(message) => message.key(state, key),
            Self::Peek(peek) => peek.key(state, key),
            Self::Detail(detail) => detail.key(state, key),
        }
    }

    fn paste(&mut self, text: &str) -> bool {
        let field = match self {
            Self::Picker(picker) => Some(picker.field()),
            Self::Confirm(confirm) => Some(confirm.field()),
            Self::Find(find) => Some(find.field()),
            Self::Form(form) => Some(form.field()),
            Self::Help(help) => Some(help.field()),
            Self::Asked(asked) => asked.field(),
            Self::Vote(vote) => vote.field(),
            _ => None,
        };
        field.is_some_and(|field| {
            field.insert_str(text);
            true
        })
    }

    /// Draws it; gives where its caret is.
    pub fn draw(&self, state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
        match self {
            Self::Help(help) => help.draw(state, painter, area),
            Self::Picker(picker) => picker.draw(state, painter, area),
            Self::Menu(menu) => menu.draw(state, painter, area),
            Self::Confirm(confirm) => confirm.draw(state, painter, area),
            Self::Asked(asked) => asked.draw(state, painter, area),
            Self::Vote(vote) => vote.draw(state, painter, area),
            Self::Find(find) => find.draw(state, painter, area),
            Self::Form(form) => form.draw(state, painter, area),
            Self::Pager(pager) => pager.draw(state, painter, area),
            Self::Message(message) => message.draw(state, painter, area),
            Self::Peek(peek) => peek.draw(state, painter, area),
            Self::Detail(detail) => detail.draw(state, painter, area),
        }
    }

    /// Its keys, for the last line.
    pub fn footer(&self, state: &State) -> Row {
        let pairs: Vec<(String, String)> = match self {
            Self::Help(_) => pairs(&[("type", "filter"), ("Up Down", "scroll"), ("Esc", "close")]),
            Self::Picker(picker) => picker.keys(),
            Self::Menu(menu) => menu.keys(),
            Self::Confirm(confirm) => confirm.keys(),
            Self::Asked(asked) => asked.keys(state),
            Self::Vote(vote) => vote.keys(),
            Self::Find(_) => Find::keys(),
            Self::Form(form) => form.keys(),
            Self::Pager(_) => pairs(&[
                ("j k", "scroll"),
                ("/", "search"),
                ("n N", "match"),
                ("y", "copy"),
                ("v", "editor"),
                ("q", "close"),
            ]),
            Self::Message(message) => message.keys(),
            Self::Peek(peek) => peek.keys(state),
            Self::Detail(_) => self::message::Detail::keys(state),
        };
        let mut row = Row::of(" ", Role::Text);
        for (number, (key, label)) in pairs.into_iter().enumerate() {
            row.space(if number > 0 { 2 } else { 0 });
            row.push(key, Role::Accent);
            row.push(" ", Role::Text);
            row.push(label, Role::Text);
        }
        row
    }
}

/// Keys and labels.
pub fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, label)| ((*key).to_owned(), (*label).to_owned())).collect()
}

/// Draws the frame of a box in the middle of an area, blank inside; gives the inside.
pub fn frame(
    painter: &mut Painter<'_>,
    area: Rect,
    (width, height): (u16, u16),
    title: impl Into<String>,
    bottom: impl Into<String>,
) -> Rect {
    let width = width.min(area.width.saturating_sub(2)).max(4);
    let height = height.min(area.height.saturating_sub(2)).max(3);
    let x = area.x + (area.width.saturating_sub(width)) / 2;
    let y = area.y + (area.height.saturating_sub(height)) / 2;
    boxed(painter, Rect { x, y, width, height }.intersection(area), title, bottom)
}

/// Draws the frame of a box, blank inside; gives the inside.
pub fn boxed(
    painter: &mut Painter<'_>,
    outer: Rect,
    title: impl Into<String>,
    bottom: impl Into<String>,
) -> Rect {
    painter.clear(outer);
    let [top_left, top_right, bottom_left, bottom_right] = painter.symbols.corners;
    let right = outer.width.saturating_sub(1);
    let last = outer.height.saturating_sub(1);
    edge(painter, outer, 0, (top_left, top_right), title.into());
    edge(painter, outer, last, (bottom_left, bottom_right), bottom.into());
    for y in 1..last {
        for x in [0, right] {
            painter.row(outer, x, y, &Row::of(painter.symbols.vertical, Role::Dim));
        }
    }
    Rect {
        x: outer.x + 2,
        y: outer.y + 1,
        width: outer.width.saturating_sub(4),
        height: outer.height.saturating_sub(2),
    }
}

fn edge(
    painter: &mut Painter<'_>,
    area: Rect,
    y: u16,
    corners: (&'static str, &'static str),
    words: String,
) {
    let inside = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let row = (!words.is_empty()).then(|| Row::of(words, Role::Title));
    painter.rule(inside, y, row);
    painter.row(area, 0, y, &Row::of(corners.0, Role::Dim));
    painter.row(area, area.width.saturating_sub(1), y, &Row::of(corners.1, Role::Dim));
}
