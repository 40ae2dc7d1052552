//! What can be chosen by typing: commands, acts, and everything with a name.

use agent_worker_protocol::{AgentState, Conversation, MemberKind, Scope};

use crate::{
    action::Action,
    keys,
    model::{
        Act, Address, Effect, Focus, Item, Model, NavId, Place, Possible, Record, Sort, Subject,
        Tab, Window, layouts::Bookmark, tree_lines, words,
    },
    panes::Panes,
};

/// What a line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Do(Action),
    /// An act on something that is named.
    Act(Act),
    Go(Place),
    /// Brings another daemon onto the screen, with this line of its tree.
    TurnTo(usize, NavId),
    /// Shows one of the things of a tab.
    Item(Place, Item),
    /// Moves the text to another address.
    Retarget(Address),
    /// Puts a text on the clipboard.
    Copy(String),
    /// Sorts the shown table; by nothing if `None`.
    Sort(Option<&'static str>),
    /// Hides this column of the shown table, or shows it.
    Column(&'static str),
    Bookmark(Bookmark),
    RemoveBookmark(Bookmark),
    /// Opens the saved layout of this name.
    Arrange(String),
    /// Asks for a name for the layout of the screen, or another one for this saved one.
    NameLayout(Option<String>),
    RemoveLayout(String),
    /// Gives this setting its next value.
    Setting(&'static str, &'static [&'static str]),
    /// Asks for another key for this row of the table.
    Key(usize),
    /// Lists every key.
    Keys,
    /// Shows only this of the pane's kinds.
    Filter(usize),
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub label: String,
    /// What it is found by as well
    pub words: String,
    /// The key that does the same
    pub key: Option<String>,
    /// The same in a shell
    pub shell: Option<String>,
    pub choice: Choice,
}

pub(super) fn entry(label: String, choice: Choice) -> Entry {
    Entry { label, words: String::new(), key: None, shell: None, choice }
}

/// Commands of the table that do something here: those of what has focus first.
pub(super) fn commands(
    model: &Model,
    possible: &Possible,
    is_wanted: impl Fn(&keys::Binding) -> bool,
) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for context in model.contexts() {
        for row in keys::rows(context).filter(|row| is_wanted(row)) {
            let is_there = entries.iter().any(|entry| entry.choice == Choice::Do(row.action));
            let is_own = matches!(row.action, Action::Palette | Action::Back);
            if is_there || is_own {
                continue;
            }
            let Some(about) = possible.get(row.action) else { continue };
            entries.push(Entry {
                label: match about {
                    Some(about) => format!("{} {}", about.verb(), about.object()),
                    None => row.does.to_owned(),
                },
                words: words_of(row.action),
                key: model.settings.keymap.shown(row),
                shell: about.map(|act| model.connection.in_shell(&act.shell())),
                choice: Choice::Do(row.action),
            });
        }
    }
    entries
}

/// All that the table says of an action, wherever it has a key.
fn words_of(action: Action) -> String {
    let rows = keys::BINDINGS.iter().filter(|row| row.action == action);
    let words = rows.flat_map(|row| [row.label, row.does, row.words, row.id]);
    words.collect::<Vec<_>>().join(" ")
}

/// Acts on every agent and workflow by name.
pub(super) fn acts(model: &Model) -> Vec<Entry> {
    if model.settings.read_only || !model.is_live() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for agent in model.mirror().agents().filter(|agent| agent.kind != MemberKind::Person) {
        let target = &agent.target;
        match agent.state {
            AgentState::Stopped => {
                all.extend([Act::Resume(target.clone()), Act::Remove(target.clone())]);
            }
            AgentState::Paused => all.push(Act::Resume(target.clone())),
            _ => all.push(Act::Stop(vec![target.clone()])),
        }
        if matches!(agent.state, AgentState::Idle | AgentState::Backoff) {
            all.push(Act::Wake(vec![target.clone()]));
        }
    }
    for workflow in model.mirror().workflows().filter(|workflow| !workflow.scope.is_global()) {
        if workflow.state.is_live() {
            all.push(Act::StopWorkflow(workflow.scope.clone()));
        } else if workflow.state.can_resume() {
            all.push(Act::ResumeWorkflow(workflow.scope.clone()));
        }
    }
    all.into_iter().map(|act| act_entry(model, act)).collect()
}

fn act_entry(model: &Model, act: Act) -> Entry {
    let noun = match &act {
        Act::Stop(_) | Act::Wake(_) | Act::Resume(_) | Act::Remove(_) => "agent ",
        _ => "",
    };
    let label = format!("{} {noun}{}", act.verb(), act.object());
    let shell = Some(model.connection.in_shell(&act.shell()));
    Entry { shell, ..entry(label, Choice::Act(act)) }
}

pub(super) fn agents(model: &Model) -> Vec<agent_worker_protocol::Target> {
    let agents = model.mirror().agents().filter(|agent| agent.kind != MemberKind::Person);
    agents.map(|agent| agent.target.clone()).collect()
}

/// Words by which what is shown is asked for.
const GO: &str = "go to open show";

/// Everything with a name, where the person was last first.
pub(super) fn places(model: &Model) -> Vec<Entry> {
    let mut places: Vec<Place> = model.selection.trail.0.iter().rev().cloned().collect();
    places.push(Place::of(Subject::All));
    let workflows = model.mirror().workflows();
    places.extend(workflows.map(|one| Place::of(Subject::Workflow(one.scope.clone()))));
    places.extend(agents(model).into_iter().map(|target| Place::of(Subject::Agent(target))));
    for group in model.mirror().groups() {
        if group.name.is_group() || group.messages > 0 && group.name != Conversation::Channel {
            places.push(Place::of(Subject::Talk(group.scope.clone(), group.name.clone())));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    places.retain(|place| model.exists(&place.subject) && seen.insert(place.subject.clone()));
    let named = |place: Place| entry(subject_name(&place.subject), Choice::Go(place));
    let named = places.into_iter().map(named).map(|entry| Entry { words: GO.to_owned(), ..entry });
    let mut entries: Vec<Entry> = named.collect();
    let own = &model.place.subject;
    entries.extend(own.tabs().iter().map(|tab| tab_entry(own.clone(), *tab)));
    let channels = channels(model).into_iter();
    entries.extend(channels.map(|channel| tab_entry(channel, Tab::Channel)));
    for document in model.mirror().documents() {
        let choice = item(&document.scope, Tab::Documents, Item::Document(document.file.clone()));
        let label = format!("{} in {}", document.file, document.scope.key());
        entries.push(Entry { words: "document".to_owned(), ..entry(label, choice) });
    }
    for proposal in model.mirror().proposals() {
        let choice = item(&proposal.scope, Tab::Proposals, Item::Proposal(proposal.id));
        let label = format!("{} {} in {}", proposal.id, proposal.title, proposal.scope.key());
        entries.push(Entry { words: "proposal vote".to_owned(), ..entry(label, choice) });
    }
    for schedule in model.mirror().schedules() {
        let choice = item(&schedule.scope, Tab::Schedules, Item::Schedule(schedule.id));
        let label = format!("schedule {} of {}", schedule.name, schedule.agent);
        entries.push(Entry { words: schedule.spec.to_string(), ..entry(label, choice) });
    }
    entries.extend(elsewhere(model));
    entries
}

fn item(scope: &Scope, tab: Tab, item: Item) -> Choice {
    Choice::Item(Place::at(Subject::Workflow(scope.clone()), tab), item)
}

/// A tab of a subject.
fn tab_entry(subject: Subject, tab: Tab) -> Entry {
    let more = match tab {
        Tab::Documents => "documents",
        Tab::Agents => "list",
        _ => "",
    };
    let words = format!("{GO} tab {more}");
    let label = format!("{} of {}", tab.label().0, subject_name(&subject));
    Entry { words, ..entry(label, Choice::Go(Place::at(subject, tab))) }
}

/// The workflows whose channel is not a tab of what is shown; the shown one first.
fn channels(model: &Model) -> Vec<Subject> {
    let shown = &model.place.subject;
    let workflows = model.mirror().workflows();
    let subjects = workflows.map(|workflow| Subject::Workflow(workflow.scope.clone()));
    let mut subjects: Vec<Subject> =
        subjects.filter(|subject| subject != shown && model.exists(subject)).collect();
    subjects.sort_by_key(|subject| subject.scope() != shown.scope());
    subjects
}

/// Other daemons, and what has a name there.
fn elsewhere(model: &Model) -> Vec<Entry> {
    let roots = tree_lines::roots(model).into_iter();
    let others =
        roots.flat_map(|roots| roots.all.iter().enumerate().filter(|(at, _)| *at != roots.here));
    let mut entries = Vec::new();
    for (at, root) in others {
        let label = format!("daemon on {}", root.name);
        entries.push(entry(label, Choice::TurnTo(at, NavId::Root(at))));
        for line in root.lines.iter().map(|line| &line.line) {
            let (NavId::Workflow(_) | NavId::Agent(_) | NavId::Talk(..)) = line else { continue };
            let Some(place) = line.place(model) else { continue };
            let label = format!("{} on {}", subject_name(&place.subject), root.name);
            entries.push(entry(label, Choice::TurnTo(at, line.clone())));
        }
    }
    entries.into_iter().map(|entry| Entry { words: GO.to_owned(), ..entry }).collect()
}

/// What a place is called: its subject, and its tab unless that is the first.
pub fn place_name(place: &Place) -> String {
    let subject = subject_name(&place.subject);
    if place.tab == place.subject.tabs()[0] {
        return subject;
    }
    format!("{} of {subject}", place.tab.label().0)
}

fn subject_name(subject: &Subject) -> String {
    match subject {
        Subject::All => "everything".to_owned(),
        Subject::Workflow(scope) => format!("workflow {}", scope.key()),
        Subject::Agent(target) => format!("{} {target}", words::name(target)),
        Subject::Talk(scope, talk) => format!("{} {scope}", words::talk_name(talk)),
    }
}

/// Whether what was bookmarked can be selected still, as far as that is known here: a pane would
/// show another line in its place.
fn is_there(model: &Model, kept: &Bookmark) -> bool {
    let mirror = model.mirror();
    match (&kept.item, kept.place.subject.scope()) {
        (Some(Item::Document(file)), Some(scope)) => mirror.document(scope, file).is_some(),
        (Some(Item::Schedule(id)), _) => mirror.schedules().any(|schedule| schedule.id == *id),
        _ => true,
    }
}

/// Does what a line says.
pub(super) fn choose(model: &mut Model, panes: &mut Panes, choice: Choice) -> Vec<Effect> {
    vec![match choice {
        Choice::Do(action) => Effect::Do(action),
        Choice::Act(act) => Effect::Act(act),
        Choice::Go(place) => Effect::Go(place, None),
        Choice::TurnTo(daemon, line) => {
            model.selection.focus = Focus::Main;
            Effect::TurnTo(daemon, line)
        }
        Choice::Item(place, item) => Effect::Go(place, Some(item)),
        Choice::Sort(field) => return sort(model, panes, field),
        Choice::Column(name) => return column(model, name),
        Choice::Bookmark(one) if !is_there(model, &one) => {
            return model.warn(format!("{} is gone", one.label));
        }
        Choice::Bookmark(kept) => Effect::Go(kept.place, kept.item),
        Choice::RemoveBookmark(kept) => {
            model.tell(format!("no bookmark any more: {}", kept.label));
            model.selection.layout.turn_bookmark(kept);
            Effect::Store(Record::Layout(model.selection.layout.clone()))
        }
        Choice::Arrange(name) => Effect::Arrange(name),
        Choice::NameLayout(name) => Effect::Open(Window::NameLayout(name)),
        Choice::RemoveLayout(name) => {
            model.selection.layout.named.remove(&name);
            model.tell(format!("layout {name} is removed"));
            Effect::Store(Record::Layout(model.selection.layout.clone()))
        }
        Choice::Setting(name, values) => return setting(model, name, values),
        Choice::Keys => Effect::Open(Window::Keys(None)),
        Choice::Key(at) => Effect::Open(Window::NewKey(at)),
        Choice::Filter(at) => return panes.of_mut(model.place.tab).filter(model, at),
        Choice::Copy(text) => Effect::Copy(text),
        Choice::Retarget(address) => Effect::Retarget(address),
    }]
}

/// Sorts the shown table by a value, from the highest; the other way if it is sorted by that already.
pub fn sort(model: &mut Model, panes: &mut Panes, field: Option<&'static str>) -> Vec<Effect> {
    let tab = model.place.tab;
    let own = model.selection.sorts.remove(&tab);
    if let Some(field) = field {
        let is_down = own.filter(|own| own.field == field).is_none_or(|own| !own.is_down);
        model.selection.sorts.insert(tab, Sort { field, is_down });
    }
    panes.of_mut(tab).on_show(model)
}

/// Hides a column of the shown table, or shows it, and offers the others.
fn column(model: &mut Model, name: &'static str) -> Vec<Effect> {
    let layout = &mut model.selection.layout;
    layout.turn(model.place.tab, name);
    let kept = Record::Layout(layout.clone());
    vec![Effect::Store(kept), Effect::Open(Window::Columns(Some(name)))]
}

/// Gives a setting its next value, on the screen and in `config.toml`, and offers the others.
fn setting(model: &mut Model, name: &'static str, values: &[&str]) -> Vec<Effect> {
    let own = model.settings.chosen.value(name);
    let at = values.iter().position(|value| *value == own).map_or(0, |at| (at + 1) % values.len());
    model.settings.chosen.set(name, values[at]);
    let (chosen, environment) = (&model.settings.chosen, &model.settings.environment);
    let (look, before) = (chosen.look(environment), &mut model.display.look);
    let mut effects = vec![Effect::Store(Record::Setting(name, values[at].to_owned()))];
    match name {
        "theme" => before.theme.palette = look.theme.palette,
        "symbols" => before.symbols = look.symbols,
        "motion" => before.motion = look.motion,
        "mouse" => {
            model.display.has_mouse = chosen.takes_mouse(environment);
            effects.push(model.display.mouse());
        }
        _ => {}
    }
    effects.extend([Effect::Redraw, Effect::Open(Window::Settings(Some(name)))]);
    effects
}
