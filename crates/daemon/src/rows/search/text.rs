//! Text as the index has it. SQLite's tokenizer cuts words at spaces and punctuation; writing that
//! has no spaces between words is cut here, into signs and into pairs of signs that follow each
//! other.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// A text as two columns of the index.
#[derive(Debug, PartialEq, Eq)]
pub struct Columns<'t> {
    /// Words, and each unspaced sign as a word
    pub words: Cow<'t, str>,
    /// Every two unspaced signs that follow each other
    pub pairs: String,
}

/// What keeps pairs of two runs from being neighbours. No pair is like it.
const GAP: &str = " x";

/// Whether words are written with it without spaces between them: Chinese, Japanese, and Korean,
/// whose words grow endings.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{303b}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3105}'..='\u{312f}'
        | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// A text cut for the index.
pub fn columns(text: &str) -> Columns<'_> {
    if text.is_ascii() {
        return Columns { words: Cow::Borrowed(text), pairs: String::new() };
    }
    let mut words = String::with_capacity(text.len() + text.len() / 2);
    let mut pairs = String::new();
    let mut before: Option<char> = None;
    for c in text.nfkc() {
        if is_unspaced(c) {
            words.push(' ');
            if let Some(before) = before {
                pairs.extend([' ', before, c]);
            }
            before = Some(c);
        } else if before.take().is_some() {
            words.push(' ');
            pairs.push_str(GAP);
        }
        words.push(c);
    }
    Columns { words: Cow::Owned(words), pairs }
}

/// A part of a text that is cut in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words with spaces, or what separates them
    Spaced(String),
    /// Signs without spaces
    Unspaced(String),
}

/// A text in its parts.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for c in text.nfkc() {
        match (is_unspaced(c), pieces.last_mut()) {
            (true, Some(Piece::Unspaced(run))) | (false, Some(Piece::Spaced(run))) => run.push(c),
            (true, _) => pieces.push(Piece::Unspaced(c.into())),
            (false, _) => pieces.push(Piece::Spaced(c.into())),
        }
    }
    pieces
}

/// The pairs of a run of signs, as they follow each other in the index.
pub fn pairs(run: &str) -> String {
    let signs: Vec<char> = run.chars().collect();
    let pairs: Vec<String> = signs.windows(2).map(|pair| pair.iter().collect()).collect();
    pairs.join(" ")
}

/// A character as it is compared: without accents, small. The marks that change a sign of kana
/// are no accents.
pub fn folded(c: char) -> impl Iterator<Item = char> {
    let is_accent = |c: &char| ('\u{300}'..='\u{36f}').contains(c);
    std::iter::once(c).nfkd().filter(move |c| !is_accent(c)).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> (String, String) {
        let Columns { words, pairs } = columns(text);
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        (plain(&words), plain(&pairs))
    }

    #[test]
    fn writing_without_spaces_becomes_signs_and_pairs() {
        assert_eq!(cut("plain words"), ("plain words".to_owned(), String::new()));
        assert_eq!(
            cut("请检查API文档"),
            ("请 检 查 API 文 档".to_owned(), "请检 检查 x 文档".to_owned())
        );
        assert_eq!(
            cut("東京へ。大阪"),
            ("東 京 へ 。 大 阪".to_owned(), "東京 京へ x 大阪".to_owned())
        );
        assert_eq!(cut("ﾃｽﾄ ＡＢ"), ("テ ス ト AB".to_owned(), "テス スト x".to_owned()));
        assert_eq!(pairs("東京都"), "東京 京都");
        assert_eq!(pairs("東"), "");
    }

    #[test]
    fn what_is_compared_has_no_accents_and_no_case() {
        let fold = |text: &str| text.chars().flat_map(folded).collect::<String>();
        assert_eq!(fold("Ünïcode É"), "unicode e");
        assert_ne!(fold("が"), fold("か"));
        assert_eq!(fold("ｶﾞ"), fold("ガ"));
    }
}
