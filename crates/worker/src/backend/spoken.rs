//! Text beside calls of tools, which is the answer of a run that ends without a word.

use crate::acts::is_aside;

/// The last text that stood beside calls and may be an answer. Some models answer together with a
/// call that acknowledges their mail, and have nothing to add when its result comes.
#[derive(Debug, Default)]
pub struct Spoken(String);

impl Spoken {
    /// Notes calls, and the text before them. Text beside a call that does something announces it
    /// or adds to a message that is sent, and text before that is older than what was done: neither
    /// is an answer.
    pub fn note<'t>(&mut self, text: &str, tools: impl IntoIterator<Item = &'t str>) {
        if !text.trim().is_empty() {
            text.trim().clone_into(&mut self.0);
        }
        if !tools.into_iter().all(is_aside) {
            self.0.clear();
        }
    }

    /// Whether a run with this final text has no answer.
    pub fn lacks_answer(&self, last: &str) -> bool {
        last.trim().is_empty() && self.0.is_empty()
    }

    /// Returns the answer of a run with this final text, which may be empty.
    pub fn answer(self, last: String) -> String {
        if last.trim().is_empty() { self.0 } else { last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer of a run that makes these calls with these texts and ends without a word.
    fn answer(turns: &[(&str, &[&str])]) -> String {
        let mut spoken = Spoken::default();
        for (text, tools) in turns {
            spoken.note(text, tools.iter().copied());
        }
        spoken.answer(" ".to_owned())
    }

    #[test]
    fn text_beside_calls_that_only_look_or_acknowledge_is_an_answer() {
        let said = "Fixed it.";
        assert_eq!(answer(&[("On it.", &["edit"]), (said, &["my_inbox_ack"])]), said);
        assert_eq!(answer(&[(said, &["memory_add", "my_status_set"]), ("", &["my_inbox"])]), said);
        assert_eq!(answer(&[("First.", &["read"]), (said, &["my_inbox"])]), said);
        let mut spoken = Spoken::default();
        assert!(spoken.lacks_answer(" "));
        spoken.note(said, ["my_inbox_ack"]);
        assert!(!spoken.lacks_answer(""), "it has been said");
        assert_eq!(spoken.answer("That is all.".to_owned()), "That is all.");
    }

    #[test]
    fn text_beside_or_before_other_calls_is_not() {
        for tool in ["channel_send", "edit", "shell", "server__tool"] {
            assert_eq!(answer(&[("I do it.", &["my_inbox_ack", tool])]), "", "{tool}");
            assert_eq!(answer(&[("I look.", &["read"]), ("", &[tool])]), "", "{tool}");
        }
    }
}
