use super::*;

#[test]
fn only_what_ssh_takes_for_a_host_is_a_destination() {
    for good in ["box", "me@box", "ssh://me@box:2222", "me@10.0.0.7", "fe80::1%eth0", "größe"] {
        assert_eq!(good.parse::<Destination>().unwrap().as_str(), good);
    }
    for bad in [
        "",
        "-oProxyCommand=id",
        "me@-oProxyCommand=id",
        "ssh://-oX",
        "@box",
        "me@",
        "a b",
        "box;id",
        "$(id)",
        "`id`",
        "box\nid",
        "a'b",
        "a\"b",
        "a|b",
        "a&b",
        "a\u{1b}[2J",
        "..",
        "~",
        "*",
        "a\\b",
    ] {
        assert!(bad.parse::<Destination>().is_err(), "{bad}");
    }
    assert!("x".repeat(256).parse::<Destination>().is_err());
}

#[test]
fn a_folder_is_named_after_one_destination() {
    let named = |text: &str| text.parse::<Destination>().unwrap().file_name();
    assert_eq!(named("me@box"), "me@box");
    assert_eq!(named("ssh://me@box"), "ssh:%2F%2Fme@box");
    assert_ne!(named("a/b"), named("a%2Fb"));
}
