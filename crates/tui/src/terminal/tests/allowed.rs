//! Which sequences a frame may hold.

/// What in these bytes is neither text nor a sequence that frames are made of.
pub fn foreign(bytes: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Some(error.to_string()),
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\x1b' {
            if !super::super::cells::is_harmless(c) {
                return Some(format!("{c:?}"));
            }
            continue;
        }
        if chars.next() != Some('[') {
            return Some("an escape that begins no control sequence".to_owned());
        }
        let mut body = String::new();
        while let Some(c) = chars.next_if(|c| c.is_ascii_digit() || ";?".contains(*c)) {
            body.push(c);
        }
        let end = chars.next().unwrap_or(' ');
        let known = match end {
            'm' | 'H' | 'K' => !body.contains('?'),
            'J' => body == "2",
            'h' | 'l' => matches!(body.as_str(), "?2026" | "?25"),
            _ => false,
        };
        if !known {
            return Some(format!("CSI {body} {end}"));
        }
    }
    None
}
