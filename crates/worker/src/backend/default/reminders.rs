//! What a model is told of its own answer, which is not mail.

/// What a model is told that could not say all.
pub const GO_ON: &str = "Your answer was cut off, as it reached the longest that is allowed. Go on \
                         exactly where it broke off.";

/// What a model is told that ended without a word and without an effect.
pub const ANSWER: &str = "You ended without an answer, and you have sent and changed nothing. \
                          Write your answer now: it is posted as your reply.";

/// Whether a text is such a reminder.
pub fn is_reminder(text: &str) -> bool {
    [GO_ON, ANSWER].contains(&text)
}
