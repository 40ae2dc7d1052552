//! The first line: whose daemon, whether the picture is true, what is going on, what needs the
//! person.

use agent_worker_client::{ClientError, mirror::Connection, text::numbers};
use agent_worker_protocol::{Agent, AgentState, AttentionKind, MemberKind, Timestamp};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Model, Reach, Roots, known::view::View, refusal, tree_lines, words},
    paint::{Painter, Row},
    theme::Role,
};

/// How the connection is, in a symbol and words, and whether that is good. Over a good one it is
/// said too that the daemon's disk is full.
fn state(model: &Model) -> (Row, bool) {
    let symbols = model.symbols();
    let good = |words: &'static str| {
        (Row::of(symbols.running, Role::Ok).with(" ", Role::Text).with(words, Role::Text), true)
    };
    match &model.connection.reach {
        Reach::Looking => return good("connecting"),
        Reach::Nobody { is_starting: true, .. } => return good("starting the daemon"),
        Reach::Nobody { .. } => {
            let words = if model.is_out_of_reach() { " UNREACHABLE" } else { " NO DAEMON" };
            return (Row::of(symbols.stopped, Role::Failed).with(words, Role::Failed), false);
        }
        Reach::Found => {}
    }
    let feed = &model.connection.feed;
    let late = |symbol: &'static str| Row::of(symbol, Role::Wait);
    let row = match feed.connection() {
        Connection::Starting => return good("connecting"),
        Connection::Live if feed.is_disk_full() => {
            return (Row::of(symbols.running, Role::Failed).with(" DISK FULL", Role::Failed), true);
        }
        Connection::Live => return good("live"),
        Connection::CatchingUp(missing) => {
            late(symbols.running).with(format!(" catching up {missing}"), Role::Text)
        }
        Connection::Reloading { .. } => late(symbols.running).with(" reloading", Role::Text),
        Connection::Silent => {
            let heard = Timestamp(model.connection.heard_at);
            let silent = numbers::elapsed(Timestamp(model.now).since(heard));
            late(symbols.stale).with(format!(" no heartbeat {silent}"), Role::Wait)
        }
        Connection::Reconnecting { error: ClientError::Silent { .. }, .. } => {
            late(symbols.stale).with(" NOT ANSWERING", Role::Failed)
        }
        Connection::Reconnecting { .. } => late(symbols.stale).with(" RECONNECTING", Role::Failed),
        Connection::Refused { error } => {
            let row = Row::of(symbols.failed, Role::Failed).with(" ", Role::Text);
            row.with(refusal::brief(error), Role::Failed)
        }
    };
    (row, false)
}

/// The same with when it is tried again, and of when the picture is. Without room the tries go
/// first, and no number is cut.
pub fn connection(model: &Model, room: usize) -> (Row, bool) {
    let (state, is_good) = state(model);
    let Some(tries) = tries(model) else { return (state, is_good) };
    let with = |tries: String| state.clone().with(tries, Role::Text).with(as_of(model), Role::Text);
    let row = tries.into_iter().chain([String::new()]).map(with).find(|row| row.width() <= room);
    (row.unwrap_or(state), is_good)
}

/// How often an old picture was tried to be made new, and when that is tried again, in long and in
/// short. `None` of a picture that is not old.
fn tries(model: &Model) -> Option<Vec<String>> {
    let reach = &model.connection.reach;
    match model.connection.feed.connection() {
        _ if matches!(reach, Reach::Nobody { is_starting: false, .. }) => Some(Vec::new()),
        _ if *reach != Reach::Found => None,
        Connection::Reconnecting { tries, .. } => Some(tried(model, *tries)),
        Connection::Refused { .. } => Some(Vec::new()),
        _ => None,
    }
}

/// How often a connection was tried and when it is tried again, then without that.
fn tried(model: &Model, tries: u32) -> Vec<String> {
    let next = model.connection.retry_at.map(|at| (at - model.now).max(0) / 1000);
    let next = next.filter(|left| *left > 0);
    let long = next.map(|left| format!(" (try {tries}, next in {left} s)"));
    long.into_iter().chain([format!(" (try {tries})")]).collect()
}

/// How the daemon is, in the few cells beside its name in a tree of several: what is wrong with
/// the connection or the disk, or how many are at work and how much needs the user, as in the
/// window's title.
pub fn brief(model: &Model) -> Row {
    let (state, is_good) = state(model);
    if !is_good || !model.has_picture() || model.connection.feed.is_disk_full() {
        return state;
    }
    let running = running(model);
    let mut row = Row::new();
    if running > 0 {
        row.push(format!("{}{running}", model.symbols().running), Role::Running);
    }
    let needs = model.mirror().attention().count();
    if needs > 0 {
        row.space(usize::from(row.width() > 0));
        row.push(format!("?{needs}"), Role::Asks);
    }
    if row.width() > 0 { row } else { Row::of("idle", Role::Dim) }
}

/// How many agents are at work.
pub fn running(model: &Model) -> usize {
    model.mirror().agents().filter(|agent| words::is_at_work(agent)).count()
}

/// How the connection is, in words that stay the same as long as it does.
pub fn said(model: &Model) -> String {
    let (mut row, _) = state(model);
    if tries(model).is_some() {
        row.push(as_of(model), Role::Text);
    }
    let words = row.text();
    let symbol = words.chars().next().filter(|c| !c.is_alphanumeric());
    symbol.map_or(words.as_str(), |symbol| &words[symbol.len_utf8()..]).trim().to_owned()
}

fn as_of(model: &Model) -> String {
    if !model.has_picture() {
        return String::new();
    }
    let sign = model.symbols().vertical;
    format!(" {sign} data as of {}", model.zone().clock_seconds(Timestamp(model.connection.as_of)))
}

/// Unread messages to the user, in ended workflows too.
fn unread(model: &Model) -> usize {
    let people = model.mirror().agents().filter(|agent| agent.kind == MemberKind::Person);
    people.map(|person| usize::try_from(person.unread).unwrap_or(0)).sum()
}

/// What needs the user, counted by kind, and what is only to be read.
fn needs(model: &Model, is_long: bool) -> Row {
    let symbols = model.symbols();
    let count = |kinds: &[AttentionKind]| {
        model.mirror().attention().filter(|item| kinds.contains(&item.kind)).count()
    };
    let failures =
        [AttentionKind::Dead, AttentionKind::Paused, AttentionKind::Stalled, AttentionKind::Failed];
    let kinds: [(&str, &str, Role, usize); 6] = [
        (symbols.asks, "asks", Role::Asks, count(&[AttentionKind::Question])),
        (symbols.vote, "vote", Role::Asks, count(&[AttentionKind::Vote])),
        (symbols.failed, "failed", Role::Failed, count(&failures)),
        (symbols.stale, "silent", Role::Wait, count(&[AttentionKind::Silent])),
        (symbols.queued, "held", Role::Wait, count(&[AttentionKind::Held])),
        ("@", "unread", Role::Text, unread(model)),
    ];
    let mut row = Row::new();
    for (symbol, word, role, count) in kinds {
        if count > 0 {
            if !row.spans.is_empty() {
                row.space(if is_long { 2 } else { 1 });
            }
            let text = if is_long {
                format!("{symbol} {count} {word}")
            } else {
                format!("{symbol}{count}")
            };
            row.push(text, role);
        }
    }
    row
}

/// Draws it. Without room, parts go from the right; the others are whole.
pub fn draw(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let right = right(model, usize::from(area.width));
    painter.row(area, 0, 0, &left_beside(model, &right));
    let x = area.width.saturating_sub(u16::try_from(right.width()).unwrap_or(0));
    painter.row(area, x, 0, &right);
}

/// The key that a click in a column presses: that of what is counted there.
pub fn key_at(model: &Model, x: usize) -> Option<Key> {
    let row = left_beside(model, &right(model, usize::from(model.display.size.0)));
    let mut end = 0;
    let (clicked, _) = row.spans.into_iter().find(|(text, _)| {
        end += text.width();
        x < end
    })?;
    let is_count = [true, false].into_iter().any(|is_long| {
        let counts = needs(model, is_long).spans;
        counts.iter().any(|(count, _)| *count == clicked && !count.as_str().trim().is_empty())
    });
    let is_unread = clicked.as_str().starts_with('@');
    let action = if is_unread { Action::NextUnread } else { Action::NextNeed };
    model.settings.keymap.first(&[Context::Anywhere], action).filter(|_| is_count)
}

fn left_beside(model: &Model, right: &Row) -> Row {
    let width = usize::from(model.display.size.0);
    let room = width.saturating_sub(right.width() + 1);
    let (row, has_needs) = left_part(model, room, width >= 100);
    if has_needs { row } else { left_part(model, room, false).0 }
}

/// The left part in long or short words, and whether it has all that needs the person.
fn left_part(model: &Model, room: usize, is_long: bool) -> (Row, bool) {
    let mut least = 0;
    let mut parts = vec![Row::of("aw", Role::Title)];
    if !model.connection.host.is_empty() {
        parts.push(Row::of(model.connection.host.clone(), Role::Text));
    }
    // A blank before the first part, three cells between two.
    let before = 1 + parts.iter().map(|part| part.width() + 3).sum::<usize>();
    let (connection, is_good) = connection(model, room.saturating_sub(before));
    parts.push(connection);
    if is_good && model.has_picture() {
        parts.extend(counts(model));
        let needs = needs(model, is_long);
        if !needs.spans.is_empty() {
            parts.push(needs);
        }
        let elsewhere = tree_lines::roots(model).map_or(0, Roots::needs_elsewhere);
        let told = || Row::of(format!("{elsewhere} elsewhere"), Role::Asks);
        parts.extend((elsewhere > 0).then(told));
        least = parts.len();
        if is_long {
            parts.extend(spent(model));
        }
    }
    let mut row = Row::of(" ", Role::Text);
    let mut shown = 0;
    for (number, part) in parts.into_iter().enumerate() {
        let next = joined(model, row.clone(), part, number == 0);
        if next.width() > room && number > 2 {
            break;
        }
        (row, shown) = (next, number + 1);
    }
    (row.cut(room, model.symbols().ellipsis), shown >= least)
}

fn joined(model: &Model, row: Row, part: Row, is_first: bool) -> Row {
    if is_first { row.and(part) } else { row.and(separator(model)).and(part) }
}

fn separator(model: &Model) -> Row {
    Row::new().pad(1).with(model.symbols().vertical, Role::Dim).pad(1)
}

/// The same on a small screen: the connection, who is at work, what needs the user.
pub fn short(model: &Model) -> Row {
    let room = usize::from(model.display.size.0).saturating_sub(1);
    let (mut row, is_good) = connection(model, room);
    if is_good && model.has_picture() {
        for part in counts(model).into_iter().take(1).chain([needs(model, false)]) {
            if part.width() > 0 {
                row = joined(model, row, part, false);
            }
        }
    }
    row
}

fn counts(model: &Model) -> Vec<Row> {
    let is_queued =
        |agent: &&Agent| matches!(agent.state, AgentState::Queued | AgentState::Backoff);
    let queued = model.mirror().agents().filter(is_queued).count();
    let mut rows = vec![Row::of(format!("{} running", running(model)), Role::Text)];
    rows.extend((queued > 0).then(|| Row::of(format!("{queued} queued"), Role::Text)));
    rows
}

fn spent(model: &Model) -> Vec<Row> {
    let workflows = || model.mirror().workflows();
    let cost: f64 = workflows().map(|workflow| workflow.used.cost).sum();
    let used: i64 = workflows().map(|workflow| workflow.used.tokens).sum();
    let mut rows = Vec::new();
    if cost > 0.0 {
        rows.push(Row::of(numbers::cost(Some(cost)), Role::Text));
    }
    if used > 0 && model.display.size.0 >= 160 {
        rows.push(Row::of(format!("{} tokens", numbers::short(used)), Role::Text));
    }
    if model.display.size.0 >= 160 {
        let count = workflows().filter(|workflow| !workflow.scope.is_global()).count();
        let is_agent = |agent: &&Agent| agent.kind != MemberKind::Person;
        let agents = model.mirror().agents().filter(is_agent).count();
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let words = format!("{count} workflow{}, {agents} agent{}", s(count), s(agents));
        rows.push(Row::of(words, Role::Text));
    }
    rows
}

fn right(model: &Model, width: usize) -> Row {
    let mut row = Row::new();
    if model.settings.read_only {
        row.push(" READ-ONLY ", Role::Selected);
        row.space(1);
    }
    // Where there is little room, what needs the person goes first.
    if width >= if model.settings.read_only { 100 } else { 80 } {
        row.push(format!("as {}", model.settings.identity), Role::Dim);
        row.append(separator(model));
    }
    if let Some(key) = model.settings.keymap.name(&[Context::Anywhere], Action::Help) {
        row.push(format!("{key} "), Role::Accent);
        row.push("help ", Role::Text);
    }
    row
}

/// Draws the first line while everything is seen as a member sees it, reversed from edge to edge.
/// Without room, parts go from the right, then the details of the connection and the end of the
/// name: the state and the key that returns stay.
pub fn banner(model: &Model, view: &View, painter: &mut Painter<'_>, area: Rect) {
    let (width, symbols) = (usize::from(area.width), model.symbols());
    let add =
        |row: Row, word: &String| row.with(format!(" {} {word}", symbols.vertical), Role::Selected);
    let row = |words: &[String]| words.iter().fold(Row::new(), add);
    let name = Row::of(format!(" VIEW AS {}", view.target()), Role::Selected);
    let room = width.saturating_sub(name.width());
    let mut words = Vec::new();
    let (state, is_good) = connection(model, usize::MAX);
    if !is_good || model.connection.feed.is_disk_full() {
        words.push(state.text());
    }
    if let Some(key) = model.settings.keymap.name(&[Context::Anywhere], Action::View) {
        words.push(format!("{key} returns"));
    }
    let least = words.len();
    if model.settings.read_only {
        words.push("nothing is written".to_owned());
    }
    words.push("no read position moves".to_owned());
    while words.len() > least && row(&words).width() > room {
        words.pop();
    }
    if !is_good {
        let others = row(&words[1..]).width() + 3;
        words[0] = connection(model, room.saturating_sub(others)).0.text();
    }
    let rest = row(&words);
    let mut line = name.cut(width.saturating_sub(rest.width()), symbols.ellipsis).and(rest);
    line.tab(width);
    painter.row(area, 0, 0, &line.all(Role::Selected));
}
