mod cases;
mod properties;

use super::*;
use crate::terms::name::Name;
