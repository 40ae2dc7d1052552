//! Operations on deliveries: inboxes, queues, dead letters.

pub mod ack;
pub mod context;
pub mod dead_letters;
pub mod earlier;
pub mod look;
pub mod queue;
pub mod read;
pub mod reader;
