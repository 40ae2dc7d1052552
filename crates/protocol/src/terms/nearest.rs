//! The known word that an unknown one was most likely meant to be.

/// The longest word, in characters, that is compared: comparing takes as long as both multiplied,
/// and a word of another may be of any length.
const LONGEST: usize = 256;

/// The candidate closest to `word`, if one is close enough to be worth naming.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.chars().nth(LONGEST).is_some() {
        return None;
    }
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_named_and_a_far_one_is_not() {
        assert_eq!(nearest("revewer", ["coder", "reviewer"]), Some("reviewer"));
        assert_eq!(nearest("Reviewer", ["coder", "reviewer"]), Some("reviewer"));
        assert_eq!(nearest("xyz", ["coder", "reviewer"]), None);
        let [named, far] = [LONGEST, LONGEST + 1].map(|length| "x".repeat(length));
        assert_eq!(nearest(&named, [&*far]), Some(&*far));
        assert_eq!(nearest(&far, [&*named]), None, "it is not compared");
    }
}
