//! Messages that were looked at whole.

use agent_worker_protocol::{Event, EventBody, MessageDetail, MessageId};

use super::loaded::Loaded;

/// Messages that were looked at whole: at most 100.
pub type Messages = Loaded<MessageId, MessageDetail, 100>;

impl Messages {
    pub fn on_event(&mut self, event: &Event) {
        match &event.body {
            EventBody::DeliveryChanged(delivery) => self.outdate(&delivery.message),
            EventBody::RunChanged(run) => {
                if let Some(message) = &run.cause {
                    self.outdate(message);
                }
            }
            // The person's reading is a part of it.
            EventBody::GroupChanged(_) => self.outdate_all(),
            _ => {}
        }
    }
}
