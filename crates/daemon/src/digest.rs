//! What tells two texts apart.

use sha2::{Digest, Sha256};

/// The first 8 bytes of the SHA-256 of a text, in hexadecimal.
pub fn of_text(text: &str) -> String {
    let hash = Sha256::digest(text);
    hash[..8].iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
