//! A vote of the user: which option, then why. Enter behind the reason casts it.

use agent_worker_protocol::{Proposal, ProposalStatus};
use ratatui_core::layout::Rect;

use super::{
    Caret, Outcome, Overlay,
    options::{DIGITS, Listed, Options, head, numbered},
    overlay::keyed,
};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Act, Effect, Model, Purpose},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame},
    text::wrap,
    theme::Role,
};

/// Where its keys are.
const KEYS: &[Context] = &[Context::Box, Context::Move];

/// The least rows that the options keep beside a long title and a long note.
const LEAST: usize = 3;

/// The proposal, and how far the person is with it.
#[derive(Debug)]
pub struct Vote {
    proposal: Box<Proposal>,
    options: Options,
    /// What was chosen, once it was
    chosen: Option<String>,
    reason: Field,
}

impl Vote {
    /// For a proposal; what the person has voted for already is marked, and a reason that was begun
    /// goes on.
    pub fn new(model: &Model, proposal: Box<Proposal>) -> Self {
        let own = proposal.votes.iter().find(|vote| vote.voter == *model.person());
        let place = |choice: &String| proposal.options.iter().position(|option| option == choice);
        let marked = own.and_then(|vote| place(&vote.choice));
        let options = Options { marked, ..Options::default() };
        let mut vote = Self { proposal, options, chosen: None, reason: Field::default() };
        vote.reason = Field::with(model.writing.drafts.text(vote.purpose()));
        vote
    }

    fn purpose(&self) -> Purpose {
        Purpose::Vote(self.proposal.scope.clone(), self.proposal.id)
    }

    fn choose(&mut self, model: &Model, action: Option<Action>, key: Key) -> Outcome {
        if action == Some(Action::Quit) {
            return Outcome::close();
        }
        let (_, listed, room) = self.shown(model);
        let (options, digit) = (&self.proposal.options, numbered(key));
        let taken = self.options.take(options, action, digit, (&listed, room));
        self.chosen = taken.filter(|_| self.is_open(model));
        Outcome::stay()
    }

    /// What is to be known before it is cast.
    fn note(&self, model: &Model) -> Option<String> {
        if !self.is_open(model) {
            return Some("It is no longer open.".to_owned());
        }
        let own = self.proposal.votes.iter().find(|vote| vote.voter == *model.person());
        let own = own.filter(|_| self.chosen.is_some())?;
        let send = model.key_in(&[Context::Picker], Action::Send);
        Some(format!("{send} votes; it replaces your vote for {}", own.choice))
    }

    /// The option that has the sign: the chosen one, before that the marked one.
    fn signed(&self) -> Option<usize> {
        match &self.chosen {
            Some(chosen) => self.proposal.options.iter().position(|option| option == chosen),
            None => self.options.marked,
        }
    }

    fn listed(&self, model: &Model, width: usize) -> Listed {
        let mut listed = Listed::default();
        for (at, option) in self.proposal.options.iter().enumerate() {
            let is_signed = self.signed() == Some(at);
            let role = if is_signed { Role::Strong } else { Role::Text };
            let begin = head(at, is_signed, true, model.symbols());
            listed.add(begin, &Row::of(option.clone(), role), width);
        }
        listed
    }

    /// The title and the note, which take at most this many rows together: the note gets half of
    /// them, or what the title leaves if that is more.
    fn beside(&self, model: &Model, width: usize, most: usize) -> (Vec<Row>, Vec<Row>) {
        let ellipsis = model.symbols().ellipsis;
        let title = Row::of(self.proposal.title.clone(), Role::Strong);
        let title = wrap::wrap_row(&title, width, 2);
        let note = self.note(model).map(|words| Row::of(words, Role::Wait));
        let note = note.map_or_else(Vec::new, |row| wrap::wrap_row(&row, width, 2));
        let room = (most / 2).max(most.saturating_sub(title.len())).max(1);
        let note = wrap::capped(note, width, room, ellipsis);
        let room = most.saturating_sub(note.len()).max(1);
        (wrap::capped(title, width, room, ellipsis), note)
    }

    /// Columns of the box.
    fn columns(model: &Model) -> u16 {
        model.display.size.0.saturating_sub(4).min(76)
    }

    /// The title and the note, the options, and how many rows of those there is room for.
    fn shown(&self, model: &Model) -> ((Vec<Row>, Vec<Row>), Listed, usize) {
        let width = usize::from(Self::columns(model).saturating_sub(4));
        let listed = self.listed(model, width);
        // The frame leaves a row above itself and one below, and its edges are two.
        let rows = usize::from(model.display.size.1.saturating_sub(4));
        let least = listed.height().min(LEAST);
        let (title, note) = self.beside(model, width, rows.saturating_sub(least + 2));
        // Beside the title and what is to be known, a blank row and the reason.
        let room = rows.saturating_sub(title.len() + note.len() + 2).max(1);
        ((title, note), listed, room)
    }

    fn is_open(&self, model: &Model) -> bool {
        let now = model.mirror().proposal(&self.proposal.scope, self.proposal.id);
        now.is_some_and(|proposal| proposal.status == ProposalStatus::Active)
    }

    /// Whether the reason is on the screen. A begun reason stays in sight, also when the proposal
    /// has closed meanwhile.
    fn shows_reason(&self, model: &Model) -> bool {
        self.chosen.is_some() && (self.is_open(model) || !self.reason.text().is_empty())
    }
}

impl Overlay for Vote {
    fn is_of_database(&self) -> bool {
        true
    }

    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let keymap = &model.settings.keymap;
        let Some(chosen) = self.chosen.clone() else {
            return self.choose(model, keymap.action(KEYS, key), key);
        };
        if keymap.action(&[Context::Picker], key) != Some(Action::Send) {
            if self.shows_reason(model) {
                self.reason.key(key);
            }
            return Outcome::stay();
        }
        // Once it is closed the box says so already, and the daemon would refuse the vote.
        if !self.is_open(model) {
            return Outcome::stay();
        }
        let reason = Some(self.reason.text().trim().to_owned()).filter(|text| !text.is_empty());
        let vote = Act::Vote {
            scope: self.proposal.scope.clone(),
            proposal: self.proposal.id,
            choice: chosen,
            reason,
        };
        Outcome::Stay(vec![Effect::Settle(vote)])
    }

    fn scroll(&mut self, model: &Model, rows: isize) {
        // What was chosen stays.
        if self.chosen.is_none() {
            let (_, listed, room) = self.shown(model);
            self.options.step(rows, &listed, room);
        }
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Down, Open, Send, Up};
        if !self.is_open(model) {
            return frame::with_esc(Vec::new(), "close");
        }
        let digits = format!("1-{}", self.proposal.options.len().min(DIGITS));
        let mut keys = match self.chosen {
            Some(_) => frame::pairs(&[("type", "why, if you like")]),
            None => frame::pairs(&[(&digits, "choose")]),
        };
        keys.extend(match self.chosen {
            Some(_) => keyed(model, &[Context::Picker], &[(&[Send], "vote")]),
            None => keyed(model, KEYS, &[(&[Down, Up, Open], "choose")]),
        });
        frame::with_esc(keys, "leave")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let columns = Self::columns(model);
        let width = usize::from(columns.saturating_sub(4));
        let ((title, note), listed, room) = self.shown(model);
        // The title, a blank row, the options, what is to be known, the reason, and the edges.
        let rows = title.len() + listed.height() + note.len() + 4;
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        let name = format!("vote on {}", self.proposal.id);
        let top = self.options.top(self.signed(), &listed, room);
        let bottom = listed.more(top + room);
        let inside = frame::frame(painter, area, (columns, rows), name, bottom);
        painter.rows(inside, 0, &title);
        let shown = listed.shown(top, room, width, painter.symbols.ellipsis);
        let first = u16::try_from(title.len() + 1).unwrap_or(u16::MAX);
        for (y, (at, row)) in (first..inside.height).zip(shown) {
            painter.row(inside, 0, y, &row);
            painter.spot(inside, y, at);
        }
        let y = inside.height.saturating_sub(1);
        let above = u16::try_from(note.len()).unwrap_or(u16::MAX);
        painter.rows(inside, y.saturating_sub(above), &note);
        if !self.shows_reason(model) {
            return None;
        }
        let x = painter.row(inside, 0, y, &Row::of("why: ", Role::Accent));
        Some(self.reason.draw(painter, inside, x, y))
    }

    fn draft(&self) -> Option<(Purpose, &str)> {
        Some((self.purpose(), self.reason.text()))
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.chosen.is_some().then_some(&mut self.reason)
    }

    fn marked(&self) -> Option<usize> {
        self.options.marked.filter(|_| self.chosen.is_none())
    }

    fn mark(&mut self, _: &Model, line: usize, first: usize) {
        // What was chosen stays.
        if self.chosen.is_none() {
            self.options.mark(line, first);
        }
    }

    fn takes(&self) -> Action {
        Action::Open
    }

    fn contexts(&self) -> Vec<Context> {
        if self.chosen.is_some() { vec![Context::Picker] } else { KEYS.to_vec() }
    }
}
