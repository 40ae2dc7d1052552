//! The grammar of `@mentions`, shared by the daemon, which delivers by it, and by clients, which
//! show before sending whom a text will reach.

mod parse;

#[cfg(test)]
mod tests;

pub use self::parse::{
    Aside, AsideKind, DATA, Fence, Mentioned, Place, TOLD, asides, bare, begun, parse, parse_among,
    places,
};
