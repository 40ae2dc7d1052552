//! A vote of the user: which option, then why. Enter behind the reason casts it.

use agent_worker_protocol::proposal::{Proposal, ProposalStatus};
use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay};
use crate::{
    key::{Code, Key},
    model::{Act, Effect, Model},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame},
    theme::Role,
};

/// The most options that a digit chooses.
const DIGITS: usize = 9;

/// The proposal, and how far the person is with it.
#[derive(Debug)]
pub struct Vote {
    proposal: Box<Proposal>,
    marked: usize,
    /// What was chosen, once it was
    chosen: Option<String>,
    reason: Field,
}

impl Vote {
    /// For a proposal; what the person has voted for already is marked.
    pub fn new(model: &Model, proposal: Box<Proposal>) -> Self {
        let own = proposal.votes.iter().find(|vote| vote.voter == *model.person());
        let place = |choice: &String| proposal.options.iter().position(|option| option == choice);
        let marked = own.and_then(|vote| place(&vote.choice)).unwrap_or(0);
        Self { proposal, marked, chosen: None, reason: Field::default() }
    }

    fn choose(&mut self, code: Code) -> Outcome {
        let last = self.proposal.options.len().saturating_sub(1);
        match code {
            Code::Down | Code::Char('j') => self.marked = (self.marked + 1).min(last),
            Code::Up | Code::Char('k') => self.marked = self.marked.saturating_sub(1),
            Code::Enter => self.chosen = self.proposal.options.get(self.marked).cloned(),
            Code::Char('q') => return Outcome::close(),
            Code::Char(digit) => {
                let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                let at = number.and_then(|number| number.checked_sub(1));
                if let Some(option) = at.and_then(|at| self.proposal.options.get(at)) {
                    self.chosen = Some(option.clone());
                }
            }
            _ => {}
        }
        Outcome::stay()
    }

    fn is_open(&self, model: &Model) -> bool {
        let now = model.mirror().proposal(&self.proposal.scope, self.proposal.id);
        now.is_some_and(|proposal| proposal.status == ProposalStatus::Active)
    }
}

impl Overlay for Vote {
    fn key(&mut self, _: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let Some(chosen) = self.chosen.clone() else { return self.choose(key.code) };
        if key.code != Code::Enter {
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

    fn keys(&self, _: &Model) -> Vec<(String, String)> {
        let digits = format!("1-{}", self.proposal.options.len().min(DIGITS));
        if self.chosen.is_some() {
            frame::pairs(&[("type", "why, if you like"), ("Enter", "vote"), ("Esc", "leave")])
        } else {
            frame::pairs(&[(&digits, "choose"), ("j k Enter", "choose"), ("Esc", "leave")])
        }
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let symbols = model.symbols();
        let options = self.proposal.options.len();
        // The title, a blank row, the options, and the reason.
        let rows = u16::try_from(options + 5).unwrap_or(u16::MAX);
        let size = (76.min(area.width.saturating_sub(4)), rows);
        let inside = frame::frame(painter, area, size, format!("vote on {}", self.proposal.id), "");
        let width = usize::from(inside.width);
        let title = Row::of(self.proposal.title.clone(), Role::Strong);
        painter.row(inside, 0, 0, &title.cut(width, symbols.ellipsis));
        let room = usize::from(inside.height.saturating_sub(3)).max(1);
        let top = (self.marked + 1).saturating_sub(room);
        for (y, at) in (2..).zip((top..options).take(room)) {
            let option = &self.proposal.options[at];
            let is_marked = match &self.chosen {
                Some(chosen) => chosen == option,
                None => at == self.marked,
            };
            let mark = if is_marked { symbols.selected } else { " " };
            let number = if at < DIGITS { format!("{}  ", at + 1) } else { "   ".to_owned() };
            let row = Row::of(mark, Role::Accent).pad(1).with(number, Role::Accent);
            let row = row.with(option.clone(), if is_marked { Role::Strong } else { Role::Text });
            painter.row(inside, 0, y, &row.cut(width, symbols.ellipsis));
        }
        let y = inside.height.saturating_sub(1);
        if !self.is_open(model) {
            painter.row(inside, 0, y, &Row::of("It is no longer open.", Role::Wait));
            return None;
        }
        self.chosen.as_ref()?;
        let own = self.proposal.votes.iter().find(|vote| vote.voter == *model.person());
        if let Some(own) = own {
            let words = format!("Enter votes; it replaces your vote for {}", own.choice);
            painter.row(inside, 0, y.saturating_sub(1), &Row::of(words, Role::Wait));
        }
        let x = painter.row(inside, 0, y, &Row::of("why: ", Role::Accent));
        Some(self.reason.draw(painter, inside, x, y))
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.chosen.is_some().then_some(&mut self.reason)
    }
}
