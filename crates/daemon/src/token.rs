//! Tokens and their hashes.

use sha2::{Digest, Sha256};

/// A secret of 256 bits, as text.
pub fn new_token() -> String {
    let halves: [u128; 2] = rand::random();
    format!("{:032x}{:032x}", halves[0], halves[1])
}

/// What the tables know of a token.
pub fn token_hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}
