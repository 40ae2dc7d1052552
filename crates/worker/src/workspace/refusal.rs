//! Why a tool did not do what it was called for, in words that a model can act on.

use std::fmt;

use rustix::io::Errno;

/// Why nothing was done: what is the case, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    what: String,
    hint: Option<String>,
}

impl Refusal {
    /// A refusal without a hint.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None }
    }

    /// With what to do.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What the system says of a path.
    pub fn system(path: &str, error: Errno) -> Self {
        match error {
            Errno::NOENT => Self::new(format!("there is no `{path}`")),
            Errno::ACCESS | Errno::PERM => Self::new(format!("`{path}`: permission denied")),
            Errno::NAMETOOLONG => Self::new(format!("`{path}` is too long for a path")),
            Errno::NOSPC | Errno::DQUOT => {
                Self::new(format!("`{path}` was not written: the disk is full"))
            }
            Errno::ROFS => Self::new(format!("`{path}` is on a read-only disk")),
            other => Self::new(format!("`{path}`: {}", std::io::Error::from(other))),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}
