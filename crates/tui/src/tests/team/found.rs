//! What the team's words are found by.

use agent_worker_protocol::{Conversation, Hit, HitKind, Hits, MessageId, ResourceId, Span};

use super::{at, pr};
use crate::{
    model::{Reply, Request},
    tests::Story,
};

fn hit(kind: HitKind, by: &str, clock: &str, snippet: &str, text: &str) -> Hit {
    let word = text.split_whitespace().next().unwrap_or("-");
    let start = snippet.find(word).map(|byte| snippet[..byte].chars().count());
    let span = |start: usize| Span {
        start: u32::try_from(start).unwrap(),
        end: u32::try_from(start + word.chars().count()).unwrap(),
    };
    Hit {
        kind,
        scope: pr(),
        message: None,
        group: None,
        file: None,
        resource: None,
        by: by.parse().unwrap(),
        at: at(clock),
        snippet: snippet.to_owned(),
        matches: start.map(span).into_iter().collect(),
    }
}

/// What holds these words; nothing holds `nothing`.
pub fn hits(text: &str) -> Hits {
    let said = "Agreed. Pushed 2f1c0aa; the cursor compares seq, 收件箱游标 not id …";
    let hits = vec![
        Hit {
            message: Some(MessageId::new(4_413)),
            group: Some(Conversation::Channel),
            ..hit(HitKind::Message, "coder", "14:03:00", said, text)
        },
        Hit {
            file: Some("notes.md".to_owned()),
            ..hit(
                HitKind::Document,
                "coder",
                "14:04:02",
                "… inbox cursor is a **sequence number**. Ids are …",
                text,
            )
        },
        Hit {
            resource: Some(ResourceId::new(19)),
            ..hit(HitKind::Resource, "user", "13:20:00", "+    cursor: i64,", text)
        },
    ];
    let is_none = text.starts_with("nothing");
    Hits { hits: if is_none { Vec::new() } else { hits }, more: !is_none, next: Some(7) }
}

impl Story {
    /// A search in everything finds this alone, and it is gone to.
    pub fn go_to_found(&mut self, hit: Hit) -> &mut Self {
        let found = Hits { hits: vec![hit], more: false, next: None };
        self.press("S").paste("cursor");
        self.answer(Request::Search("cursor".to_owned(), None), Reply::Hits(found));
        self.press("enter")
    }
}
