//! Files and folders stay small enough to be read.

use std::collections::BTreeMap;

use super::{
    crates,
    house::{File, House},
};

/// Lines of one file of the product.
const LONGEST: usize = 400;

/// Lines that nine files of ten do not exceed.
const LONG: usize = 250;

/// Files in one folder, tests apart.
const FULLEST: usize = 20;

/// Lines of a file that are neither blank, nor comment, nor compiled by tests alone.
fn code_lines(file: &File) -> usize {
    let is_code = |(number, line): &(usize, &str)| {
        let is_test = file.of_tests.iter().any(|(from, to)| (*from..=*to).contains(number));
        let line = line.trim();
        !(is_test || line.is_empty() || line.starts_with("//"))
    };
    file.text.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(is_code).count()
}

fn files() -> Vec<(String, File)> {
    let named = |name: String| {
        House::of(&name)
            .files
            .into_iter()
            .map(move |file| (format!("{name}/{}", file.path.display()), file))
            .collect::<Vec<_>>()
    };
    crates().into_iter().flat_map(named).collect()
}

/// Names what is over a limit.
fn hold<'f>(found: impl IntoIterator<Item = (&'f str, usize)>, limit: usize) {
    let over = found.into_iter().filter(|(_, size)| *size > limit);
    let wrong: Vec<_> = over.map(|(path, size)| format!("{path} has {size}")).collect();
    assert!(wrong.is_empty(), "at most {limit}:\n{}", wrong.join("\n"));
}

#[test]
fn no_file_is_too_long_to_read() {
    let files = files();
    let lines = |file: &File| file.text.lines().count();
    let mut sizes: Vec<_> = files.iter().map(|(_, file)| lines(file)).collect();
    sizes.sort_unstable();
    let code: usize = files.iter().map(|(_, file)| code_lines(file)).sum();
    let all: usize = sizes.iter().sum();
    let p90 = sizes[sizes.len() * 9 / 10];
    println!("{} files, {all} lines, {code} of code, p90 {p90}", files.len());
    assert!(p90 <= LONG, "one file of ten has {p90} lines or more, at most {LONG}");
    hold(files.iter().map(|(path, file)| (path.as_str(), lines(file))), LONGEST);
}

#[test]
fn no_folder_holds_more_than_one_can_see() {
    let files = files();
    let mut folders = BTreeMap::new();
    for (path, _) in &files {
        *folders.entry(path.rsplit_once('/').unwrap().0).or_default() += 1;
    }
    hold(folders, FULLEST);
}
