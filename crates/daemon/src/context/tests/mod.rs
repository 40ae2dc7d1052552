//! Transactions that operations share.

mod store;
