//! The tree, drawn.

use agent_worker_protocol::{
    conversation::Conversation,
    target::{Scope, Target},
};
use ratatui_core::layout::Rect;

use crate::model::layout::{self, Class};
use crate::{
    model::{
        Focus, State,
        drafts::Address,
        talks,
        tree::{NavId, is_unfolded, lines},
        words::{self, Shown},
    },
    paint::{Painter, Row},
    theme::Role,
};

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    if !state.has_picture() {
        return;
    }
    let lines = lines(state);
    let top = top(state, area.height);
    for (y, line) in lines.iter().skip(top).take(usize::from(area.height)).enumerate() {
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        let is_selected = *line == state.nav.selected;
        // A blank before the rule beside the tree.
        let row = row(state, line, usize::from(area.width.saturating_sub(1)), is_selected);
        painter.row(area, 0, y, &row);
        if is_selected && state.focus == Focus::Nav {
            painter.tint(Rect { y: area.y + y, height: 1, ..area }, Role::Selected);
        }
    }
}

/// The first line that is shown: so that the selected one is.
pub fn top(state: &State, height: u16) -> usize {
    let lines = lines(state);
    let height = usize::from(height);
    let at = lines.iter().position(|line| *line == state.nav.selected).unwrap_or(0);
    let lowest = (at + 1).saturating_sub(height);
    let last = lines.len().saturating_sub(height);
    // A heading above the first line is shown with it.
    let highest = if at <= 1 { 0 } else { at };
    state.nav.top.clamp(lowest, highest.max(lowest)).min(last)
}

/// Columns that a name keeps, with its symbol, when what stands beside it is long: names are cut,
/// states are not.
const NAME: usize = 8;

fn row(state: &State, line: &NavId, width: usize, is_selected: bool) -> Row {
    let symbols = state.look.symbols;
    if let NavId::Heading(words) = line {
        return heading(state, words, width);
    }
    let mut row = Row::of(if is_selected { symbols.selected } else { " " }, Role::Accent);
    let (left, right) = parts(state, line);
    let room = width.saturating_sub(1);
    let right = right.cut(room.saturating_sub(left.width().min(NAME) + 1), symbols.ellipsis);
    let space = usize::from(right.width() > 0);
    let left = left.cut(room.saturating_sub(right.width() + space), symbols.ellipsis);
    row.append(left);
    row.tab(width.saturating_sub(right.width()));
    row.append(right);
    row
}

fn heading(state: &State, words: &'static str, width: usize) -> Row {
    let mut row = Row::of(" ", Role::Text).with(words, Role::Dim);
    if words == "NEEDS YOU" {
        let count = state.mirror().attention().count().to_string();
        row = Row::of(" ", Role::Text).with(words, Role::Title);
        row.tab(width.saturating_sub(count.len()));
        row.push(count, Role::Title);
    }
    row
}

fn shown(row: &mut Row, shown: &Shown) {
    row.push(shown.symbol, shown.role);
    row.push(" ", Role::Text);
}

/// What stands left and right in a line.
fn parts(state: &State, line: &NavId) -> (Row, Row) {
    let symbols = state.look.symbols;
    let name = words::nav_name(state, line);
    match line {
        NavId::Heading(_) => (Row::new(), Row::new()),
        NavId::Nothing(words) => (Row::of("  ", Role::Text).with(*words, Role::Dim), Row::new()),
        NavId::All => (Row::of(" All", Role::Text), Row::new()),
        NavId::Need(kind, _) => {
            let need = words::need(symbols, *kind);
            let mut left = Row::of(" ", Role::Text);
            shown(&mut left, &need);
            let word = need.word.split(' ').next().filter(|_| is_narrow(state));
            let word = word.unwrap_or(&need.word).to_owned();
            (left.with(name, Role::Text), Row::of(word, need.role))
        }
        NavId::Workflow(scope) => workflow(state, scope, name),
        NavId::Channel(scope) => {
            let left = Row::of(" ", Role::Text).with(name, Role::Text);
            (left, unread(state, scope, &Conversation::Channel))
        }
        NavId::Agent(target) => {
            let Some(agent) = state.mirror().agent(target) else { return (Row::new(), Row::new()) };
            let is = words::agent(state, agent);
            let mut left = Row::of(" ", Role::Text);
            if state.marked.contains(target) {
                left = Row::of("*", Role::Accent);
            }
            shown(&mut left, &is);
            left.push(name, Role::Text);
            let mut right = draft(state, &Address::Agent(target.clone()));
            // The symbol says that it is tried again.
            let word = is.word.strip_prefix("again ").filter(|_| is_narrow(state));
            right.push(word.map_or(is.word.clone(), ToOwned::to_owned), is.role);
            (left, right)
        }
        NavId::Talk(scope, talk) => {
            let left = Row::of(" ", Role::Text).with(name, Role::Text);
            let left = left.with(format!(" {scope}"), Role::Dim);
            (left, unread(state, scope, talk))
        }
    }
}

fn is_narrow(state: &State) -> bool {
    layout::class(state.size) <= Class::Small
}

fn workflow(state: &State, scope: &Scope, name: String) -> (Row, Row) {
    let symbols = state.look.symbols;
    let Some(workflow) = state.mirror().workflow(scope) else { return (Row::new(), Row::new()) };
    let is_open = is_unfolded(state, workflow);
    let fold = if is_open { symbols.open } else { symbols.folded };
    let left = Row::of(fold, Role::Dim).with(" ", Role::Text).with(name, Role::Title);
    let mut right = Row::new();
    if !is_open {
        right.append(unread(state, scope, &Conversation::Channel));
        right.push(" ", Role::Text);
    }
    let is = words::workflow(symbols, workflow);
    let is_plain = is_open && matches!(is.role, Role::Running);
    if !is_plain {
        right.push(is.symbol, is.role);
        if is_open || !matches!(is.role, Role::Ok | Role::Stopped | Role::Running) {
            right.push(" ", Role::Text);
            right.push(is.word, is.role);
        }
    }
    (left, right)
}

/// How many messages of a conversation are unread, and whether there is a draft for it.
fn unread(state: &State, scope: &Scope, name: &Conversation) -> Row {
    let mut row = Row::new();
    if *name == Conversation::Channel {
        row.append(draft(state, &Address::Channel(scope.clone())));
    }
    let count = state.mirror().group(scope, name).map_or(0, talks::unread);
    if count == 0 {
        return row;
    }
    let named = if *name == Conversation::Channel { named(state, scope) } else { 0 };
    if named > 0 {
        row.push(format!("@{named}"), Role::Named);
        row.push(" ", Role::Text);
    }
    row.push(count.to_string(), Role::Strong);
    row
}

/// How many unread messages of a scope's channel are meant for the person: what lies in the
/// person's inbox without what was written to the person alone.
pub fn named(state: &State, scope: &Scope) -> i64 {
    let person = Target::member(state.identity.clone(), scope.clone());
    let mail = state.mirror().agent(&person).map_or(0, |person| person.unread);
    let of_scope = state.mirror().groups().filter(|group| group.scope == *scope);
    let (mut direct, mut channel) = (0, 0);
    for group in of_scope {
        match &group.name {
            Conversation::Channel => channel = talks::unread(group),
            Conversation::Direct(one, other) if [one, other].contains(&&state.identity) => {
                direct += talks::unread(group);
            }
            _ => {}
        }
    }
    (mail - direct).clamp(0, channel)
}

fn draft(state: &State, address: &Address) -> Row {
    let is_written = state.composer.address == *address && !state.composer.is_blank();
    if is_written || state.drafts.get(address).is_some() {
        return Row::of(state.look.symbols.draft, Role::Accent).with(" ", Role::Text);
    }
    Row::new()
}
