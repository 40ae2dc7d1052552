//! What is wrong with a script although each of its values has the right form.

use std::collections::HashSet;

use agent_worker_protocol::{Position, Problem, nearest::nearest};
use serde_json::Value;

use crate::{
    script::{
        pattern::Pattern,
        step::Step,
        turns::{Script, Turn},
    },
    shell,
    template::{Template, is_word},
    yaml::{self, Decoded, MAX_PROBLEMS, Tree, did_you_mean},
};

/// What begins the names of what a turn's pattern found.
const MATCH: &str = "match";

impl Script {
    /// Reads a script, with all that can be known of it from its text alone.
    pub fn parse(text: &str) -> Decoded<Self> {
        yaml::decode(text).check(problems)
    }

    /// Reads a script that a user gives an agent: it has at least one turn. An agent without a
    /// script plays an empty list.
    pub fn given(text: &str) -> Decoded<Self> {
        Self::parse(text).check(|script, tree| {
            let is_empty = script.0.is_empty() && tree.is_whole(&[]);
            let problem = Problem::error("a script has at least one turn").at(tree.place(&[]));
            is_empty.then_some(problem).into_iter().collect()
        })
    }
}

/// All that the text alone tells.
fn problems(script: &Script, tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, turn) in script.0.iter().enumerate() {
        if problems.len() > MAX_PROBLEMS {
            break;
        }
        let index = index.to_string();
        problems.extend(Steps::of(turn, &index, tree).problems());
    }
    let plays_always = |turn: &Turn| turn.when.is_none() && turn.times == 0;
    let always = script.0.iter().position(plays_always).map(|first| first + 1);
    if let Some(next) = always.filter(|next| *next < script.0.len()) {
        let at = tree.place(&[&next.to_string()]);
        let problem = Problem::warning("unreachable turn: the one before always matches");
        problems.push(problem.at(at));
    }
    problems
}

/// The steps of one turn.
struct Steps<'a> {
    turn: &'a Turn,
    index: &'a str,
    tree: &'a Tree,
    /// Whether what its pattern finds is known.
    knows_groups: bool,
    /// Whether every `as` in it is known.
    knows_outputs: bool,
}

impl<'a> Steps<'a> {
    fn of(turn: &'a Turn, index: &'a str, tree: &'a Tree) -> Self {
        let knows_groups = tree.is_whole(&[index, "when"]);
        let knows_outputs = tree.is_whole(&[index, "do"]);
        Self { turn, index, tree, knows_groups, knows_outputs }
    }

    /// Groups that no `${{ match.NAME }}` finds: a regular expression takes more names.
    fn unnameable_groups(&self) -> Vec<Problem> {
        let groups = self.turn.when.iter().flat_map(Pattern::groups);
        let problem = |group: &str| {
            let rule = "only ASCII letters, digits and `_` are allowed";
            let text = format!("invalid group name `{group}`: {rule}");
            Problem::error(text).at(self.tree.place(&[self.index, "when"]))
        };
        groups.filter(|group| !is_word(group)).take(MAX_PROBLEMS + 1).map(problem).collect()
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = self.unnameable_groups();
        let mut outputs: HashSet<&str> = HashSet::new();
        for (number, step) in self.turn.steps.iter().enumerate() {
            if problems.len() > MAX_PROBLEMS {
                break;
            }
            let number = number.to_string();
            let path = [self.index, "do", &number];
            for (inside, text) in texts(step) {
                if problems.len() > MAX_PROBLEMS {
                    break;
                }
                let path: Vec<&str> =
                    path.into_iter().chain(inside.iter().map(String::as_str)).collect();
                problems.extend(self.problems_of(text, &path, &outputs));
            }
            let at = |key| self.tree.place(&[self.index, "do", &number, key]);
            match step {
                Step::Call { output: Some(output), .. }
                | Step::Ask { output: Some(output), .. } => {
                    if output == MATCH {
                        let message = format!("`{MATCH}` is reserved for the groups of `when`");
                        problems.push(Problem::error(message).at(at("as")));
                    } else {
                        outputs.insert(output.as_str());
                    }
                }
                Step::Shell(text) if Template::parse(text).is_ok() => {
                    let rendered = shell::render(text, |_| Some(String::new()));
                    problems.extend(rendered.err().map(|why| Problem::error(why).at(at("shell"))));
                }
                Step::Usage(usage)
                    if usage.cost.is_some_and(|cost| !cost.is_finite() || cost < 0.0) =>
                {
                    problems.push(Problem::error("a cost is an amount of dollars").at(at("usage")));
                }
                _ => {}
            }
        }
        problems
    }

    fn problems_of(&self, text: &str, path: &[&str], outputs: &HashSet<&str>) -> Vec<Problem> {
        let place = |offset| self.tree.locate_in(path, offset).unwrap_or(Position::START);
        match Template::parse(text) {
            Err(bad) => vec![Problem::error(bad.to_string()).at(place(bad.offset))],
            Ok(template) => {
                let problem = |(name, offset)| Some(self.unknown(name, outputs)?.at(place(offset)));
                // Finding a place takes time, and no more are shown.
                template.names().filter_map(problem).take(MAX_PROBLEMS + 1).collect()
            }
        }
    }

    /// What is wrong with a name, if anything is.
    fn unknown(&self, name: &str, outputs: &HashSet<&str>) -> Option<Problem> {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        if first == MATCH {
            return self.unknown_group(name, rest);
        }
        if outputs.contains(first) || !self.knows_outputs {
            return None;
        }
        let hint = did_you_mean(first, outputs.iter().copied());
        let message = format!("no step before this one has `as: {first}`");
        Some(Problem { hint, ..Problem::error(message) })
    }

    fn unknown_group(&self, name: &str, group: &str) -> Option<Problem> {
        let pattern = self.turn.when.as_ref();
        let groups: Vec<_> = pattern.into_iter().flat_map(Pattern::groups).collect();
        if groups.contains(&group) || !self.knows_groups {
            return None;
        }
        if pattern.is_none() {
            return Some(Problem::error(format!(
                "`{name}`: the turn has no `when` to find something"
            )));
        }
        let message = format!("`{name}`: the turn's `when` has no group `{group}`");
        let near = nearest(group, groups.iter().copied());
        let near = near.map(|near| format!("did you mean `{MATCH}.{near}`?"));
        let is_name = is_word(group) && Pattern::try_from(format!("(?<{group}>)")).is_ok();
        let new = || is_name.then(|| format!("write `(?<{group}>…)` in it"));
        Some(Problem { hint: near.or_else(new), ..Problem::error(message) })
    }
}

/// The texts of a step that may hold values, each with its path in the step.
fn texts(step: &Step) -> Vec<(Vec<String>, &str)> {
    let mut texts = Vec::new();
    match step {
        Step::Think(text) => texts.push((vec!["think".to_owned()], text.as_str())),
        Step::Say(text) => texts.push((vec!["say".to_owned()], text.as_str())),
        Step::Shell(text) => texts.push((vec!["shell".to_owned()], text.as_str())),
        Step::Call { with, .. } | Step::Ask { with, .. } => {
            for (key, value) in with {
                push_texts(value, vec!["with".to_owned(), key.clone()], &mut texts);
            }
        }
        Step::Sleep(_) | Step::Usage(_) | Step::Fail(_) => {}
    }
    texts
}

fn push_texts<'v>(value: &'v Value, path: Vec<String>, texts: &mut Vec<(Vec<String>, &'v str)>) {
    let inside = |part: String| path.iter().cloned().chain([part]).collect();
    match value {
        Value::String(text) => texts.push((path, text)),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                push_texts(value, inside(index.to_string()), texts);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                push_texts(value, inside(key.clone()), texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
