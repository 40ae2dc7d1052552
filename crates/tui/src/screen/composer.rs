//! The line where is written, asked and told; opened, a box.

use agent_worker_client::Clean;
use agent_worker_protocol::{AgentState, MemberKind, Name, Target, Wake, Workflow, WorkflowState};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    app::App,
    keys::Context,
    model::{Address, Model, reach, words, writing::composer},
    paint::{Ink, Painter, Row},
    parts::frame,
    theme::Role,
};

/// Draws it; gives where the caret is.
pub fn draw(app: &App, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    let model = &app.model;
    if model.writing.composer.is_open {
        return open(model, painter, area);
    }
    let mut rows = composer::failed(model);
    match (composer::asked(model), composer::refused(model)) {
        (asked, _) if !asked.is_empty() => rows.extend(asked),
        (_, told) if !told.is_empty() && model.prompt.notice.is_none() => rows.extend(told),
        _ => rows.push(line(app).cut(usize::from(area.width), model.symbols().ellipsis)),
    }
    painter.rows(area, 0, &rows);
    None
}

fn line(app: &App) -> Row {
    let model = &app.model;
    let symbols = model.symbols();
    if let Some(notice) = &model.prompt.notice {
        let role = if notice.is_error { Role::Failed } else { Role::Text };
        return Row::of(" ", Role::Text).with(notice.text.clone(), role);
    }
    if !model.is_live() && model.has_picture() {
        return lost(model);
    }
    let words = if !model.has_picture() || model.is_empty() {
        Some(String::new())
    } else {
        app.pane().line(model)
    };
    if let Some(words) = words {
        return Row::of(" ", Role::Text).with(words, Role::Dim);
    }
    let address = Address::of(&model.place.subject, &model.settings.identity);
    let Some(address) = address.filter(|_| !model.settings.read_only) else {
        let hint = if model.settings.read_only {
            "read-only: nothing is changed from here"
        } else {
            "this is looked at, not written to"
        };
        return Row::of(" ", Role::Text).with(hint, Role::Dim);
    };
    let drafts = &model.writing.drafts;
    let is_drafted = drafts.get(&address).is_some();
    let row = Row::of(" ", Role::Text).with(symbols.draft, Role::Accent);
    let row = row.with(format!(" {} ", to(&address)), Role::Text).with(symbols.vertical, Role::Dim);
    let write = model.key(Action::Write);
    let hint = match &address {
        Address::Group(..) if !model.may_write(&address) => words::members_only(model),
        _ if is_drafted && !drafts.is_on_disk(&address) => {
            format!("{write} goes on with the draft, which is not saved")
        }
        _ if is_drafted => format!("{write} goes on with the draft"),
        Address::Agent(target) if words::may_hurry(model, target) => {
            let end = model.key(Action::Stop);
            format!("it was told to stop and has not: {end} ends it at once")
        }
        Address::Channel(_) => {
            let send = model.key_in(&[Context::Composer], Action::Send);
            format!("{write} to write, {send} sends, @ names an agent")
        }
        Address::Group(..) => format!("{write} to write: {}", in_group(model, &address)),
        Address::Agent(target) => format!("{write} to write: {}", consequence(model, target)),
        Address::Each(_) => format!("{write} to write: each gets it alone"),
    };
    row.with(" ", Role::Dim).with(hint, Role::Dim)
}

/// What becomes of a message in a group.
fn in_group(model: &Model, address: &Address) -> &'static str {
    let group = model.group_of(address);
    match group.map(|group| group.wake) {
        Some(Wake::All) => "it wakes every agent of the group",
        _ => "it waits in the inboxes and wakes those it names",
    }
}

/// What becomes of a message to an agent as it is now.
fn consequence(model: &Model, target: &Target) -> String {
    let resume = model.key(Action::Start);
    let agent = model.mirror().agent(target);
    match agent.map(|agent| agent.state) {
        // A workflow resumes its paused agents, not its stopped ones.
        Some(AgentState::Stopped) if is_stopped(model, target) => {
            "it waits until the agent and the workflow are resumed".to_owned()
        }
        _ if is_stopped(model, target) => "it waits until the workflow is resumed".to_owned(),
        Some(AgentState::Running | AgentState::Waiting) => {
            "it is read once this run ends".to_owned()
        }
        Some(AgentState::Stopped | AgentState::Paused) => {
            format!("it waits until {resume} resumes the agent")
        }
        _ if ended_in_setup(model, target) => "it waits for the next start".to_owned(),
        _ if agent.is_some_and(|agent| agent.kind == MemberKind::External) => {
            "it lands in the inbox, and the agent fetches it".to_owned()
        }
        _ => "it lands in the inbox and wakes the agent".to_owned(),
    }
}

/// Whether nothing starts the runs of an agent, because its workflow is stopped.
fn is_stopped(model: &Model, target: &Target) -> bool {
    workflow_of(model, target).is_some_and(|workflow| workflow.state == WorkflowState::Stopped)
}

/// Whether nothing starts the runs of an agent, because its workflow ended in its setup.
fn ended_in_setup(model: &Model, target: &Target) -> bool {
    workflow_of(model, target).is_some_and(Workflow::ended_in_setup)
}

fn workflow_of<'m>(model: &'m Model, target: &Target) -> Option<&'m Workflow> {
    target.scope.as_ref().and_then(|scope| model.mirror().workflow(scope))
}

fn to(address: &Address) -> String {
    match address {
        Address::Channel(_) | Address::Group(..) => address.to_string(),
        Address::Agent(target) => format!("to {}", words::name(target)),
        Address::Each(targets) => {
            let names: Vec<String> = targets.iter().map(words::name).collect();
            format!("to {}, each alone", names.join(", "))
        }
    }
}

fn lost(model: &Model) -> Row {
    use agent_worker_client::mirror::Connection;
    let row = Row::of(" ", Role::Text).with(model.symbols().stale, Role::Wait);
    let words = match model.connection.feed.connection() {
        Connection::Reconnecting { error, .. } => {
            let is_kept = model.writing.drafts.are_on_disk();
            let drafts = if is_kept { "drafts are kept" } else { "and not every draft is saved" };
            format!(" {error}. Sending is off, {drafts}.")
        }
        Connection::Reloading { reason } => format!(" loading everything anew: {reason}"),
        _ => " not live yet".to_owned(),
    };
    row.with(words, Role::Text)
}

/// The box: whom it is for and what it will do, then the text.
fn open(model: &Model, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    painter.clear(area);
    // The rule is seen at both ends of the words.
    let room = usize::from(area.width.saturating_sub(5));
    painter.rule(area, 0, Some(rule(model, room)));
    let text = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(1),
    };
    let written = &model.writing.composer;
    let width = usize::from(text.width).max(2);
    let role = if written.is_sending() { Role::Dim } else { Role::Text };
    let (rows, caret) = composer::laid(written.area.lines(), written.caret(), width);
    let height = usize::from(text.height).max(1);
    let top = (caret.1 + 1).saturating_sub(height);
    for (y, row) in (0..text.height).zip(rows.iter().skip(top)) {
        painter.text(text, 0, y, &Ink::from(Clean::line(row)), role);
    }
    let to = |part: usize| u16::try_from(part).unwrap_or(u16::MAX);
    let x = text.x + to(caret.0).min(text.width.saturating_sub(1));
    let y = text.y + to(caret.1 - top);
    list(model, painter, area, (x, y));
    (!written.is_sending()).then_some((x, y))
}

/// Whom the text will reach and what that causes, before it is sent. Without room for it, the
/// time at which the draft was saved is left out.
fn rule(model: &Model, room: usize) -> Row {
    let composer = &model.writing.composer;
    let mut row = Row::of(format!("to {}", composer.address), Role::Title);
    if let Some(answered) = composer.reply_to {
        row.push(format!("   reply to {answered}"), Role::Text);
    }
    if let Some(notice) = model.prompt.notice.as_ref().filter(|notice| notice.is_error) {
        return row.with("   ", Role::Text).with(notice.text.clone(), Role::Failed);
    }
    if composer.is_sending() {
        row.push("   sending", Role::Running);
        if !composer.next.is_empty() {
            row.push("   then: ", Role::Dim);
            row.push(Clean::line(&composer.next), Role::Text);
        }
        row.append(told(model));
        return row;
    }
    let reach = reach::reach(model);
    let is_on_disk = model.writing.drafts.is_on_disk(&composer.address);
    if model.is_live() {
        row.append(reached(model, &reach.wakes));
    } else {
        let kept = if is_on_disk { ": kept as draft" } else { "" };
        row.push(format!("   not connected{kept}"), Role::Wait);
    }
    let is_completing = composer.completion.as_ref().is_some_and(|list| !list.is_closed);
    if !reach.unknown.is_empty() && !is_completing {
        let is_group = matches!(composer.address, Address::Group(..));
        let what = if is_group { "not in the group" } else { "not an agent" };
        row.push(format!("   @{}? {what}", reach.unknown.join("? @")), Role::Failed);
    }
    row.append(told(model));
    if !composer.is_blank() && !is_on_disk {
        row.push("   draft not saved", Role::Failed);
        return row;
    }
    let is_kept = composer.changed_at.is_none() && !composer.is_blank();
    if let Some(at) = composer.saved_at.filter(|_| is_kept) {
        let at = model.zone().clock(agent_worker_protocol::Timestamp(at));
        let saved = Row::of(format!("   draft saved {at}"), Role::Dim);
        if row.width() + saved.width() <= room {
            row.append(saved);
        }
    }
    row
}

/// What is told meanwhile: it hides nothing of what the text will do.
fn told(model: &Model) -> Row {
    let told = model.prompt.notice.as_ref().map(|notice| format!("   {}", notice.text));
    told.map_or_else(Row::new, |told| Row::of(told, Role::Text))
}

/// What the text does to those it is for: to most of them it is a run, the others are at work or
/// stand still.
fn reached(model: &Model, targets: &[Target]) -> Row {
    let (mut woken, mut working, mut still) = (Vec::new(), Vec::new(), Vec::new());
    let (mut unstarted, mut gone) = (Vec::new(), Vec::new());
    for target in targets {
        let of = match model.mirror().agent(target).map(|agent| agent.state) {
            None => &mut gone,
            _ if is_stopped(model, target) => &mut still,
            Some(AgentState::Running | AgentState::Waiting) => &mut working,
            Some(AgentState::Stopped | AgentState::Paused) => &mut still,
            _ if ended_in_setup(model, target) => &mut unstarted,
            _ => &mut woken,
        };
        of.push(words::name(target));
    }
    let mut row = Row::new();
    if targets.is_empty() {
        row.push("   starts no run", Role::Dim);
    }
    let wakes = format!("wakes {}", woken.len());
    for (names, does, role) in [
        (woken, &*wakes, Role::Text),
        (working, "at work, next run", Role::Text),
        (still, "waits for a resume", Role::Wait),
        (unstarted, "waits for the next start", Role::Wait),
        (gone, "is gone", Role::Failed),
    ] {
        if !names.is_empty() {
            row.push(format!("   {does}: {}", names.join(", ")), role);
        }
    }
    row
}

/// Names that the list under the caret shows at once, and how wide it is.
const NAMES: usize = 4;
const LIST: u16 = 34;

/// The list of names under the caret.
fn list(model: &Model, painter: &mut Painter<'_>, area: Rect, caret: (u16, u16)) {
    let list = model.writing.composer.completion.as_ref().filter(|list| !list.is_closed);
    let Some(list) = list else { return };
    let shown = list.names.len().min(NAMES);
    let first = (list.marked + 1).saturating_sub(shown);
    let height = u16::try_from(shown).unwrap_or(0) + 2;
    let below = area.bottom().saturating_sub(caret.1 + 1);
    // Above the box, so that what is written stays in sight.
    let y = if below >= height { caret.1 + 1 } else { area.y.saturating_sub(height) };
    let width = LIST.min(area.width);
    let x = caret.0.min(area.right().saturating_sub(width));
    let inside = frame::boxed(painter, Rect { x, y, width, height }, "", "");
    let names = list.names.iter().enumerate().skip(first).take(shown);
    for (y, (number, name)) in (0..).zip(names) {
        let is_marked = number == list.marked;
        let row = named(model, name, is_marked);
        painter.row(inside, 0, y, &row.cut(usize::from(inside.width), painter.symbols.ellipsis));
        if is_marked {
            painter.tint(Rect { y: inside.y + y, height: 1, ..inside }, Role::Selected);
        }
    }
}

/// A name that can be completed, with what it is doing.
fn named(model: &Model, name: &Name, is_marked: bool) -> Row {
    let symbol = if is_marked { model.symbols().selected } else { " " };
    let row = Row::of(symbol, Role::Accent).with(format!(" @{name}"), Role::Text);
    let mut row = row.tabbed(14).pad(1);
    let target = Target::member(name.clone(), model.writing.composer.address.scope());
    if let Some(agent) = model.mirror().agent(&target) {
        let is = words::agent(model, agent);
        row.push(is.word, is.role);
    } else if name.as_str() == "all" {
        row.push("everyone here", Role::Dim);
    }
    row
}
