//! Who may read and change what.

pub mod message;
pub mod name;
pub mod question;
pub mod run;
