//! What models cost: the program's own table, and others that replace it.

mod litellm;
mod table;

pub use self::table::{AS_OF, FILE, Listed, PriceTable, WARNED_DAYS, is_called, retirement};
