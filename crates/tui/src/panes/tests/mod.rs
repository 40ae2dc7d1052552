//! The panes, as stories show them.

mod agents;
mod attach;
mod conversation;
mod cost;
mod detail;
mod dock;
mod documents;
mod events;
mod family;
mod groups;
mod heads;
mod inbox;
mod info;
mod members;
mod proposals;
mod run;
mod runs;
mod schedules;
