//! How a person goes on with a program's session.

use std::path::Path;

use agent_worker_protocol::{backend::Backend, report::ProgramConfig, session::ByHand};

use super::run_program::PRINT;

/// Returns the command with which a person goes on with a program's session; `None` if it is not
/// known, or if no such command exists.
pub fn by_hand(config: &ProgramConfig, session: &str) -> Option<ByHand> {
    let command = config.command.as_ref();
    let is_print = command.and_then(|command| command.mode.as_deref()) == Some(PRINT);
    let (flags, home): (&[&str], _) = match config.backend {
        Backend::Claude => (&["--resume"], None),
        Backend::Codex => (&["resume"], Some(("CODEX_HOME", "codex"))),
        Backend::Opencode => (&["-s"], None),
        Backend::Gemini => (&["-r"], None),
        Backend::Cursor if is_print => (&["--resume"], Some(("HOME", "cursor"))),
        _ => return None,
    };
    let usual = config.backend.program().map(|program| program.names[0]);
    let program = command.map_or(usual, |command| Some(command.program.as_str()))?;
    let own = command.map(|command| command.args.clone()).unwrap_or_default();
    let env = command.into_iter().flat_map(|command| command.env.iter());
    let declared = env.map(|(name, value)| (name.to_string(), value.clone())).collect();
    let flags = flags.iter().map(ToString::to_string);
    let home = home.map(|(variable, folder)| {
        (variable.to_owned(), Path::new(&config.keep).join(folder).display().to_string())
    });
    Some(ByHand {
        program: program.to_owned(),
        args: own.into_iter().chain(flags).chain([session.to_owned()]).collect(),
        env: home.into_iter().collect(),
        declared,
    })
}
