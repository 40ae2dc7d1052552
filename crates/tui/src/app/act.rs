//! What an action does.

use agent_worker_protocol::{AgentState, Scope, Target};

use super::{
    App,
    allowed::{allowed, marked},
    compose, go,
    moving::moving,
    selected, show, side_panel, tree, view,
};
use crate::{
    action::Action,
    model::{
        Act, Address, Effect, Focus, NavId, Reach, Request, RequestError, Tab, Window,
        acts::{Question, Tier},
        needs, refusal, words,
    },
    overlays,
    parts::list,
    text::fenced::blocks,
};

/// Does an action where the person is.
pub fn act(app: &mut App, action: Action) -> Vec<Effect> {
    if action.is_act() && app.model.settings.read_only {
        return app.model.warn("read-only: nothing was done");
    }
    if app.model.selection.focus == Focus::Nav
        && let Some(effects) = in_nav(app, action)
    {
        return effects;
    }
    if action == Action::Open && is_asked(app) {
        return answer(app);
    }
    if let Some(effects) = in_focused(app, action) {
        return app.perform(effects);
    }
    moving(app, action)
        .or_else(|| looking(app, action))
        .or_else(|| acting(app, action))
        .unwrap_or_default()
}

/// What an action does in the pane that has focus; none if it is not the pane's.
fn in_focused(app: &mut App, action: Action) -> Option<Vec<Effect>> {
    match app.model.selection.focus {
        Focus::Nav => None,
        Focus::Main => app.in_pane(|pane, model| pane.act(model, action)),
        Focus::Dock => side_panel::act(app, action),
    }
}

/// Whether the question that was gone to is what Enter means: no entry of the run is selected.
fn is_asked(app: &App) -> bool {
    app.model.selection.focus == Focus::Main
        && needs::of_line(&app.model, &app.model.selection.tree.selected).is_some()
        && !app.panes.run.has_selected(&app.model)
}

fn in_nav(app: &mut App, action: Action) -> Option<Vec<Effect>> {
    if let Some(by) = list::moved(action, tree::page(app)) {
        return Some(go::step(app, by));
    }
    Some(match action {
        Action::Open
            if needs::of_line(&app.model, &app.model.selection.tree.selected).is_some() =>
        {
            answer(app)
        }
        Action::Open => {
            if matches!(app.model.selection.tree.selected, NavId::Workflow(_) | NavId::Root(_))
                && tree::fold(app, true)
            {
                return Some(Vec::new());
            }
            app.model.selection.focus = Focus::Main;
            Vec::new()
        }
        Action::Right => {
            if !tree::fold(app, true) {
                app.model.selection.focus = Focus::Main;
            }
            Vec::new()
        }
        Action::Left => return Some(tree::up_or_fold(app)),
        Action::FoldAll => tree::fold_all(app),
        Action::Search => app.open(Window::TreeFilter),
        _ => return None,
    })
}

fn looking(app: &mut App, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Help => app.open(Window::Help),
        Action::Palette => app.open(Window::Palette),
        Action::Jump => app.open(Window::Jump),
        Action::Menu => app.open(Window::Menu),
        Action::Search => search(app),
        Action::Filter => filter(app),
        Action::FilterLine => arrange(app, Window::FilterTable),
        Action::Order => arrange(app, Window::Sort),
        Action::Columns => columns(app),
        Action::NextMatch => next_match(app, false),
        Action::PreviousMatch => next_match(app, true),
        Action::SearchAll => app.open(Window::SearchAll),
        Action::Peek => return Some(peek(app)),
        Action::Why => return Some(why(app)),
        Action::Zoom => {
            app.model.display.is_zoomed = !app.model.display.is_zoomed;
            vec![app.model.display.mouse()]
        }
        Action::View => view::turn(app),
        Action::NextPrompt => view::next_prompt(app),
        Action::Wrap => {
            app.model.display.is_cutting = !app.model.display.is_cutting;
            app.model.tell(if app.model.display.is_cutting {
                "long lines are cut"
            } else {
                "long lines wrap"
            })
        }
        Action::Refresh if app.model.is_live() => show::reload(app),
        Action::Refresh => {
            app.model.connection.retry_at = None;
            if refusal::of(&app.model).is_some() {
                app.model.tell("asking again");
            }
            vec![Effect::Retry]
        }
        Action::Connection => app.open(Window::Connection),
        Action::DaemonLog => selected::daemon_log(app),
        Action::Copy => copy(app),
        Action::CopyCode => copy_code(app),
        Action::Redraw => vec![Effect::Redraw],
        Action::Suspend => vec![Effect::Suspend],
        Action::Quit => leave(app, 0),
        Action::QuitHard => quit_hard(app),
        _ => return None,
    })
}

/// Asks how the shown table is filtered, or by what it is sorted.
fn arrange(app: &mut App, window: impl FnOnce(&'static [&'static str]) -> Window) -> Vec<Effect> {
    match app.pane().fields(&app.model) {
        [] => app.model.tell(format!("not a table: {} searches", app.model.key(Action::Search))),
        fields => app.open(window(fields)),
    }
}

/// Asks which columns of the shown table are shown.
fn columns(app: &mut App) -> Vec<Effect> {
    match app.pane().columns() {
        [] => app.model.tell("no columns to choose here"),
        _ => app.open(Window::Columns(None)),
    }
}

/// Opens the menu of what the shown pane can be filtered to.
fn filter(app: &mut App) -> Vec<Effect> {
    if app.pane().filters(&app.model).is_some() {
        return app.open(Window::Filters);
    }
    app.model.tell(format!("nothing is filtered here: {} searches", app.model.key(Action::Search)))
}

/// Goes to the next line of the shown pane that matches what is searched for.
fn next_match(app: &mut App, back: bool) -> Vec<Effect> {
    let effects = app.panes.next_match(&mut app.model, back);
    app.perform(effects)
}

/// Searches the shown pane.
fn search(app: &mut App) -> Vec<Effect> {
    app.model.selection.focus = Focus::Main;
    app.open(Window::SearchPane)
}

fn quit_hard(app: &mut App) -> Vec<Effect> {
    if app.model.prompt.leaving.is_some() {
        return leave(app, 130);
    }
    app.model.prompt.leaving = Some(app.model.now);
    app.model.tell(format!("{} again quits", app.model.key(Action::QuitHard)))
}

/// Leaves; what was written is kept first.
pub fn leave(app: &mut App, code: i32) -> Vec<Effect> {
    [compose::keep(app), app.keep_written(), vec![Effect::Quit(code)]].concat()
}

fn why(app: &mut App) -> Vec<Effect> {
    // Of a failed setup no agent of the pane beside it says more.
    let failed = needs::failed_of(&app.model.selection.tree.selected).map(ToOwned::to_owned);
    let agent = || app.selected_agent().map(|target| target.to_string());
    let scope = || app.model.place.subject.scope().map(ToString::to_string);
    let Some(subject) = failed.or_else(agent).or_else(scope) else {
        return app.model.warn("select an agent or a workflow first");
    };
    vec![Effect::Ask(Request::Why(subject))]
}

fn acting(app: &mut App, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Write => write(app),
        Action::Message => message(app),
        Action::Start => start(app),
        Action::New => new(app),
        Action::NewGroup => {
            let (scope, names) = app.model.new_group();
            app.open(Window::NewGroup(scope, names))
        }
        Action::Mark => return Some(selected::mark(app)),
        Action::Answer => answer(app),
        Action::Attach => selected::attach(app),
        action if action.is_of_selected() => match allowed(app, action) {
            Ok(act) => ask(app, act),
            Err(problem) => app.model.warn(problem),
        },
        _ => return None,
    })
}

/// Opens what an agent asks, or what waits for a vote.
fn answer(app: &mut App) -> Vec<Effect> {
    let is_on_vote = needs::proposal_of(&app.model, &app.model.selection.tree.selected).is_some();
    if let Some(question) = app.question().filter(|_| !is_on_vote).cloned() {
        return app.open(Window::Question(Box::new(question)));
    }
    match app.vote().cloned() {
        Some(proposal) => app.open(Window::Vote(Box::new(proposal))),
        None => app.model.warn("no open question or vote here"),
    }
}

/// Opens the box for what is shown.
fn write(app: &mut App) -> Vec<Effect> {
    match Address::of(&app.model.place.subject, &app.model.settings.identity) {
        Some(address) if app.model.may_write(&address) => compose::open(app, address),
        Some(_) => app.model.warn(words::members_only(&app.model)),
        None => app.model.warn("nothing is written to here: select a channel or an agent"),
    }
}

/// Writes to the marked agents, or to the selected one.
fn message(app: &mut App) -> Vec<Effect> {
    let marked = marked(app);
    let Some(first) = marked.first().cloned().or_else(|| app.selected_agent()) else {
        return app.model.warn("select an agent first");
    };
    if marked.len() < 2 {
        return compose::open(app, Address::Agent(first));
    }
    let scope = first.scope_or(&Scope::global());
    if marked.iter().any(|target| target.scope_or(&Scope::global()) != scope) {
        return compose::open(app, Address::Each(marked));
    }
    let names = marked.iter().filter_map(|target| target.name.as_ref());
    let names = names.fold(String::new(), |text, name| text + "@" + name.as_str() + " ");
    let mut effects = compose::open(app, Address::Channel(scope));
    if app.model.writing.composer.is_open && app.model.writing.composer.is_blank() {
        effects.extend(compose::paste(app, &names));
    }
    effects
}

/// A new agent; where members of a group are shown, more of them.
fn new(app: &mut App) -> Vec<Effect> {
    let group = app.model.shown_group().filter(|_| app.model.place.tab == Tab::Members);
    match group.map(|(group, name)| (group.scope.clone(), name.clone())) {
        Some((scope, name)) => app.open(Window::AddToGroup(scope, name)),
        None => app.open(Window::NewAgent),
    }
}

fn start(app: &mut App) -> Vec<Effect> {
    if let Some(error) = refusal::of(&app.model) {
        return app.model.warn(format!("a daemon runs: {error}"));
    }
    if !app.model.is_live() && is_lost(app) {
        return perform(app, Act::StartDaemon);
    }
    if let Ok(act) = allowed(app, Action::Start) {
        return ask(app, act);
    }
    let connection = &app.model.connection;
    if connection.is_remote {
        let message = format!("its folder must be on {}", connection.host);
        let command = connection.at_its_machine("agent-worker start FILE -d");
        let trouble = RequestError::with_command(message, command);
        return app.open(Window::Refused("start a workflow".to_owned(), trouble));
    }
    [app.open(Window::Start), vec![Effect::Ask(Request::Files)]].concat()
}

/// Whether a daemon has to be started before anything else can be.
fn is_lost(app: &App) -> bool {
    use agent_worker_client::mirror::Connection;
    matches!(app.model.connection.reach, Reach::Nobody { .. })
        || !app.model.has_picture()
        || matches!(app.model.connection.feed.connection(), Connection::Reconnecting { .. })
}

/// Asks before an act, in its tier; without a connection nothing is done.
pub fn ask(app: &mut App, act: Act) -> Vec<Effect> {
    if !app.model.is_live() && act != Act::StartDaemon {
        return app.model.warn("not connected: nothing was done");
    }
    match act.tier() {
        Tier::Line if app.model.settings.chosen.asks() => {
            app.model.prompt.notice = None;
            app.model.prompt.question = Some(Question::of(&app.model, act));
            Vec::new()
        }
        Tier::Free | Tier::Line => perform(app, act),
        Tier::Dialog => app.open(Window::Confirm(act)),
    }
}

/// Does what was asked about.
pub fn perform(app: &mut App, act: Act) -> Vec<Effect> {
    if act == Act::StartDaemon {
        app.model.tell("starting the daemon");
        return vec![Effect::StartDaemon];
    }
    if !app.model.is_live() {
        return app.model.warn("not connected: nothing was done");
    }
    if let Act::Stop(targets) = &act {
        for target in targets {
            app.model.progress.stopping.entry(target.clone()).or_insert(app.model.now);
        }
    }
    app.model.selection.marked.clear();
    app.model.selection.marked_messages.clear();
    vec![Effect::Ask(Request::Act(act))]
}

/// Copies what is selected.
fn copy(app: &mut App) -> Vec<Effect> {
    let text = app.pane().copied(&app.model, app.selected_agent());
    match text.or_else(|| app.model.place.subject.scope().map(ToString::to_string)) {
        Some(text) => vec![Effect::Copy(text)],
        None => app.model.tell("nothing is selected"),
    }
}

/// Copies a code block of what is selected.
fn copy_code(app: &mut App) -> Vec<Effect> {
    let text = app.pane().copied(&app.model, app.selected_agent()).unwrap_or_default();
    match Effect::copy_code(blocks(&text)) {
        Some(effect) => app.perform(vec![effect]),
        None => app.model.tell("no code block here"),
    }
}

/// Looks at what the selected agent does, or else the first that is at work here, over everything.
fn peek(app: &mut App) -> Vec<Effect> {
    let own = app.model.scope();
    let is_at_work = |target: &Target| {
        let agent = app.model.mirror().agent(target);
        agent.is_some_and(|agent| agent.state == AgentState::Running && agent.scope == own)
    };
    let target = app.selected_agent().or_else(|| {
        let agents = overlays::peek::agents(&app.model);
        agents.iter().find(|target| is_at_work(target)).or(agents.first()).cloned()
    });
    let Some(target) = target else { return app.model.tell("no agent to peek at") };
    if !app.model.sees_inside(&target) {
        let name = app.model.person().clone();
        return app.model.tell(format!("{name} does not see inside {target}"));
    }
    let opened = app.open(Window::Peek(target.clone()));
    [opened, overlays::peek::ask(&mut app.model, &target)].concat()
}
