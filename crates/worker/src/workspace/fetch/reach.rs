//! What `fetch` may connect to.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use super::address::is_public;

/// Which addresses are reached: those of the public internet. It is asked whenever a connection is
/// made, for the very address that is then connected to, so that no name can mean one thing when
/// it is looked at and another when it is used.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    #[cfg(test)]
    pub allowance: Allowance,
}

/// What tests reach besides.
#[cfg(test)]
#[derive(Debug, Clone, Default)]
pub struct Allowance {
    /// Addresses that count as public
    pub addresses: Vec<IpAddr>,
    /// Names, with what they are looked up to be
    pub names: std::collections::BTreeMap<String, Vec<IpAddr>>,
}

/// Why no connection was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutOfReach {
    /// The address itself says so.
    #[error("it is an address of this machine or of a private network")]
    Address,
    /// The name stands for such an address.
    #[error("`{0}` stands for an address of this machine or of a private network")]
    Name(String),
    /// The name is unknown.
    #[error("no host `{0}`")]
    Unknown(String),
}

impl Reach {
    /// Refuses an address that is written as such: it is not looked up.
    pub fn check(&self, url: &Url) -> Result<(), OutOfReach> {
        let host = url.host_str().unwrap_or_default();
        match host.trim_matches(['[', ']']).parse() {
            Ok(address) if !self.has(address) => Err(OutOfReach::Address),
            _ => Ok(()),
        }
    }

    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests allow more"))]
    fn has(&self, address: IpAddr) -> bool {
        #[cfg(test)]
        if self.allowance.addresses.contains(&address) {
            return true;
        }
        is_public(address)
    }

    async fn look_up(&self, name: &str) -> Result<Vec<SocketAddr>, OutOfReach> {
        #[cfg(test)]
        if let Some(addresses) = self.allowance.names.get(name) {
            return Ok(addresses.iter().map(|address| (*address, 0).into()).collect());
        }
        let unknown = |_| OutOfReach::Unknown(name.to_owned());
        Ok(tokio::net::lookup_host((name, 0)).await.map_err(unknown)?.collect())
    }
}

impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = Arc::new(self.clone());
        Box::pin(async move {
            let mut addresses = reach.look_up(name.as_str()).await?;
            addresses.retain(|address| reach.has(address.ip()));
            if addresses.is_empty() {
                return Err(OutOfReach::Name(name.as_str().to_owned()).into());
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
