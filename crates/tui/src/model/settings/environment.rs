//! What the environment says of the terminal.

use crate::theme::Depth;

/// What the environment says of the terminal.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `NO_COLOR` is set to something
    pub no_color: bool,
    /// `COLORFGBG`
    pub color_fg_bg: String,
    /// `LC_ALL`, `LC_CTYPE` or `LANG`, the first that is set
    pub locale: String,
    /// The terminal is on another machine
    pub is_remote: bool,
    /// How many colours the terminal shows
    pub depth: Depth,
}

impl Environment {
    /// `depth` is what terminfo and `COLORTERM` say.
    pub fn of_process(depth: Depth) -> Self {
        let get = |name: &str| std::env::var(name).unwrap_or_default();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(get);
        Self {
            no_color: !get("NO_COLOR").is_empty(),
            color_fg_bg: get("COLORFGBG"),
            locale: locale.into_iter().find(|value| !value.is_empty()).unwrap_or_default(),
            is_remote: ["SSH_CONNECTION", "SSH_TTY", "MOSH_IP"]
                .iter()
                .any(|name| !get(name).is_empty()),
            depth,
        }
    }

    pub(super) fn is_utf8(&self) -> bool {
        let locale = self.locale.to_lowercase();
        locale.is_empty() || locale.contains("utf-8") || locale.contains("utf8")
    }

    /// The last part of `COLORFGBG` is the background: 7 and 15 are light.
    pub(super) fn is_light(&self) -> bool {
        matches!(self.color_fg_bg.rsplit(';').next(), Some("7" | "15"))
    }
}
