//! The part of a mirror that one member sees.

use agent_worker_protocol::{
    AttentionItem, AttentionKind, Conversation, Group, Name, OwnGroup, Proposal, Scope, Timestamp,
};

use super::state::{Contents, Mirror};

impl Mirror {
    /// What a member of a scope sees over HTTP: its scope alone, the conversations that are open to
    /// it with its read positions, no questions to the user; and what waits for it, votes and
    /// messages, in place of what waits for the user.
    ///
    /// `own` are the conversations as the daemon lists them for the member; a conversation that is
    /// not among them counts as read.
    #[must_use]
    pub fn seen_by(&self, scope: &Scope, member: &Name, own: &[OwnGroup]) -> Self {
        let mut contents = self.scopes.get(scope).cloned().unwrap_or_default();
        contents.groups.retain(|name, group| is_open(name, group, member));
        for (name, group) in &mut contents.groups {
            let unread = own.iter().find(|one| one.scope == *scope && one.name == *name);
            let read_until = unread.map_or(group.last_seq, |one| one.read_seq);
            group.read_seq = read_until;
            group.read_messages = group.messages - unread.map_or(0, |one| one.unread);
        }
        contents.questions.clear();
        contents.attention = waiting(&contents, scope, member);
        let runs = self.runs.of_scope(scope);
        let scopes = [(scope.clone(), contents)].into_iter().collect();
        Self { epoch: self.epoch.clone(), seq: self.seq, scopes, runs }
    }
}

fn is_open(name: &Conversation, group: &Group, member: &Name) -> bool {
    match name {
        Conversation::Channel => true,
        Conversation::Direct(one, other) => [one, other].contains(&member),
        Conversation::Group(_) => group.members.contains(member),
    }
}

/// What waits for a member, the most pressing first.
fn waiting(contents: &Contents, scope: &Scope, member: &Name) -> Vec<AttentionItem> {
    let has_vote = |proposal: &&Proposal| proposal.open().any(|elector| elector == member);
    let item = |kind, subject: String, reason: String, since| AttentionItem {
        kind,
        subject,
        scope: scope.clone(),
        reason,
        hint: None,
        since,
    };
    let votes = contents.proposals.values().filter(has_vote).map(|proposal| {
        let (id, reason) = (proposal.id.to_string(), proposal.title.clone());
        item(AttentionKind::Vote, id, reason, proposal.created_at)
    });
    let unread = contents.agents.get(member).map_or(0, |member| member.unread);
    let mail = (unread > 0).then(|| {
        item(AttentionKind::Mention, scope.to_string(), format!("{unread} unread"), Timestamp(0))
    });
    votes.chain(mail).collect()
}
