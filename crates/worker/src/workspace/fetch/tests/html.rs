use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[test]
fn a_page_reads_as_it_is_seen() {
    for (html, text) in [
        ("plain", "plain"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("one <b>bold</b>, two", "one bold, two"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("  many \n  blanks  ", "many blanks"),
        ("<h2>Title</h2>text", "## Title\n\ntext"),
        ("<ul><li>a<li>b</ul>c", "- a\n- b\nc"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</table>", "a\tb\nc"),
        ("see <a href=\"/x?a=1&amp;b=2\">this  page</a>.", "see [this page](/x?a=1&b=2)."),
        ("<a href=#top>up</a> <a name=x>here</a>", "up here"),
        ("<a href='x'><img src=y></a>z", "z"),
        ("<img alt='a picture' src=x>", "[a picture]"),
        ("<script>if (a < b) '</p>'</script>x<style>p{}</style>", "x"),
        ("<SCRIPT>a</Script >b", "b"),
        ("<!-- <p>no</p> -->yes<!doctype html>", "yes"),
        ("<title>T</title><body>x", "T\nx"),
        (
            "1 &lt; 2 &amp;&amp; 3 &#62; 2 &#x41; &nope; & &eacute",
            "1 < 2 && 3 > 2 A &nope; & &eacute",
        ),
        ("a &lt;b&gt; c", "a <b> c"),
        ("1 < 2 <3", "1 < 2 <3"),
        ("<p title='a > b'>x</p>", "x"),
        ("it's <b>don't</b>", "it's don't"),
        ("x<p", "x"),
        ("x<!-- y", "x"),
        ("<svg/>x", "x"),
    ] {
        assert_eq!(to_text(html), text, "{html}");
    }
}

#[test]
fn what_never_ends_takes_no_longer() {
    for part in ["<", "<a ", "<!--", "<script>", "<a href=\"", "</", "&", "<p><a href=x>"] {
        let html = part.repeat(200_000 / part.len());
        assert!(to_text(&html).len() <= 3 * html.len(), "{part}");
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn any_text_is_read_and_grows_little(
        html in "(<[/!]?(a href=|p|pre|li|script|td|!--)?['\">/= ]?|[a-zé&;#x ]|-->){0,40}",
    ) {
        let text = to_text(&html);
        prop_assert!(text.len() <= 4 * html.len() + 10, "{:?}", text);
    }

    #[test]
    fn words_without_marks_are_kept(words in prop::collection::vec("[a-zé.]{1,5}", 0..10)) {
        prop_assert_eq!(to_text(&words.join(" \n ")), words.join(" "));
    }
}
