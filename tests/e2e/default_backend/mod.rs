//! Agents with a model, against a scripted one, in the words of each interface.

mod bounds;
mod chats;
mod crowd;
mod current;
mod faults;
mod keys;
mod local;
mod rounds;
mod servers;
mod sessions;
pub mod stage;
mod teams;
mod tools;
