//! Sessions as text.

use agent_worker_client::text::Words as _;
use agent_worker_protocol::{Exchange, Session, SessionDetail, SessionKind, Sessions, Target};

use crate::{
    again,
    commands::{agent::text::session_text, run::by_hand},
    text::{Column, List, View, bold, dim, layout, line, or_dash, paragraphs},
};

/// Sessions of an agent.
pub fn table(view: &View, target: &Target, found: &Sessions) -> String {
    let columns: &[Column<'_, Session>] = &[
        ("SESSION", &|session| session.id.to_string()),
        ("KIND", &|session| session.kind.as_str().to_owned()),
        ("USED", &|session| view.clock.short(session.updated_at)),
        ("LENGTH", &session_text),
        ("TITLE", &|session| or_dash(session.title.as_deref().map(line))),
    ];
    let none = format!("no sessions of {target}");
    List::of(columns, &found.sessions).empty(&none).more(found.more).text(view)
}

/// A session, and what was asked and answered in it.
pub fn detail(view: &View, detail: &SessionDetail) -> String {
    let SessionDetail { session, by_hand, exchanges, more } = detail;
    // The command of a run enters its folder, where the program finds the session.
    let command = |by_hand| match exchanges.last() {
        Some(newest) => {
            again::command(&format!("agent-worker resume-in-terminal {} --exec", newest.run))
        }
        None => line(&by_hand::line(by_hand, None)),
    };
    let facts = layout::known_fields([
        ("title", session.title.as_deref().map(line)),
        ("agent", Some(session.agent.to_string())),
        ("kind", Some(session.kind.as_str().to_owned())),
        ("backend", Some(line(&session.backend))),
        ("length", Some(session_text(session))),
        ("began", Some(view.clock.exact(session.created_at))),
        ("by hand", by_hand.as_ref().map(command)),
    ]);
    let mut parts = vec![format!("{}\n{facts}", bold(&session.id.to_string()))];
    if *more {
        parts.push(dim("earlier runs are omitted: --limit"));
    }
    parts.extend(exchanges.iter().map(|exchange| one(view, exchange)));
    if session.kind == SessionKind::Chat {
        let resume = format!("agent-worker sessions resume {} MESSAGE", session.id);
        parts.push(dim(&again::command(&resume)));
    }
    parts.join("\n\n")
}

fn one(view: &View, exchange: &Exchange) -> String {
    let Exchange { run, kind, state, sender, asked, answer, started_at, .. } = exchange;
    let at = view.clock.exact(*started_at);
    let head = dim(&format!("── {run} · {} · {} · {at} ──", kind.as_str(), state.word().text));
    let said = |who: &str, text: &str| format!("{} {}", bold(&format!("{who}:")), paragraphs(text));
    let asked = asked.as_deref().zip(sender.as_ref());
    let lines = [
        Some(head),
        asked.map(|(text, sender)| said(sender.as_str(), text)),
        answer.as_deref().map(|text| said("answer", text)),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}
