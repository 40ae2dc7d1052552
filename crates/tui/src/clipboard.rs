//! What became of a text for the clipboard.

/// Whether a terminal takes a text for its clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It says that it takes such texts.
    Yes,
    /// It does not say.
    Unsaid,
    /// The text is longer than what terminals take.
    TooLong,
}
