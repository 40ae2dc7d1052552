use proptest::prelude::*;

use super::*;
use crate::cases::cases;

fn told(most: usize, pieces: &[&[u8]]) -> (String, String) {
    let mut output = Output::new(most);
    let mut heard = String::new();
    for piece in pieces {
        output.push(piece, &mut |text| heard.push_str(text));
    }
    let text = output.into_text(&mut |text| heard.push_str(text));
    (text, heard)
}

#[test]
fn the_beginning_and_the_end_are_kept() {
    for (most, pieces, text) in [
        (4, &[&b""[..]][..], ""),
        (4, &[b"ab"], "ab\n"),
        (4, &[b"ab\n"], "ab\n"),
        (4, &[b"abcd", b"efgh"], "abcdefgh\n"),
        (4, &[b"abcd", b"efghi"], "abcd\n[1 bytes are left out here]\nfghi\n"),
        (4, &[b"abc\ndefghij\n"], "abc\n[4 bytes are left out here]\nhij\n"),
        (4, &["日本".as_bytes()], "日本\n"),
        (4, &["日本語だよ".as_bytes()], "日\u{fffd}\n[7 bytes are left out here]\nよ\n"),
        (9, &[b"a\xffb"], "a\u{fffd}b\n"),
        (9, &[b"\xe6\x97", b"\xa5x"], "日x\n"),
        (9, &[b"\xe6\x97"], "\u{fffd}\n"),
    ] {
        assert_eq!(told(most, pieces).0, text, "{pieces:?}");
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn the_text_begins_with_what_was_heard(
        pieces in prop::collection::vec(
            prop::collection::vec(prop::sample::select(&b"ab\n\xe6\x97\xa5\xff\xc3"[..]), 0..6),
            0..12,
        ),
        most in 1..20usize,
    ) {
        let pieces: Vec<_> = pieces.iter().map(Vec::as_slice).collect();
        let (text, heard) = told(most, &pieces);
        prop_assert!(text.starts_with(&heard), "{text:?} {heard:?}");
        let all = pieces.concat();
        if all.len() <= 2 * most {
            let whole = String::from_utf8_lossy(&all).into_owned();
            prop_assert_eq!(text.trim_end_matches('\n'), whole.trim_end_matches('\n'));
        }
        prop_assert!(text.len() <= 6 * most + 60);
    }
}
