//! What a number must be, in words: not the name of its type.

/// Types of numbers, and what is written for one.
const NUMBERS: [(&str, &str); 8] = [
    ("u8", "a number from 0 to 255"),
    ("u16", "a number from 0 to 65535"),
    ("u32", "a number from 0 to 4294967295"),
    ("u64", "a number from 0"),
    ("usize", "a number from 0"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("f64", "a number"),
];

/// A message of a parser that says in words which number was expected.
pub fn numbers(text: &str) -> String {
    NUMBERS.iter().fold(text.to_owned(), |text, (name, words)| {
        text.replace(&format!("expected {name}"), &format!("expected {words}"))
    })
}
