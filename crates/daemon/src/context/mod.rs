//! What a transaction knows: who calls, the one time, what it has announced and touched.

mod cx;

pub use cx::{Credential, Cx, Who};
