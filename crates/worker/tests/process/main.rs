//! Workers as processes, each with a daemon that is played.

#[cfg(test)]
mod end;
#[cfg(test)]
mod run;
#[cfg(test)]
mod support;
