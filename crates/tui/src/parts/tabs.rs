//! What stands behind the name of a tab.

use crate::theme::Role;

/// How many things there are; nothing at zero.
pub fn count(count: usize) -> Option<(String, Role)> {
    (count > 0).then(|| (count.to_string(), Role::Dim))
}
