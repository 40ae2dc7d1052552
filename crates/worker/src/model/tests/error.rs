use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table of cases")]
fn an_error_is_understood_whoever_says_it() {
    for (status, body, kind, says) in [
        (
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#,
            Kind::RateLimited,
            "it answered 429: slow down",
        ),
        (
            429,
            r#"{"error":{"message":"Request too large for gpt-6.1-sol on tokens per min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#,
            Kind::Overflow,
            "it answered 429: Request too large for gpt-6.1-sol on tokens per min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order to run successfully.",
        ),
        (
            429,
            r#"{"message":"Too many tokens, please wait before trying again."}"#,
            Kind::RateLimited,
            "it answered 429: Too many tokens, please wait before trying again.",
        ),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            Kind::Spent,
            "it answered 429: You exceeded your current quota",
        ),
        (
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"enforced_spend_limit_reached: the workspace has reached its monthly spend limit"}}"#,
            Kind::Spent,
            "it answered 429: enforced_spend_limit_reached: the workspace has reached its monthly spend limit",
        ),
        (
            429,
            r#"{"error":{"message":"Billing hard limit has been reached","type":"billing_limit","code":"billing_hard_limit_reached"}}"#,
            Kind::Spent,
            "it answered 429: Billing hard limit has been reached",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
            Kind::Spent,
            "it answered 400: Your credit balance is too low to access the Anthropic API.",
        ),
        (
            400,
            r#"{"error":{"message":"nobody/nothing is not a valid model ID","code":400}}"#,
            Kind::NotFound,
            "it answered 400: nobody/nothing is not a valid model ID",
        ),
        (
            400,
            r#"{"error":{"message":"Invalid model name passed in model=x. Call `/v1/models` to view available models for your key.","type":"None","param":"None","code":"400"}}"#,
            Kind::NotFound,
            "it answered 400: Invalid model name passed in model=x. Call `/v1/models` to view available models for your key.",
        ),
        (
            400,
            r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#,
            Kind::NotFound,
            "it answered 400: Model Not Exist",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: The block is bound to a different conversation"}}"#,
            Kind::Unbound,
            "it answered 400: messages.1.content.0: The block is bound to a different conversation",
        ),
        (
            400,
            r#"{"error":{"message":"The encrypted content gAAA...DQ== could not be verified.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}"#,
            Kind::Unbound,
            "it answered 400: The encrypted content gAAA...DQ== could not be verified.",
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
            Kind::Key,
            "it answered 400: API key not valid. Please pass a valid API key.",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}"#,
            Kind::Spent,
            "it answered 400: You have reached your specified API usage limits.",
        ),
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Kind::Unavailable,
            "it answered 529: Overloaded",
        ),
        (503, "<html>busy</html>", Kind::Unavailable, "it answered 503: <html>busy</html>"),
        (500, "", Kind::Unavailable, "it answered 500"),
        (
            401,
            r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#,
            Kind::Key,
            "it answered 401: Incorrect API key",
        ),
        (
            404,
            r#"{"error":"model 'x' not found"}"#,
            Kind::NotFound,
            "it answered 404: model 'x' not found",
        ),
        (
            402,
            r#"{"error":{"message":"Insufficient credits","code":402}}"#,
            Kind::Spent,
            "it answered 402: Insufficient credits",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200123 tokens > 200000 maximum"}}"#,
            Kind::Overflow,
            "it answered 400: prompt is too long: 200123 tokens > 200000 maximum",
        ),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
            Kind::Overflow,
            "it answered 400: This model's maximum context length is 8192 tokens.",
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed","status":"INVALID_ARGUMENT"}}]"#,
            Kind::Overflow,
            "it answered 400: The input token count exceeds the maximum number of tokens allowed",
        ),
        (
            400,
            r#"{"object":"error","message":"bad temperature","code":400}"#,
            Kind::Refused,
            "it answered 400: bad temperature",
        ),
        (413, "", Kind::Overflow, "it answered 413"),
    ] {
        let error = ModelError::of_answer(status, &Told::read(body));
        assert_eq!((error.kind, error.message.as_str()), (kind, says), "{body}");
    }
}

#[test]
fn an_error_names_the_message_that_it_is_about() {
    let at = |message: &str| ModelError::of_answer(400, &Told::read(message)).place;
    assert_eq!(
        at("messages.12.content.0: The block is bound to a different conversation"),
        Some(12)
    );
    assert_eq!(at("messages: too many"), None);
    let told = Told::read("max_tokens: 200000 > 64000, which is the maximum allowed number");
    assert_eq!(told.number_after(">"), Some(64_000));
    assert_eq!((told.number_after("<"), told.number_after("which")), (None, None));
}

#[test]
fn a_server_says_how_long_an_answer_fits_behind_the_prompt() {
    for (says, room) in [
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 2500 input tokens (32000 > 32768 - 2500).",
            Some(30_268),
        ),
        (
            "input length and `max_tokens` exceed context limit: 88240 + 121333 > 200000, decrease input length or `max_tokens` and try again",
            Some(111_760),
        ),
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion).",
            Some(3096),
        ),
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 133000 tokens (1000 of text input, 132000 in the output).",
            Some(130_072),
        ),
        // Tools count too.
        (
            "This model's maximum context length is 4097 tokens. However, you requested 5927 tokens (1000 in the messages, 927 in the functions, and 4000 in the completion). Please reduce the length of the messages, functions, or completion.",
            Some(2170),
        ),
        (
            "This endpoint's maximum context length is 204800 tokens. However, you requested about 205432 tokens (81684 of text input, 3748 of tool input, 120000 in the output). Please reduce the length of either one.",
            Some(119_368),
        ),
        // Too little to be of use.
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
            None,
        ),
        (
            "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
            None,
        ),
        ("prompt is too long: 200123 tokens > 200000 maximum", None),
    ] {
        let error = ModelError::of_answer(400, &Told::read(says));
        assert_eq!((error.kind, error.room), (Kind::Overflow, room), "{says}");
    }
}

#[test]
fn an_error_in_the_middle_of_a_stream_has_its_words_alone() {
    for (body, kind) in [
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Kind::Unavailable,
        ),
        (r#"{"error":{"code":502,"message":"Provider disconnected"}}"#, Kind::Unavailable),
        (r#"{"error":{"code":429,"message":"Rate limited upstream"}}"#, Kind::RateLimited),
        (r#"{"error":{"code":429,"message":"Too many tokens, slow down"}}"#, Kind::RateLimited),
        (r#"{"error":{"type":"rate_limit_error","message":"Too many tokens"}}"#, Kind::RateLimited),
        (r#"{"message":"Too many tokens, please wait before trying again."}"#, Kind::RateLimited),
        (
            r#"{"error":{"code":"rate_limit_exceeded","message":"Request too large for gpt-x"}}"#,
            Kind::Overflow,
        ),
        (r#"{"error":{"message":"Too many tokens in the prompt"}}"#, Kind::Overflow),
        (
            r#"{"error":{"type":"server_error","message":"The server had an error"}}"#,
            Kind::Unavailable,
        ),
        (r#"{"error":{"type":"invalid_request_error","message":"nonsense"}}"#, Kind::Refused),
        (r#"{"error":{"code":"context_length_exceeded","message":"no"}}"#, Kind::Overflow),
        (r#"{"error":{"type":"authentication_error","message":"no"}}"#, Kind::Key),
    ] {
        assert_eq!(ModelError::of_stream(&Told::read(body)).kind, kind, "{body}");
    }
}

#[test]
fn a_server_that_takes_no_pictures_is_understood() {
    for (status, body, is_so) in [
        (400, "Invalid content type. image_url is only supported by certain models.", true),
        (400, "unknown variant `image_url`, expected `text`", true),
        (404, "No endpoints found that support image input", true),
        (500, "image input is not supported - hint: provide the mmproj", true),
        (400, "llama is not a multimodal model", true),
        (400, "'messages.2' : messages[1].content must be a string", true),
        (400, "`input_image` is not supported", true),
        (400, "this is not a vision-capable model", true),
        (400, "bad temperature", false),
        (400, "prompt is too long, with its images", false),
        (400, "no capacity is provisioned for this division", false),
        (400, "temperature cannot be set for gpt-4-vision", false),
        (404, "model `house/llama-vision` not found", false),
        (429, "too many requests with images", false),
        (503, "the vision model is loading", false),
    ] {
        let error = ModelError::of_answer(status, &Told::read(body));
        assert_eq!(error.may_be_of_pictures(), is_so, "{body}");
    }
}

#[test]
fn a_refusal_of_one_picture_is_not_one_of_all() {
    for (body, is_so) in [
        ("messages.1.content.0.image.source.base64: image exceeds 5 MB maximum", true),
        ("messages.1.content.9: image dimensions exceed max allowed size: 8000 pixels", true),
        ("too many images and documents: 101 > 100", true),
        ("image input is not supported", false),
    ] {
        let error = ModelError::of_answer(400, &Told::read(body));
        assert!(error.may_be_of_pictures(), "{body}");
        assert_eq!(error.may_be_of_too_much(), is_so, "{body}");
    }
}

#[test]
fn a_server_that_cannot_read_its_own_model_is_asked_again() {
    let failed = r#"{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=read>","status_code":400}}"#;
    let bare = r#"{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error"}}"#;
    let parsed = r#"{"error":{"message":"Parsing failed.","type":"invalid_request_error","code":"output_parse_failed"}}"#;
    for body in [failed, bare, parsed] {
        let told = Told::read(body);
        for error in [ModelError::of_answer(400, &told), ModelError::of_stream(&told)] {
            assert_eq!((error.kind, error.may_pass()), (Kind::Garbled, true), "{error}");
        }
    }
}

#[test]
fn a_long_body_is_shown_in_part() {
    let error = ModelError::of_answer(500, &Told::read(&"é".repeat(5000)));
    assert!(error.message.len() < MAX_WORDS + 40, "{}", error.message.len());
}
