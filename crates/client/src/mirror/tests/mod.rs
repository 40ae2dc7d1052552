mod events;
mod feed;
mod samples;
