//! What its keys do, and what it hears.

use agent_worker_protocol::{Event, EventBody, Proposal, ProposalStatus, Scope, Target};
use ratatui_core::layout::Rect;

use super::{
    draw::{LIST, outcome},
    state::{Proposals, may_vote},
};
use crate::{
    action::Action,
    model::{
        Act, Answer, Effect, Item, Model, Pick, Picked, Place, Reply, Request, Subject, Tab, Window,
    },
    paint::Painter,
    panes::Pane,
    parts::{list, tabs},
    theme::Role,
};

impl Proposals {
    /// Asks which option, and why.
    fn vote(&mut self, model: &mut Model) -> Vec<Effect> {
        let own = self.selected(model).cloned();
        let Some(proposal) = own else { return model.warn("no proposal to vote on") };
        if may_vote(model, &proposal) {
            return vec![Effect::Open(Window::Vote(Box::new(proposal)))];
        }
        model.warn(match proposal.status {
            ProposalStatus::Active => {
                let shown = |elector| format!("{elector}{}", proposal.mark(elector));
                let electors: Vec<_> = proposal.electors.iter().map(shown).collect();
                let (user, electors) = (model.person(), electors.join(", "));
                format!("{user} has no vote on {}: {electors} have", proposal.id)
            }
            _ => format!("{} is closed: {}", proposal.id, outcome(&proposal)),
        })
    }

    /// Shows the document that goes to the winner.
    fn document(&mut self, model: &mut Model) -> Vec<Effect> {
        let Some(proposal) = self.selected(model).cloned() else { return Vec::new() };
        match &proposal.sets_owner {
            Some(file) => match model.mirror().document(&proposal.scope, file) {
                Some(document) => vec![Effect::show_document(&document.scope, &document.file)],
                None => model.tell(format!("`{file}` has not been written yet")),
            },
            None => model.tell(format!("no document goes to the winner of {}", proposal.id)),
        }
    }
}

impl Pane for Proposals {
    /// It came onto the screen.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        self.settle(model);
        let is_shown = model.place.tab == Tab::Proposals && model.is_live();
        let scope = model.place.subject.scope().filter(|_| is_shown).cloned();
        let is_new = |scope: &Scope| self.pages.entry(scope.clone()).or_default().paging.begin();
        let asked = scope.filter(is_new).map(|scope| Request::Proposals(scope, None));
        let mut effects = self.reach_wanted(model);
        effects.extend(asked.map(Effect::Ask));
        effects
    }

    /// It leaves the screen: no more is loaded to reach the last line.
    fn on_hide(&mut self, _: &mut Model) {
        self.picked.values_mut().for_each(Picked::stay);
    }

    /// The picture is a new one: what was loaded may be of another database.
    fn on_reset(&mut self, _: &mut Model) -> Vec<Effect> {
        self.pages.clear();
        Vec::new()
    }

    /// A proposal was made, voted on or closed.
    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        match &event.body {
            EventBody::ProposalChanged(one) => {
                if let Some(pages) = self.pages.get_mut(&one.scope) {
                    pages.known.insert(one.id, (**one).clone());
                }
                self.settle(model);
            }
            EventBody::WorkflowRemoved { scope } => {
                self.pages.remove(scope);
                self.picked.remove(scope);
            }
            _ => {}
        }
        Vec::new()
    }

    fn done(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        Some(match action {
            Action::Open => {
                let text = self.whole(model);
                let found = self.selected(model).map(|one| one.id).zip(text);
                let pager = found.map(|(id, text)| Window::pager(id.to_string(), &text));
                pager.map(Effect::Open).into_iter().collect()
            }
            Action::Vote => self.vote(model),
            Action::Pager => self.document(model),
            _ => return None,
        })
    }

    /// What an act means here: a proposal is taken back, not its workflow stopped.
    fn allowed(&self, model: &Model, action: Action) -> Option<Result<Act, String>> {
        if action != Action::StopAll {
            return None;
        }
        Some(match self.selected(model) {
            Some(one) if one.status == ProposalStatus::Active => {
                Ok(Act::CancelProposal(one.scope.clone(), one.id))
            }
            Some(closed) => Err(format!("{} is closed: {}", closed.id, outcome(closed))),
            None => Err("no proposal is selected".to_owned()),
        })
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &super::state::FIELDS
    }

    /// Its lines as they are searched, and the selected one.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let line = |one: &&Proposal| {
            format!("{} {} {} {}", one.id, one.title, one.options.join(" "), outcome(one))
        };
        (self.all(model).iter().map(line).collect(), self.picked(model).at(&self.ids(model)))
    }

    fn list_height(&self, model: &Model) -> Option<usize> {
        Some(list::height(model, self.all(model).len(), LIST))
    }

    fn pick(&mut self, model: &mut Model, to: Pick) -> Vec<Effect> {
        let ids = self.ids(model);
        self.wanted = None;
        if let Some(scope) = model.place.subject.scope().cloned() {
            self.picked.entry(scope).or_default().go(&ids, to);
        }
        if matches!(to, Pick::Step(..)) { self.more(model) } else { Vec::new() }
    }

    /// What is copied: the whole of the selected one.
    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        self.whole(model)
    }

    /// What the line of the composer says.
    fn line(&self, model: &Model) -> Option<String> {
        let sign = model.symbols().vertical;
        Some(match self.selected(model) {
            Some(proposal) if may_vote(model, proposal) => {
                let own = proposal.votes.iter().find(|vote| vote.voter == *model.person());
                let key = model.pane_key(Action::Vote);
                match own.map(|own| &own.choice) {
                    Some(own) => {
                        format!("you have voted {own} {sign} {key} votes again: the last counts")
                    }
                    None => format!("you may vote on this proposal {sign} {key} vote"),
                }
            }
            Some(proposal) if proposal.status == ProposalStatus::Active => {
                format!("the agents vote on this: {} has no vote", model.person())
            }
            _ => "agents and you decide here by voting".to_owned(),
        })
    }

    /// A page of them.
    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        let Request::Proposals(scope, before) = request else { return Vec::new() };
        match answer {
            Ok(Reply::Proposals(page)) => {
                self.loaded(scope, *before, page);
                self.settle(model);
                [self.reach_wanted(model), self.reach_last(model)].concat()
            }
            Ok(_) => Vec::new(),
            Err(trouble) => {
                if let Some(pages) = self.pages.get_mut(scope) {
                    pages.paging.fail(pages.known.is_empty());
                }
                model.not_loaded(&trouble)
            }
        }
    }

    fn go_to(&mut self, _: &mut Model, subject: &Subject, item: Item) {
        if let (Some(scope), Item::Proposal(id)) = (subject.scope(), item) {
            self.wanted = Some((scope.clone(), id));
        }
    }

    fn item(&self, model: &Model) -> Option<(Place, Item, String)> {
        let proposal = self.selected(model)?;
        let label = format!("{} {}", proposal.id, proposal.title);
        Some((model.place.clone(), Item::Proposal(proposal.id), label))
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        self.paint(model, painter, area);
    }

    fn is_possible(&self, model: &Model, action: Action) -> bool {
        let own = self.selected(model);
        match action {
            Action::Vote => own.is_some_and(|proposal| may_vote(model, proposal)),
            Action::Open => own.is_some(),
            Action::Pager => own.is_some_and(|proposal| proposal.sets_owner.is_some()),
            _ => true,
        }
    }

    fn count(&self, model: &Model, _: Tab) -> Option<(String, Role)> {
        let Subject::Workflow(scope) = &model.place.subject else { return None };
        tabs::count(model.mirror().proposals_of(scope).count())
    }

    fn counts_down(&self, model: &Model) -> bool {
        let scope = model.place.subject.scope();
        scope.is_some_and(|scope| model.mirror().proposals_of(scope).next().is_some())
    }
}
