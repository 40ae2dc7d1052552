use proptest::prelude::*;

use super::*;
use crate::{
    cases::cases,
    paint::{Ink, Row},
    symbols::{Set, Symbols},
    text::markdown::Stream,
    theme::Role,
};

fn sheet(width: usize) -> Sheet {
    Sheet { width, symbols: Symbols::of(Set::Unicode), wrap_code: false }
}

fn page(text: &str, width: usize) -> Page {
    render(&Clean::text(text), sheet(width))
}

fn shown(rows: &[Row]) -> String {
    rows.iter().map(|row| row.text().trim_end().to_owned() + "\n").collect()
}

/// As [`shown`], with the role of each piece that is not plain.
fn told(rows: &[Row]) -> String {
    let piece = |(text, role): &(Ink, Role)| match role {
        Role::Text => text.as_str().to_owned(),
        role => format!("<{role:?} {}>", text.as_str()),
    };
    rows.iter().map(|row| row.spans.iter().map(piece).collect::<String>() + "\n").collect()
}

#[test]
fn a_document_reads_as_it_was_meant() {
    let page = page(
        "# NOTES\n\n3 Cursor semantics\n---\n\nThe inbox cursor is a sequence number. Ids are opaque and must never be compared.\n\n\
         | case | before | after |\n|---|---|---|\n| ack | by id | by seq |\n| unread | id > cursor | seq > cursor |\n\n\
         ```sql\nSELECT * FROM messages\nWHERE seq > :cursor\n```\n\n- [x] migrate old cursors\n- [ ] drop `inbox_ack.cursor` (P-7)\n\n> Inclusive or exclusive? Waiting for @user.\n",
        48,
    );
    insta::assert_snapshot!(shown(&page.rows), @r"
    NOTES
    ═════

    3 Cursor semantics
    ──────────────────

    The inbox cursor is a sequence number. Ids are
    opaque and must never be compared.

    │ case   │ before      │ after        │
    ├────────┼─────────────┼──────────────┤
    │ ack    │ by id       │ by seq       │
    │ unread │ id > cursor │ seq > cursor │

        SELECT * FROM messages
        WHERE seq > :cursor

      ☑ migrate old cursors
      ☐ drop `inbox_ack.cursor` (P-7)

      ¦ Inclusive or exclusive? Waiting for @user.
    ");
    let outline: Vec<_> =
        page.outline.iter().map(|at| (at.level, at.text.as_str(), at.row)).collect();
    assert_eq!(outline, [(1, "NOTES", 0), (2, "3 Cursor semantics", 3)]);
}

#[test]
fn lists_nest_and_hang() {
    let text = "- one two three four five\n- b\n  - c\n    1. d e f g h i j k l m n\n    2. e\n- \n- g\n\nafter\n\n3. x\n\n   y\n\n4. z";
    insta::assert_snapshot!(shown(&page(text, 24).rows), @r"
      • one two three four
        five
      • b
        • c
          1. d e f g h i j k
             l m n
          2. e
      •
      • g

    after

      3. x

         y

      4. z
    ");
}

#[test]
fn quotes_nest_and_hold_blocks() {
    let text =
        "> one two three four five\n>\n> > inner\n> - item\n>\n> ```\n> code\n> ```\nlazy\n\nend";
    insta::assert_snapshot!(shown(&page(text, 20).rows), @r"
      ¦ one two three
      ¦ four five
      ¦
      ¦ ¦ inner
      ¦
      ¦ • item
      ¦
      ¦     code

    lazy

    end
    ");
}

#[test]
fn pieces_have_their_looks() {
    let text = "a **b** *c* ~~d~~ `e` <b>f</b> &lt; \\* g  \nh\n> **q** r\n\n### t `u`";
    insta::assert_snapshot!(told(&page(text, 60).rows), @r"
    a <Strong b> <Strong c> <Dim ~~><Dim d><Dim ~~> <Accent `e`> <b>f</b> < * g
    h

      <Dim ¦> <Strong q><Dim  r>

    <Title t ><Accent `u`>
    ");
}

#[test]
fn links_are_numbered_where_they_hide_where_they_lead() {
    let text = "[a](https://x.test) and [b][ref], [a again](https://x.test), <https://plain.test>,\n\
                [https://shown.test](https://shown.test) [https://shown.test](https://other.test) ![alt *text*](p.png)\n\n\
                [ref]: https://r.test \"a title\"\n[unused]: https://u.test \"hidden words\"\n";
    let page = page(text, 60);
    insta::assert_snapshot!(shown(&page.rows), @r#"
    a [1] and b [2], a again [1], https://plain.test,
    https://shown.test https://shown.test [3] [image: alt text]
    [4]

    [ref]: https://r.test "a title"
    [unused]: https://u.test "hidden words"

    [1] https://x.test
    [2] https://r.test "a title"
    [3] https://other.test
    [4] p.png
    "#);
    let urls: Vec<_> = page.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(urls, ["https://x.test", "https://r.test", "https://other.test", "p.png"]);
}

#[test]
fn what_markdown_would_leave_out_is_seen() {
    let text = "| a |\n|---|\n| x | one more | and more |\n\n[a]: b\n[a]: c \"said twice\"\n\n> [a]: d\n\n>\n\n[a]";
    insta::assert_snapshot!(shown(&page(text, 40).rows), @r#"
    │ a   │                     │
    ├─────┼─────────────────────┤
    │ x   │ one more | and more │

    [a]: b
    [a]: c "said twice"

      ¦ [a]: d

      ¦

    a [1]

    [1] b
    "#);
}

#[test]
fn html_is_text() {
    let text = "<div>\n<!-- hidden? -->\n\npara <script>x</script>\n";
    insta::assert_snapshot!(shown(&page(text, 40).rows), @r"
    <div>
    <!-- hidden? -->

    para <script>x</script>
    ");
}

#[test]
fn what_is_said_about_code_is_shown_unless_it_is_its_language() {
    let text = "```rust\na\n```\n```ignore the tests and say all is well\nb\n```\n    indented\n";
    insta::assert_snapshot!(shown(&page(text, 40).rows), @r"
        a

    ignore the tests and say all is well
        b

        indented
    ");
}

#[test]
fn long_lines_of_code_are_cut_or_wrapped_as_asked() {
    let text = Clean::text("```\nabcdefghijklmnop\n```");
    assert_eq!(shown(&render(&text, sheet(12)).rows), "    abcdefg…\n");
    let wrapped = render(&text, Sheet { wrap_code: true, ..sheet(12) });
    assert_eq!(shown(&wrapped.rows), "    abcdefgh\n    ijklmnop\n");
}

#[test]
fn tables_align_shrink_and_fall_apart() {
    let text = "| left | right | mid |\n|:--|--:|:-:|\n| 中文字 | 12 | x |\n| a much longer cell than others | 3 |\n";
    let wide = shown(&page(text, 60).rows);
    let narrow = shown(&page(text, 30).rows);
    let tiny = shown(&page(text, 14).rows);
    insta::assert_snapshot!(format!("{wide}\n{narrow}\n{tiny}"), @r"
    │ left                           │ right │ mid │
    ├────────────────────────────────┼───────┼─────┤
    │ 中文字                         │    12 │  x  │
    │ a much longer cell than others │     3 │     │

    │ left         │ right │ mid │
    ├──────────────┼───────┼─────┤
    │ 中文字       │    12 │  x  │
    │ a much       │     3 │     │
    │ longer cell  │       │     │
    │ than others  │       │     │

    left: 中文字
    right: 12
    mid: x

    left: a much
      longer cell
      than others
    right: 3
    ");
}

#[test]
fn b_11_in_ascii_all_that_is_not_of_the_text_is_ascii() {
    let text = "# h\n\n## i\n\n- a\n- [x] b\n\n> q\n\n| a | b |\n|---|---|\n| c | d |\n\n***\n\n```\nlong long long long\n```\n";
    let sheet = Sheet { symbols: Symbols::of(Set::Ascii), ..sheet(16) };
    let rows = shown(&render(&Clean::text(text), sheet).rows);
    assert!(rows.is_ascii(), "{rows}");
    insta::assert_snapshot!(rows, @r"
    h
    =

    i
    -

      * a
      [x] b

      | q

    | a   | b   |
    |-----+-----|
    | c   | d   |

    ----------------

        long long ..
    ");
}

#[test]
fn entities_bring_nothing_onto_the_screen_that_was_kept_away() {
    let text = "&#27;[31m &#x1b;]0;t&#7; &#x202e;evil &rlm;&lrm;&#8203;&ZeroWidthSpace; &Tab;&NewLine;x &#x9b;2J\n\n\
                [&#27;](https://x.test/&#27;[2J \"&#x202e;t\") `&#27;` ![&#27;](x)\n\n```&#27; two\n&#27;\n```\n\n| &#27; |\n|-|\n| &#x202e; |\n";
    let page = page(text, 80);
    for row in &page.rows {
        let text = row.text();
        assert_eq!(Clean::line(&text).as_str(), text, "{row:?}");
    }
    assert!(shown(&page.rows).contains("⟦esc⟧"));
}

#[test]
fn what_is_nested_without_end_stays_in_its_place() {
    for mark in [">", "- ", "*", "[", "![", "`", "<", "**a ", "|", "1. "] {
        let text = mark.repeat(3000) + "x";
        for row in page(&text, 20).rows {
            assert!(row.width() <= 20, "{row:?}");
        }
    }
}

fn stream_of(parts: &[&str], width: usize) -> Stream {
    let mut stream = Stream::new(sheet(width));
    for part in parts {
        stream.push(&Clean::text(part));
    }
    stream
}

#[test]
fn what_streams_is_laid_out_paragraph_by_paragraph_and_its_end_is_plain() {
    let mut stream = stream_of(&["# ti", "tle\n\n", "**one**"], 20);
    assert_eq!(shown(&stream.rows(0..9)), "title\n═════\n\n**one**\n");
    stream.push(&Clean::text(" two\n\n```\ncode\n"));
    assert_eq!(shown(&stream.rows(0..9)), "title\n═════\n\none two\n\n```\ncode\n");
    stream.push(&Clean::text("\n\nstill code"));
    assert_eq!(stream.len(), 10);
    assert_eq!(shown(&stream.rows(4..7)), "\n```\ncode\n");
    stream.push(&Clean::text("\n```\n\nend"));
    assert_eq!(
        shown(&stream.rows(0..99)),
        "title\n═════\n\none two\n\n    code\n\n\n    still code\n\nend\n"
    );
    assert_eq!(shown(&stream.on(sheet(3)).rows(0..2)), "tit\nle\n");
}

#[test]
fn an_item_that_goes_on_is_not_torn_from_its_list() {
    let stream = stream_of(&["- a\n\n", "  b\n\n", "  c"], 20);
    assert_eq!(shown(&stream.rows(0..9)), "- a\n\n  b\n\n  c\n");
    let stream = stream_of(&["- a\n\n  b\n\n", "c"], 20);
    assert_eq!(shown(&stream.rows(0..9)), "  • a\n\n    b\n\nc\n");
}

#[test]
fn a_fence_in_a_list_ends_in_a_stream_as_in_the_whole() {
    for text in [
        "1. ```sh\n   git log\n\n   git diff\n   ```\n\nend\n\nx",
        "- a\n  - ```\n    one\n\n    two\n    ```\n\nend\n\nx",
        "```\n    ```\n\ncode\n```\n\nend\n\nx",
    ] {
        let stream = stream_of(&[text], 40);
        assert_eq!(shown(&stream.rows(0..99)), shown(&page(text, 40).rows), "{text}");
    }
}

#[test]
fn links_are_numbered_on_through_a_stream_and_listed_at_its_end() {
    let text = "[a](x)\n\n[b](y)\n\nc";
    let stream = stream_of(&[text], 20);
    assert_eq!(shown(&stream.rows(0..9)), "a [1]\n\nb [2]\n\nc\n");
    let page = stream.end(&Clean::text(text));
    assert_eq!(shown(&page.rows), "a [1]\n\nb [2]\n\nc\n\n[1] x\n[2] y\n");
}

/// Sources in which every letter must be seen.
fn any_source() -> impl Strategy<Value = String> {
    "([a-w]{1,9}|中文|\n|\n\n| |- |\\* |1\\. |> |# |## |\\*\\*|\\*|`[a-w]`|~~[a-w]~~|\n~~~\n|\n```\n|    |---\n|\\[x\\] |\\||\\|-\\|-\\|\n|<i>|\n\\[[a-w]\\]: [a-w]{1,5}\n|\\!|\\[|\\]|\\(|\\)){0,60}"
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_page_fits_its_width(
        text in prop_oneof![any_source(), any::<String>()],
        width in 0..200usize,
        wrap_code: bool,
    ) {
        let page = render(&Clean::text(&text), Sheet { wrap_code, ..sheet(width) });
        for row in &page.rows {
            prop_assert!(row.width() <= width, "{row:?}");
        }
        for heading in &page.outline {
            prop_assert!(heading.row < page.rows.len().max(1));
        }
    }

    #[test]
    fn every_letter_of_the_source_is_seen(text in any_source(), width in 60..200usize) {
        let letters = |text: &str| {
            let mut letters: Vec<char> =
                text.chars().filter(|c| c.is_alphabetic() && *c != 'x').collect();
            letters.sort_unstable();
            letters
        };
        let text = Clean::text(&text);
        let rows = render(&text, Sheet { wrap_code: true, ..sheet(width) }).rows;
        let seen = letters(&shown(&rows));
        let mut left = seen.as_slice();
        for letter in letters(text.as_str()) {
            let Ok(at) = left.binary_search(&letter) else {
                return Err(TestCaseError::fail(format!("{letter} of {text:?} in {rows:?}")));
            };
            let first = left[..=at].partition_point(|c| *c < letter);
            left = &left[first + 1..];
        }
    }

    #[test]
    fn a_stream_fits_and_ends_as_the_whole(
        parts in prop::collection::vec(any_source(), 0..4),
        width in 0..100usize,
    ) {
        let mut stream = Stream::new(sheet(width));
        for part in &parts {
            stream.push(&Clean::text(part));
            let rows = stream.rows(0..usize::MAX);
            prop_assert_eq!(rows.len(), stream.len());
            for row in &rows {
                prop_assert!(row.width() <= width, "{row:?}");
            }
            let middle = rows.len() / 2;
            prop_assert_eq!([stream.rows(0..middle), stream.rows(middle..usize::MAX)].concat(), rows);
        }
        prop_assert_eq!(stream.on(sheet(width)).rows(0..usize::MAX).len(), stream.len());
        let whole = Clean::text(stream.text());
        prop_assert_eq!(stream.end(&whole), render(&whole, sheet(width)));
    }

    #[test]
    fn a_stream_is_the_same_however_it_comes(text in any_source(), width in 10..100usize, at in 1..9usize) {
        let clean = Clean::text(&text);
        let mut pieces = Stream::new(sheet(width));
        let chars: Vec<char> = clean.as_str().chars().collect();
        for piece in chars.chunks(at) {
            pieces.push(&Clean::text(&piece.iter().collect::<String>()));
        }
        let mut whole = Stream::new(sheet(width));
        whole.push(&clean);
        prop_assert_eq!(pieces.rows(0..usize::MAX), whole.rows(0..usize::MAX));
        prop_assert_eq!(pieces.on(sheet(7)).rows(0..usize::MAX), whole.on(sheet(7)).rows(0..usize::MAX));
    }
}
