//! The house checks its own rules.

mod arrows;
mod house;
mod sizes;
mod tables;
mod words;

use std::path::{Path, PathBuf};

use agent_worker_protocol::provider::EXAMPLE_MODEL;
use regex::Regex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the folders in `crates`.
fn crates() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("crates")).unwrap().map(Result::unwrap);
    let crates = entries.filter(|entry| entry.path().join("Cargo.toml").exists());
    crates.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

pub fn sources_of(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    sources(&root().join(folder), &mut found);
    found.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn only_main_names_the_daemon_and_the_worker() {
    for (path, text) in sources_of("crates/cli/src") {
        if path.file_name().is_some_and(|name| name == "main.rs") {
            continue;
        }
        for name in ["agent_worker_daemon", "agent_worker_worker", "agent_worker_tui"] {
            assert!(!text.contains(name), "{} names {name}", path.display());
        }
    }
}

#[test]
fn the_crates_depend_on_each_other_as_the_house_is_drawn() {
    for name in crates() {
        let may: &[&str] = match name.as_str() {
            "protocol" | "process" | "http" | "home" => &[],
            "workflow-file" => &["protocol"],
            "fake-model" => &["protocol", "workflow-file"],
            "client" => &["http", "process", "protocol"],
            "daemon" => &["home", "process", "protocol", "workflow-file"],
            "worker" => &["home", "http", "process", "protocol", "workflow-file"],
            "tui" => &["client", "protocol", "workflow-file"],
            "cli" => continue,
            _ => panic!("{name} has no place in the house"),
        };
        let text =
            std::fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).unwrap();
        let ordinary = text.split("[dev-dependencies]").next().unwrap();
        for line in ordinary.lines().filter_map(|line| line.strip_prefix("agent-worker-")) {
            let other = line.split(['.', ' ']).next().unwrap();
            assert!(may.contains(&other), "{name} depends on {other}");
        }
    }
}

#[test]
fn only_rows_the_store_and_the_doctor_speak_sql() {
    let mut others = Vec::new();
    for (path, text) in sources_of("crates/daemon/src") {
        let place = path.strip_prefix(root().join("crates/daemon/src")).unwrap();
        let is_test = place.iter().any(|part| part == "tests");
        let may = ["rows", "store", "engine/doctor"].iter().any(|room| place.starts_with(room));
        let words = ["SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM"];
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        if !may && !is_test && words.iter().any(|word| product.contains(word)) {
            others.push(place.display().to_string());
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn the_clock_is_read_in_one_place() {
    for (path, text) in sources_of("crates/daemon/src") {
        let is_clock = path.ends_with("clock.rs");
        assert!(is_clock || !text.contains("SystemTime"), "{} reads the clock", path.display());
    }
}

#[test]
fn names_say_something() {
    for (path, _) in sources_of("crates") {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        for drawer in ["util", "utils", "helper", "helpers", "common", "misc"] {
            assert_ne!(stem, drawer, "{}", path.display());
        }
    }
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let mut files = Vec::new();
    for folder in ["crates", "tests", "examples", "migrations"] {
        sources(&root().join(folder), &mut files);
    }
    let paths = ["/home/", "/Users/", "/work/", "/root/"];
    for path in files.iter().filter(|path| !path.ends_with("e2e/tidy/mod.rs")) {
        let text = std::fs::read_to_string(path).unwrap();
        for word in paths {
            assert!(!text.contains(&format!("\"{word}")), "{} names {word}", path.display());
        }
    }
}

#[test]
fn the_architecture_names_sources_that_exist() {
    let mut all = Vec::new();
    for folder in ["crates", "tests", "migrations"] {
        files(&root().join(folder), &mut all);
    }
    // Most paths are written without `src`.
    let all = all.iter().map(|path| path.display().to_string());
    let all: Vec<_> = all.flat_map(|path| [path.replace("/src/", "/"), path]).collect();
    let source = Regex::new(r"`([a-z0-9_/-]+\.(?:rs|js|sql))`").unwrap();
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        for named in source.captures_iter(&text) {
            let end = format!("/{}", &named[1]);
            assert!(all.iter().any(|path| path.ends_with(&end)), "{page} names `{}`", &named[1]);
        }
    }
}

/// Names of models of `provider/model` that a text names, as far as they are of known providers.
fn models_in(text: &str) -> Vec<&str> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | '_'));
    let words = text.split(is_end);
    let prefixes = ["anthropic/claude", "openai/gpt", "gemini/gemini", "deepseek/deepseek"];
    words.filter(|word| prefixes.iter().any(|prefix| word.starts_with(prefix))).collect()
}

#[test]
fn pages_and_hints_name_one_model_that_is_served() {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "examples"] {
        files(&root().join(folder), &mut pages);
    }
    for page in pages {
        let Ok(text) = std::fs::read_to_string(&page) else { continue };
        for model in models_in(&text) {
            assert_eq!(model, EXAMPLE_MODEL, "{}", page.display());
        }
    }
    for (path, text) in sources_of("crates") {
        let is_table =
            path.ends_with("prices/table.rs") || path.ends_with("protocol/src/provider.rs");
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        let said = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_said = !(is_table || is_test || path.ends_with("tests.rs"));
        assert!(!is_said || models_in(said).is_empty(), "{} names a model", path.display());
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}
