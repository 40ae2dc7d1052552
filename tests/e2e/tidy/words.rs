//! What a person reads is plain English: some words and images are not used.

use std::collections::BTreeMap;

use regex::Regex;
use syn::visit::{self, Visit};

use super::{files as all_files, house::House, root};

const CRATES: [&str; 10] = [
    "protocol",
    "workflow-file",
    "fake-model",
    "process",
    "home",
    "client",
    "daemon",
    "worker",
    "tui",
    "cli",
];

/// Pages to check, beside those in `docs` and `examples`.
const PAGES: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "crates/daemon/src/settings/config.default.toml",
];

const UNPLAIN: &str = r"(?i)\b(whoever|nobody|what (?:it|they) ha(?:s|ve)\b|of which|one that|is no (?:[a-z]+)|there is none|lies in|so many)\b";

/// More words that texts avoid; comments still have them.
const UNPLAIN_IN_TEXTS: &str = r"|(?i)\b(somebody|everybody)\b";

/// How often such words stand in texts of a crate or page (`strings`), and in its comments. May only
/// shrink, to nothing for texts and to 50 for comments.
const STRINGS: &[(&str, usize)] = &[];
const COMMENTS: &[(&str, usize)] = &[];

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

fn unplain<'t>(regex: &Regex, text: &'t str) -> Vec<&'t str> {
    let found = regex.find_iter(text).map(|found| found.as_str());
    found.filter(|said| !said.ends_with("longer") && !said.ends_with("more")).collect()
}

fn hold(found: &BTreeMap<String, Vec<String>>, list: &[(&str, usize)]) {
    let mut wrong = Vec::new();
    for (place, said) in found {
        let allowed = list.iter().find(|(name, _)| name == place).map_or(0, |(_, count)| *count);
        eprintln!("{place}: {}\n  {}", said.len(), said.join("\n  "));
        if said.len() > allowed {
            wrong.push(format!(
                "{place}: {}, at most {allowed}:\n  {}",
                said.len(),
                said.join("\n  ")
            ));
        }
    }
    for (place, _) in list {
        if !found.contains_key(*place) {
            wrong.push(format!("{place} is plain: take it off the list"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn texts_say_it_plainly() {
    let regex = Regex::new(&format!("{UNPLAIN}{UNPLAIN_IN_TEXTS}")).unwrap();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in CRATES {
        for file in House::of(name).files {
            let mut parsed = syn::parse_file(&file.text).unwrap();
            parsed.items.retain(|item| {
                let line = syn::spanned::Spanned::span(item).start().line;
                !file.of_tests.iter().any(|(from, to)| (*from..=*to).contains(&line))
            });
            let mut texts = Texts::default();
            texts.visit_file(&parsed);
            for text in &texts.literals {
                for said in unplain(&regex, text) {
                    let line = format!("{}: {said} … {text:.90}", file.path.display());
                    found.entry(name.to_owned()).or_default().push(line);
                }
            }
        }
    }
    let mut pages = PAGES.map(|page| root().join(page)).to_vec();
    for folder in ["docs", "examples"] {
        all_files(&root().join(folder), &mut pages);
    }
    for page in pages {
        let Ok(text) = std::fs::read_to_string(&page) else { continue };
        for line in text.lines() {
            for said in unplain(&regex, line) {
                let name = page.strip_prefix(root()).unwrap().display().to_string();
                found.entry(name).or_default().push(format!("{said} … {line:.90}"));
            }
        }
    }
    hold(&found, STRINGS);
}

#[test]
fn comments_say_it_plainly() {
    let regex = Regex::new(UNPLAIN).unwrap();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in CRATES {
        for file in House::of(name).files {
            for line in file.text.lines().map(str::trim).filter(|line| line.starts_with("//")) {
                for said in unplain(&regex, line) {
                    let line = format!("{}: {said} … {line:.90}", file.path.display());
                    found.entry(name.to_owned()).or_default().push(line);
                }
            }
        }
    }
    hold(&found, COMMENTS);
}
