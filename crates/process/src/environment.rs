//! Which environment variables child processes inherit.

use std::ffi::OsStr;

/// Variables that workers and agent programs inherit, in addition to `LC_*`.
const INHERITED: [&str; 17] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TERM",
    "COLORTERM",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
];

/// Returns whether workers and agent programs inherit this variable. All others are left out.
pub fn is_inherited(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| INHERITED.contains(&name) || name.starts_with("LC_"))
}
