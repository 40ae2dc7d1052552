//! Marks of answers that are not whole.

/// What stands behind an answer that has no end, however often it is continued.
pub const CUT_OFF: &str = "\n\n[cut off: the answer is longer than the model may make it]";

/// What stands for an answer that a model refuses to give.
pub const DECLINED: &str = "The model declined to answer.";

/// What stands behind an answer that a model refuses to finish.
pub const NOT_FINISHED: &str = "\n\n[not finished: the model declined to go on]";
