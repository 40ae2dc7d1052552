//! Workers and what they start when they do not behave: whatever they do, the run ends in the way
//! that §6 says, its mail goes on, and no process of it is left.

mod crowd;
mod floods;
mod litter;
mod ordinary;
mod silence;
mod stage;
mod strangers;
mod trees;
mod words;
