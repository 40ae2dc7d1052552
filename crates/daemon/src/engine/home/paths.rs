//! Paths of homes: where one without a path of its own is, and which of them are one folder.

use std::path::{Path, PathBuf};

use agent_worker_protocol::{
    name::Name,
    target::{Scope, Target},
};

/// The home of an agent whose workflow goes on, or may be resumed.
#[derive(Debug, Clone)]
pub struct InUse {
    /// Path without links, as far as it is known
    pub path: PathBuf,
    /// The agent
    pub owner: Target,
    /// Whether the agent is one of a workflow file
    pub is_of_file: bool,
}

/// Where the home of an agent is that has no path of its own.
pub fn own(state: &Path, scope: &Scope, name: &Name) -> PathBuf {
    let tag = scope.tag.to_string();
    all_own(state).join(scope.workflow.as_str()).join(tag).join(name.as_str())
}

/// The folder above all homes without a path of their own.
pub fn all_own(state: &Path) -> PathBuf {
    state.join("agents")
}

/// Returns where a path leads past links. What does not exist yet is kept as it is written.
pub fn resolved(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let real = known.and_then(|(above, real)| Some(real.join(path.strip_prefix(above).ok()?)));
    real.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_path_leads_past_links_also_where_its_end_does_not_exist_yet() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("real");
        fs::create_dir(&real).unwrap();
        symlink("real", folder.path().join("notes")).unwrap();
        for end in ["", "alice", "alice/home"] {
            assert_eq!(resolved(&folder.path().join("notes").join(end)), real.join(end), "{end}");
        }
        assert_eq!(resolved(Path::new("/nowhere/notes/")), Path::new("/nowhere/notes"));
    }
}
