//! The web chat: how a browser is let in, and shut out.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{op::op, terms::Interval};

/// Make a link that lets one browser into the web chat, once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebLink {}

/// A link into the web chat.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebLinkMade {
    /// Where to go. Its fragment is a code, which browsers do not send
    pub url: String,
    /// How long the code is good for
    pub expires_in: Interval,
}

/// Let a browser in that shows a link's code.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebEnter {
    /// The fragment of the link
    pub code: String,
}

/// What a browser shows from then on.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebEntered {
    /// For the header `Authorization: Bearer …`
    pub token: String,
}

/// Shut all browsers out, and end the links that were not used yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebRevoke {}

/// How many browsers were shut out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebRevoked {
    /// How many
    pub browsers: i64,
}

/// Leaves out what is secret.
macro_rules! secret {
    ($($type:ident),+) => {
        $(impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        })+
    };
}

secret!(WebLinkMade, WebEnter, WebEntered);

op!(WebLink "web_link": post "/web/links", write, fresh => WebLinkMade);
op!(WebEnter "web_enter": post "/web/enter", write => WebEntered);
op!(WebRevoke "web_revoke": delete "/web/browsers", write => WebRevoked);
