//! What presses of buttons mean.

use std::time::{Duration, Instant};

use crate::mouse::{Mouse, MouseKind};

/// Two clicks in the same place within this time are a double one.
const DOUBLE: Duration = Duration::from_millis(400);

/// A button that was pressed, or a wheel that was turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Button {
    /// Its number, as terminals have it
    pub number: u16,
    /// Column, from 0
    pub x: u16,
    /// Row, from 0
    pub y: u16,
}

/// Tells double clicks from clicks.
#[derive(Default)]
pub struct Clicks {
    last: Option<(Instant, u16, u16)>,
}

impl Clicks {
    /// What a button means, if it means anything here.
    pub fn take(&mut self, button: Button, now: Instant) -> Option<Mouse> {
        let Button { number, x, y } = button;
        let kind = match number {
            0 => self.click(x, y, now),
            2 => MouseKind::RightClick,
            64 => MouseKind::WheelUp,
            65 => MouseKind::WheelDown,
            _ => return None,
        };
        Some(Mouse { kind, x, y })
    }

    fn click(&mut self, x: u16, y: u16, now: Instant) -> MouseKind {
        let double = self.last.is_some_and(|(when, last_x, last_y)| {
            (last_x, last_y) == (x, y) && now.saturating_duration_since(when) < DOUBLE
        });
        self.last = (!double).then_some((now, x, y));
        if double { MouseKind::DoubleClick } else { MouseKind::Click }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clicks_in_one_place_are_a_double_one_and_a_third_is_none() {
        let (mut clicks, now) = (Clicks::default(), Instant::now());
        let mut kinds = Vec::new();
        for _ in 0..3 {
            let button = Button { number: 0, x: 3, y: 4 };
            kinds.push(clicks.take(button, now).unwrap().kind);
        }
        assert_eq!(kinds, [MouseKind::Click, MouseKind::DoubleClick, MouseKind::Click]);
    }

    #[test]
    fn clicks_in_two_places_or_at_two_times_are_two() {
        let (mut clicks, now) = (Clicks::default(), Instant::now());
        for (x, when) in [(1, now), (2, now), (2, now + DOUBLE)] {
            let mouse = clicks.take(Button { number: 0, x, y: 0 }, when).unwrap();
            assert_eq!(mouse.kind, MouseKind::Click);
        }
    }
}
