//! YAML files that people write, decoded so that every mistake in them is found at once and
//! pointed at.
//!
//! A text becomes a [`Tree`] whose values know where they stand, and the tree becomes any type
//! that serde can make. Where a value does not fit, it is noted and passed over, and the tree is
//! decoded again, until the rest fits.

mod de;
mod decode;
mod error;
mod parse;
mod scalar;
mod syntax;
mod tree;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::{
    decode::MAX_PROBLEMS,
    error::{did_you_mean, quoted},
};
pub use self::{
    decode::{Decoded, decode},
    tree::Tree,
};
