//! Agent programs, with stubs in their place.

mod ends;
mod stage;
mod work;
