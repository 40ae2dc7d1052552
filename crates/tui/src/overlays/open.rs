//! Which overlay a window is.

use super::{
    confirm::Confirm, find::Find, form::Form, help::Help, keys::NewKey, line::Line, menu::Menu,
    message::Detail, notice::Message, overlay::Overlay, pager::Pager, palette::Picker, peek::Peek,
    question::Asked, vote::Vote,
};
use crate::{
    model::{Model, Possible, Window},
    panes::Panes,
};

/// The overlay of a window; none where there is nothing to show.
pub fn open(
    window: Window,
    model: &Model,
    panes: &Panes,
    possible: &Possible,
) -> Option<Box<dyn Overlay>> {
    Some(match window {
        Window::Help => Box::new(Help::new(model, possible)),
        Window::Palette => Box::new(Picker::palette(model, possible)),
        Window::Jump => Box::new(Picker::jump(model)),
        Window::Menu => Box::new(Menu::new(model, possible)),
        Window::Filters => Box::new(Picker::filter(model, panes)?),
        Window::Blocks(blocks) => Box::new(Picker::blocks(blocks)),
        Window::Retarget => Box::new(Picker::retarget(model)),
        Window::TreeFilter => Box::new(Form::filter(model)),
        Window::SearchConversation(find) => Box::new(Form::search(&find)),
        Window::FilterTable(fields) => Box::new(Line::filter(model, fields)),
        Window::Sort(fields) => Box::new(Picker::sort(model, fields)),
        Window::Columns(marked) => Box::new(Picker::columns(model, panes, marked)?),
        Window::Bookmarks => Box::new(Picker::bookmarks(model)),
        Window::Layouts => Box::new(Picker::layouts(model)),
        Window::NameLayout(old) => Box::new(Line::layout(old)),
        Window::Settings(marked) => Box::new(Picker::settings(model, marked)),
        Window::Keys(marked) => Box::new(Picker::keys(model, marked)),
        Window::NewKey(at) => Box::new(NewKey::new(at)),
        Window::Moment => Box::new(Line::moment()),
        Window::SearchPane => Box::new(Form::search_pane(model)),
        Window::SearchAll => Box::new(Find::new(&panes.search)),
        Window::Start => Box::new(Form::start(model)),
        Window::NewAgent => Box::new(Form::new_agent(model.scope())),
        Window::NewGroup(scope, names) => Box::new(Form::new_group(scope, &names)),
        Window::AddToGroup(scope, name) => Box::new(Form::add_to_group(scope, name)),
        Window::Schedule(schedule) => Box::new(Form::schedule(&schedule)),
        Window::NewSchedule(of) => Box::new(Form::new_schedule(of.as_ref())),
        Window::Confirm(act) => Box::new(Confirm::new(model, act)),
        Window::Question(question) => Box::new(Asked::new(model, question)),
        Window::Vote(proposal) => Box::new(Vote::new(model, proposal)),
        Window::Pager { title, text, find } => {
            Box::new(Pager::new(title, &text).finding(model, &find))
        }
        Window::Refused(what, trouble) => Box::new(Message::refused(&what, trouble)),
        Window::NotSaved(scope, file, trouble) => {
            Box::new(Message::not_saved(model, scope, file, trouble))
        }
        Window::NotSent(address, text, trouble) => {
            Box::new(Message::not_sent(model, &address, &text, trouble))
        }
        Window::Why(explanation) => Box::new(Message::why(model, &explanation)),
        Window::Connection => Box::new(Message::connection(model)),
        Window::Rows(title, rows) => Box::new(Message::rows(title, rows)),
        Window::Message(id, message) => Box::new(Detail::new(id, message)),
        Window::Peek(target) => Box::new(Peek::new(target)),
    })
}
