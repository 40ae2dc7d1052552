//! One answer for several things that are asked one after the other.

use crate::model::{Answer, Reply, RequestError};

/// How many of several things are done, and what the first error was.
pub struct Several {
    count: usize,
    done: usize,
    /// Whether one more may be done
    is_unsure: bool,
    error: Option<RequestError>,
}

impl Several {
    pub fn of(count: usize) -> Self {
        Self { count, done: 0, is_unsure: false, error: None }
    }

    /// Takes the answer to one; false if the daemon does not answer, so that the rest is not asked.
    pub fn take(&mut self, answer: Answer) -> bool {
        let Err(error) = answer else {
            self.done += 1;
            return true;
        };
        let goes_on = error.code.is_some();
        self.is_unsure |= error.is_unsure;
        self.error.get_or_insert(error);
        goes_on
    }

    /// The answer for all. An error after a part was done says how much was, and is unsure: it does
    /// not refuse everything. So it is where a part may have been done.
    pub fn answer(self) -> Answer {
        let Some(error) = self.error else { return Ok(Reply::Done(None)) };
        if self.done == 0 {
            return Err(RequestError { is_unsure: self.is_unsure, ..error });
        }
        let message = format!("{} of {} done: {}", self.done, self.count, error.message);
        Err(RequestError { message, is_unsure: true, ..error })
    }
}

#[cfg(test)]
#[path = "tests/several.rs"]
mod tests;
