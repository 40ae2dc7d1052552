//! A document's path, and what makes all its spellings one.

use agent_worker_protocol::document::{DEFAULT_DOCUMENT, path_key};
use rusqlite::types::ToSqlOutput;
use unicode_normalization::UnicodeNormalization;

use crate::{
    error::{OpError, Result},
    rows::layer::column::Bind,
};

/// A document's path, and the key that makes all its spellings one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocPath {
    /// As it is shown: NFC
    pub shown: String,
    /// As it is compared: case folded
    pub key: String,
}

impl DocPath {
    /// Takes a path by the rules of documents. It never touches a file system.
    pub fn parse(file: Option<&str>) -> Result<Self> {
        let shown: String = file.unwrap_or(DEFAULT_DOCUMENT).nfc().collect();
        let why = if shown.is_empty() || shown.len() > 255 {
            Some("it has 1 to 255 bytes")
        } else if shown.starts_with('/') || shown.starts_with('~') {
            Some("it does not begin with `/` or `~`")
        } else if shown.split('/').any(|part| matches!(part, "" | "." | "..")) {
            Some("it has no empty part, `.` or `..`")
        } else if shown.chars().any(is_invisible) {
            Some("it has no control, bidi or zero-width character")
        } else {
            None
        };
        if let Some(why) = why {
            let text = format!("invalid document path `{}`: {why}", visible(&shown));
            return Err(OpError::invalid(text));
        }
        let key = path_key(&shown).nfc().collect();
        Ok(Self { shown, key })
    }
}

// In a column it is its key.
impl Bind for DocPath {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Bind::to_sql(&self.key)
    }
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

pub fn visible(text: &str) -> String {
    text.chars().flat_map(char::escape_debug).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_path_have_one_key() {
        let key = |file: &str| DocPath::parse(Some(file)).unwrap().key;
        assert_eq!(key("Notes.md"), key("notes.MD"));
        assert_eq!(key("caf\u{e9}.md"), key("cafe\u{301}.md"));
        assert_eq!(key("stra\u{df}e.md"), key("STRASSE.md"));
        assert_eq!(DocPath::parse(None).unwrap().shown, "notes.md");
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for bad in
            ["", "/a", "~/a", "a//b", "a/../b", "./a", "a/", "a\nb", "a\u{202e}b", "a\u{200b}"]
        {
            assert!(DocPath::parse(Some(bad)).is_err(), "{bad:?}");
        }
        assert!(DocPath::parse(Some(&"a".repeat(256))).is_err());
    }
}
