//! The HTTP API.

pub mod ask;
pub mod caller;
pub mod crowd;
pub mod drain;
pub mod feed;
pub mod follow;
pub mod hints;
pub mod homes;
pub mod mount;
pub mod openapi;
pub mod request;
pub mod router;
pub mod serve;
pub mod special;
pub mod streams;
pub mod tools;
pub mod unambiguous;
pub mod version;
pub mod web;
