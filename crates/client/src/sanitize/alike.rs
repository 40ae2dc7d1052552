//! Lines that differ, but look the same once they are sanitized.

use std::collections::BTreeMap;

use super::sanitized::Sanitized;

/// What stands below a difference in which [`look_alike`] finds such lines.
pub const LOOK_ALIKE: &str =
    "lines that look the same differ in line ends, tabs or invisible characters";

/// Whether an old line and a new line differ, but look the same once both are sanitized.
pub fn look_alike<'t>(
    old: impl IntoIterator<Item = &'t str>,
    new: impl IntoIterator<Item = &'t str>,
) -> bool {
    let shown = |line: &'t str| (Sanitized::text(line).text, line);
    let old: BTreeMap<String, &str> = old.into_iter().map(shown).collect();
    let mut new = new.into_iter().map(shown);
    new.any(|(shown, line)| old.get(&shown).is_some_and(|other| *other != line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_look_alike_if_they_differ_only_in_what_is_not_shown() {
        for (old, new, is_alike) in [
            (&["a\r\n"][..], &["a\n"][..], true),
            (&["\ta\n"], &["    a\n"], true),
            (&["a\u{202e}b\n"], &["ab\n"], true),
            (&["a\n"], &["\u{1b}[31ma\u{1b}[m\n"], true),
            (&["a\n", "b\r\n"], &["c\n", "d\n", "b\n"], true),
            (&["a\n"], &["b\n"], false),
            (&["a\n"], &["a"], false),
            (&["a\r\n", "b\n"], &["b\n", "a\r\n"], false),
            (&[], &["a\n"], false),
        ] {
            let told = look_alike(old.iter().copied(), new.iter().copied());
            assert_eq!(told, is_alike, "{old:?} {new:?}");
        }
    }
}
