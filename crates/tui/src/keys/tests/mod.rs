//! The table of keys.

mod table;
