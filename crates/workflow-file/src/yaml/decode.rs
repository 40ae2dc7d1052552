//! A text as a value, with all that is wrong in it.

use std::collections::HashSet;

use agent_worker_protocol::Problem;
use serde::de::DeserializeOwned;

use crate::yaml::{
    de,
    error::{self, Spot},
    parse,
    tree::Tree,
};

/// The most problems of one file that are told.
pub(crate) const MAX_PROBLEMS: usize = 50;

/// How often a file is decoded at most: more often than there are problems to tell, because what
/// only follows from one is passed over too.
const MAX_ROUNDS: usize = 4 * MAX_PROBLEMS;

/// What came of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded<T> {
    /// The whole value, if nothing keeps it from being used.
    pub value: Option<T>,
    /// The right parts of a value with mistakes, for further checks of the rest.
    pub partial: Option<T>,
    /// All that is wrong, in the order of the file; warnings can come with a value.
    pub problems: Vec<Problem>,
    /// Where everything stands; `None` if the text is not YAML.
    pub tree: Option<Tree>,
}

/// Decodes a YAML text.
pub fn decode<T: DeserializeOwned>(text: &str) -> Decoded<T> {
    let (tree, mut problems) = parse::parse(text);
    let Some(mut tree) = tree else { return Decoded::new(None, problems, None) };
    if tree.is_empty() {
        problems.push(Problem::error("the file is empty").at(tree.place(&[])));
        return Decoded::new(None, problems, Some(tree));
    }
    let best = decode_what_fits(&mut tree, &mut problems);
    tree.close_ranks();
    Decoded::new(best, problems, Some(tree))
}

/// Decodes a tree as far as it goes. What does not fit is marked in the tree and told.
fn decode_what_fits<T: DeserializeOwned>(
    tree: &mut Tree,
    problems: &mut Vec<Problem>,
) -> Option<T> {
    let mut renamed = HashSet::new();
    let enough = problems.len() + MAX_PROBLEMS;
    for _ in 0..MAX_ROUNDS {
        if problems.len() > enough {
            break;
        }
        let error = match de::decode_once::<T>(tree, &renamed) {
            Ok(value) if renamed.is_empty() => return Some(value),
            // What stands under keys that are none was looked at, but belongs to nothing.
            Ok(_) => {
                tree.skipped.extend(renamed.drain());
                continue;
            }
            Err(error) => error,
        };
        let Spot { node, is_key, is_consequence, .. } = error.spot?;
        let is_known = is_consequence || (is_key && renamed.contains(&node));
        if !is_known {
            problems.push(error.problem());
        }
        let gets_further = (is_key && renamed.insert(node)) || tree.skipped.insert(node);
        if node == Tree::ROOT || !gets_further {
            return None;
        }
    }
    None
}

/// Whatever a problem repeats of the file may be of any length.
fn shorten(problem: &mut Problem) {
    problem.message = error::without_middle(std::mem::take(&mut problem.message));
    problem.hint = problem.hint.take().map(error::without_middle);
}

impl<T> Decoded<T> {
    /// `best` is what could be decoded.
    fn new(best: Option<T>, mut problems: Vec<Problem>, tree: Option<Tree>) -> Self {
        problems.sort_by_key(Problem::order);
        let is_usable = !problems.iter().any(Problem::is_error);
        if problems.len() > MAX_PROBLEMS {
            problems.truncate(MAX_PROBLEMS);
            problems.push(Problem::error("there may be more; these are the first that were found"));
        }
        problems.iter_mut().for_each(shorten);
        let (value, partial) = if is_usable { (best, None) } else { (None, best) };
        Self { value, partial, problems, tree }
    }

    /// The whole value, or what is right of it.
    pub fn best(&self) -> Option<&T> {
        self.value.as_ref().or(self.partial.as_ref())
    }

    /// Looks further at what could be decoded. The tree tells where things stand, and by
    /// [`Tree::is_whole`] whether something is missing only because it is wrong.
    #[must_use]
    pub fn check(self, check: impl FnOnce(&T, &Tree) -> Vec<Problem>) -> Self {
        let mut problems = self.problems;
        let best = self.value.or(self.partial);
        if let (Some(best), Some(tree)) = (&best, &self.tree) {
            problems.extend(check(best, tree));
        }
        Self::new(best, problems, self.tree)
    }

    /// The same, each problem with the name of the file.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        for problem in &mut self.problems {
            problem.file = Some(file.to_owned());
        }
        self
    }
}
