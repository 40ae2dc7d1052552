use super::*;

fn examined(text: String) -> Vec<Problem> {
    examined_with(Source { text, ..Source::default() })
}

fn examined_with(source: Source) -> Vec<Problem> {
    let settings = Settings::with("[messages]\nmentions = 2\n").unwrap();
    let keys = Keys::of(Path::new("/nowhere"));
    let source = Source { file_name: "team.yaml".to_owned(), ..source };
    examine(&source, &keys, &settings, Purpose::Check, Timestamp(0)).problems
}

#[test]
fn a_folder_that_the_setup_may_make_is_not_missed() {
    let missed = |more: &str| {
        let text = format!("agents: {{ a: {{ backend: external, cwd: not/there }} }}\n{more}");
        examined(text).iter().any(|one| one.to_string().contains("not/there` not found"))
    };
    assert!(missed(""));
    assert!(!missed("setup: [{ shell: mkdir -p not/there }]\n"));
}

#[test]
fn an_agent_that_no_text_names_is_told_unless_the_file_lets_others_wake_it() {
    let agents = "agents: { a: { backend: external }, ann: { backend: external } }";
    for (more, is_told) in [("", true), ("groups: true", false), ("hire: true", false)] {
        let found = examined(format!("kickoff: go, @a\n{agents}\n{more}\n"));
        assert_eq!(found.iter().any(|one| one.to_string().contains("mention `@ann`")), is_told);
    }
}

#[test]
fn a_param_that_could_not_be_read_is_neither_without_value_nor_unknown() {
    let told = |params: &str, given: &str| {
        let agents = "agents: { a: { backend: external } }";
        let text = format!("{agents}\nparams: {params}\nkickoff: go, @a\n");
        let params = [(given.to_owned(), "1".to_owned())].into();
        let found = examined_with(Source { text, params, ..Source::default() });
        found.iter().filter(|one| one.message.contains("param")).count()
    };
    assert_eq!(told("{ a: { default: [1] }, b: 1 }", "b"), 0);
    assert_eq!(told("{ a: { description: [1] }, b: 1 }", "b"), 1);
    assert_eq!(told("{ a: { value: 1 }, b: 1 }", "b"), 0);
    assert_eq!(told("{ a: { description: [1], value: 1 }, b: 1 }", "b"), 0);
    assert_eq!(told("{ a: [1] }", "a"), 0);
    assert_eq!(told("{ a: [1] }", "x"), 1);
}

#[test]
fn a_model_for_all_agents_that_none_of_them_uses_is_warned_of() {
    let told = |agents: &str, backend: Option<&str>| {
        let (model, backend) = (Some("foo/bar".to_owned()), backend.map(ToOwned::to_owned));
        let text = format!("agents: {{ {agents} }}\nkickoff: go, @all\n");
        let found = examined_with(Source { text, model, backend, ..Source::default() });
        found.iter().any(|one| one.message.starts_with("the model `foo/bar` has no effect"))
    };
    let idle = "a: { backend: external }, b: { backend: mock }";
    assert!(told(idle, None));
    assert!(!told(&format!("{idle}, c: {{ backend: claude }}"), None));
    assert!(!told(idle, Some("default")));
    assert!(told("c: { backend: claude }", Some("mock")));
}

#[test]
fn a_script_without_a_turn_is_refused_in_its_file() {
    let text = "agents: { a: { backend: mock, script: a.yaml } }\nkickoff: go, @a\n".to_owned();
    let files = [("a.yaml".to_owned(), "[]\n".to_owned())].into();
    let found = examined_with(Source { text, files, ..Source::default() });
    let told: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["a.yaml:1:1: a script has at least one turn"]);
}

#[test]
fn a_mention_is_told_where_the_file_has_no_such_agent_not_even_a_wrong_one() {
    for agents in ["{ a: { backend: external } }", "{ a: mock }"] {
        let found = examined(format!("kickoff: go, @a @ghost\nagents: {agents}\n"));
        let told = found.iter().filter(|one| one.message.contains("`@"));
        let told: Vec<_> = told.map(|one| one.message.as_str()).collect();
        assert_eq!(told, ["no agent `@ghost` in this file"], "{agents}");
    }
}

#[test]
fn a_kickoff_that_names_more_members_than_a_message_may_is_refused_in_its_place() {
    let told = |kickoff: &str| {
        let agents = ["a", "b", "c"].map(|name| format!("  {name}: {{ backend: external }}\n"));
        let text = format!("kickoff: \"{kickoff}\"\nagents:\n{}", agents.concat());
        let found = examined(text);
        let errors = found.iter().filter(|problem| problem.is_error());
        errors.map(ToString::to_string).collect::<Vec<_>>()
    };
    let refused = told("go, @a @b @c @user");
    let expected = "team.yaml:1:10: the kickoff names 3 members: the limit is 2";
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].contains(expected), "{refused:?}");
    assert!(told("go, @a @b @a @user").is_empty());
    assert!(told("go, @all").is_empty());
}
