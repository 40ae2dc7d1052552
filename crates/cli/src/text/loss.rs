//! A daemon that was lost, as a command that follows tells of it.

use agent_worker_client::{ClientError, FindError, Sanitized};

use super::dim;
use crate::exit::with_hint;

/// What was told of a lost daemon.
#[derive(Debug, Default)]
pub struct Loss {
    /// Whether it is told why no daemon is found; `None` while one answers
    is_explained: Option<bool>,
}

impl Loss {
    /// Tells of a failure to reach the daemon: once for each loss that it is lost, and once why
    /// no daemon is found.
    pub fn begin(&mut self, error: ClientError, tell: impl Fn(&str)) {
        if self.is_explained.is_none() {
            self.is_explained = Some(false);
            tell(&dim(&format!("lost the daemon ({error}); reconnecting")));
            if let ClientError::Silent { hint, .. } = &error {
                tell(&format!("hint: {hint}"));
            }
        }
        if let ClientError::Unreachable { source, .. } = error
            && let Ok(why) = source.downcast::<FindError>()
            && self.is_explained.replace(true) == Some(false)
        {
            tell(Sanitized::text(&with_hint(&why.into())).as_ref());
        }
    }

    /// Tells that a daemon answers again; false if none was lost.
    pub fn end(&mut self, tell: impl Fn(&str)) -> bool {
        let was_lost = self.is_explained.take().is_some();
        if was_lost {
            tell(&dim("reconnected to the daemon"));
        }
        was_lost
    }
}

#[cfg(test)]
#[path = "tests/loss.rs"]
mod tests;
