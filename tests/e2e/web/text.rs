//! What of a text is marked on the page.

use agent_worker_protocol::Mode;
use serde_json::{Value, json};

use super::{
    browser::Browser,
    chat::{ENTER, WIDE, item, open, start},
};
use crate::support::{Home, Team, block_on, mock};

/// What the page makes of a text.
async fn html(browser: &Browser, text: &str) -> Value {
    let script = format!(
        "const done = arguments[arguments.length - 1];
         import('/web/markdown.js').then(({{ element, markdown }}) =>
             done(element('div', markdown({})).innerHTML));",
        json!(text)
    );
    browser.wait(&script).await
}

#[test]
fn names_of_members_of_another_workflow_are_not_marked() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "names_of_members_of_another_workflow_are_not_marked";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let script = mock("- say: so it is");
        let other = Team::new("other", "").agent("bob", &script);
        other.start(&home, &home.client(), Mode::Start).await;
        start(&home, &browser, &script).await;
        let both = format!("@alice and @bob please{ENTER}");
        let marks = "[...document.querySelectorAll('#talk .mine .mention')]
            .map((one) => one.textContent).join(' ')";
        browser.keys("#text", &both).await;
        browser.until(&item("@alice and @bob")).await;
        assert_eq!(browser.run(&format!("return {marks}")).await, "@alice");
        let channel = "document.querySelector('[data-key=\"channel @other\"]')";
        browser.until(channel).await;
        browser.run(&format!("{channel}.click()")).await;
        browser.until("document.querySelector('#title').textContent === 'channel @other'").await;
        browser.keys("#text", &both).await;
        browser.until(&item("@alice and @bob")).await;
        assert_eq!(browser.run(&format!("return {marks}")).await, "@bob");
    });
}

#[test]
fn a_list_keeps_its_numbers_and_its_kind() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_list_keeps_its_numbers_and_its_kind";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        for (text, shown) in [
            ("1. a\n\n2. b", "<ol start=\"1\"><li dir=\"auto\">a</li><li dir=\"auto\">b</li></ol>"),
            ("5. a\n6. b", "<ol start=\"5\"><li dir=\"auto\">a</li><li dir=\"auto\">b</li></ol>"),
            (
                "- a\n1. b",
                "<ul><li dir=\"auto\">a</li></ul><ol start=\"1\"><li dir=\"auto\">b</li></ol>",
            ),
            (
                "- a\n  1. b\n- c",
                "<ul><li dir=\"auto\">a<ol start=\"1\"><li dir=\"auto\">b</li></ol></li>\
                 <li dir=\"auto\">c</li></ul>",
            ),
            ("- a\n\n  b\n\nc", "<ul><li dir=\"auto\">a<p>b</p></li></ul><p>c</p>"),
            (
                "- a\n\n\n  - b\n- c",
                "<ul><li dir=\"auto\">a<ul><li dir=\"auto\">b</li></ul></li>\
                 <li dir=\"auto\">c</li></ul>",
            ),
        ] {
            assert_eq!(html(&browser, text).await, shown, "{text}");
        }
    });
}

#[test]
fn headings_tasks_and_code_lose_the_signs_around_them() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "headings_tasks_and_code_lose_the_signs_around_them";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        for (text, shown) in [
            ("a\n\nTitle\n=====\nb", "<p>a</p><h3>Title</h3><p>b</p>"),
            ("a\n b `c\nd`\n  ==\ne", "<h3>a\n b <code>c\nd</code></h3><p>e</p>"),
            ("- a\n\n  Title\n  ==", "<ul><li dir=\"auto\">a<h3>Title</h3></li></ul>"),
            ("a\n\n=====", "<p>a</p><p>=====</p>"),
            ("== a\n=== b", "<p>== a\n=== b</p>"),
            ("## a ##\n# b#  \n# c #d", "<h4>a</h4><h3>b#</h3><h3>c #d</h3>"),
            (
                "- [x] a\n- [ ] b\n- [y] c",
                "<ul><li dir=\"auto\">☑ a</li><li dir=\"auto\">☐ b</li>\
                 <li dir=\"auto\">[y] c</li></ul>",
            ),
            ("`` a`b `` and ` c`", "<p><code>a`b</code> and <code> c</code></p>"),
        ] {
            assert_eq!(html(&browser, text).await, shown, "{text}");
        }
    });
}

#[test]
fn a_code_block_ends_with_its_signs_alone_and_not_far_indented() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_code_block_ends_with_its_signs_alone_and_not_far_indented";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        for (text, shown) in [
            ("```\na\n   ```\nb", "<pre><code>a</code></pre><p>b</p>"),
            ("```\na\n    ```\nb\n```", "<pre><code>a\n    ```\nb</code></pre>"),
            ("```\na\n\t```\nb\n```", "<pre><code>a\n\t```\nb</code></pre>"),
            ("```\na\n```b\n````", "<pre><code>a\n```b</code></pre>"),
            (
                "- a\n\n      ~~~\n  b\n      ~~~",
                "<ul><li dir=\"auto\">a<pre><code>b</code></pre></li></ul>",
            ),
        ] {
            assert_eq!(html(&browser, text).await, shown, "{text}");
        }
    });
}

#[test]
fn a_code_block_loses_the_indent_of_its_first_signs() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_code_block_loses_the_indent_of_its_first_signs";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        for (text, shown) in [
            (
                "1. a\n   ```\n   b\n     c\n   ```",
                "<ol start=\"1\"><li dir=\"auto\">a<pre><code>b\n  c</code></pre></li></ol>",
            ),
            ("  ```\n  a\n    b\n c\n\td\n  ```", "<pre><code>a\n  b\nc\n\td</code></pre>"),
            ("\t```\n\ta\n\t\tb\n\t```", "<pre><code>a\n\tb</code></pre>"),
        ] {
            assert_eq!(html(&browser, text).await, shown, "{text}");
        }
    });
}

#[test]
fn a_table_may_stand_directly_behind_a_line_of_text() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_table_may_stand_directly_behind_a_line_of_text";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let table = "<div class=\"wide\"><table><thead><tr><th>a</th><th>b</th></tr></thead>\
            <tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>";
        let rows = "| a | b |\n|---|---|\n| 1 | 2 |";
        for (text, shown) in [
            (format!("x\n{rows}\n\ny"), format!("<p>x</p>{table}<p>y</p>")),
            (format!("- x\n{rows}"), format!("<ul><li dir=\"auto\">x</li></ul>{table}")),
            ("x | y\nz | -".to_owned(), "<p>x | y\nz | -</p>".to_owned()),
        ] {
            assert_eq!(html(&browser, &text).await, shown, "{text}");
        }
    });
}

#[test]
fn a_bar_behind_a_backslash_stays_in_its_cell() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_bar_behind_a_backslash_stays_in_its_cell";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let table = "| a \\| b | c |\n|---|---|\n| `d\\|e` | f \\|";
        let shown = "<div class=\"wide\"><table><thead><tr><th>a | b</th><th>c</th></tr></thead>\
            <tbody><tr><td><code>d|e</code></td><td>f |</td></tr></tbody></table></div>";
        assert_eq!(html(&browser, table).await, shown);
    });
}

#[test]
fn words_between_underscores_and_tildes_are_marked_and_a_backslash_keeps_a_sign() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "words_between_underscores_and_tildes_are_marked_and_a_backslash_keeps_a_sign";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        for (text, shown) in [
            ("_a_ and __b__", "<em>a</em> and <strong>b</strong>"),
            ("_a **b** c_", "<em>a <strong>b</strong> c</em>"),
            ("snake_case_names, é_a_é", "snake_case_names, é_a_é"),
            ("f(_a, _b)", "f(_a, _b)"),
            ("~~a~~ and ~~ b ~~", "<del>a</del> and ~~ b ~~"),
            (r"\*a\* \_b\_ \~~c~~ \`d\`", "*a* _b_ ~~c~~ `d`"),
            (r"\# a, C:\Users", r"# a, C:\Users"),
            (r"`_a_ \* ~~b~~`", r"<code>_a_ \* ~~b~~</code>"),
            (r"*a\* b*", "<em>a* b</em>"),
        ] {
            assert_eq!(html(&browser, text).await, format!("<p>{shown}</p>"), "{text}");
        }
    });
}

#[test]
fn a_cut_text_ends_with_an_ellipsis_until_all_of_it_is_shown() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_cut_text_ends_with_an_ellipsis_until_all_of_it_is_shown";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        home.ok(&["send", "@global", &"long ".repeat(1000)]);
        let shown = "document.querySelector('#talk .text')?.textContent.trim()";
        browser.until(&format!("{shown}?.endsWith('…')")).await;
        browser.run("document.querySelector('#talk .text + button').click()").await;
        browser.until(&format!("{shown}.length === 4999 && {shown}.endsWith('long')")).await;
    });
}

#[test]
fn characters_that_are_not_seen_are_marked_wherever_an_agent_writes() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "characters_that_are_not_seen_are_marked_wherever_an_agent_writes";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let asks = "- think: \"a\\u202eb\"\n\
            - call: channel_send\n  with: { message: \"c\\u2067d\" }\n\
            - call: ask_person\n  with: { question: \"e\\u202ef\" }\n  as: a";
        start(&home, &browser, &mock(asks)).await;
        browser.keys("#text", &format!("@alice go{ENTER}")).await;
        for shown in ["a\u{fffd}b", "c\u{fffd}d", "e\u{fffd}f"] {
            browser.until(&format!("document.body.textContent.includes('{shown}')")).await;
        }
        let others = browser
            .wait(
                "const done = arguments[arguments.length - 1];
                 import('/web/markdown.js').then(({ visible }) =>
                     done(visible('\\0\\x1b\\x7f\\u2069|\\t\\r\\n\\u200f')));",
            )
            .await;
        assert_eq!(others, "\u{fffd}\u{fffd}\u{fffd}\u{fffd}|\t\r\n\u{200f}");
    });
}

#[test]
fn a_screen_reader_is_told_once_of_what_an_agent_says() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_screen_reader_is_told_once_of_what_an_agent_says";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: here I am")).await;
        browser
            .run(
                "const said = document.querySelector('#said');
                 window.told = [];
                 new MutationObserver(() => window.told.push(said.textContent))
                     .observe(said, { childList: true });",
            )
            .await;
        browser.keys("#text", &format!("@alice go{ENTER}")).await;
        browser.until("document.querySelector('#said').textContent.startsWith('alice')").await;
        assert_eq!(browser.run("return window.told").await, json!(["alice: here I am"]));
        let live = "return document.querySelector('#needs > div').getAttribute('aria-live')";
        assert_eq!(browser.run(live).await, "polite");
    });
}

#[test]
fn chinese_punctuation_ends_a_link() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "chinese_punctuation_ends_a_link";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let links = browser
            .wait(
                "const done = arguments[arguments.length - 1];
                 const url = 'https://example.com/a?b=c.d';
                 import('/web/markdown.js').then(({ element, inline }) => {
                     const texts = [...'，。！？）」'].map((mark) => `见${url}${mark}然后`);
                     const made = element('p', ...inline(texts.join('')));
                     const links = made.querySelectorAll('a');
                     done([...links].map((link) => link.textContent === url));
                 });",
            )
            .await;
        assert_eq!(links, json!([true, true, true, true, true, true]));
    });
}

#[test]
fn a_message_of_another_day_says_its_day() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_message_of_another_day_says_its_day";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        home.ok(&["send", "@global", "long ago"]);
        browser.until(&item("long ago")).await;
        browser
            .run(
                "const real = window.fetch;
                 window.fetch = async (path, request) => {
                     const answer = await real(path, request);
                     if (!path.startsWith('/peek')) return answer;
                     const page = await answer.json();
                     const old = new Date(2001, 1, 3, 14, 5).getTime();
                     for (const message of page.messages) message.created_at = old;
                     return new Response(JSON.stringify(page), answer);
                 };
                 document.querySelector('[data-key=\"channel @global\"]').click();",
            )
            .await;
        let time = format!("({})?.querySelector('time')", item("long ago"));
        browser.until(&format!("{time}?.dateTime.startsWith('2001')")).await;
        let day = browser.run(&format!("return {time}.textContent.includes('3')")).await;
        assert_eq!(day, true);
    });
}

#[test]
fn a_link_may_have_brackets_and_a_title() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_link_may_have_brackets_and_a_title";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let wiki = "https://a.example/b_(c)";
        let link = |url: &str, label: &str| {
            format!("<a href=\"{url}\" rel=\"noopener noreferrer\" target=\"_blank\">{label}</a>")
        };
        let bare = link(wiki, wiki);
        let titled = link(wiki, "w").replace(">w", " title=\"t (u)\">w");
        let plain = link("https://a.example/b", "https://a.example/b");
        for (text, shown) in [
            (format!("{wiki}."), format!("{bare}.")),
            (format!("({wiki})"), format!("({bare})")),
            ("(https://a.example/b)".to_owned(), format!("({plain})")),
            (format!("[w]({wiki})"), link(wiki, "w")),
            (format!("[w]({wiki} \"t (u)\")"), titled),
        ] {
            assert_eq!(html(&browser, &text).await, format!("<p>{shown}</p>"), "{text}");
        }
    });
}
