//! `write`: a file whole.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Job, Outcome, Refusal,
    change::{self, Old},
    root::Missing,
};

/// Writes a file whole: makes it, with missing folders, or replaces all that is in it. To
/// change a part of a file, use `edit`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The file, from the folder you work in
    path: String,
    /// All that shall be in it
    content: String,
}

pub fn write(job: &Job, asked: &Write) -> Result<Outcome, Refusal> {
    let most = job.desk.limits.file_bytes;
    let length = asked.content.len();
    if length > most {
        return Err(Refusal::new(format!("{length} bytes are more than the {most} of a file")));
    }
    let mut seen = job.seen();
    let place = change::place(job, &asked.path, Missing::Make)?;
    let old = Old::of(job, &place)?;
    if let Some(old) = &old {
        seen.same(&place, &old.content)?;
    }
    let did = if old.is_some() { "replaced" } else { "made" };
    let told = format!("{did} `{}`: {length} bytes", place.told());
    change::put(job, &mut seen, &place, old.as_ref(), asked.content.as_bytes(), told)
}
