//! Paths of homes: where one without a path of its own is, and which of them are one folder.

use std::path::{Component, Path, PathBuf};

use agent_worker_protocol::{Name, Scope, Target};

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

/// Returns where a path leads past links. What does not exist yet is kept as it is written, but a
/// `..` behind it leads back out of it.
pub fn resolved(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let split = known.and_then(|(above, real)| Some((real, path.strip_prefix(above).ok()?)));
    let Some((mut whole, rest)) = split else { return path.to_owned() };
    let mut goes_back = false;
    for part in rest.components() {
        if part == Component::ParentDir {
            goes_back = true;
            whole.pop();
        } else {
            whole.push(part);
        }
    }
    // Behind the way back there may be links again.
    if goes_back { resolved(&whole) } else { whole }
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

    #[test]
    fn a_way_back_out_of_a_folder_that_does_not_exist_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let above = folder.path().canonicalize().unwrap();
        fs::create_dir(above.join("real")).unwrap();
        symlink("real", above.join("notes")).unwrap();
        for (path, leads) in [
            ("new/..", ""),
            ("new/../other", "other"),
            ("new/deep/../../real/alice", "real/alice"),
            ("new/../notes/alice", "real/alice"),
            ("notes/new/../../other", "other"),
        ] {
            assert_eq!(resolved(&above.join(path)), above.join(leads), "{path}");
        }
        assert_eq!(resolved(Path::new("/nowhere/../../nowhere")), Path::new("/nowhere"));
    }
}
