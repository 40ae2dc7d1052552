//! A vote of the user: which option, then why. Enter behind the reason casts it.

use agent_worker_protocol::proposal::{Proposal, ProposalStatus};
use ratatui_core::layout::Rect;

use super::{
    Caret, Outcome, Overlay,
    options::{DIGITS, Options, head, numbered},
    overlay::keyed,
};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Act, Effect, Model, writing::drafts::Purpose},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame, list},
    theme::Role,
};

/// Where its keys are.
const KEYS: &[Context] = &[Context::Box, Context::Move];

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

    fn choose(&mut self, action: Option<Action>, key: Key) -> Outcome {
        if action == Some(Action::Quit) {
            return Outcome::close();
        }
        self.chosen = self.options.take(&self.proposal.options, action, numbered(key));
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

    fn is_open(&self, model: &Model) -> bool {
        let now = model.mirror().proposal(&self.proposal.scope, self.proposal.id);
        now.is_some_and(|proposal| proposal.status == ProposalStatus::Active)
    }
}

impl Overlay for Vote {
    fn is_of_database(&self) -> bool {
        true
    }

    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let keymap = &model.settings.keymap;
        let Some(chosen) = self.chosen.clone() else {
            return self.choose(keymap.action(KEYS, key), key);
        };
        if keymap.action(&[Context::Picker], key) != Some(Action::Send) {
            self.reason.key(key);
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

    fn scroll(&mut self, _: &Model, rows: isize) {
        // What was chosen stays.
        if self.chosen.is_none() {
            self.options.step(rows, self.proposal.options.len());
        }
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Down, Open, Send, Up};
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
        let symbols = model.symbols();
        let options = self.proposal.options.len();
        let note = self.note(model);
        // The title, a blank row, the options, what is to be known, and the reason.
        let rows = options + 5 + usize::from(note.is_some());
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        let size = (76.min(area.width.saturating_sub(4)), rows);
        let inside = frame::frame(painter, area, size, format!("vote on {}", self.proposal.id), "");
        let width = usize::from(inside.width);
        let title = Row::of(self.proposal.title.clone(), Role::Strong);
        painter.row(inside, 0, 0, &title.cut(width, symbols.ellipsis));
        let below = if note.is_some() { 4 } else { 3 };
        let room = usize::from(inside.height.saturating_sub(below)).max(1);
        let (marked, first) = (self.options.marked, self.options.first);
        let top = marked.map_or(0, |at| list::top(at, first, room, options));
        for (y, at) in (2..).zip((top..options).take(room)) {
            let option = &self.proposal.options[at];
            let is_marked = match &self.chosen {
                Some(chosen) => chosen == option,
                None => marked == Some(at),
            };
            let row = head(at, is_marked, true, symbols);
            let row = row.with(option.clone(), if is_marked { Role::Strong } else { Role::Text });
            painter.row(inside, 0, y, &row.cut(width, symbols.ellipsis));
            painter.spot(inside, y, at);
        }
        let y = inside.height.saturating_sub(1);
        if let Some(words) = note {
            painter.row(inside, 0, y.saturating_sub(1), &Row::of(words, Role::Wait));
        }
        self.chosen.as_ref()?;
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
