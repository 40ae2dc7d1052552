//! Files and folders stay small enough to be read.

use std::collections::BTreeMap;

use super::{
    crates,
    house::{File, House},
};

/// Lines of one file of the product. Larger ones may only shrink.
const LONGEST: usize = 400;
const LONGER: &[(&str, usize)] = &[];

/// Files in one folder, tests apart. Fuller ones may only shrink.
const FULLEST: usize = 20;
const FULLER: &[(&str, usize)] = &[];

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

/// Compares what is over a limit with the list of what may be.
fn hold(found: &BTreeMap<String, usize>, limit: usize, list: &[(&str, usize)]) {
    let over: BTreeMap<_, _> = found.iter().filter(|(_, size)| **size > limit).collect();
    let mut wrong = Vec::new();
    for (path, &&size) in &over {
        let allowed = list.iter().find(|(name, _)| name == path).map_or(limit, |(_, size)| *size);
        if size > allowed {
            wrong.push(format!("{path} has {size}, at most {allowed}"));
        }
    }
    for (path, _) in list {
        if !over.contains_key(&(*path).to_owned()) {
            wrong.push(format!("{path} is within the limit: take it off the list"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_is_too_long_to_read() {
    let files = files();
    let lines = |file: &File| file.text.lines().count();
    let mut sizes: Vec<_> = files.iter().map(|(_, file)| lines(file)).collect();
    sizes.sort_unstable();
    let code: usize = files.iter().map(|(_, file)| code_lines(file)).sum();
    let all: usize = sizes.iter().sum();
    println!(
        "{} files, {all} lines, {code} of code, p90 {}",
        files.len(),
        sizes[sizes.len() * 9 / 10]
    );
    let found = files.iter().map(|(path, file)| (path.clone(), lines(file))).collect();
    hold(&found, LONGEST, LONGER);
}

#[test]
fn no_folder_holds_more_than_one_can_see() {
    let mut folders = BTreeMap::new();
    for (path, _) in files() {
        let folder = path.rsplit_once('/').unwrap().0.to_owned();
        *folders.entry(folder).or_default() += 1;
    }
    hold(&folders, FULLEST, FULLER);
}
