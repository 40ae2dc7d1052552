//! Agent programs, with stubs in their place.

mod asks;
mod ends;
mod stage;
mod work;
