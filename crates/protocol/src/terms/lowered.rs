//! Texts compared in any case, as the daemon and its clients do it alike.

/// Small letters, each by itself: at the end of a word `str::to_lowercase` makes another sigma than
/// within it, so a part of a word would not be found.
pub fn lowered(text: &str) -> String {
    text.chars().flat_map(small).collect()
}

/// What one letter is in small ones; some are several.
pub fn small(letter: char) -> impl Iterator<Item = char> {
    letter.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_word_has_the_letters_that_it_has_in_the_word() {
        assert!(lowered("χρηστος").starts_with(&lowered("ΧΡΗΣ")));
        assert_eq!(lowered("ΧΡΗΣΤΟΣ"), lowered("χρηστος"));
        assert_eq!(lowered("ÄPFEL İ"), "äpfel i\u{307}");
    }
}
