//! Finds, starts and calls the daemon, and follows its feed.
