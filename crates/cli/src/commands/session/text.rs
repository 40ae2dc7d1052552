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

/// Sessions of an agent. `limit` is the number that was asked for.
pub fn table(view: &View, target: &Target, found: &Sessions, limit: u32) -> String {
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
    let count = found.sessions.len();
    // The daemon has a limit of its own.
    let is_cut = found.more && count < limit as usize;
    let none = format!("no sessions of {target}");
    let table = List::new(&header, rows).empty(&none).more(found.more && !is_cut).text(view);
    if !is_cut {
        return table;
    }
    let cut = dim(&format!("only the newest {count} sessions are shown"));
    format!("{table}\n{cut}")
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

#[cfg(test)]
mod tests {
    use agent_worker_protocol::{id::SessionId, time::Timestamp};

    use super::*;
    use crate::tests::samples;

    #[test]
    fn a_list_that_the_daemon_cuts_says_how_many_are_shown() {
        let session = Session {
            id: SessionId::new(7),
            agent: samples::target("alice"),
            kind: SessionKind::Main,
            title: None,
            backend: "mock".to_owned(),
            turns: 2,
            bytes: 40,
            tokens: None,
            runs: 1,
            cost: None,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        };
        let found = Sessions { sessions: vec![session.clone(), session], more: true };
        let told = |found: &Sessions, limit| {
            table(&samples::view(), &samples::target("alice"), found, limit)
        };
        let cut = told(&found, 1000);
        assert!(cut.contains("only the newest 2 sessions are shown"), "{cut}");
        assert!(!cut.contains("-n shows more"), "{cut}");
        let asked = told(&found, 2);
        assert!(asked.contains("-n shows more") && !asked.contains("only"), "{asked}");
        let whole = told(&Sessions { more: false, ..found }, 1000);
        assert!(!whole.contains("only") && !whole.contains("-n"), "{whole}");
    }
}
