//! Workers as processes, each with a daemon that is played.

mod end;
mod own_tools;
mod run;
mod support;
