//! What a text is to the reader.

use ratatui_core::style::Modifier;

/// What a piece of text is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    #[default]
    Text,
    Dim,
    Title,
    /// What has focus; keys.
    Accent,
    Link,
    /// The selected row, a badge, a banner.
    Selected,
    Running,
    Ok,
    /// Queued, or trying again later.
    Wait,
    Asks,
    Failed,
    Stopped,
    /// Not known to be so any more.
    Stale,
    /// The person is named.
    Named,
    /// An agent is named.
    Strong,
    Added,
    Removed,
    /// What was searched for.
    Match,
    /// A member's name, in one of [`HUES`] colours.
    Hue(u8),
}

/// How many colours names have.
pub const HUES: u8 = 6;

#[cfg(test)]
pub const ROLES: [Role; 19] = [
    Role::Text,
    Role::Dim,
    Role::Title,
    Role::Accent,
    Role::Link,
    Role::Selected,
    Role::Running,
    Role::Ok,
    Role::Wait,
    Role::Asks,
    Role::Failed,
    Role::Stopped,
    Role::Stale,
    Role::Named,
    Role::Strong,
    Role::Added,
    Role::Removed,
    Role::Match,
    Role::Hue(0),
];

/// What is true in every theme, so that nothing is told by a colour alone.
pub fn attributes(role: Role) -> Modifier {
    match role {
        Role::Title | Role::Asks | Role::Failed | Role::Strong => Modifier::BOLD,
        Role::Dim | Role::Stopped => Modifier::DIM,
        Role::Stale => Modifier::DIM.union(Modifier::ITALIC),
        Role::Link => Modifier::UNDERLINED,
        Role::Selected | Role::Named | Role::Match => Modifier::REVERSED,
        _ => Modifier::empty(),
    }
}

/// The colour of a member's name: the same in every scope and session (FNV-1a, 32 bits).
pub fn hue(name: &str) -> Role {
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    Role::Hue(u8::try_from(hash % u32::from(HUES)).unwrap_or(0))
}
