//! Text from agents, made harmless for a terminal. It is stored as it came; code that shows it
//! takes a [`Sanitized`], so that no way to the screen leads around this module.
//!
//! | in | out |
//! | --- | --- |
//! | `\r\n`, lone `\r` | a line break |
//! | U+0085, U+2028, U+2029 | a line break; in a single line a space |
//! | a line break in a single line | ` ⏎ `, once for a run of them, none at its ends |
//! | tab | four spaces; in a single line one |
//! | colours (`ESC [ … m`) and `ESC [ … K` | nothing |
//! | any other escape sequence, 7-bit or 8-bit, terminated or not | `⟦esc⟧`, once for a run |
//! | other C0 controls and DEL | `^G`, `^?` |
//! | other C1 controls, private use, noncharacters | U+FFFD |
//! | bidi controls, zero width, tags, fillers, selectors | nothing |
//! | U+200D | kept between two pictographs only |
//! | U+FE0E, U+FE0F | one is kept after a character |
//! | a combining mark | kept, four on a letter at most; on none it stands on `◌` |

mod alike;
mod chars;
mod escape;
mod lines;
mod sanitized;
mod sanitizer;
mod streamed;

pub use alike::{LOOK_ALIKE, look_alike};
pub use lines::{lines, shown};
pub use sanitized::{Sanitized, is_unseen};
pub use streamed::Streamed;
