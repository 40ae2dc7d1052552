//! The interfaces of model servers.

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    Anthropic,
    /// `OpenAI`'s Chat Completions
    Openai,
    /// `OpenAI`'s Responses
    Responses,
    Gemini,
}

/// Where a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'p> {
    /// The interface of this path
    pub interface: Interface,
    /// The model and whether the answer comes in pieces, where the path says it and not the body
    pub asks: Option<(&'p str, bool)>,
}

impl<'p> Address<'p> {
    /// Returns the address of a path; `None` if no interface has it.
    pub fn of(path: &'p str) -> Option<Self> {
        let of = |interface| Some(Self { interface, asks: None });
        if path.ends_with("/messages") {
            of(Interface::Anthropic)
        } else if path.ends_with("/chat/completions") {
            of(Interface::Openai)
        } else if path.ends_with("/responses") {
            of(Interface::Responses)
        } else {
            let (_, asked) = path.rsplit_once("/models/")?;
            let (model, method) = asked.split_once(':')?;
            let streams = match method {
                "streamGenerateContent" => true,
                "generateContent" => false,
                _ => return None,
            };
            Some(Self { interface: Interface::Gemini, asks: Some((model, streams)) })
        }
    }
}
