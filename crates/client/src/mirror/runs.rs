//! The newest runs of each member.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{Name, Run, RunId, Scope, event::RUNS_OF_AGENT};

#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    all: BTreeMap<RunId, Run>,
    of_member: BTreeMap<Scope, BTreeMap<Name, BTreeSet<RunId>>>,
    /// Runs that outlive their member. Another of its name may be there by then, and a scope that
    /// is put away takes them along, so they are known by their numbers.
    forsaken: BTreeSet<RunId>,
}

impl Runs {
    /// Newest first.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Run> {
        self.all.values().rev()
    }

    pub fn get(&self, id: RunId) -> Option<&Run> {
        self.all.get(&id)
    }

    /// Those of a member, newest first.
    pub fn of<'s>(
        &'s self,
        scope: &Scope,
        name: &Name,
    ) -> impl DoubleEndedIterator<Item = &'s Run> + use<'s> {
        let ids = self.of_member.get(scope).and_then(|members| members.get(name));
        ids.into_iter().flatten().rev().filter_map(|id| self.all.get(id))
    }

    /// Those of one scope alone.
    pub fn of_scope(&self, scope: &Scope) -> Self {
        let all: BTreeMap<_, _> = self.all.iter().filter(|(_, run)| run.scope == *scope).collect();
        let forsaken = self.forsaken.iter().filter(|id| all.contains_key(id)).copied().collect();
        let members = self.of_member.get(scope).map(|members| (scope.clone(), members.clone()));
        let all = all.into_iter().map(|(id, run)| (*id, run.clone())).collect();
        Self { all, of_member: members.into_iter().collect(), forsaken }
    }

    /// Takes a run of a snapshot.
    pub fn begin_with(&mut self, run: Run, is_forsaken: bool) {
        if is_forsaken {
            self.forsaken.insert(run.id);
        }
        self.take(run);
    }

    pub fn take(&mut self, run: Run) {
        let id = run.id;
        if self.forsaken.contains(&id) {
            if run.state.is_live() {
                self.all.insert(id, run);
            } else {
                self.forsaken.remove(&id);
                self.all.remove(&id);
            }
            return;
        }
        let Some(name) = &run.agent.name else { return };
        let members = self.of_member.entry(run.scope.clone()).or_default();
        let ids = members.entry(name.clone()).or_default();
        ids.insert(id);
        let oldest = if ids.len() > RUNS_OF_AGENT { ids.pop_first() } else { None };
        self.all.insert(id, run);
        if let Some(oldest) = oldest {
            self.all.remove(&oldest);
        }
    }

    /// A member is gone: its runs in progress stay until they end.
    pub fn forsake(&mut self, scope: &Scope, name: &Name) {
        let ids = self.of_member.get_mut(scope).and_then(|members| members.remove(name));
        for id in ids.into_iter().flatten() {
            if self.all.get(&id).is_some_and(|run| run.state.is_live()) {
                self.forsaken.insert(id);
            } else {
                self.all.remove(&id);
            }
        }
    }

    /// A scope is gone.
    pub fn forget(&mut self, scope: &Scope) {
        self.of_member.remove(scope);
        self.all.retain(|_, run| run.scope != *scope);
    }
}
