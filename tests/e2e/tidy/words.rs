//! What a person reads is plain English: some words and images are not used.

use std::path::{Path, PathBuf};

use regex::Regex;
use syn::visit::{self, Visit};

use super::{crates, files as all_files, house::House, root};

/// Pages to check, beside those in `docs` and `examples`.
const PAGES: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "crates/daemon/src/settings/config.default.toml",
];

/// Folders whose files have comments to check, and further such files.
const FOLDERS: [&str; 6] = [".cargo", ".ci", "benches", "crates", "screenshots", "tests"];
const FILES: [&str; 2] = ["Cargo.toml", "clippy.toml"];

const UNPLAIN: &str = r"(?i)\b(whoever|nobody|somebody|everybody|what (?:it|they) ha(?:s|ve)\b|of which|one that|is no (?:[a-z]+)|there is none|lies in|so many)\b";

/// Texts of a file, tests apart: literals, and documentation.
#[derive(Default)]
struct Texts {
    literals: Vec<String>,
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.literals.push(text.value());
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        // Documentation is counted with the comments.
        if !attribute.path().is_ident("doc") {
            visit::visit_attribute(self, attribute);
        }
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
    }
}

impl Texts {
    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Literal(literal) => {
                    let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                    self.literals.extend(text.ok().map(|text| text.value()));
                }
                proc_macro2::TokenTree::Group(group) => self.tokens(group.stream()),
                _ => (),
            }
        }
    }
}

/// The words of a text that are not plain, each with its place.
fn unplain(regex: &Regex, place: &Path, text: &str) -> Vec<String> {
    let found = regex.find_iter(text).map(|found| found.as_str());
    found
        .filter(|said| !said.ends_with("longer") && !said.ends_with("more"))
        .map(|said| format!("{}: {said} … {text:.90}", place.display()))
        .collect()
}

#[test]
fn texts_say_it_plainly() {
    let regex = Regex::new(UNPLAIN).unwrap();
    let mut found = Vec::new();
    for name in crates() {
        for file in House::of(&name).files {
            let mut parsed = syn::parse_file(&file.text).unwrap();
            parsed.items.retain(|item| {
                let line = syn::spanned::Spanned::span(item).start().line;
                !file.of_tests.iter().any(|(from, to)| (*from..=*to).contains(&line))
            });
            let mut texts = Texts::default();
            texts.visit_file(&parsed);
            let place = Path::new(&name).join(&file.path);
            found.extend(texts.literals.iter().flat_map(|text| unplain(&regex, &place, text)));
        }
    }
    let mut pages = PAGES.map(|page| root().join(page)).to_vec();
    for folder in ["docs", "examples"] {
        all_files(&root().join(folder), &mut pages);
    }
    for page in pages {
        let Ok(text) = std::fs::read_to_string(&page) else { continue };
        found.extend(text.lines().flat_map(|line| unplain(&regex, &page, line)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What begins a comment in a file of this name; `None` if it has no comments to check.
fn mark(path: &Path) -> Option<&'static str> {
    match path.extension().map(|extension| extension.to_str().unwrap()) {
        Some("rs" | "js" | "mjs") => Some("//"),
        Some("css") => Some("/*"),
        Some("html") => Some("<!--"),
        Some("toml" | "py" | "sh" | "bash") | None => Some("#"),
        Some(_) => None,
    }
}

/// The comment of a line; its mark is at the start or behind a space.
fn comment<'t>(line: &'t str, mark: &str) -> Option<&'t str> {
    let mut marks = line.match_indices(mark).map(|(at, _)| line.split_at(at));
    marks.find(|(before, _)| before.is_empty() || before.ends_with(' ')).map(|(_, said)| said)
}

#[test]
fn comments_say_it_plainly() {
    let regex = Regex::new(UNPLAIN).unwrap();
    let mut files: Vec<PathBuf> = FILES.map(|file| root().join(file)).to_vec();
    for folder in FOLDERS {
        all_files(&root().join(folder), &mut files);
    }
    let mut found = Vec::new();
    for file in files {
        let Some(mark) = mark(&file) else { continue };
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let comments = text.lines().filter_map(|line| comment(line, mark));
        found.extend(comments.flat_map(|said| unplain(&regex, &file, said)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
