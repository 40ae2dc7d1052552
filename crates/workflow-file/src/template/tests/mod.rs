mod properties;

use super::*;

fn names(text: &str) -> Vec<(String, usize)> {
    let template = Template::parse(text).unwrap();
    template.names().map(|(name, at)| (name.to_owned(), at)).collect()
}

fn offset(text: &str) -> usize {
    Template::parse(text).unwrap_err().offset
}

#[test]
fn a_text_without_expressions_is_itself() {
    for text in ["", "plain", "$ { {{ }} $x ${y} }}", "日本"] {
        let rendered = Template::parse(text).unwrap().render(|_| None).unwrap();
        assert_eq!(rendered, Rendered { text: text.to_owned(), data: vec![] });
    }
}

#[test]
fn names_come_in_order_with_their_place() {
    assert_eq!(
        names("é ${{ diff }} ${{params.base-1}} ${{ _x.9 }}${{ diff }}"),
        [
            ("diff".to_owned(), 3),
            ("params.base-1".to_owned(), 15),
            ("_x.9".to_owned(), 34),
            ("diff".to_owned(), 45),
        ]
    );
}

#[test]
fn what_is_no_expression_is_refused_with_its_place() {
    assert_eq!(offset("ab ${{ diff"), 3);
    assert_eq!(offset("ab ${{ diff } }"), 3);
    assert_eq!(offset("${{ ok }} ${{}}"), 10);
    assert_eq!(offset("${{  }}"), 0);
    for bad in ["9x", "a b", "a..b", "a.", ".a", "-a", "a ${{ b", "ä", "f(x)", "a | b", "\"a\""] {
        assert_eq!(offset(&format!("x${{{{ {bad} }}}}")), 1, "{bad}");
    }
    let message = Template::parse("${{ a b }}").unwrap_err().to_string();
    assert_eq!(message, "invalid value name `a b`: write `${{ name }}`");
}

#[test]
fn values_are_put_in_and_marked() {
    let template = Template::parse("a ${{ x }} b${{ y }}${{ x }}").unwrap();
    let rendered = template
        .render(|name| Some(if name == "x" { "é!".to_owned() } else { String::new() }))
        .unwrap();
    assert_eq!(rendered.text, "a é! bé!");
    assert_eq!(rendered.data, [2..5, 7..7, 7..10]);
}

#[test]
fn a_value_is_never_looked_at_again() {
    let template = Template::parse("${{ x }}").unwrap();
    let rendered = template.render(|_| Some("${{ y }} ${{".to_owned())).unwrap();
    assert_eq!(rendered.text, "${{ y }} ${{");
    assert_eq!(rendered.data.first(), Some(&(0..12)));
}

#[test]
fn an_unknown_name_is_refused() {
    let template = Template::parse("a ${{ x }} ${{ y }}").unwrap();
    let refused = template.render(|name| (name == "x").then(String::new)).unwrap_err();
    assert_eq!(refused, UnknownName { name: "y".to_owned() });
    assert_eq!(refused.to_string(), "unknown value `${{ y }}`");
}
