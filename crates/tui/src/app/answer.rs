//! What the daemon answered.

use agent_worker_protocol::{Conversation, ResourceText};

use super::{App, compose, go, show, side_panel, view};
use crate::{
    action::Action,
    model::{Act, Answer, Effect, Place, Reply, Request, RequestError, Subject, Window},
    panes::run,
};

/// Handles the answer to a request.
pub fn take(app: &mut App, request: &Request, answer: Answer) -> Vec<Effect> {
    match (request, answer) {
        (Request::Send(it), Ok(_)) => compose::stored(app, &it.address, &it.key),
        (Request::Send(it), Err(trouble)) => compose::failed(app, &it.address, &it.key, trouble),
        (Request::Act(act), answer) => done(app, act, answer),
        (Request::Start { .. } | Request::New { .. }, answer) => made(app, request, answer),
        (Request::Files, answer) => {
            if let (Ok(Reply::Files(files)), Some(overlay)) = (answer, app.overlays.last_mut()) {
                overlay.take_files(files);
            }
            Vec::new()
        }
        (Request::Why(_), Ok(Reply::Why(explanation))) => app.open(Window::Why(explanation)),
        (Request::Why(subject), Err(trouble)) => refused(app, format!("why {subject}"), trouble),
        (Request::Message(id), Ok(Reply::Message(detail))) => {
            app.model.known.messages.load(*id, *detail);
            Vec::new()
        }
        (Request::Message(id), Err(trouble)) => {
            app.model.known.messages.fail(id);
            app.model.not_loaded(&trouble)
        }
        (Request::Search(text, next), Ok(Reply::Hits(hits))) => {
            app.panes.search.loaded(&app.model, text, *next, hits)
        }
        (Request::Search(text, next), Err(trouble)) => {
            app.panes.search.failed(&mut app.model, text, *next, &trouble)
        }
        (Request::Groups, answer) => {
            let own = match answer {
                Ok(Reply::Groups(groups)) => Some(groups.groups),
                _ => None,
            };
            let view = app.model.view.as_mut();
            let effects = view.map_or_else(Vec::new, |view| view.take(own));
            app.model.renew_view();
            effects
        }
        (Request::Context(_), Ok(Reply::Context(shown))) => view::context(app, &shown),
        (Request::Context(target), Err(trouble)) => {
            refused(app, format!("next prompt of {target}"), trouble)
        }
        (Request::Attach(_), Ok(Reply::Run(detail))) => {
            run::attach::attached(&mut app.model, *detail)
        }
        (Request::Beside { run, by_hand, cwd, .. }, Ok(Reply::Run(other))) => {
            run::attach::beside(&mut app.model, *run, by_hand, cwd.clone(), &other)
        }
        (Request::Attach(run) | Request::Beside { run, .. }, Err(trouble)) => {
            refused(app, format!("attach to {run}"), trouble)
        }
        (Request::Resource(_, _, find), Ok(Reply::Resource(text))) => whole(app, &text, find),
        (request, answer) => of_pane(app, request, answer),
    }
}

/// The whole of a long text is there: it is shown from the first match of `find` on.
fn whole(app: &mut App, text: &ResourceText, find: &str) -> Vec<Effect> {
    let more = if text.more { ", not all of it" } else { "" };
    let title = format!("{} ({} characters{more})", text.id, text.chars);
    app.open(Window::finding(title, &text.content, find))
}

/// An answer to what a pane asked.
fn of_pane(app: &mut App, request: &Request, answer: Answer) -> Vec<Effect> {
    let is_good = answer.is_ok();
    let Some(pane) = app.panes.asker(request) else {
        if let Err(trouble) = answer {
            app.model.not_loaded(&trouble);
        }
        return Vec::new();
    };
    let effects = pane.on_answer(&mut app.model, request, answer);
    let mut effects = app.perform(effects);
    if let Request::Queue(target) = request
        && is_good
        && app.model.known.inboxes.get(target).is_some_and(|boxes| !boxes.queue.is_there())
    {
        effects.extend(side_panel::shown(app));
    }
    effects
}

fn done(app: &mut App, act: &Act, answer: Answer) -> Vec<Effect> {
    match answer {
        Ok(reply) => {
            app.model.tell(match (reply, act) {
                (Reply::Done(Some(words)), _) => words,
                (_, Act::Stop(targets)) if targets.len() == 1 => {
                    format!("{}   {} starts it again", act.done(), app.model.key(Action::Start))
                }
                _ => act.done(),
            });
            if let Act::CreateGroup(scope, group) = act {
                let talk = Conversation::Group(group.name.clone());
                let subject = Subject::Talk(scope.clone(), talk);
                app.model.selection.awaited = Some(Place::of(subject));
                return go::arrive(app);
            }
        }
        Err(trouble) => {
            if let Act::Stop(targets) = act {
                for target in targets {
                    app.model.progress.stopping.remove(target);
                }
            }
            let what = format!("{} {}", act.verb(), act.object());
            let text = act.purpose().map(|purpose| app.model.writing.drafts.text(purpose));
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                let title = format!("{what}: your text, which was not sent");
                let window = Window::pager(title, text);
                app.open(window);
            }
            return refused(app, what, trouble);
        }
    }
    let forgotten = app.model.writing.drafts.forget(|it| act.purpose().as_ref() == Some(it));
    [forgotten, show::shown(app)].concat()
}

/// Takes the answer to a form, which goes away once it is done. What else lies over the panes
/// stays, and so does the place below it.
fn made(app: &mut App, request: &Request, answer: Answer) -> Vec<Effect> {
    let reply = match answer {
        Ok(reply) => reply,
        Err(trouble) => {
            let what = match request {
                Request::New { name, .. } => format!("create {name}"),
                _ => "start".to_owned(),
            };
            return refused(app, what, trouble);
        }
    };
    app.overlays.retain(|overlay| !overlay.has_asked(request));
    match reply {
        Reply::Started(started) => {
            let scope = started.workflow.scope.clone();
            app.model.tell(format!("started {}", scope.key()));
            if !app.overlays.is_empty() {
                return Vec::new();
            }
            app.model.selection.awaited = Some(Place::of(Subject::Workflow(scope)));
            go::arrive(app)
        }
        Reply::Done(Some(words)) => app.model.tell(words),
        _ => Vec::new(),
    }
}

/// Shows a refusal whole. What was told when it was asked for does not hold any more.
fn refused(app: &mut App, what: String, trouble: RequestError) -> Vec<Effect> {
    app.model.prompt.notice.take_if(|notice| !notice.is_error);
    app.open(Window::Refused(what, trouble))
}
