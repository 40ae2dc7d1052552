//! Workflow files below the folder that the control room was started in.

use std::{fs, path::Path};

use agent_worker_client::text::natural;
use agent_worker_workflow_file::WorkflowFile;

use crate::model::{Found, Setting};

/// The most files that are listed, and how many folders deep they are looked for.
const MOST: usize = 100;
const DEEPEST: usize = 4;

/// The most entries of folders that are looked at, and the longest file, in bytes.
const MOST_LOOKED_AT: usize = 20_000;
const LONGEST: u64 = 256 * 1024;

/// Folders that hold no workflow files.
const SKIPPED: [&str; 3] = ["target", "node_modules", "vendor"];

/// Lists the workflow files below a folder, those nearest to it first.
pub fn below(folder: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    let mut level = vec![folder.to_owned()];
    let mut looked_at = 0;
    for _ in 0..=DEEPEST {
        let mut next = Vec::new();
        for entry in level.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten() {
            looked_at += 1;
            if looked_at > MOST_LOOKED_AT || found.len() >= MOST {
                return found;
            }
            let Ok(entry) = entry else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                next.push(entry.path());
            } else if kind.is_file() {
                found.extend(workflow(folder, &entry.path()));
            }
        }
        found.sort_by_cached_key(|found| {
            (found.path.matches('/').count(), natural::key(&found.path))
        });
        level = next;
    }
    found
}

/// A file, if it is a workflow's.
fn workflow(folder: &Path, path: &Path) -> Option<Found> {
    let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if !is_yaml || fs::metadata(path).ok()?.len() > LONGEST {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    if !text.lines().any(|line| line.starts_with("agents:")) {
        return None;
    }
    let params = WorkflowFile::parse(&text).value.map(|file| settings(&file)).unwrap_or_default();
    let path = path.strip_prefix(folder).unwrap_or(path);
    Some(Found { path: path.to_string_lossy().into_owned(), params })
}

fn settings(file: &WorkflowFile) -> Vec<Setting> {
    let params = file.params.iter().map(|(name, param)| Setting {
        name: name.to_string(),
        default: param.default.clone(),
        about: param.description.clone(),
    });
    params.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workflow_files_are_found_with_their_params() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "teams/news/workflow.yaml",
            "params:\n  topic: cats\nagents:\n  ivy: {backend: mock}\n",
        );
        write("review.yml", "agents:\n  ivy: {backend: mock}\n");
        write("compose.yaml", "services: {}\n");
        write(".git/x.yaml", "agents:\n");
        write("target/x.yaml", "agents:\n");
        let found = below(folder.path());
        let paths: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["review.yml", "teams/news/workflow.yaml"]);
        let topic = &found[1].params[0];
        assert_eq!((topic.name.as_str(), topic.default.as_deref()), ("topic", Some("cats")));
    }

    #[test]
    fn workflow_files_are_listed_in_the_order_that_people_count_in() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["d10.yaml", "d2.yaml", "d1.yaml"] {
            fs::write(folder.path().join(name), "agents:\n").unwrap();
        }
        let found = below(folder.path());
        let paths: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["d1.yaml", "d2.yaml", "d10.yaml"]);
    }
}
