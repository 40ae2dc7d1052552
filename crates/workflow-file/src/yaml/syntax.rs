//! What the YAML parser says, as problems.

use agent_worker_protocol::{Position, Problem};
use serde_saphyr::granit_parser::{ErrorKind, Marker, ScanError};

/// How deep lists and mappings may stand in each other.
pub(super) const MAX_DEPTH: usize = 64;

/// The parser's place as ours.
pub(super) fn position(marker: &Marker) -> Position {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: number(marker.line()), column: number(marker.col()).saturating_add(1) }
}

/// The problem of values too far inside of others.
pub(super) fn too_deep(at: Position) -> Problem {
    Problem::error(format!("more than {MAX_DEPTH} lists and mappings stand in each other")).at(at)
}

/// What the parser says, with what to do about it where that is likely.
pub(super) fn syntax_problem(error: &ScanError) -> Problem {
    let at = position(error.marker());
    let kind = error.kind();
    if matches!(kind, ErrorKind::RecursionLimitExceeded) {
        return too_deep(at);
    }
    let hint = syntax_hint(kind).map(str::to_owned);
    Problem { hint, ..Problem::error(format!("not valid YAML: {kind}")).at(at) }
}

fn syntax_hint(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart => "indent with spaces",
        ErrorKind::MappingValueNotAllowed => {
            "text with `: ` in it needs quotes; keys of one mapping begin in the same column"
        }
        ErrorKind::UnexpectedCharacter { character: '@' | '`' | '%' } => {
            "text that begins with this character needs quotes"
        }
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation => {
            "keys of one mapping begin in the same column"
        }
        ErrorKind::ExpectedBlockSequenceEntry => "entries of one list begin in the same column",
        ErrorKind::UnknownQuotedScalarEscape => "in single quotes, `\\` is an ordinary character",
        _ => return None,
    })
}
