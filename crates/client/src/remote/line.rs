//! Commands that ssh runs on the other machine.

/// Where the program is looked for there. A shell without a terminal often has a short search path.
/// The colons stand outside of the quotes: csh takes one behind a variable for a modifier.
const SEARCH_PATH: &str =
    r#""$PATH":"$HOME"/.local/bin:"$HOME"/.cargo/bin:/usr/local/bin:/opt/homebrew/bin"#;

/// Returns the command of the far end.
pub(super) fn far_end() -> String {
    format!("sh -c 'PATH={SEARCH_PATH}; exec agent-worker remote-end'")
}

/// Returns the command for a shell here that runs `line` there, with a terminal. The program is
/// found where a link finds it. `to` is quoted for the shell, and may have options before it.
pub fn ssh_line(to: &str, line: &str) -> String {
    // ssh joins the words behind `to` with spaces: only what the shell here would change is quoted.
    format!("ssh -t {to} 'env PATH={SEARCH_PATH}' {line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// csh, fish and the shells of POSIX each have rules of their own.
    #[test]
    fn every_login_shell_reads_the_search_path() {
        for line in [far_end(), ssh_line("box", "agent-worker list")] {
            for (at, _) in line.match_indices('$') {
                let rest = line[at + 1..].trim_start_matches(|c: char| c.is_ascii_uppercase());
                assert!(rest.starts_with('"'), "{rest}");
            }
        }
    }
}
