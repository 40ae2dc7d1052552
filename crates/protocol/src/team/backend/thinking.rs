//! How much a model thinks.

use crate::terms::words::words;

words! {
    /// How much a model thinks before it answers.
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Thinking {
        /// Not at all
        Off = "off",
        /// A little
        Low = "low",
        /// Some
        Medium = "medium",
        /// Much
        High = "high",
        /// As much as the model can
        Max = "max",
    }
}
