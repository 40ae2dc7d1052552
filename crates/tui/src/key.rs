//! Keys as the control room knows them, and how they are written: `x`, `X`, `ctrl+f`, `alt+b`,
//! `shift+enter`, `pgdn`, `f1`, `space`.

use std::{
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The character it produces, in its case.
    Char(char),
    Enter,
    Esc,
    /// Tab; with shift it is Shift+Tab, which goes back.
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key that was pressed. A character's case says whether shift was held, so `shift` is only said
/// of other keys.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub code: Code,
    pub ctrl: bool,
    pub alt: bool,
    /// With shift, of keys that produce no character
    pub shift: bool,
    /// What the same key produces in the layout that letters are bound in, where the terminal
    /// says so and it is another
    pub base: Option<char>,
}

/// Why a text names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown key `{0}`: write `x`, `X`, `ctrl+f`, `alt+b`, `shift+enter`, `pgdn`, `f1` or `space`"
)]
pub struct BadKey(String);

const NAMES: [(&str, Code); 19] = [
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("insert", Code::Insert),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("space", Code::Char(' ')),
    ("plus", Code::Char('+')),
    ("return", Code::Enter),
    ("pageup", Code::PageUp),
    ("pagedown", Code::PageDown),
];

/// The key as a text field takes it.
impl From<Key> for ratatui_textarea::Input {
    fn from(key: Key) -> Self {
        use ratatui_textarea::Key as Named;
        let named = match key.code {
            Code::Char(c) => Named::Char(c),
            Code::Enter => Named::Enter,
            Code::Esc => Named::Esc,
            Code::Tab => Named::Tab,
            Code::Backspace => Named::Backspace,
            Code::Delete => Named::Delete,
            Code::Insert => Named::Null,
            Code::Up => Named::Up,
            Code::Down => Named::Down,
            Code::Left => Named::Left,
            Code::Right => Named::Right,
            Code::Home => Named::Home,
            Code::End => Named::End,
            Code::PageUp => Named::PageUp,
            Code::PageDown => Named::PageDown,
            Code::F(number) => Named::F(number),
        };
        Self { key: named, ctrl: key.ctrl, alt: key.alt, shift: key.shift }
    }
}

impl Key {
    pub const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false, base: None }
    }

    pub const fn char(c: char) -> Self {
        Self::plain(Code::Char(c))
    }

    /// A character's key with control.
    pub const fn ctrl(c: char) -> Self {
        Self { ctrl: true, ..Self::char(c) }
    }

    /// The character it writes into a text, if it writes one.
    pub fn written(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// The same key as the layout in which letters are bound has it.
    #[must_use]
    pub fn on_base_layout(self) -> Option<Self> {
        let c = self.base?;
        let c = match self.code {
            Code::Char(own) if own.is_uppercase() => c.to_ascii_uppercase(),
            _ => c,
        };
        Some(Self { code: Code::Char(c), base: None, ..self })
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        (self.code, self.ctrl, self.alt, self.shift)
            == (other.code, other.ctrl, other.alt, other.shift)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.code, self.ctrl, self.alt, self.shift).hash(hasher);
    }
}

impl FromStr for Key {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let bad = || BadKey(text.to_owned());
        let (mods, name) = match text.rsplit_once('+') {
            Some((mods, name)) if !name.is_empty() => (mods, name),
            Some(_) if text.len() > 1 => return Err(bad()),
            _ => ("", text),
        };
        let mut key = Self::plain(code(name).ok_or_else(bad)?);
        for held in mods.split('+').filter(|held| !held.is_empty()) {
            match held {
                "ctrl" => key.ctrl = true,
                "alt" => key.alt = true,
                "shift" if !matches!(key.code, Code::Char(_)) => key.shift = true,
                _ => return Err(bad()),
            }
        }
        Ok(key)
    }
}

fn code(name: &str) -> Option<Code> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(Code::Char(c));
    }
    if let Some(number) = name.strip_prefix('f').and_then(|number| number.parse().ok()) {
        return (1..=24).contains(&number).then_some(Code::F(number));
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, word) in [(self.ctrl, "ctrl+"), (self.alt, "alt+"), (self.shift, "shift+")] {
            if held {
                f.write_str(word)?;
            }
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            Code::Char(c) => write!(f, "{c}"),
            Code::F(number) => write!(f, "f{number}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_parses_what_it_prints() {
        for text in ["x", "X", "ctrl+f", "alt+b", "shift+enter", "pgdn", "f1", "space", "[", "plus"]
        {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
        }
        assert_eq!("+".parse::<Key>().unwrap(), Key::char('+'));
    }

    #[test]
    fn what_names_no_key_is_refused() {
        for text in ["", "ctrl+", "hyper+x", "shift+x", "f99", "entre", "\u{7}"] {
            assert!(text.parse::<Key>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_letter_of_another_layout_is_known_by_its_place() {
        let key = Key { base: Some('j'), ..Key::char('о') };
        assert_eq!(key.on_base_layout(), Some(Key::char('j')));
        let key = Key { base: Some('j'), ..Key::char('О') };
        assert_eq!(key.on_base_layout(), Some(Key::char('J')));
    }
}
