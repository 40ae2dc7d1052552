//! What becomes of everything when something comes in. No I/O, no clock: what is to be done is
//! answered as effects.

use agent_worker_protocol::{OutputEvent, RunId};

use super::{
    App, act, answer, compose, feed, go, kept, keys, mouse, msg::Msg, show, side_panel, timers,
    tree, view,
};
use crate::{
    action::Action,
    clipboard::Taken,
    keys::Context,
    model::{Act, Effect, Focus, Item, Outside, Place, Purpose, Reach, Record},
    overlays::choices::place_name,
    panes::{conversation::scroll, documents},
    symbols::{Set, Symbols},
};

/// Takes what came in.
pub fn update(app: &mut App, now: i64, msg: Msg) -> Vec<Effect> {
    app.model.now = now;
    let mut effects = match msg {
        Msg::Key(key) => keys::key(app, key),
        Msg::Burst(keys) => keys::burst(app, &keys),
        Msg::Paste(text) => keys::paste(app, &text),
        Msg::Mouse(mouse) => mouse::mouse(app, mouse),
        Msg::Resize(width, height) => {
            app.model.display.size = (width, height);
            Vec::new()
        }
        Msg::Focus(has_focus) => {
            app.model.display.has_focus = has_focus;
            read(app)
        }
        Msg::Background(is_light) => {
            app.model.display.look.theme.on_light = is_light;
            Vec::new()
        }
        Msg::WideSymbols => {
            if app.model.display.look.symbols.set == Set::Unicode
                && app.model.settings.chosen.has_free_symbols()
            {
                app.model.display.look.symbols = Symbols::of(Set::Narrow);
            }
            Vec::new()
        }
        Msg::Tick => timers::tick(app),
        Msg::TurnedTo(turn) => tree::turned_to(app, *turn),
        Msg::Reach(reach, host) => reached(app, reach, host),
        Msg::Feed(item) => feed::hear(app, item),
        Msg::FeedEnded(error) => feed::ended(app, error),
        Msg::Snapshot(answer) => feed::loaded(app, answer),
        Msg::RetryIn(left) => {
            app.model.connection.retry_at = Some(now + left);
            Vec::new()
        }
        Msg::Copied(taken, count, file) => copied(app, taken, count, &file),
        Msg::Output(run, event) => output(app, run, event),
        Msg::Answer(request, answer) => match view::seen(app, *request) {
            Some(request) => answer::take(app, &request, answer),
            None => Vec::new(),
        },
        Msg::Saved(purpose, text) => compose::saved(app, &purpose, &text),
        Msg::AlsoOpen(purpose) => {
            app.model.tell(format!("{purpose} is also open elsewhere: each keeps its own text"))
        }
        Msg::Left(texts) => left(app, texts),
        Msg::NotSaved(problem) => app.model.warn(problem),
        Msg::DraftNotSaved(purpose, problem) => compose::not_saved(app, purpose, problem),
        Msg::NotStarted(problem) => {
            app.model.warn(format!("the daemon was not started: {problem}"))
        }
        Msg::Outside(outside, result) => came_back(app, outside, result),
    };
    effects.extend(read(app));
    effects.extend(show::asked(app));
    effects.extend(show::followed(app));
    view::asked(app, effects)
}

/// A run goes on.
fn output(app: &mut App, run: RunId, event: OutputEvent) -> Vec<Effect> {
    side_panel::settle(app);
    app.panes.run.output(&mut app.model, run, event)
}

/// What another control room has left can be sent from here.
fn left(app: &mut App, texts: Vec<(Purpose, String)>) -> Vec<Effect> {
    let sent = app.model.key_in(&[Context::Composer], Action::Sent);
    let purposes: Vec<_> = texts.iter().map(|(purpose, _)| purpose.to_string()).collect();
    app.model.tell(format!(
        "{sent} in an empty box brings what another control room left for {}",
        purposes.join(", ")
    ));
    texts.into_iter().map(|(_, text)| compose::offer(app, text, Record::Sent)).collect()
}

fn copied(app: &mut App, taken: Taken, count: usize, file: &str) -> Vec<Effect> {
    app.model.tell(match taken {
        Taken::Yes => format!("copied {count} characters"),
        Taken::Unsaid => format!(
            "kept in {file}: {count} characters sent, this terminal does not say if it copied"
        ),
        Taken::TooLong => format!("kept in {file}: too long for the clipboard"),
    })
}

fn reached(app: &mut App, reach: Reach, host: Option<String>) -> Vec<Effect> {
    if let Some(host) = host {
        app.model.connection.host = host;
    }
    if app.model.is_live() && matches!(reach, Reach::Nobody { .. }) {
        app.model.connection.as_of = app.model.now;
    }
    // That it is being started is told no longer.
    if let (Reach::Nobody { is_starting: true, .. }, Reach::Found) =
        (&app.model.connection.reach, &reach)
    {
        app.model.prompt.notice.take_if(|told| !told.is_error);
    }
    app.model.connection.reach = reach;
    Vec::new()
}

fn came_back(app: &mut App, outside: Outside, result: Result<String, String>) -> Vec<Effect> {
    match (outside, result) {
        (_, Err(problem)) => app.model.warn(problem),
        (Outside::Message(_), Ok(text)) => compose::edited(app, &text),
        (Outside::Document { scope, file, version, text }, Ok(edited)) => {
            documents::edited(&mut app.model, scope, file, version, &text, edited)
        }
        (Outside::Look(_), Ok(_)) => Vec::new(),
        (Outside::Program { run, by_hand, .. }, Ok(_)) => {
            app.model.tell(format!("back from {}, the program of {run}", by_hand.program))
        }
    }
}

/// Tells the daemon what was read.
fn read(app: &mut App) -> Vec<Effect> {
    let is_covered = !app.overlays.is_empty();
    scroll::read(&mut app.model, is_covered)
}

impl App {
    /// Performs effects until only those for the event loop are left.
    pub fn perform(&mut self, wanted: Vec<Effect>) -> Vec<Effect> {
        wanted.into_iter().flat_map(|effect| self.performed(effect)).collect()
    }

    fn performed(&mut self, effect: Effect) -> Vec<Effect> {
        match effect {
            Effect::Go(place, item) => self.go_to(place, item),
            Effect::Open(window) => self.open(window),
            Effect::Act(act) => act::ask(self, act),
            Effect::Settle(act) => self.settle(act),
            Effect::Perform(act) => act::perform(self, act),
            Effect::Do(action) => act::act(self, action),
            Effect::Write(address, text, to) => compose::write(self, address, &text, to),
            Effect::SaveLayout(name) => kept::save(self, name),
            Effect::Arrange(name) => kept::arrange(self, &name),
            Effect::Retarget(address) => compose::retarget(self, address),
            other => vec![other],
        }
    }

    fn go_to(&mut self, place: Place, item: Option<Item>) -> Vec<Effect> {
        if !self.model.exists(&place.subject) {
            return self.model.warn(format!("{} is gone", place_name(&place)));
        }
        if let Some(item) = item {
            self.panes.of_mut(place.tab).go_to(&mut self.model, &place.subject, item);
        }
        let effects = go::go(self, place);
        self.model.selection.focus = Focus::Main;
        effects
    }

    /// Asks before what an overlay is about, in its tier, or does it: then the overlay goes away.
    fn settle(&mut self, act: Act) -> Vec<Effect> {
        if !self.model.may_act() {
            return Vec::new();
        }
        [self.close(), act::ask(self, act)].concat()
    }
}
