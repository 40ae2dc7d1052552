//! Characters that are invisible, and characters without an agreed meaning.

/// The joiner between the parts of an emoji.
pub(super) const JOINER: char = '\u{200d}';

/// Shows nothing by itself and may change what stands around it: Unicode's default-ignorable
/// characters (bidi controls, zero width, tags, selectors, fillers) and the annotation marks.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Says whether the character before it is shown as text or as a picture.
pub(super) fn is_presentation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Means something else in every font, or nothing anywhere: private use and noncharacters.
pub(super) fn is_unassigned(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..)
        || u32::from(c) & 0xfffe == 0xfffe
}

/// May stand beside a joiner in an emoji.
pub(super) fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1faff}')
}
