//! Differences between agent programs.

use serde_json::Value;

use super::{Launch, Story};
use crate::failure::Failure;

/// An agent program that prints events and ends.
pub trait Adapter {
    /// Adds the arguments and the environment, and returns what the program reads. `resume` is the
    /// program's name for the session that it goes on with.
    fn prepare(
        &mut self,
        launch: &mut Launch,
        prompt: &str,
        resume: Option<&str>,
    ) -> Result<String, Failure>;

    fn hear(&mut self, event: &Value, story: &mut Story<'_>);
}
