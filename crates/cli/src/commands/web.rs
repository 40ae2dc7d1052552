//! `agent-worker web`: the way into the web chat.

use std::process::{Command, Stdio};

use agent_worker_client::text::numbers::counted;
use agent_worker_protocol::{WebLink, WebRevoke};
use clap::Args;

use crate::{exit::Exit, session::Session};

/// `agent-worker web`
#[derive(Debug, Args)]
pub struct Web {
    /// Print the link without opening it
    #[arg(long)]
    pub no_open: bool,
    /// Log out all browsers and end unused links
    #[arg(long, conflicts_with = "no_open")]
    pub revoke: bool,
}

/// Prints a link into the web chat and opens it, or shuts all browsers out.
pub async fn web(session: &Session, args: Web) -> anyhow::Result<Exit> {
    session.person_only("the web chat")?;
    let client = session.client().await?;
    if args.revoke {
        let revoked = client.call(&WebRevoke {}).await?;
        return session.show(&revoked, |revoked| {
            let browsers = counted(revoked.browsers, "browser", "browsers");
            format!("{browsers} logged out; unused links no longer work")
        });
    }
    let made = client.call(&WebLink {}).await?;
    session.output.show(&made, |made| made.url.clone())?;
    session.output.note(&format!("works once; expires in {}", made.expires_in));
    if !args.no_open && session.output.is_terminal() && has_screen() {
        open(&made.url);
    }
    Ok(Exit::Done)
}

/// Whether a browser could appear here.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Has the system open a link. The link is printed too, so that nothing is lost where it does not.
fn open(url: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(command.spawn());
}
