//! A value has one word and one format wherever it is shown: that of `client::text`.

use regex::Regex;
use syn::visit::{self, Visit};

use super::house::House;

/// Enums with a word for each variant, as `client::text::words` lists them.
fn enums() -> Vec<String> {
    let words = super::sources_of("crates/client/src/text");
    let (_, text) = words.iter().find(|(path, _)| path.ends_with("text/words.rs")).unwrap();
    let found = Regex::new(r"(?m)^words!\((\w+) ").unwrap();
    found.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

/// Arms of a `match` that give a variant of one of the enums a text of their own.
struct Arms {
    enums: Vec<String>,
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for Arms {
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        // What a state is under a condition may be said in other words.
        let is_always = arm.guard.is_none();
        if let (syn::Pat::Path(path), true) = (&arm.pat, is_always) {
            let names: Vec<_> =
                path.path.segments.iter().map(|part| part.ident.to_string()).collect();
            if let [.., of, variant] = names.as_slice()
                && self.enums.contains(of)
                && matches!(&*arm.body, syn::Expr::Lit(body) if matches!(body.lit, syn::Lit::Str(_)))
            {
                self.found.push(format!("{of}::{variant}"));
            }
        }
        visit::visit_arm(self, arm);
    }
}

#[test]
fn states_have_no_second_table_of_words() {
    let enums = enums();
    assert!(enums.len() > 10, "{enums:?}");
    for name in ["cli", "tui"] {
        for file in House::of(name).files {
            let mut arms = Arms { enums: enums.clone(), found: Vec::new() };
            arms.visit_file(&syn::parse_file(&file.text).unwrap());
            assert!(arms.found.is_empty(), "{name}/{}: {:?}", file.path.display(), arms.found);
        }
    }
}

#[test]
fn numbers_have_no_second_format() {
    // Units right behind a value, dollars with their digits, and thousands apart.
    let format =
        Regex::new(r#""[^"\n]*(?:\{[^}"\n]*\} ?(?:[kKMG]i?B|ms|k)\b|\$\{[^{"\n])[^"\n]*""#);
    let format = format.unwrap();
    for name in ["cli", "tui"] {
        for file in House::of(name).files {
            let lines = file.text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let found: Vec<_> = lines.filter(|line| format.is_match(line)).collect();
            assert!(found.is_empty(), "{name}/{}: {found:#?}", file.path.display());
        }
    }
}
