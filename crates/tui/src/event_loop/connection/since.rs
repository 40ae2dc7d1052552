//! The first message from a time on: later messages have later times, so that a few looks at one
//! message each find it among any number.

use agent_worker_protocol::{channel::Message, time::Timestamp};

/// What is left of the search.
#[derive(Debug)]
pub struct Since {
    at: Timestamp,
    /// The first message that is known to be from that time on
    found: Message,
    /// Every message up to this number is older
    before: i64,
    /// `found` is the first message above this number
    until: i64,
}

impl Since {
    /// Begins a search; `None` if the newest message is older.
    pub fn new(newest: Option<Message>, at: Timestamp) -> Option<Self> {
        let found = newest.filter(|newest| newest.created_at >= at)?;
        Some(Self { at, before: 0, until: found.seq - 1, found })
    }

    /// Above which number the first message is to be looked at; `None` at the end.
    pub fn next(&self) -> Option<i64> {
        (self.before < self.until).then(|| self.before + (self.until - self.before) / 2)
    }

    /// Takes the first message above this number.
    pub fn take(&mut self, above: i64, message: Option<Message>) {
        match message {
            Some(message) if message.created_at < self.at => self.before = message.seq,
            Some(message) => (self.found, self.until) = (message, above),
            None => self.until = above,
        }
    }

    /// The message that was found.
    pub fn found(self) -> Message {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::message;

    /// Finds a time among messages with these numbers, each said in the second of its number; gives
    /// the number that was found, and after how many looks.
    fn found(numbers: &[i64], at: i64) -> (Option<i64>, usize) {
        let said = |seq: &i64| Message {
            created_at: Timestamp(seq * 1_000),
            ..message(*seq, "coder", "hello")
        };
        let mut looks = 0;
        let Some(mut search) = Since::new(numbers.last().map(said), Timestamp(at)) else {
            return (None, looks);
        };
        while let Some(above) = search.next() {
            looks += 1;
            let first = numbers.partition_point(|number| *number <= above);
            search.take(above, numbers.get(first).map(said));
        }
        (Some(search.found().seq), looks)
    }

    #[test]
    fn a_time_is_found_wherever_it_is_among_messages_of_other_conversations() {
        let numbers = [3, 4, 9, 10, 11, 40, 41, 400];
        for at in 0..=401_000 {
            if at % 500 == 0 {
                let wanted = numbers.iter().copied().find(|number| number * 1_000 >= at);
                assert_eq!(found(&numbers, at).0, wanted, "{at}");
            }
        }
        assert_eq!(found(&[], 0), (None, 0));
    }

    #[test]
    fn a_million_messages_take_twenty_looks() {
        let numbers: Vec<i64> = (1..=1_000_000).collect();
        for at in [1, 777_777_500, 999_999_001] {
            let (found, looks) = found(&numbers, at);
            assert_eq!(found, Some(at / 1_000 + 1));
            assert!(looks <= 20, "{looks}");
        }
    }
}
