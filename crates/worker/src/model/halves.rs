//! Characters whose halves come apart. JSON may write a character such as an emoji as two escapes,
//! and some servers cut their texts between the two. Neither is a character, so no JSON reader takes
//! it; here each half has a stand-in until the other has come.

use std::collections::HashMap;

use super::Event;

/// What lies between a half and its stand-in, a character for private use.
const APART: u32 = 0x10_0000;

/// How long an escape is, in bytes.
const ESCAPE: usize = 6;

/// Joins the halves in what is heard. A half without another becomes U+FFFD.
#[derive(Debug, Default)]
pub struct Halves(
    /// First half at the end of each piece
    HashMap<usize, u16>,
);

impl Halves {
    /// Passes an event on, or as much of it as is whole.
    pub fn hear(&mut self, event: Event, heard: &mut dyn FnMut(Event)) {
        match event {
            Event::Grow { n, text } => {
                let text = self.grow(n, text);
                if !text.is_empty() {
                    heard(Event::Grow { n, text });
                }
            }
            Event::Sign { n, seal } if seal.contains(is_half) => {
                heard(Event::Sign { n, seal: String::from_utf16_lossy(&units(&seal)) });
            }
            Event::End { n } => {
                if let Some(half) = self.0.remove(&n) {
                    heard(Event::Grow { n, text: String::from_utf16_lossy(&[half]) });
                }
                heard(Event::End { n });
            }
            event => heard(event),
        }
    }

    fn grow(&mut self, n: usize, text: String) -> String {
        let before = self.0.remove(&n);
        if before.is_none() && !text.contains(is_half) {
            return text;
        }
        let mut units: Vec<_> = before.into_iter().chain(units(&text)).collect();
        if let Some(half) = units.pop_if(|last| is_first(*last)) {
            self.0.insert(n, half);
        }
        String::from_utf16_lossy(&units)
    }
}

/// JSON whose halves of characters have stand-ins.
pub fn stand_in(json: String) -> String {
    if !["\\ud", "\\uD"].iter().any(|begin| json.contains(begin)) {
        return json;
    }
    let mut text = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let first = escaped(rest);
        let second = first.filter(|unit| is_first(*unit)).and_then(|_| escaped(&rest[ESCAPE..]));
        let is_whole = second.is_some_and(|unit| (0xdc00..0xe000).contains(&unit));
        let half = first.map(|unit| APART + u32::from(unit)).and_then(char::from_u32);
        if let Some(half) = half.filter(|half| is_half(*half) && !is_whole) {
            text.push(half);
            rest = &rest[ESCAPE..];
        } else {
            // What an escape begins with may itself be a backslash.
            let long = if is_whole { 2 * ESCAPE } else { rest.ceil_char_boundary(2) };
            text.push_str(&rest[..long]);
            rest = &rest[long..];
        }
    }
    text.push_str(rest);
    text
}

/// The unit of UTF-16 whose escape a text begins with.
fn escaped(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..ESCAPE - 2)?;
    u16::from_str_radix(digits, 16).ok()
}

fn is_first(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_half(c: char) -> bool {
    (APART + 0xd800..APART + 0xe000).contains(&u32::from(c))
}

/// A text in UTF-16, in which stand-ins are the halves that they stand for.
fn units(text: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u16::try_from(u32::from(c) - if is_half(c) { APART } else { 0 }) {
            Ok(unit) => units.push(unit),
            Err(_) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_get_a_stand_in() {
        for json in [
            r#""plain \ud83d\ude00 and \uD83D\uDE00""#,
            r#""a backslash \\ud83d, not an escape""#,
            r#""no digits \ud8, \ud83""#,
            r#""\ud83d\ude00 at the end \"#,
            r#""before a character \é \ud83d\ude00""#,
        ] {
            assert_eq!(stand_in(json.to_owned()), json);
        }
        for (json, halves) in [
            (r#""a\ud83d""#, 1),
            (r#""\ude00b""#, 1),
            (r#""\ude00\ud83d""#, 2),
            (r#""\ud83d\ud83d\ude00""#, 1),
            (r#""\ud83d\n\\\ude00""#, 2),
            (r#""\ud83dé""#, 1),
        ] {
            let text: String = serde_json::from_str(&stand_in(json.to_owned())).unwrap();
            assert_eq!(text.chars().filter(|c| is_half(*c)).count(), halves, "{json}");
        }
    }

    /// What is heard of one piece that comes like this.
    fn heard(json: &[&str]) -> String {
        let (mut halves, mut whole) = (Halves::default(), String::new());
        let mut hear = |event| {
            halves.hear(event, &mut |event| {
                if let Event::Grow { text, .. } = event {
                    assert!(!text.is_empty());
                    whole.push_str(&text);
                }
            });
        };
        for json in json {
            let text = serde_json::from_str(&stand_in((*json).to_owned())).unwrap();
            hear(Event::Grow { n: 0, text });
            hear(Event::Grow { n: 1, text: "another".to_owned() });
        }
        hear(Event::End { n: 0 });
        whole.replace("another", "")
    }

    #[test]
    fn halves_become_one_character_again() {
        assert_eq!(heard(&[r#""a\ud83d""#, r#""\ude00b""#]), "a😀b");
        assert_eq!(heard(&[r#""\ud83d""#, r#""""#, r#""\ude00\ud83c""#, r#""\uddea""#]), "😀🇪");
        assert_eq!(heard(&[r#""\ud83d""#]), "\u{fffd}");
        assert_eq!(heard(&[r#""\ude00a\ud83d""#, r#""b""#]), "\u{fffd}a\u{fffd}b");
    }
}
