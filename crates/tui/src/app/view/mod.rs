//! Seeing everything as a member does, and coming back.

use agent_worker_client::{mirror::Mirror, text::numbers};
use agent_worker_protocol::{ContextSection, ContextShown, MemberKind, Scope, Target};

use super::{App, go, show};
use crate::{
    model::{
        Effect, Known, Model, Place, Request, Subject, Tab, Window,
        known::view::{Before, View},
    },
    panes::Panes,
};

/// Shows everything as the selected agent sees it, or again as the user does.
pub fn turn(app: &mut App) -> Vec<Effect> {
    if app.model.view.is_some() {
        return leave(app);
    }
    let Some(target) = app.selected_agent() else {
        return app.model.warn("select an agent first");
    };
    let effects = enter(app, &target);
    app.model.settings.read_only = true;
    effects
}

/// Shows everything as a member sees it.
fn enter(app: &mut App, target: &Target) -> Vec<Effect> {
    let Some(name) = target.name.clone() else { return Vec::new() };
    let scope = target.scope_or(&Scope::global());
    let before = Before {
        place: app.model.place.clone(),
        trail: std::mem::take(&mut app.model.selection.trail),
        is_read_only: app.model.settings.read_only,
    };
    let view = View::new(name, scope.clone(), app.model.mirror(), before);
    app.model.view = Some(Box::new(view));
    let mut effects = begin_anew(app);
    let place = app.model.place.clone();
    let is_seen = app.model.exists(&place.subject)
        && place.subject != Subject::All
        && app.model.hidden(&place).is_none();
    app.model.view.as_mut().into_iter().for_each(|view| effects.extend(view.ask()));
    if is_seen {
        effects.extend(go::settle(app));
        effects.extend(show::shown(app));
    } else {
        effects.extend(go::go(app, Place::at(Subject::Workflow(scope), Tab::Channel)));
    }
    effects
}

/// Shows everything as the user sees it, and what was shown before.
fn leave(app: &mut App) -> Vec<Effect> {
    let Some(view) = app.model.view.take() else { return Vec::new() };
    let Before { place, trail, is_read_only } = view.before;
    app.model.settings.read_only = is_read_only;
    let mut effects = begin_anew(app);
    let is_there = app.model.exists(&place.subject);
    let place = if is_there { place } else { Place::of(Subject::All) };
    effects.extend(go::go(app, place));
    app.model.selection.trail = trail;
    app.model.tell("everything as you see it");
    effects
}

/// Ends a view whose member was removed: an agent of its name is another one. What the user sees is
/// not shown to a program that acts as that member.
pub fn settle(app: &mut App) -> Vec<Effect> {
    let target = app.model.view.as_ref().map(|view| view.target());
    let is_gone = |target: &Target| app.model.connection.feed.mirror().agent(target).is_none();
    let Some(target) = target.filter(is_gone) else { return Vec::new() };
    let mut effects = leave(app);
    app.model.warn(format!("{target} was removed: everything as you see it"));
    effects.extend(begin(app));
    effects
}

/// What was loaded for one is not shown to another.
fn begin_anew(app: &mut App) -> Vec<Effect> {
    show::hidden(app);
    app.panes = Panes::default();
    app.model.known = Known::default();
    app.model.prompt.notice = None;
    app.overlays.clear();
    app.model.selection.marked.clear();
    show::reset(app)
}

/// Begins with the view as the member that the user acts as, once the first snapshot is there. What
/// the user sees is not shown while no member has the name.
pub fn begin(app: &mut App) -> Vec<Effect> {
    if app.model.settings.identity == agent_worker_protocol::Name::person() {
        return Vec::new();
    }
    match own_member(&app.model) {
        Ok(target) => {
            app.model.connection.stranger = None;
            enter(app, &target)
        }
        Err(_) if app.model.connection.stranger.is_some() => Vec::new(),
        Err(problem) => {
            // What the user sees is not shown in the name of another.
            app.model.connection.stranger = Some((problem.clone(), Mirror::default()));
            app.model.warn(problem)
        }
    }
}

/// The member that the user acts as: in the scope that is to be shown first, else the only one of
/// its name.
fn own_member(model: &Model) -> Result<Target, String> {
    let name = &model.settings.identity;
    let awaited = model.selection.awaited.as_ref().and_then(|place| place.subject.scope());
    let wanted = Target::member(name.clone(), awaited.cloned().unwrap_or_else(Scope::global));
    let agents = model.connection.feed.mirror().agents();
    let agents = agents.filter(|agent| agent.kind != MemberKind::Person);
    let named: Vec<Target> =
        agents.filter(|agent| agent.name == *name).map(|agent| agent.target.clone()).collect();
    match (named.as_slice(), awaited) {
        _ if named.contains(&wanted) => Ok(wanted),
        (_, Some(scope)) => Err(scope.lacks(name)),
        ([only], None) => Ok(only.clone()),
        ([], None) => Err(format!("{name} is not a member of any workflow")),
        _ => Err(format!(
            "{name} is in several workflows: start with `agent-worker tui @WORKFLOW --as {name}`"
        )),
    }
}

/// The request that an answer is to; `None` if it was made for another view.
pub fn seen(app: &App, request: Request) -> Option<Request> {
    match (&app.model.view, request) {
        (Some(view), Request::As(target, inner)) if view.target() == target => Some(*inner),
        (_, Request::As(..)) => None,
        (Some(_), request) if !is_of_user(&request) => None,
        (_, request) => Some(request),
    }
}

/// In a view, everything is asked as its member.
pub fn asked(app: &App, effects: Vec<Effect>) -> Vec<Effect> {
    let Some(view) = &app.model.view else { return effects };
    let asked = |effect| match effect {
        Effect::Ask(request) if !is_of_user(&request) => {
            Effect::Ask(Request::As(view.target(), Box::new(request)))
        }
        other => other,
    };
    effects.into_iter().map(asked).collect()
}

/// Whether a request is the user's own in every view.
fn is_of_user(request: &Request) -> bool {
    request.is_change() || matches!(request, Request::As(..) | Request::Context(_))
}

/// Asks what the next run of the selected agent would be given.
pub fn next_prompt(app: &mut App) -> Vec<Effect> {
    let viewed = app.model.view.as_ref().map(|view| view.target());
    match app.selected_agent().filter(|target| app.model.sees_inside(target)).or(viewed) {
        Some(target) => {
            app.model.tell(format!("asking for the next prompt of {target}"));
            vec![Effect::Ask(Request::Context(target))]
        }
        None => app.model.warn("select an agent first"),
    }
}

/// Shows what the next run of an agent would be given.
pub fn context(app: &mut App, shown: &ContextShown) -> Vec<Effect> {
    let section = |section: &ContextSection| {
        let heading = section.heading.as_deref().unwrap_or("-");
        let chars = numbers::count(i64::try_from(section.chars).unwrap_or(i64::MAX));
        format!("{:<8} {chars:>9}  {heading}\n", section.part.as_str())
    };
    let sections: String = shown.sections.iter().map(section).collect();
    let part = |name: &str, text: &str| format!("\n{name}\n\n{}\n", text.trim_end());
    let system = shown.system.iter().map(|text| part("SYSTEM PROMPT", text));
    let prompt = part("PROMPT", &shown.prompt);
    let text = format!("{sections}{}{prompt}", system.collect::<String>());
    let title = format!(
        "next run of {}: {}, {}",
        shown.target,
        numbers::counted(shown.messages, "message", "messages"),
        numbers::counted(shown.chars, "character", "characters")
    );
    app.model.prompt.notice = None;
    app.open(Window::pager(title, &text))
}
