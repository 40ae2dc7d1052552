use super::*;

#[test]
fn a_proxy_is_named_only_where_it_would_be_used() {
    let named = |url: &str, declared: &[&str], set: &[(&str, &str)]| {
        let declared: Vec<_> = declared.iter().map(ToString::to_string).collect();
        let value = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        proxy(url, &declared, |name| value(name).map(str::to_owned))
    };
    let (url, of) = ("https://models.example/v1", ("HTTPS_PROXY", "http://127.0.0.1:1"));
    let https = Some("HTTPS_PROXY".to_owned());
    assert_eq!(named(url, &[], &[of]), https);
    assert_eq!(named(url, &["all_proxy"], &[of]), None, "the agent declares one");
    assert_eq!(named("http://models.example", &[], &[of]), None, "of another scheme");
    let all = ("all_proxy", "socks5://127.0.0.1:1");
    assert_eq!(named(url, &[], &[("HTTPS_PROXY", ""), all]), Some("all_proxy".to_owned()));
    for excluded in ["*", "example", "models.example", ".example, other.example"] {
        assert_eq!(named(url, &[], &[of, ("NO_PROXY", excluded)]), None, "{excluded}");
    }
    assert_eq!(named(url, &[], &[of, ("no_proxy", "models.example")]), None);
    assert_eq!(named(url, &[], &[of, ("NO_PROXY", "other.example")]), https);
    let own = "https://10.1.2.3:8080/v1";
    assert_eq!(named(own, &[], &[of, ("NO_PROXY", "10.0.0.0/8")]), None);
}
