//! Text made ready for the screen: numbers and times in words, lines cut and wrapped, markdown,
//! differences.
