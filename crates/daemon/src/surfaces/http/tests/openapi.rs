use super::*;

fn described(route: Route) -> &'static Value {
    &DOCUMENT["paths"][shown(route)][method(route)]
}

fn takes(route: Route, name: &str) -> bool {
    let parameters = described(route)["parameters"].as_array();
    let parameters = parameters.unwrap_or_else(|| panic!("{route:?} is not described"));
    parameters.iter().any(|one| one["name"] == name)
}

#[test]
fn routes_of_the_whole_daemon_are_described_without_a_target() {
    for route in OF_THE_DAEMON {
        assert!(!takes(route, "target"), "{route:?}");
    }
}

#[test]
fn headers_are_described_where_they_count() {
    let document = "/docs/{scope}/{*file}";
    for (route, is_kept) in [
        (Route::post("/send"), true),
        (Route::post("/run"), true),
        (Route::post("/workflows"), true),
        (Route::delete("/agents/{target}"), true),
        (Route::put(document), true),
        (Route::get(document), false),
        (Route::get("/peek"), false),
        (Route::post("/check"), false),
        (Route::post("/web/links"), false),
        (Route::post("/shutdown"), false),
    ] {
        assert_eq!(takes(route, "Idempotency-Key"), is_kept, "{route:?}");
    }
    let refused = "a repeat with the same key is refused";
    for (route, is_refused) in
        [(Route::post("/agents/{target}/token"), true), (Route::post("/send"), false)]
    {
        let parameters = described(route)["parameters"].to_string();
        assert_eq!(parameters.contains(refused), is_refused, "{parameters}");
    }
    for condition in ["If-Match", "If-None-Match"] {
        assert!(takes(Route::put(document), condition), "{condition}");
        assert!(!takes(Route::post(document), condition), "{condition}");
    }
    assert!(takes(Route::get("/events"), "Last-Event-ID"));
    assert!(!takes(Route::get("/event-log"), "Last-Event-ID"));
}

#[test]
fn only_the_health_of_the_daemon_is_described_as_open() {
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, described) in methods.as_object().unwrap() {
            let is_open = described["security"] == json!([]);
            assert_eq!(is_open, path == "/health", "{method} {path}");
        }
    }
}

/// All objects of a part of the document.
fn objects(part: &Value) -> Vec<&Map<String, Value>> {
    match part {
        Value::Object(fields) => fields.values().flat_map(objects).chain([fields]).collect(),
        Value::Array(items) => items.iter().flat_map(objects).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn whatever_the_document_refers_to_is_in_it() {
    let all = objects(&DOCUMENT);
    let references = all.iter().filter_map(|fields| fields.get("$ref")?.as_str());
    for path in references {
        assert!(DOCUMENT.pointer(path.trim_start_matches('#')).is_some(), "{path}");
    }
}

#[test]
fn a_body_that_requires_nothing_does_not_say_what_it_requires() {
    let owner = described(Route::put("/doc-owners/{scope}/{*file}"));
    let body = &owner["requestBody"]["content"]["application/json"]["schema"];
    assert!(body["properties"]["owner"].is_object(), "{body}");
    for fields in objects(&DOCUMENT) {
        assert!(fields.get("required").is_none_or(|required| !required.is_null()), "{fields:?}");
    }
}

#[test]
fn a_body_is_described_as_required_where_one_of_its_fields_is() {
    for (route, is_required) in [
        (Route::post("/send"), true),
        (Route::post("/proposals/{proposal}/votes"), true),
        (Route::put("/doc-owners/{scope}/{*file}"), false),
        (Route::post("/agents/{target}/stop"), false),
        (Route::post("/web/links"), false),
    ] {
        assert_eq!(described(route)["requestBody"]["required"], is_required, "{route:?}");
    }
}

#[test]
fn what_a_path_names_is_described_as_always_there() {
    let parameters = objects(&DOCUMENT).into_iter().filter(|fields| fields.get("in").is_some());
    let in_paths: Vec<_> = parameters.filter(|fields| fields["in"] == "path").collect();
    assert!(in_paths.iter().any(|parameter| parameter["name"] == "file"));
    for parameter in in_paths {
        let schema = &parameter["schema"];
        assert!(schema["type"].is_string() && schema.get("default").is_none(), "{parameter:?}");
    }
}

#[test]
fn streams_are_described_by_their_events() {
    let names = |route: Route| {
        let answers = &described(route)["responses"]["200"]["content"];
        let mut schema = &answers["text/event-stream"]["schema"];
        if let Some(path) = schema["$ref"].as_str() {
            schema = DOCUMENT.pointer(path.trim_start_matches('#')).unwrap();
        }
        let forms = schema["oneOf"].as_array().unwrap().iter();
        let names = forms.flat_map(|form| {
            assert!(form["properties"]["data"].is_object(), "{form}");
            let name = &form["properties"]["event"];
            let one = name["const"].as_str().into_iter();
            one.chain(name["enum"].as_array().into_iter().flatten().filter_map(Value::as_str))
        });
        names.collect::<Vec<_>>().join(" ")
    };
    for path in ["/run", "/chat", "/api/chat"] {
        let asked = "queued started chunk thinking tool tool_result notice done error";
        assert_eq!(names(Route::post(path)), asked, "{path}");
    }
    assert_eq!(names(Route::get("/runs/{id}/output")), "block delta end");
    let feed = format!("hello reset heartbeat {}", KINDS.join(" "));
    assert_eq!(names(Route::get("/events")), feed);
}
