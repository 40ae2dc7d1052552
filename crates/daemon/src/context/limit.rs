//! How much of a list is answered at once.

use crate::error::{OpError, Result};

/// The number that was asked for, or the usual one; no more than `most`. Nothing cannot be asked
/// for: an empty answer would say that there is nothing.
pub fn at_most(asked: Option<u32>, usual: u32, most: u32) -> Result<u32> {
    match asked {
        Some(0) => Err(OpError::invalid("`limit` is at least 1")),
        asked => Ok(asked.unwrap_or(usual).min(most)),
    }
}

/// Cuts a list that was read with one more than the limit. True if there is more.
pub fn cut<T>(mut list: Vec<T>, limit: u32) -> (Vec<T>, bool) {
    let more = list.len() > limit as usize;
    list.truncate(limit as usize);
    (list, more)
}
