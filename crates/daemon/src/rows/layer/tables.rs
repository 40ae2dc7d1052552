//! The tables that there are.

macro_rules! tables {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// A table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Table {
            $($variant),*
        }

        impl Table {
            /// All of them, by their names.
            #[cfg(test)]
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }
        }
    };
}

tables!(
    AgentCounts "agent_counts",
    Agents "agents",
    Browsers "browsers",
    ChatMessages "chat_messages",
    DaemonState "daemon_state",
    Deliveries "deliveries",
    DocReads "doc_reads",
    DocumentVersions "document_versions",
    Documents "documents",
    Events "events",
    GroupMembers "group_members",
    Groups "groups",
    Idempotency "idempotency",
    MemberDocReads "member_doc_reads",
    MemberTokens "member_tokens",
    Messages "messages",
    ProposalElectors "proposal_electors",
    Proposals "proposals",
    Questions "questions",
    Resources "resources",
    RunOutput "run_output",
    RunRoots "run_roots",
    Runs "runs",
    ScheduleFires "schedule_fires",
    Schedules "schedules",
    Search "search",
    SearchEntries "search_entries",
    SessionTurns "session_turns",
    Sessions "sessions",
    Votes "votes",
    WorkflowFiles "workflow_files",
    Workflows "workflows",
);

impl Table {
    /// Those whose rows get their numbers from `rows/numbers.rs`.
    const NUMBERED: [Self; 3] = [Self::Messages, Self::Events, Self::SearchEntries];

    /// Its place among them.
    pub fn numbered(self) -> Option<usize> {
        Self::NUMBERED.iter().position(|table| *table == self)
    }
}
