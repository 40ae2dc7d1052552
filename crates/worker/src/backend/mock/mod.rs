//! A script in place of a model: the same worker, tools and reports as any other backend.

mod answer;
mod choice;
mod play;
mod trouble;
mod values;

#[cfg(test)]
mod tests;

pub use self::answer::answer;
