//! Who the agent is, and who is with it.

use std::fmt::{self, Write as _};

use agent_worker_protocol::{MemberKind, Op, RunConfig, Team, TeamMember, TeamMembers};

use super::quote::in_line;

/// The section of the prompt.
pub fn section(text: &mut String, config: &RunConfig, team: &Team) -> fmt::Result {
    write!(text, "## Your Identity\n\nYou are @{}", config.agent)?;
    if let Some(name) = &config.display_name {
        write!(text, ", called {}", in_line(name))?;
    }
    writeln!(text, ", an agent in the team {}.", config.scope)?;
    if let Some(role) = &config.role {
        writeln!(text, "Your role: {}", in_line(role))?;
    }
    if let Some(model) = &config.model {
        writeln!(text, "Your model: {}", in_line(model))?;
    }
    text.push_str("\nYour team:\n\n");
    team.members.iter().try_for_each(|member| write_member(text, member))?;
    match team.more {
        Some(more) => writeln!(text, "- and {more} more: see `{}`", TeamMembers::NAME),
        None => Ok(()),
    }
}

fn write_member(text: &mut String, member: &TeamMember) -> fmt::Result {
    write!(text, "- @{} ({}", member.name, member.kind.as_str())?;
    if member.you {
        text.push_str(", you");
    } else if member.kind != MemberKind::Person {
        write!(text, ", {}", member.state.as_str())?;
    }
    text.push(')');
    let told = [
        ("called", &member.display_name),
        ("role", &member.role),
        ("status", &member.status),
        ("task", &member.task),
    ];
    for (what, told) in told {
        if let Some(told) = told {
            write!(text, ", {what}: {}", in_line(told))?;
        }
    }
    writeln!(text)
}
