//! What the command line says of a daemon.

use std::{net::IpAddr, path::PathBuf};

/// How a daemon is started.
#[derive(Debug, Clone)]
pub struct Options {
    pub home: PathBuf,
    /// The address to bind
    pub host: IpAddr,
    /// The port to bind; 0 for any that is free
    pub port: u16,
    /// Names it may be spoken to by, beside the loopback ones
    pub allowed_hosts: Vec<String>,
}
