//! The real agent programs, on a scripted model. Each test is skipped where its program is absent;
//! `tests/real/run` installs them.

mod asks;
mod failures;
mod leftovers;
mod pair;
mod stage;
mod work;
