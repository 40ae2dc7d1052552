//! Why something is as it is.

use agent_worker_client::text::explained;
use agent_worker_protocol::{Because, Explanation, Timestamp};
use unicode_width::UnicodeWidthStr as _;

use crate::text::{Clock, View, bold, dim, hint, layout, line, paragraphs};

/// The subject with its state, then link by link what led to it.
pub fn explanation(view: &View, why: &Explanation) -> String {
    let mut lines = vec![format!("{}: {}", bold(&line(&why.subject)), line(explained(why)))];
    let subjects: Vec<_> = why.because.iter().map(|link| line(&link.subject)).collect();
    let width = subjects.iter().map(|subject| subject.width()).max().unwrap_or(0);
    for (link, subject) in why.because.iter().zip(subjects) {
        let pad = " ".repeat(width - subject.width());
        let head = format!("  {}{pad}  ", dim(&subject));
        let text = timed(view, link);
        lines.push(layout::hanging(&head, width + 4, &text, view.width));
    }
    lines.extend(why.hint.as_deref().map(hint));
    lines.join("\n")
}

/// The text of a link with its time.
fn timed(view: &View, link: &Because) -> String {
    let text = paragraphs(&link.text);
    let Some(at) = link.at else { return text };
    dated(&view.clock, &text, at).unwrap_or_else(|| format!("{text} ({})", view.clock.exact(at)))
}

/// A text that ends with `at this time`, with the time instead; `None` for any other text.
pub fn dated(clock: &Clock, text: &str, at: Timestamp) -> Option<String> {
    text.strip_suffix(" at this time").map(|before| format!("{before} at {}", clock.exact(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tests::samples, text::plain};

    #[test]
    fn an_agent_that_asks_the_user_is_told_in_the_words_of_the_lists() {
        for (subject, told) in [("bob@review", "asks you"), ("msg_4", "waiting")] {
            let (subject, state) = (subject.to_owned(), "waiting".to_owned());
            let why = Explanation { subject, state, because: Vec::new(), hint: None };
            let text = plain(&explanation(&samples::view(), &why));
            assert_eq!(text, format!("{}: {told}", why.subject));
        }
    }

    #[test]
    fn causes_stand_under_what_they_explain() {
        let why = Explanation {
            subject: "run_12".to_owned(),
            state: "failed".to_owned(),
            because: vec![
                Because {
                    subject: "run_12".to_owned(),
                    text: "it ended transient: it crashed\nbadly".to_owned(),
                    at: None,
                },
                Because {
                    subject: "msg_4".to_owned(),
                    text: "run_12 of bob was started by a mention by alice: go on".to_owned(),
                    at: Some(Timestamp(samples::NOW)),
                },
                Because {
                    subject: "msg_5".to_owned(),
                    text: "attempt 1 failed (it broke): it is retried at this time".to_owned(),
                    at: Some(Timestamp(samples::NOW)),
                },
            ],
            hint: Some("agent-worker logs run_12".to_owned()),
        };
        insta::assert_snapshot!(plain(&explanation(&samples::view(), &why)), @r"
        run_12: failed
          run_12  it ended transient: it crashed
                  badly
          msg_4   run_12 of bob was started by a mention by alice: go on (22:13:20)
          msg_5   attempt 1 failed (it broke): it is retried at 22:13:20
        hint: agent-worker logs run_12
        ");
    }
}
