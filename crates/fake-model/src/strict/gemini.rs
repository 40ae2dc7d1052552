//! What is refused on Google's Gemini API.

use serde_json::Value;

use super::refusal::{Refusal, list, said, unknown};

/// What a request may have.
const GEMINI: &str = "\
    contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent \
    labels";

/// What is wrong with a request, if anything is.
pub fn gemini(body: &Value) -> Option<Refusal> {
    if let Some(key) = unknown(body, GEMINI) {
        return said(format!(
            "Invalid JSON payload received. Unknown name \"{key}\": Cannot find field."
        ));
    }
    let contents: Vec<_> = list(&body["contents"]).collect();
    if contents.is_empty() {
        return said("* GenerateContentRequest.contents: contents is not specified\n");
    }
    let count = |content: Option<&&Value>, key: &str| {
        let parts = content.map_or(&Value::Null, |content| &content["parts"]);
        list(parts).filter(|part| part.get(key).is_some()).count()
    };
    let is_unanswered = |(n, content): (usize, &&Value)| {
        let calls = count(Some(content), "functionCall");
        calls > 0 && calls != count(contents.get(n + 1), "functionResponse")
    };
    if contents.iter().enumerate().any(is_unanswered) {
        return said(
            "Please ensure that the number of function response parts is equal to the number of \
             function call parts of the function call turn.",
        );
    }
    None
}
