//! What text looks like: roles have meanings, a theme gives them attributes and colours. Nothing
//! outside this folder names a colour.

mod fixed;
mod palette;
mod role;

pub use palette::{Depth, Palette, Theme};
pub use role::{Role, hue};

#[cfg(test)]
pub use role::ROLES;

#[cfg(test)]
#[path = "../tests/theme.rs"]
mod tests;
