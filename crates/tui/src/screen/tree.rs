//! The tree, drawn.

use agent_worker_protocol::{Agent, Conversation, Scope};
use ratatui_core::layout::Rect;

use super::status;
use crate::{
    model::{
        Address, Focus, Model, NavId, Root, family,
        layout::{self, Class},
        needs::named,
        tree::Line,
        tree_lines::{self, is_unfolded, lines, work_rank},
        words::{self, Shown},
    },
    paint::{Painter, Row},
    theme::Role,
};

pub fn draw(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    if !model.has_picture() && tree_lines::roots(model).is_none() {
        return;
    }
    let lines = lines(model);
    let top = tree_lines::top(model, area.height);
    for (y, line) in (0..area.height).zip(lines.iter().skip(top)) {
        let is_selected = *line == model.selection.tree.selected;
        // A blank before the rule beside the tree.
        let row = row(model, line, usize::from(area.width.saturating_sub(1)), is_selected);
        painter.row(area, 0, y, &row);
        if is_selected && model.selection.focus == Focus::Nav {
            painter.tint(Rect { y: area.y + y, height: 1, ..area }, Role::Selected);
        }
    }
}

/// Columns that a name keeps, with its symbol, when what stands beside it is long: names are cut,
/// states are not.
const NAME: usize = 8;

fn row(model: &Model, line: &NavId, width: usize, is_selected: bool) -> Row {
    let symbols = model.symbols();
    let row = Row::of(if is_selected { symbols.selected } else { " " }, Role::Accent);
    let room = width.saturating_sub(1);
    let (left, right) = parts(model, line, room);
    let right = right.cut(room.saturating_sub(left.width().min(NAME) + 1), symbols.ellipsis);
    let space = usize::from(right.width() > 0);
    let left = left.cut(room.saturating_sub(right.width() + space), symbols.ellipsis);
    row.and(left).tabbed(width.saturating_sub(right.width())).and(right)
}

fn heading(model: &Model, words: &'static str) -> (Row, Row) {
    if words != "NEEDS YOU" {
        return (Row::of(words, Role::Dim), Row::new());
    }
    let count = model.mirror().attention().count().to_string();
    (Row::of(words, Role::Title), Row::of(count, Role::Title))
}

/// A daemon as a root of the tree that another one draws.
pub fn root(model: &Model) -> Root {
    let lines = if model.has_picture() { tree_lines::own(model) } else { Vec::new() };
    let room = layout::regions(model).nav.map_or(0, |nav| usize::from(nav.width.saturating_sub(2)));
    let lines = lines.into_iter().map(|line| Line { parts: parts(model, &line, room), line });
    Root {
        name: model.connection.host.clone(),
        state: status::brief(model),
        needs: model.mirror().attention().count(),
        lines: lines.collect(),
    }
}

/// The line of a daemon.
fn root_line(model: &Model, at: usize) -> (Row, Row) {
    let symbols = model.symbols();
    let roots = &model.selection.tree.roots;
    let fold = if roots.folded.contains(&at) { symbols.folded } else { symbols.open };
    let left = Row::of(fold, Role::Dim).with(" ", Role::Text);
    if at == roots.here {
        let name = model.connection.host.clone();
        return (left.with(name, Role::Title), status::brief(model));
    }
    let root = roots.all.get(at);
    let (name, state) =
        root.map(|root| (root.name.clone(), root.state.clone())).unwrap_or_default();
    (left.with(name, Role::Text), state)
}

fn symbol(shown: &Shown) -> Row {
    Row::of(shown.symbol, shown.role).with(" ", Role::Text)
}

/// What stands left and right in a line of this many cells.
fn parts(model: &Model, line: &NavId, room: usize) -> (Row, Row) {
    let symbols = model.symbols();
    let name = line.name(model);
    match line {
        NavId::Heading(words) => heading(model, words),
        NavId::Root(at) => root_line(model, *at),
        NavId::Far(..) => model.selection.tree.roots.parts(line).cloned().unwrap_or_default(),
        NavId::Nothing(words) => (Row::of("  ", Role::Text).with(*words, Role::Dim), Row::new()),
        NavId::All => (Row::of(" All", Role::Text), Row::new()),
        NavId::Need(kind, _) => {
            let need = words::need(symbols, *kind);
            let left = Row::of(" ", Role::Text).and(symbol(&need));
            let word = need.word.split(' ').next().filter(|_| is_narrow(model));
            let word = word.unwrap_or(&need.word).to_owned();
            (left.with(name, Role::Text), Row::of(word, need.role))
        }
        NavId::Workflow(scope) => workflow(model, scope, name),
        NavId::Channel(scope) => {
            let left = Row::of(" ", Role::Text).with(name, Role::Text);
            (left, unread(model, scope, &Conversation::Channel))
        }
        NavId::Agent(target) => {
            let Some(agent) = model.mirror().agent(target) else { return (Row::new(), Row::new()) };
            self::agent(model, agent, name, room)
        }
        NavId::Talk(scope, talk) => {
            let mut left = Row::of(" ", Role::Text).with(name, Role::Text);
            let group = model.mirror().group(scope, talk).filter(|group| group.name.is_group());
            if let Some(group) = group {
                left.push(format!(" ({})", group.members.len()), Role::Dim);
            }
            left.push(format!(" {scope}"), Role::Dim);
            (left, unread(model, scope, talk))
        }
    }
}

/// An agent; below its parent, if it was hired.
fn agent(model: &Model, agent: &Agent, name: String, room: usize) -> (Row, Row) {
    let symbols = model.symbols();
    let (is, hired) = (words::agent(model, agent), family::hired(model, agent));
    let is_folded = model.selection.tree.parents.contains(&agent.target) && !hired.is_empty();
    let mut left = Row::new();
    left.space(2 * family::above(model, &agent.target).len());
    match hired.as_slice() {
        _ if model.selection.marked.contains(&agent.target) => left.push("*", Role::Accent),
        [] => left.space(1),
        _ => left.push(if is_folded { symbols.folded } else { symbols.open }, Role::Dim),
    }
    let left = left.and(symbol(&is)).with(name, Role::Text);
    let mut right = draft(model, &Address::Agent(agent.target.clone()));
    if is_folded && let Some(worst) = hired.iter().min_by_key(|one| work_rank(model, one)) {
        let worst = words::agent(model, worst);
        right.push(format!("{}{} ", worst.symbol, hired.len()), worst.role);
    }
    if agent.status.as_ref() == Some(&is.word) {
        // Its own words have no short form.
        return (left, right.with(is.word, is.role));
    }
    // The symbol says that it is tried again.
    let word = is.word.strip_prefix("again ").filter(|_| is_narrow(model)).unwrap_or(&is.word);
    let long = right.clone().with(word.to_owned(), is.role);
    if left.width() + 1 + long.width() <= room {
        return (left, long);
    }
    (left, right.with(words::short(word).to_owned(), is.role))
}

fn is_narrow(model: &Model) -> bool {
    layout::class(model.display.size) <= Class::Small
}

fn workflow(model: &Model, scope: &Scope, name: String) -> (Row, Row) {
    let symbols = model.symbols();
    let Some(workflow) = model.mirror().workflow(scope) else { return (Row::new(), Row::new()) };
    let is_open = is_unfolded(model, workflow);
    let fold = if is_open { symbols.open } else { symbols.folded };
    let left = Row::of(fold, Role::Dim).with(" ", Role::Text).with(name, Role::Title);
    let mut right = Row::new();
    if !is_open {
        right.append(unread(model, scope, &Conversation::Channel));
        right.push(" ", Role::Text);
    }
    let mut is = words::workflow(symbols, workflow);
    let is_plain = is_open && matches!(is.role, Role::Running);
    let has_word = is_open || !matches!(is.role, Role::Ok | Role::Stopped | Role::Running);
    if !has_word && let Some(worst) = worst(model, scope) {
        is = worst;
    }
    if !is_plain {
        right.push(is.symbol, is.role);
        if has_word {
            right = right.with(" ", Role::Text).with(is.word, is.role);
        }
    }
    (left, right)
}

/// The state of the agent of a workflow that needs the user most.
fn worst(model: &Model, scope: &Scope) -> Option<Shown> {
    let agents = tree_lines::members(model, scope);
    let worst = agents.into_iter().min_by_key(|agent| work_rank(model, agent))?;
    let subject = worst.target.to_string();
    let mut needs = model.mirror().attention_of(scope).iter();
    match needs.find(|need| need.subject == subject) {
        Some(need) => Some(words::need(model.symbols(), need.kind)),
        None => (work_rank(model, worst) <= 1).then(|| words::agent(model, worst)),
    }
}

/// How many messages of a conversation are unread, and whether there is a draft for it.
fn unread(model: &Model, scope: &Scope, name: &Conversation) -> Row {
    let mut row = match name {
        Conversation::Channel => draft(model, &Address::Channel(scope.clone())),
        Conversation::Group(group) => draft(model, &Address::Group(scope.clone(), group.clone())),
        Conversation::Direct(..) => Row::new(),
    };
    let count = model.mirror().group(scope, name).map_or(0, |group| model.unread(group));
    if count == 0 {
        return row;
    }
    let named = if *name == Conversation::Channel { named(model, scope) } else { 0 };
    if named > 0 {
        row = row.with(format!("@{named}"), Role::Named).with(" ", Role::Text);
    }
    row.with(count.to_string(), Role::Strong)
}

fn draft(model: &Model, address: &Address) -> Row {
    let is_written =
        model.writing.composer.address == *address && !model.writing.composer.is_blank();
    if is_written || model.writing.drafts.get(address).is_some() {
        return Row::of(model.symbols().draft, Role::Accent).with(" ", Role::Text);
    }
    Row::new()
}
