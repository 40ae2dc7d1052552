//! What the index knows of an entry beside its words, as words of their own.

use agent_worker_protocol::{HitKind, Name};

/// Readable by every member of the scope.
pub const OPEN: &str = "o";

/// It is in a channel.
pub const CHANNEL: &str = "c";

/// It is in a conversation in which nothing was said yet, so it is never found: conversations are
/// numbered from 1.
pub const UNSPOKEN: &str = "g0";

/// It is in this scope.
pub fn scope(id: i64) -> String {
    format!("s{id}")
}

/// It is in this conversation.
pub fn group(id: i64) -> String {
    format!("g{id}")
}

pub fn kind(kind: HitKind) -> String {
    format!("k{}", kind.as_str())
}

/// Who said, made or wrote it.
pub fn from(name: &Name) -> String {
    word('f', name)
}

/// Who got it.
pub fn to(name: &Name) -> String {
    word('t', name)
}

/// A name as one word: the tokenizer would cut it at `-` and `_`.
pub fn word(first: char, name: &Name) -> String {
    let mut word = String::from(first);
    for c in name.as_str().chars() {
        match c {
            'z' => word.push_str("zz"),
            '-' => word.push_str("zd"),
            '_' => word.push_str("zu"),
            c => word.push(c),
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_are_different_words() {
        let names = ["a-b", "a_b", "azdb", "azub", "ab", "azzb", "azb"];
        let words: std::collections::BTreeSet<_> =
            names.iter().map(|name| from(&name.parse().unwrap())).collect();
        assert_eq!(words.len(), names.len());
        assert!(words.iter().all(|word| word.chars().all(|c| c.is_ascii_alphanumeric())));
    }
}
