//! Checks of texts: whom they mention, and which values they ask for.

use std::collections::BTreeSet;

use agent_worker_protocol::{Name, Problem, Source, mention, nearest::nearest};
use agent_worker_workflow_file::{AgentSpec, ENV, template::Template};

use crate::engine::workflow::check::Look;

impl Look<'_> {
    /// Mentions in kickoff, prompts and scripts: whom they name in vain, and who is never named.
    pub fn texts(&self, problems: &mut Vec<Problem>) {
        let person = Name::person();
        let members = || self.file.agents.keys().chain([&person]).map(Name::as_str);
        let known: BTreeSet<&str> = members().collect();
        let mut named: BTreeSet<Name> = BTreeSet::new();
        let mut calls_all = false;
        // What stands there as an agent but could not be read was already reported.
        let is_absent = |word: &&String| self.tree.is_whole(&["agents", word.as_str()]);
        let mut look = |text: &str, path: &[&str], is_told: bool| {
            let found = mention::parse_among(text, &known);
            calls_all |= found.all;
            named.extend(found.resolved);
            for word in found.unresolved.iter().filter(|_| is_told).filter(is_absent) {
                let text = format!("no agent `@{word}` in this file");
                let problem = Problem::warning(text).at(self.tree.place(path));
                let near = nearest(word, members());
                problems.push(match near {
                    Some(near) => problem.hint(format!("did you mean `@{near}`?")),
                    None => problem,
                });
            }
        };
        if let Some(kickoff) = &self.file.kickoff {
            look(kickoff, &["kickoff"], true);
        }
        for (name, spec) in self.file.agents.iter() {
            if let Some(prompt) = system_text(self.source, spec) {
                look(prompt, &["agents", name.as_str(), "system_prompt"], true);
            }
            if let Some(script) = spec.script.as_ref().and_then(|file| self.source.files.get(file))
            {
                look(script, &["agents", name.as_str(), "script"], false);
            }
        }
        // Votes, groups and hired agents wake members too.
        let is_open = self.file.proposals || self.file.groups || self.file.hire;
        if calls_all || self.file.kickoff.is_none() || is_open {
            return;
        }
        for (name, spec) in self.file.agents.iter() {
            let runs_by_itself = !spec.schedule.is_empty() || spec.heartbeat.is_some();
            if runs_by_itself || named.contains(name) {
                continue;
            }
            let text = format!(
                "this file does not mention `@{name}`: it works only when it gets a message"
            );
            problems.push(Problem::warning(text).at(self.at(&["agents", name.as_str()])));
        }
    }

    /// A kickoff that names more members than one message may.
    pub fn kickoff(&self) -> Option<Problem> {
        let found = mention::parse(self.file.kickoff.as_ref()?, self.file.agents.keys());
        let (named, most) = (found.resolved.len(), self.most_named);
        let text = format!("the kickoff names {named} members: the limit is {most}");
        let problem = Problem::error(text).at(self.tree.place(&["kickoff"]));
        (named > most).then(|| problem.hint("@all reaches everyone"))
    }

    /// Values that are asked for in texts that have none.
    pub fn no_values(&self, problems: &mut Vec<Problem>) {
        let known = self.file.names_before(self.file.setup.len());
        let is_value = |name: &&str| name.starts_with(ENV) || known.iter().any(|one| one == name);
        let mut look = |text: &str, path: &[&str]| {
            let Ok(template) = Template::parse(text) else { return };
            if let Some(name) = template.names().map(|(name, _)| name).find(is_value) {
                let text = format!(
                    "`${{{{ {name} }}}}` stays as it is here: `setup` and `kickoff` alone have values"
                );
                problems.push(Problem::warning(text).at(self.tree.place(path)));
            }
        };
        for (name, spec) in self.file.agents.iter() {
            if let Some(prompt) = system_text(self.source, spec) {
                look(prompt, &["agents", name.as_str(), "system_prompt"]);
            }
            for (index, schedule) in spec.schedule.iter().enumerate() {
                let index = index.to_string();
                let path = ["agents", name.as_str(), "schedule", &index, "prompt"];
                schedule.prompt.iter().for_each(|prompt| look(prompt, &path));
            }
        }
    }
}

/// An agent's system prompt: the file's text where it names one, else what stands there.
pub fn system_text<'s>(source: &'s Source, spec: &'s AgentSpec) -> Option<&'s str> {
    match spec.system_prompt_file() {
        Some(file) => source.files.get(file).map(String::as_str),
        None => spec.system_prompt.as_deref(),
    }
}
