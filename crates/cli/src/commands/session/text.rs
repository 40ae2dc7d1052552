//! Sessions as text.

use agent_worker_client::{Sanitized, text::Words as _};
use agent_worker_protocol::{
    session::{Exchange, Session, SessionDetail, SessionKind, Sessions},
    target::Target,
};

use crate::{
    again,
    commands::{agent::text::session_text, run::by_hand},
    text::{List, View, bold, dim, layout, line},
};

/// Sessions of an agent.
pub fn table(view: &View, target: &Target, found: &Sessions) -> String {
    let rows = found.sessions.iter().map(|session| {
        vec![
            session.id.to_string(),
            session.kind.as_str().to_owned(),
            view.clock.short(session.updated_at),
            session_text(session),
            title(session),
        ]
    });
    let header = ["SESSION", "KIND", "USED", "LENGTH", "TITLE"];
    let none = format!("no sessions of {target}");
    List::new(&header, rows).empty(&none).more(found.more).text(view)
}

fn title(session: &Session) -> String {
    session.title.as_deref().map_or_else(|| "-".to_owned(), line)
}

/// A session, and what was asked and answered in it.
pub fn detail(view: &View, detail: &SessionDetail) -> String {
    let SessionDetail { session, by_hand, exchanges, more } = detail;
    let mut pairs = vec![
        ("agent", session.agent.to_string()),
        ("kind", session.kind.as_str().to_owned()),
        ("backend", line(&session.backend)),
        ("length", session_text(session)),
        ("began", view.clock.exact(session.created_at)),
    ];
    if session.title.is_some() {
        pairs.insert(0, ("title", title(session)));
    }
    if let Some(by_hand) = by_hand {
        // The command of a run enters its folder, where the program finds the session.
        let command = match exchanges.last() {
            Some(newest) => {
                let resume = format!("agent-worker resume-in-terminal {} --exec", newest.run);
                again::command(&resume)
            }
            None => line(&by_hand::line(by_hand, None)),
        };
        pairs.push(("by hand", command));
    }
    let mut parts = vec![format!("{}\n{}", bold(&session.id.to_string()), layout::fields(&pairs))];
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
    let said = |who: &str, text: &str| {
        format!("{} {}", bold(&format!("{who}:")), Sanitized::text(text.trim_end()))
    };
    let asked = asked.as_deref().zip(sender.as_ref());
    let lines = [
        Some(head),
        asked.map(|(text, sender)| said(sender.as_str(), text)),
        answer.as_deref().map(|text| said("answer", text)),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}
