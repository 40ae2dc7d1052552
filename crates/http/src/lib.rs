//! How HTTP clients are made, with the cryptography that TLS needs.

use reqwest::{ClientBuilder, redirect::Policy};
use rustls::crypto::ring;

/// A client of whatever server. `reqwest` has no cryptography of its own here, and panics when one
/// is built without it.
pub fn client() -> ClientBuilder {
    // It is refused where there is one already.
    drop(ring::default_provider().install_default());
    reqwest::Client::builder()
}

/// A client of a daemon, which is on this machine: no proxy stands before it, a redirect would
/// carry the token to another server, and the system's certificates are not read for it, which may
/// be missing.
pub fn client_of_daemon() -> ClientBuilder {
    client().no_proxy().redirect(Policy::none()).tls_certs_only(std::iter::empty())
}
