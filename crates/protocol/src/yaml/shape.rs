//! How the types of a file say that they take more than one form.

/// The name of a newtype inside of which numbers and the like are read as the text they are
/// written as, where text is one of several things that may stand there.
pub(super) const PLAIN_AS_TEXT: &str = "$plain_as_text";
