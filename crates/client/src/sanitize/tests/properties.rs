//! What must hold of every text, however it is made and however it comes.

use proptest::{prelude::*, sample::Index};

use super::*;
use crate::cases::cases;
use crate::sanitize::{Streamed, streamed::LONGEST_SEQUENCE};

/// What sequences begin with, go on with and end in, and what stands between them.
const PIECES: [&str; 30] = [
    "\u{1b}",
    "\u{1b}[",
    "\u{1b}]",
    "\u{1b}P",
    "\u{1b}(",
    "\u{1b}\\",
    "\u{9b}",
    "\u{9d}",
    "\u{90}",
    "\u{9c}",
    "\u{7}",
    "\u{18}",
    "0;",
    "31",
    "m",
    "K",
    "H",
    "\r",
    "\n",
    "\r\n",
    "\u{85}",
    "⟦esc⟧",
    "⟦esc",
    " ⏎ ",
    "\u{200d}",
    "\u{301}",
    "👩",
    "⚕\u{fe0f}",
    "e",
    " ",
];

fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => any::<char>().prop_map(String::from),
        4 => prop::char::range('\0', '\u{ff}').prop_map(String::from),
        2 => prop::char::range('\u{2000}', '\u{206f}').prop_map(String::from),
        2 => prop::char::range('\u{300}', '\u{310}').prop_map(String::from),
        2 => prop::char::range('\u{fe00}', '\u{fe0f}').prop_map(String::from),
        2 => prop::char::range('\u{1f460}', '\u{1f470}').prop_map(String::from),
        2 => prop::char::range('\u{e0000}', '\u{e01ff}').prop_map(String::from),
        12 => prop::sample::select(PIECES.to_vec()).prop_map(String::from),
        2 => "[ -~]{1,3}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// The same, with beginnings of sequences among it that are too long to be waited on.
fn long() -> impl Strategy<Value = String> {
    let open = prop::sample::select(vec!["\u{1b}]", "\u{1b}[", "\u{9d}", "\u{1b}Pq\n"]);
    let endless =
        (open, 0..3 * LONGEST_SEQUENCE).prop_map(|(open, n)| open.to_owned() + &"1".repeat(n));
    let part = prop_oneof![hostile(), endless];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

/// A text cut at these places, which may be the same or its ends.
fn pieces<'t>(text: &'t str, cuts: &[Index]) -> Vec<&'t str> {
    let cut = |cut: &Index| text.floor_char_boundary(cut.index(text.len() + 1));
    let mut places: Vec<usize> = cuts.iter().map(cut).collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|two| &text[two[0]..two[1]]).collect()
}

fn streamed(pieces: &[&str]) -> (String, usize) {
    let mut stream = Streamed::default();
    let mut shown: Vec<Sanitized> = pieces.iter().map(|piece| stream.push(piece)).collect();
    shown.push(stream.finish());
    let hidden = shown.iter().map(Sanitized::hidden).sum();
    (shown.iter().map(Sanitized::as_str).collect(), hidden)
}

fn cuts() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..12)
}

fn is_harmless(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}')
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn nothing_that_acts_comes_through(raw in hostile()) {
        let (text, line) = (Sanitized::text(&raw), Sanitized::line(&raw));
        prop_assert!(text.as_str().chars().all(|c| c == '\n' || is_harmless(c)), "{text:?}");
        prop_assert!(line.as_str().chars().all(is_harmless), "{line:?}");
    }

    #[test]
    fn what_is_clean_stays_as_it_is(raw in hostile()) {
        let (text, line) = (Sanitized::text(&raw), Sanitized::line(&raw));
        prop_assert_eq!(Sanitized::text(&text.text).text, text.text);
        let again = Sanitized::line(&line.text);
        prop_assert_eq!(again.hidden(), 0);
        prop_assert_eq!(again.text, line.text);
    }

    #[test]
    fn a_cut_text_fits_and_is_clean(raw in hostile(), width in 0_usize..20) {
        let cut = Sanitized::text(&raw).truncate(width);
        prop_assert!(cut.width() <= width, "{cut:?}");
        prop_assert_eq!(Sanitized::text(&cut.text).text, cut.text);
    }

    #[test]
    fn plain_words_stay(raw in "[ -~日本語é\n]{0,80}") {
        prop_assert_eq!(Sanitized::text(&raw).text, raw);
    }

    #[test]
    fn however_a_text_is_cut_it_is_shown_as_if_it_came_at_once(raw in hostile(), cuts in cuts()) {
        let whole = Sanitized::text(&raw);
        prop_assert_eq!(streamed(&pieces(&raw, &cuts)), (whole.text, whole.hidden));
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn a_sequence_too_long_to_be_waited_on_acts_on_nothing_and_hides_nothing_behind_its_line(
        raw in long(),
        cuts in cuts(),
    ) {
        let raw = format!("{raw}\u{18}\n");
        let told = raw.clone() + "the last words";
        let (shown, _) = streamed(&pieces(&told, &cuts));
        prop_assert!(shown.chars().all(|c| c == '\n' || is_harmless(c)), "{shown:?}");
        prop_assert!(shown.ends_with("the last words"), "{shown:?}");
    }
}
