//! The form of `keys.env`: a line `NAME=value` for each key, the value to the end of its line.
//! Lines that begin with `#` and empty ones are nobody's.

use std::collections::BTreeMap;

/// Reads the file's text.
pub fn parse(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.trim().to_owned(), value.to_owned()))
        .collect()
}

/// Writes the file's text.
pub fn print(keys: &BTreeMap<String, String>) -> String {
    let lines: Vec<_> = keys.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    #[test]
    fn keys_are_read_as_they_were_written() {
        let keys = BTreeMap::from([
            ("A".to_owned(), "x=y # z".to_owned()),
            ("B".to_owned(), String::new()),
        ]);
        assert_eq!(parse(&print(&keys)), keys);
        assert_eq!(parse("# A=1\n\nB=2").len(), 1);
    }

    proptest! {
        #![proptest_config(cases(1_000))]

        #[test]
        fn every_value_of_one_line_is_kept(
            keys in prop::collection::btree_map("[A-Za-z_][A-Za-z0-9_]{0,5}", "[^\r\n]{0,12}", 0..5),
            noise in "(#[^\n]{0,5}\n|\n){0,3}",
        ) {
            prop_assert_eq!(parse(&format!("{noise}{}{noise}", print(&keys))), keys);
        }
    }
}
