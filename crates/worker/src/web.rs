//! Clients for servers that are not the daemon.

use std::time::Duration;

use reqwest::{Client, Url, redirect::Policy};

use crate::failure::chain;

/// How long it may take to reach a server at all.
const CONNECT: Duration = Duration::from_secs(15);

/// A client for one server. No other server is contacted: a redirect would carry what opens the
/// server to any address. A server on this machine is reached through no proxy, and without
/// the system's certificates, which may be missing.
pub fn client(url: &Url) -> Result<Client, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{url}` does not begin with http:// or https://"));
    }
    let mut builder = agent_worker_http::client().redirect(Policy::none()).connect_timeout(CONNECT);
    if is_here(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        builder = builder.tls_certs_only(std::iter::empty());
    }
    builder.build().map_err(|error| {
        let why = chain(&error);
        format!("no safe connection can be made: {why}; are CA certificates installed?")
    })
}

/// Whether a server is on this machine.
pub fn is_here(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback()),
        None => false,
    }
}
