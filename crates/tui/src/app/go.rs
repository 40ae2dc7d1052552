//! From place to place.

use std::cmp::Ordering;

use agent_worker_protocol::{AttentionKind, Conversation, Scope};

use super::{App, show};
use crate::{
    model::{
        Effect, Focus, Item, Model, NavId, Place, Subject, Tab, Until, family, needs, tree_lines,
    },
    panes::Pane as _,
};

/// How many places are remembered.
const TRAIL: usize = 100;

/// Shows a place, with its line of the tree selected.
pub fn go(app: &mut App, place: Place) -> Vec<Effect> {
    if let Some(line) = line_of(app, &place) {
        unfold(app, &line);
        app.model.selection.tree.selected = line;
    }
    show(app, place)
}

/// Shows what is awaited, if it is there.
pub fn arrive(app: &mut App) -> Vec<Effect> {
    match app.model.selection.awaited.clone() {
        Some(place) if app.model.exists(&place.subject) => {
            app.model.selection.awaited = None;
            app.model.put_right(Until::Arrival);
            go(app, place)
        }
        _ => Vec::new(),
    }
}

/// Shows a place, whatever is selected in the tree.
pub fn show(app: &mut App, place: Place) -> Vec<Effect> {
    if app.model.place == place {
        return show::shown(app);
    }
    show::hidden(app);
    let before = std::mem::replace(&mut app.model.place, place);
    app.model.selection.tabs.insert(app.model.place.subject.clone(), app.model.place.tab);
    app.model.selection.trail.0.push(before);
    app.model.selection.trail.1.clear();
    if app.model.selection.trail.0.len() > TRAIL {
        app.model.selection.trail.0.remove(0);
    }
    show::shown(app)
}

/// Back, or forward again, to what is still there.
pub fn walk(app: &mut App, back: bool) -> Vec<Effect> {
    let mut trail = std::mem::take(&mut app.model.selection.trail);
    let (from, to) = if back { (&mut trail.0, &mut trail.1) } else { (&mut trail.1, &mut trail.0) };
    let here = app.model.place.clone();
    let is_another = |place: &Place| *place != here && app.model.exists(&place.subject);
    let found = std::iter::from_fn(|| from.pop()).find(is_another);
    let effects = match found {
        Some(place) => {
            to.push(here);
            go(app, place)
        }
        None => app.model.tell(if back { "nothing before this" } else { "nothing after this" }),
    };
    app.model.selection.trail = trail;
    effects
}

/// Another tab of the subject.
pub fn tab(app: &mut App, tab: Tab) -> Vec<Effect> {
    app.model.selection.focus = Focus::Main;
    let place = Place::at(app.model.place.subject.clone(), tab);
    let effects = show(app, place);
    if let NavId::Channel(scope) | NavId::Workflow(scope) =
        app.model.selection.tree.selected.clone()
    {
        let line = if tab == Tab::Channel { NavId::Channel(scope) } else { NavId::Workflow(scope) };
        if tree_lines::lines(&app.model).contains(&line) {
            app.model.selection.tree.selected = line;
        }
    }
    effects
}

/// The tab before or after this one, around the end.
pub fn next_tab(app: &mut App, back: bool) -> Vec<Effect> {
    let tabs = app.model.place.subject.tabs();
    let at = tabs.iter().position(|tab| *tab == app.model.place.tab).unwrap_or(0);
    let to = if back { (at + tabs.len() - 1) % tabs.len() } else { (at + 1) % tabs.len() };
    tab(app, tabs[to])
}

/// Selects a line of the tree and shows what it stands for.
pub fn select(app: &mut App, line: NavId) -> Vec<Effect> {
    if let Some((at, line)) = app.model.selection.tree.roots.elsewhere(&line) {
        return vec![Effect::TurnTo(at, line.clone())];
    }
    if !matches!(line, NavId::Root(_)) {
        unfold_root(app);
    }
    let place = line.place(&app.model);
    app.model.selection.tree.selected = line.clone();
    app.model.selection.tree.was_at = tree_lines::position(&app.model).1.unwrap_or(0);
    if let NavId::Need(..) = line {
        let mut needs = tree_lines::all_needs(&app.model).into_iter();
        let at = needs.position(|need| need == line).unwrap_or(0);
        app.model.selection.tree.need = Some((line.clone(), at));
    }
    let Some(mut place) = place else { return Vec::new() };
    if let Some((scope, id)) =
        needs::proposal_of(&app.model, &line).map(|one| (one.scope.clone(), one.id))
    {
        let subject = Subject::Workflow(scope);
        app.panes.proposals.go_to(&mut app.model, &subject, Item::Proposal(id));
    }
    if let Some((target, state)) = needs::mail_of(&line) {
        app.model.known.inboxes.look(&target).inbox.seek(state);
    }
    if matches!(line, NavId::Workflow(_) | NavId::Agent(_) | NavId::All | NavId::Talk(..))
        && let Some(tab) = app.model.selection.tabs.get(&place.subject)
    {
        place.tab = *tab;
    }
    show(app, place)
}

/// Moves the selection of the tree by this many selectable lines.
pub fn step(app: &mut App, by: isize) -> Vec<Effect> {
    let lines: Vec<NavId> =
        tree_lines::lines(&app.model).into_iter().filter(NavId::is_open).collect();
    let at = lines.iter().position(|line| *line == app.model.selection.tree.selected);
    // From a line that the filter hides, one step down leads to the first that it leaves.
    let by = if at.is_none() && by > 0 { by - 1 } else { by };
    let to = at.unwrap_or(0).saturating_add_signed(by).min(lines.len().saturating_sub(1));
    match lines.get(to) {
        Some(line) => select(app, line.clone()),
        None => Vec::new(),
    }
}

/// Lines have changed. If the selected line is gone, selects the line in its place. What is gone is
/// not marked any more either.
pub fn settle(app: &mut App) -> Vec<Effect> {
    tree_lines::note_at_work(&mut app.model);
    let mut marked = std::mem::take(&mut app.model.selection.marked);
    marked.retain(|target| app.model.mirror().agent(target).is_some());
    app.model.selection.marked = marked;
    if app.model.place.tab == Tab::Agents {
        app.panes.agents.settle(&app.model);
    }
    let (lines, at) = tree_lines::position(&app.model);
    if let Some(at) = at {
        app.model.selection.tree.was_at = at;
        return Vec::new();
    }
    if tree_lines::has_selected(&app.model) {
        return Vec::new();
    }
    let roots = &app.model.selection.tree.roots;
    let can_stand_for_it = |line: &&NavId| line.is_open() && roots.elsewhere(line).is_none();
    let from = app.model.selection.tree.was_at.min(lines.len().saturating_sub(1));
    let before = lines[..=from].iter().rev();
    let next = lines.iter().skip(from).chain(before).find(can_stand_for_it);
    let is_need = matches!(app.model.selection.tree.selected, NavId::Need(..));
    match next.cloned() {
        // What needed the person is settled, and the person is still looking at it.
        Some(_) if is_need && app.model.exists(&app.model.place.subject) => {
            if let Some(line) = line_of(app, &app.model.place.clone()) {
                app.model.selection.tree.selected = line;
            }
            Vec::new()
        }
        Some(line) => select(app, line),
        None => Vec::new(),
    }
}

/// The line of the tree that stands for a place.
fn line_of(app: &App, place: &Place) -> Option<NavId> {
    let line = match &place.subject {
        Subject::All => NavId::All,
        // The global scope has no line but that of its channel.
        Subject::Workflow(scope) if place.tab == Tab::Channel || scope.is_global() => {
            NavId::Channel(scope.clone())
        }
        Subject::Workflow(scope) => NavId::Workflow(scope.clone()),
        Subject::Agent(target) => NavId::Agent(target.clone()),
        Subject::Talk(scope, talk) => NavId::Talk(scope.clone(), talk.clone()),
    };
    app.model.exists(&place.subject).then_some(line)
}

/// Unfolds what hides a line.
fn unfold(app: &mut App, line: &NavId) {
    if let (NavId::Agent(_) | NavId::Channel(_), Some(scope)) = (line, line.scope()) {
        app.model.selection.tree.fold(scope.clone(), true);
    }
    unfold_root(app);
    if let NavId::Agent(target) = line {
        for parent in family::above(&app.model, target) {
            app.model.selection.tree.parents.remove(&parent);
        }
    }
}

/// Shows the lines of this daemon among others.
fn unfold_root(app: &mut App) {
    let roots = &mut app.model.selection.tree.roots;
    roots.fold(roots.here, true);
}

/// The next thing that needs the person, from anywhere.
pub fn next_need(app: &mut App, back: bool) -> Vec<Effect> {
    let needs = tree_lines::all_needs(&app.model);
    if needs.is_empty() {
        return app.model.tell("nothing needs you");
    }
    let tree = &mut app.model.selection.tree;
    let at = needs.iter().position(|need| *need == tree.selected);
    // Where the last one was that is settled now, the next one has moved to.
    let settled = tree.need.take().filter(|(need, _)| !needs.contains(need));
    let next = settled.map_or(0, |(_, at)| at % needs.len());
    let from = at.unwrap_or(next);
    let to = if back { from + needs.len() - 1 } else { from + usize::from(at.is_some()) };
    app.model.selection.focus = Focus::Main;
    select(app, needs[to % needs.len()].clone())
}

/// The next conversation with unread messages, those with mail of the person first; without any,
/// the first one behind what is shown. Pressed again and again it comes to each of them, also while
/// mail stays unread.
pub fn next_unread(app: &mut App, back: bool) -> Vec<Effect> {
    let (unread, with_mail) = unread(&app.model, back);
    if unread.is_empty() {
        return app.model.tell("everything is read");
    }
    let own = &app.model.place;
    let other_way = if back { Ordering::Greater } else { Ordering::Less };
    let is_behind = |place: &Place| order(place).cmp(&order(own)) != other_way;
    let mail = unread[..with_mail].to_vec();
    let walked = app.model.selection.tree.walked.take();
    let is_walking = walked
        .is_some_and(|(to, before)| to == *own && mail.iter().all(|place| before.contains(place)));
    let to = match unread.iter().position(|place| place == own) {
        Some(at) if at < with_mail || with_mail == 0 || is_walking => (at + 1) % unread.len(),
        _ if with_mail > 0 => 0,
        _ => unread.iter().position(is_behind).unwrap_or(0),
    };
    let to = unread[to].clone();
    app.model.selection.tree.walked = Some((to.clone(), mail));
    app.model.selection.focus = Focus::Main;
    go(app, to)
}

/// Where the conversations with unread messages are, and how many of them, which are the first,
/// have mail of the person.
fn unread(model: &Model, back: bool) -> (Vec<Place>, usize) {
    let groups = model.mirror().groups().filter(|group| model.unread(group) > 0);
    let mut unread: Vec<Place> =
        groups.map(|group| Place::of_conversation(&group.scope, &group.name)).collect();
    if back {
        unread.reverse();
    }
    let mail = model.mirror().attention().filter(|item| item.kind == AttentionKind::Mention);
    let lines = mail.map(|item| NavId::Need(item.kind, item.subject.clone()));
    let with_mail: Vec<Place> = lines.filter_map(|line| line.place(model)).collect();
    unread.sort_by_key(|place| !with_mail.contains(place));
    let count = unread.iter().filter(|place| with_mail.contains(place)).count();
    (unread, count)
}

/// Where a place is among the conversations.
fn order(place: &Place) -> Option<(Scope, Conversation)> {
    let of_scope = || Some((place.subject.scope()?.clone(), Conversation::Channel));
    place.subject.conversation().or_else(of_scope)
}
