//! Names under which the tools of servers are offered.

use std::collections::HashSet;

use crate::mcp::Listed;

/// The longest name that every model takes.
const LONGEST: usize = 64;

/// Separator of the server's name and the tool's.
const BETWEEN: &str = "__";

/// `server__tool`, with nothing in it that no model takes.
pub fn offered(server: &str, tool: &str) -> String {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let tool = tool.chars().map(|c| if is_fine(c) { c } else { '_' });
    server.chars().chain(BETWEEN.chars()).chain(tool).take(LONGEST).collect()
}

/// Whether it would be the name of a tool of this server.
pub fn is_of(name: &str, server: &str) -> bool {
    name.strip_prefix(server).is_some_and(|rest| rest.starts_with(BETWEEN))
}

/// Numbers names that are already taken.
pub fn make_distinct<'t>(tools: impl Iterator<Item = &'t mut (Listed, String)>) {
    let mut known = HashSet::new();
    for (listed, _) in tools {
        let name = &mut listed.tool.name;
        let plain = name.clone();
        for number in 2.. {
            if known.insert(name.clone()) {
                break;
            }
            let number = format!("_{number}");
            let room = LONGEST - number.len();
            *name = format!("{}{number}", &plain[..plain.len().min(room)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::Tool;

    #[test]
    fn a_name_is_one_that_every_model_takes() {
        for (server, tool, name) in [
            ("issues", "create_issue", "issues__create_issue"),
            ("a-b", "list.all/now ä", "a-b__list_all_now__"),
            ("s", &"x".repeat(100), &format!("s__{}", "x".repeat(61))),
        ] {
            assert_eq!(offered(server, tool), name);
        }
        assert!(is_of("issues__x", "issues"));
        assert!(!is_of("issues_x", "issues") && !is_of("other__x", "issues"));
    }

    #[test]
    fn no_two_tools_have_the_same_name() {
        let listed = |name: &str| {
            let tool = Tool { name: name.to_owned(), about: String::new(), schema: Arc::default() };
            (Listed { tool, only_reads: false }, String::new())
        };
        let long = "x".repeat(64);
        let mut tools: Vec<_> = ["a__b", "a__b", "a__c", "a__b", &long, &long].map(listed).into();
        make_distinct(tools.iter_mut());
        let names: Vec<_> = tools.iter().map(|(listed, _)| listed.tool.name.as_str()).collect();
        let cut = format!("{}_2", "x".repeat(62));
        assert_eq!(names, ["a__b", "a__b_2", "a__c", "a__b_3", &long, &cut]);
    }
}
