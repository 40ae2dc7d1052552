//! The mouse.

/// What the mouse did, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    /// Column, from 0
    pub x: u16,
    /// Row, from 0
    pub y: u16,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button was pressed.
    Click,
    /// It was pressed again, in the same place and soon.
    DoubleClick,
    /// The right button was pressed.
    RightClick,
    /// The wheel was turned away from the person.
    WheelUp,
    /// The wheel was turned towards the person.
    WheelDown,
}
