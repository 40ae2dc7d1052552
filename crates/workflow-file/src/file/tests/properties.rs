//! Files that are right but for one line.

use proptest::{prelude::*, sample::Index};

use super::{
    paper::{Kind, Line, Paper},
    random::file,
    *,
};
use crate::{cases::cases, yaml::tests::properties::is_well_told};

/// What is done to one line of a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    /// Its key is unknown.
    Unknown,
    /// Its value is of another type.
    WrongType,
    /// It has an anchor.
    Anchor,
    /// It has a tag.
    Tag,
    /// It is an alias.
    Alias,
    /// It stands there twice.
    Twice,
}

const DAMAGES: [Damage; 6] =
    [Damage::Unknown, Damage::WrongType, Damage::Anchor, Damage::Tag, Damage::Alias, Damage::Twice];

impl Damage {
    fn fits(self, kind: Kind) -> bool {
        match self {
            Self::Unknown => matches!(kind, Kind::Value | Kind::Above),
            Self::Twice => matches!(kind, Kind::Value | Kind::Needed | Kind::Named),
            _ => matches!(kind, Kind::Value | Kind::Needed | Kind::Named | Kind::Entry),
        }
    }

    /// Damages a line, and says on which line that is told.
    fn apply(self, lines: &mut Vec<Line>, at: usize) -> usize {
        let line = &mut lines[at];
        match self {
            Self::Unknown => {
                let (dash, key) =
                    line.before.split_at(line.before.find(|c| c != '-' && c != ' ').unwrap());
                line.before = format!("{dash}zz_{key}");
            }
            Self::WrongType => line.value = "{ zz: { zz: zz } }".to_owned(),
            Self::Anchor => line.value = format!("&zz {}", line.value),
            Self::Tag => line.value = format!("!zz {}", line.value),
            Self::Alias => line.value = "*zz".to_owned(),
            Self::Twice => {
                let mut again = line.clone();
                if let Some(key) = line.before.strip_prefix("- ") {
                    again.before = key.to_owned();
                    again.indent += 2;
                }
                lines.insert(at + 1, again);
                return at + 2;
            }
        }
        at + 1
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_file_is_read_as_what_it_was_written_from(file in file()) {
        let paper = Paper::of(&file);
        let decoded = WorkflowFile::parse(&paper.text());
        prop_assert_eq!(&decoded.problems, &[], "{}", paper.text());
        prop_assert_eq!(decoded.value, Some(file), "{}", paper.text());
    }

    #[test]
    fn one_mistake_is_told_once_and_where_it_is(
        file in file(),
        damage in prop::sample::select(DAMAGES.to_vec()),
        at in any::<Index>(),
    ) {
        let mut paper = Paper::of(&file);
        let fitting: Vec<usize> =
            (0..paper.lines.len()).filter(|at| damage.fits(paper.lines[*at].kind)).collect();
        if fitting.is_empty() {
            return Ok(());
        }
        let line = damage.apply(&mut paper.lines, *at.get(&fitting));
        let decoded = WorkflowFile::parse(&paper.text());
        let told: Vec<_> = decoded.problems.iter().map(ToString::to_string).collect();
        prop_assert_eq!(told.len(), 1, "{:?} on line {}: {:?} in\n{}", damage, line, told, paper.text());
        let found = decoded.problems[0].line.unwrap_or_default() as usize;
        prop_assert_eq!(found, line, "{:?}: {:?} in\n{}", damage, told, paper.text());
    }

    #[test]
    fn a_name_that_is_not_known_is_told_where_it_stands(
        file in file(),
        at in any::<Index>(),
    ) {
        let mut paper = Paper::of(&file);
        let Some(first) = paper.lines.iter().position(|line| line.before == "kickoff: |") else {
            return Ok(());
        };
        let at = first + 1 + at.index(paper.lines.len() - first - 1);
        let column = paper.lines[at].written().chars().count() + 1;
        paper.lines[at].value.push_str("${{ zzz }}");
        let decoded = WorkflowFile::parse(&paper.text());
        let told: Vec<_> = decoded.problems.iter().map(ToString::to_string).collect();
        let message = "unknown value `${{ zzz }}`";
        prop_assert_eq!(told, [format!("{}:{column}: {message}", at + 1)], "{}", paper.text());
    }

    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_read_or_refused(
        file in file(),
        from in any::<Index>(),
        count in 0..6_usize,
        new in prop::sample::select(vec!["", "\t", "\n", ":", "- ", "[", "'", "\"", "&", "|", "é", "\0", "${{"]),
    ) {
        let chars: Vec<char> = Paper::of(&file).text().chars().collect();
        let from = from.index(chars.len());
        let to = (from + count).min(chars.len());
        let text: String = chars[..from].iter().copied().chain(new.chars()).chain(chars[to..].iter().copied()).collect();
        is_well_told(&text, &WorkflowFile::parse(&text))?;
        let start: String = chars[..from].iter().collect();
        is_well_told(&start, &WorkflowFile::parse(&start))?;
    }
}

#[test]
fn what_is_said_is_short_however_long_what_it_is_said_of() {
    let long = "a".repeat(10_000);
    let texts = [
        "name: &L x",
        "name: *L",
        "name: !L x",
        "name: L",
        "L: x",
        "? [L]\n: x",
        "params: { L: [1] }",
        "params: { L: x, L: y }",
        "agents: { L: 5 }",
        "agents: { a: { schedule: L } }",
        "agents: { a: { schedule: L b c d e f } }",
        "agents: { a: { backend: L } }",
        "agents: { a: { tools: [L] } }",
        "agents: { a: { tools: L } }",
        "agents: { a: { command: L L } }",
        "agents: { a: { env: [L-] } }",
        "agents: { a: { script: /L } }",
        "agents: { a: { mcp_servers: { L: {} } } }",
        "agents: { a: { schedule: [{ name: L, every: 1m }] } }",
        "context: { provider: L }",
        "context: { documentOwner: L }",
        "limits: { hops: L, cost: L, duration: L }",
        "timezone: L L",
        "setup: [{ shell: L, as: L }, { shell: L, as: L }]",
        "kickoff: ${{ L }}",
        "kickoff: ${{ L L }}",
        "kickoff: ${{ params.L }}",
    ];
    for text in texts.map(|text| text.replace('L', &long)) {
        let decoded = WorkflowFile::parse(&text);
        assert!(!decoded.problems.is_empty());
        let told = is_well_told(&text, &decoded);
        assert!(told.is_ok(), "{}", text.replace(&long, "L"));
    }
}
