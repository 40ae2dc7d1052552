//! Operations on deliveries: inboxes, queues, dead letters.

pub mod dead_letters;
pub mod queue;
pub mod read;
