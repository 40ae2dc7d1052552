//! How proposals look: the list, and below it bars for what was voted, who has and who has not.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{Name, Outcome, Proposal, ProposalStatus, TieBreak, Verdict};
use ratatui_core::layout::Rect;

use super::state::Proposals;
use crate::{
    model::Model,
    paint::{Painter, Row},
    parts::list,
    text::{cut, wrap},
    theme::{Role, hue},
};

/// Rows of the list at most; a third of the pane is enough.
pub(super) const LIST: usize = 8;

/// Columns of the words before a bar, at the least and at the most.
const LABEL: (usize, usize) = (6, 20);

/// Columns for the words behind a bar, at the least.
const BEHIND: usize = 30;

impl Proposals {
    pub fn paint(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let Some(own) = self.selected(model) else {
            let words = "none yet: agents create them with team_proposal_create";
            return painter.hint(area, 1, words);
        };
        let (ids, picked) = (self.ids(model), self.picked(model));
        let (above, below) = list::split(area, list::height(model, ids.len(), LIST));
        let (proposals, width) = (self.all(model), usize::from(above.width).saturating_sub(1));
        list::lines(model, painter, list::margin(above), (&picked, &ids), |at| {
            line(model, proposals[at], width)
        });
        list::under(painter, below, |width| detail(model, own, width));
    }

    /// The selected one as a text: all that the pane shows, and the rest of it.
    pub fn whole(&self, model: &Model) -> Option<String> {
        Some(list::text(&detail(model, self.selected(model)?, list::alone(model))))
    }
}

/// A line of the list: which, what, where it is on its way.
fn line(model: &Model, proposal: &Proposal, width: usize) -> Row {
    let status = proposal.status;
    let votes = format!("{}/{}", proposal.votes.len(), proposal.electors.len());
    let end = match proposal.status {
        ProposalStatus::Active => format!("closes {}", model.zone().clock(proposal.expires_at)),
        _ => outcome(proposal),
    };
    let right = Row::of(status.word().text, role(status)).tabbed(10).with(votes, Role::Text);
    let right = right.tabbed(15).with(end, Role::Dim);
    let wide = 30.min(width / 2);
    let right = right.cut(wide, model.symbols().ellipsis).tabbed(wide);
    let row = Row::of(proposal.id.to_string(), Role::Strong).with(" ", Role::Text);
    let room = width.saturating_sub(row.width() + wide + 1);
    let title = cut::end(proposal.title.clone(), room, model.symbols().ellipsis);
    row.with(title, Role::Text).tabbed(width.saturating_sub(wide)).and(right)
}

fn role(status: ProposalStatus) -> Role {
    match status {
        ProposalStatus::Active => Role::Asks,
        ProposalStatus::Resolved => Role::Ok,
        ProposalStatus::Expired => Role::Failed,
        ProposalStatus::Cancelled => Role::Stopped,
    }
}

/// What came of a closed proposal, in a few words.
pub fn outcome(proposal: &Proposal) -> String {
    match (proposal.outcome, &proposal.result) {
        (Some(Outcome::Won), Some(result)) => format!("= {result}"),
        (Some(Outcome::RunEnded), _) => {
            format!("{}: {}", Outcome::RunEnded.word().text, proposal.turnout())
        }
        (Some(outcome), _) => outcome.word().text.to_owned(),
        (None, _) => proposal.status.word().text.to_owned(),
    }
}

/// How a proposal stands.
fn detail(model: &Model, proposal: &Proposal, width: usize) -> Vec<Row> {
    let mut rows = vec![
        Row::of(proposal.id.to_string(), Role::Strong)
            .with("  ", Role::Text)
            .with(proposal.title.clone(), Role::Title),
        facts(model, proposal),
        Row::new(),
    ];
    rows.extend(bars(model, proposal, width));
    rows.push(Row::new());
    rows.extend(ending(model, proposal, width));
    if let Some(text) = proposal.description.as_deref().filter(|text| !text.trim().is_empty()) {
        rows.push(Row::new());
        rows.push(Row::of("Why", Role::Strong));
        let lines = text.lines().map(|line| Row::of(line.to_owned(), Role::Text));
        rows.extend(lines.flat_map(|line| wrap::wrap_row(&line, width, 0)));
    }
    if !proposal.votes.is_empty() {
        rows.push(Row::new());
        rows.push(Row::of("Votes", Role::Strong));
        rows.extend(votes(model, proposal));
    }
    rows
}

fn facts(model: &Model, proposal: &Proposal) -> Row {
    let kind = proposal.kind.word().text.to_owned();
    let mut facts = vec![kind, proposal.resolution.word().text.to_owned()];
    match proposal.tie_break {
        TieBreak::None => {}
        TieBreak::First => facts.push("a tie goes to the first".to_owned()),
        TieBreak::Creator => facts.push("a tie goes to the creator's choice".to_owned()),
    }
    facts.push(if proposal.binding { "binding" } else { "not binding" }.to_owned());
    let is_open = proposal.status == ProposalStatus::Active;
    facts.extend(proposal.sets_owner.as_ref().map(|file| {
        if is_open {
            format!("the winner gets {file}")
        } else {
            // Whether it was handed over is not known here.
            format!("{file} was for the winner")
        }
    }));
    let at = model.zone().clock(proposal.created_at);
    facts.push(format!("by {} {at}", proposal.creator));
    Row::of(facts.join(&format!(" {} ", model.symbols().vertical)), Role::Dim)
}

/// A part of a whole, as a bar of `cells` cells.
fn bar(model: &Model, part: usize, whole: usize, cells: usize, role: Role) -> Row {
    let full = (part * cells).checked_div(whole).unwrap_or(0).min(cells);
    // What there is a little of is seen.
    let full = if part > 0 { full.max(1) } else { full };
    let symbols = model.symbols();
    let empty = symbols.empty.repeat(cells.saturating_sub(full));
    Row::of(symbols.full.repeat(full), role).with(empty, Role::Dim)
}

fn label_width(proposal: &Proposal) -> usize {
    let widths = proposal.options.iter().map(|option| Row::of(option.clone(), Role::Text).width());
    widths.max().unwrap_or(0).clamp(LABEL.0, LABEL.1)
}

fn cells(proposal: &Proposal, width: usize) -> usize {
    let longest = groups(proposal).iter().map(|group| group.who.width() + 4).max().unwrap_or(0);
    let behind = longest.clamp(BEHIND, (width / 2).max(BEHIND));
    width.saturating_sub(label_width(proposal) + behind).clamp(6, 60)
}

/// Words, a bar, what it says.
fn barred(proposal: &Proposal, words: String, bar: Row, says: Row, model: &Model) -> Row {
    let width = label_width(proposal);
    let row = Row::of(cut::end(words, width, model.symbols().ellipsis), Role::Text);
    row.tabbed(width + 1).and(bar).pad(2).and(says)
}

fn names<'n>(proposal: &Proposal, names: impl Iterator<Item = &'n Name>) -> Row {
    names.fold(Row::new(), |row, name| {
        let row = row.with(" ", Role::Text).with(name.to_string(), hue(name.as_str()));
        row.with(proposal.mark(name), Role::Dim)
    })
}

/// Those who voted the same, or have not voted.
struct Alike {
    words: String,
    count: usize,
    role: Role,
    who: Row,
}

fn groups(proposal: &Proposal) -> Vec<Alike> {
    let mut groups: Vec<Alike> = Vec::new();
    for option in &proposal.options {
        let voters = || proposal.votes.iter().filter(|vote| vote.choice == *option);
        let role = if proposal.result.as_ref() == Some(option) { Role::Ok } else { Role::Accent };
        let who = names(proposal, voters().map(|vote| &vote.voter));
        groups.push(Alike { words: option.clone(), count: voters().count(), role, who });
    }
    let count = proposal.silent().count();
    if count > 0 {
        let is_open = proposal.status == ProposalStatus::Active;
        let words = if is_open { proposal.status.word().text } else { "silent" };
        let who = names(proposal, proposal.silent());
        groups.push(Alike { words: words.to_owned(), count, role: Role::Wait, who });
    }
    groups
}

/// What was voted, and who has not.
fn bars(model: &Model, proposal: &Proposal, width: usize) -> Vec<Row> {
    let (electors, cells) = (proposal.electors.len(), cells(proposal, width));
    let mut rows = Vec::new();
    for Alike { mut words, count, role, who } in groups(proposal) {
        let bar = bar(model, count, electors, cells, role);
        let says = Row::of(count.to_string(), Role::Strong).and(who);
        // Options that do not fit beside their bar may be the same at the beginning.
        let whole = Row::of(words.clone(), Role::Text);
        if whole.width() > label_width(proposal) {
            rows.extend(wrap::wrap(&[whole], width, 0));
            words.clear();
        }
        rows.push(barred(proposal, words, bar, says, model));
    }
    rows
}

/// How many must vote, how long there is time, and what would come of it now.
fn ending(model: &Model, proposal: &Proposal, width: usize) -> Vec<Row> {
    let cells = cells(proposal, width);
    let (voted, quorum) = (proposal.votes.len(), proposal.quorum as usize);
    let is_reached = voted >= quorum;
    let reached = if is_reached { ", reached" } else { "" };
    let says = Row::of(format!("{} of {quorum}{reached}", voted.min(quorum)), Role::Text);
    let role = if is_reached { Role::Ok } else { Role::Wait };
    let bar_of = bar(model, voted.min(quorum), quorum, cells, role);
    let mut rows = vec![barred(proposal, "quorum".to_owned(), bar_of, says, model)];
    if proposal.status != ProposalStatus::Active {
        let at = proposal.resolved_at.map(|at| model.zone().clock_seconds(at));
        let at = at.map(|at| format!(" {at}")).unwrap_or_default();
        rows.push(Row::of(format!("closed{at}: {}", outcome(proposal)), Role::Strong));
        return rows;
    }
    rows.push(time(model, proposal, cells, width));
    let now = match proposal.ballot().verdict(true) {
        Verdict::Closed(Outcome::Won, Some(option)) => proposal.options[option].clone(),
        Verdict::Closed(outcome, _) => format!("nothing, {}", outcome.word().text),
        Verdict::Open => "nothing".to_owned(),
    };
    let electors = proposal.electors.len();
    let words = format!("if it closed now: {now} ({voted} of {electors} cast)");
    rows.push(Row::of(words, Role::Text));
    rows
}

fn time(model: &Model, proposal: &Proposal, cells: usize, width: usize) -> Row {
    let whole = (proposal.expires_at.0 - proposal.created_at.0).max(1);
    let gone = (model.shown_now() - proposal.created_at.0).clamp(0, whole);
    let part = |ms: i64| usize::try_from(ms / 1000).unwrap_or(usize::MAX / 1_000_000);
    let bar = bar(model, part(gone), part(whole), cells, Role::Dim);
    let (zone, at) = (model.zone(), proposal.expires_at);
    let left = numbers::elapsed(at.since(model.shown_at()));
    let (long, short) = (zone.clock_seconds(at), zone.clock(at));
    let says = [format!("closes {long}, in {left}"), format!("closes {short}")];
    // A space stands before the bar, two behind it.
    let room = width.saturating_sub(label_width(proposal) + cells + 3);
    let mut says = says.into_iter().map(|words| Row::of(words, Role::Text));
    let says = says.find(|says| says.width() <= room).unwrap_or_default();
    barred(proposal, "time".to_owned(), bar, says, model)
}

/// Each vote, in the order in which they came.
fn votes(model: &Model, proposal: &Proposal) -> Vec<Row> {
    let mut votes: Vec<_> = proposal.votes.iter().collect();
    votes.sort_by_key(|vote| vote.at.0);
    let name = votes.iter().map(|vote| vote.voter.as_str().len()).max().unwrap_or(0);
    let choice = label_width(proposal);
    let row = |vote: &&agent_worker_protocol::Vote| {
        Row::of(model.zone().clock(vote.at), Role::Dim)
            .with(" ", Role::Text)
            .with(vote.voter.to_string(), hue(vote.voter.as_str()))
            .tabbed(7 + name)
            .with(cut::end(vote.choice.clone(), choice, model.symbols().ellipsis), Role::Strong)
            .tabbed(8 + name + choice)
            .with(vote.reason.clone().unwrap_or_default(), Role::Text)
    };
    votes.iter().map(row).collect()
}
