//! What the contract promises to people who leave a team alone: nothing said is left lying.

mod answers;
mod attention;
mod copies;
mod ends;
mod found;
mod inboxes;
mod keys;
mod loops;
mod models;
mod outside;
mod pages;
mod places;
mod sessions;
mod silence;
