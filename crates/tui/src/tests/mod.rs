//! Screens made by stories.
