//! The answer of a call that has failed.

/// How an answer begins that says so itself.
const SAYS_SO: [&str; 2] = ["error:", "denied:"];

/// Returns the answer of a failed call, which says that it is an error: a reader of the transcript
/// knows a failed call by its answer alone.
pub fn failed(answer: &str) -> String {
    let begins =
        |word: &str| answer.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    let says_so = SAYS_SO.into_iter().any(begins);
    if says_so { answer.to_owned() } else { format!("error: {answer}") }
}
