//! Which addresses are of the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks that are of no use to the public, or that are near: this machine, private networks,
/// carriers' and clouds' own (IANA's registries of special-purpose addresses).
const NEAR_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, what is reserved, and the broadcast address.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
    // Where a cloud's machines ask for what only they may know.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// The same, in what is public of IPv6: `2000::/3`. All else of it is near.
const NEAR_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// How a network that has IPv6 alone spells IPv4.
const TRANSLATED: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether it is an address of the public internet, however it is spelled.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |(block, length): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ block.to_bits()).leading_zeros() >= *length
    };
    !NEAR_V4.iter().any(is_in)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let is_in = |(block, length): &(Ipv6Addr, u32)| {
        (address.to_bits() ^ block.to_bits()).leading_zeros() >= *length
    };
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    if is_in(&TRANSLATED) {
        let [.., a, b, c, d] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    is_in(&PUBLIC_V6) && !NEAR_V6.iter().any(is_in)
}

#[cfg(test)]
#[path = "tests/address.rs"]
mod tests;
