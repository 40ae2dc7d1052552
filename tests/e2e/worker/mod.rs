//! Workers as processes, each with a daemon that is played.

mod end;
mod run;
mod support;
