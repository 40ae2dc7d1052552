//! Keys, as terminals tell them.

use termina::event::{KeyCode, KeyEvent, KeyEventKind, Modifiers};

use super::scan::parsed;
use crate::key::{Code, Key};

/// A key that sends one character.
pub fn plain(c: char) -> Option<Key> {
    Some(match c {
        '\r' => Key::plain(Code::Enter),
        '\t' => Key::plain(Code::Tab),
        '\u{7f}' => Key::plain(Code::Backspace),
        '\0' => Key::ctrl(' '),
        '\u{1}'..='\u{1a}' => Key::ctrl(char::from(c as u8 - 1 + b'a')),
        '\u{1c}'..='\u{1f}' => Key::ctrl(char::from(c as u8 - 0x1c + b'\\')),
        _ if c.is_control() => return None,
        _ => Key::char(c),
    })
}

/// A key by its number: `number:shifted:base;modifiers:kind;text`.
pub fn coded(body: &str) -> Option<Key> {
    let mut parts = body.split(';');
    let mut codes = parts.next()?.split(':');
    let (own, shifted, base) = (codes.next()?, codes.next(), codes.next());
    let modifiers = parts.next().unwrap_or_default();
    let text = parts.next().and_then(only_character);
    let shifted = shifted.filter(|shifted| !shifted.is_empty());
    let mut simpler = ["\x1b[", own].concat();
    for (mark, part) in [(":", shifted.unwrap_or_default()), (";", modifiers)] {
        if !part.is_empty() {
            simpler += mark;
            simpler += part;
        }
    }
    simpler.push('u');
    let termina::Event::Key(event) = parsed(simpler.as_bytes())? else { return None };
    let mut key = from_event(event)?;
    if let (Code::Char(_), Some(text), false) = (key.code, text, key.ctrl || key.alt) {
        key.code = Code::Char(text);
    }
    if let Code::Char(own) = key.code {
        let base = base.and_then(character).filter(char::is_ascii_graphic);
        key.base = base.filter(|base| !own.to_lowercase().eq([*base]));
    }
    Some(key)
}

fn character(number: &str) -> Option<char> {
    char::from_u32(number.parse().ok()?)
}

fn only_character(numbers: &str) -> Option<char> {
    character(numbers).filter(|c| !c.is_control())
}

/// The third function key with modifiers, which looks like a position.
pub fn third(body: &str) -> Option<Key> {
    let (row, modifiers) = body.split_once(';').unwrap_or((body, "1"));
    if !matches!(row, "" | "1") {
        return None;
    }
    let held = modifiers.parse::<u8>().ok()?.checked_sub(1).filter(|held| *held < 8)?;
    Some(Key {
        shift: held & 1 != 0,
        alt: held & 2 != 0,
        ctrl: held & 4 != 0,
        ..Key::plain(Code::F(3))
    })
}

/// A key as the parser has it; nothing for those that have no name here, and for those that were
/// let go.
pub fn from_event(event: KeyEvent) -> Option<Key> {
    let foreign = Modifiers::SUPER | Modifiers::HYPER | Modifiers::META;
    if event.kind == KeyEventKind::Release || event.modifiers.intersects(foreign) {
        return None;
    }
    let shift = event.modifiers.contains(Modifiers::SHIFT);
    let code = match event.code {
        KeyCode::Char(c) if c.is_control() => return None,
        KeyCode::Char(c) if shift => Code::Char(upper(c)),
        KeyCode::Char(c) => Code::Char(c),
        other => named(other)?,
    };
    Some(Key {
        code,
        ctrl: event.modifiers.contains(Modifiers::CONTROL),
        alt: event.modifiers.contains(Modifiers::ALT),
        shift: shift && !matches!(code, Code::Char(_)),
        base: None,
    })
}

fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    if upper.len() == 1 { upper.next().unwrap_or(c) } else { c }
}

fn named(code: KeyCode) -> Option<Code> {
    Some(match code {
        KeyCode::Enter => Code::Enter,
        KeyCode::Escape => Code::Esc,
        KeyCode::Tab | KeyCode::BackTab => Code::Tab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Function(number) => Code::F(number),
        _ => return None,
    })
}
