use super::*;

/// An entry of terminfo with this many colours, and names of what is not in the standard.
fn entry(wide: bool, count: i32, names: &str) -> Vec<u8> {
    let magic = if wide { 0o1036_u16 } else { 0o432 };
    let mut bytes: Vec<u8> = Vec::new();
    for part in [magic, 4, 1, 14, 0, 0] {
        bytes.extend(part.to_le_bytes());
    }
    bytes.extend(b"one\0\x01\0"); // names, one flag, and a byte to an even place
    bytes.resize(bytes.len() - usize::from(bytes.len() % 2 == 1), 0);
    for number in 0..14 {
        let value = if number == MAX_COLORS { count } else { -1 };
        if wide {
            bytes.extend(value.to_le_bytes());
        } else {
            bytes.extend(i16::try_from(value).unwrap().to_le_bytes());
        }
    }
    bytes.extend(b"\0");
    bytes.extend(names.as_bytes());
    bytes
}

#[test]
fn the_environment_says_how_many_colours_there_are() {
    let plain = entry(false, 8, "");
    let many = entry(false, 256, "");
    let tc = entry(false, 256, "AX\0Tc\0");
    let direct = entry(true, 1 << 24, "");
    for (term, color_term, is_tmux, entry, depth) in [
        ("xterm", "", false, Some(&plain), Depth::Few),
        ("xterm-256color", "", false, Some(&many), Depth::Indexed),
        ("xterm-256color", "", false, None, Depth::Indexed),
        ("xterm-256color", "truecolor", false, Some(&many), Depth::True),
        ("xterm", "24bit", false, Some(&plain), Depth::True),
        ("xterm", "yes", false, Some(&plain), Depth::Few),
        ("xterm-kitty", "", false, Some(&tc), Depth::True),
        ("xterm-direct", "", false, Some(&direct), Depth::True),
        ("xterm-direct", "", false, None, Depth::True),
        ("linux", "truecolor", false, Some(&plain), Depth::Few),
        ("screen-256color", "truecolor", false, Some(&many), Depth::Indexed),
        ("screen-256color", "truecolor", true, Some(&many), Depth::True),
        ("tmux-256color", "", true, Some(&many), Depth::Indexed),
        ("", "", false, None, Depth::Few),
    ] {
        let found = of(term, color_term, is_tmux, entry.map(Vec::as_slice));
        assert_eq!(found, depth, "{term} {color_term} {is_tmux}");
    }
}

#[test]
fn an_entry_that_is_cut_says_nothing() {
    let whole = entry(true, 256, "");
    for end in 0..whole.len() {
        let _ = colors(&whole[..end]);
    }
    assert!(colors(&whole[..20]).is_none());
    assert!(colors(b"no entry").is_none());
}

#[test]
fn a_name_of_a_terminal_is_no_path() {
    assert_eq!(super::entry("../../etc/passwd"), None);
    assert_eq!(super::entry(""), None);
}
