//! Talking to agents on the page.

use agent_worker_protocol::{ChannelSend, Mode};
use serde_json::Value;

use super::{browser, browser::Browser};
use crate::support::{Home, Running, Team, block_on, mock};

pub const WIDE: (u32, u32) = (1200, 800);
pub const ENTER: &str = "\u{e007}";

/// What an agent says that could be markup, if it were taken for it.
const HOSTILE: &str = "- say: \"**bold** <script>document.title='taken'</script> \
    <img src=x onerror=\\\"document.title='taken'\\\"> [bad](javascript:document.title='taken') \
    [good](https://example.com/page)\"";

/// A script that goes on once a file is there.
pub fn held(file: &str, then: &str) -> String {
    mock(&format!(
        "- think: so it begins\n- say: \"half of it\"\n\
         - shell: \"until [ -e {file} ]; do sleep 0.05; done\"\n{then}"
    ))
}

pub async fn open(test: &str, home: &Home, size: (u32, u32)) -> Option<Browser> {
    let browser = browser(test, home, size).await?;
    browser.go(home.ok(&["web", "--no-open"]).trim()).await;
    browser.until("document.querySelector('#tree button')").await;
    Some(browser)
}

/// Goes to the channel of @team, which has been started.
pub async fn start(home: &Home, browser: &Browser, script: &str) {
    let team = Team::new("team", "").agent("alice", script);
    team.start(home, &home.client(), Mode::Start).await;
    let channel = "[...document.querySelectorAll('#tree h2')]\
        .find((one) => one.textContent.startsWith('@team'))?.nextSibling.querySelector('button')";
    browser.until(channel).await;
    browser.run(&format!("({channel}).click()")).await;
    browser.until("document.querySelector('#title').textContent === 'channel @team'").await;
}

pub fn item(text: &str) -> String {
    format!(
        "[...document.querySelectorAll('#talk > li')].find((one) => one.textContent.includes('{text}'))"
    )
}

#[test]
fn an_answer_is_seen_as_it_grows_and_a_reload_in_the_middle_loses_nothing() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "an_answer_is_seen_as_it_grows_and_a_reload_in_the_middle_loses_nothing";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &held("go", "- say: the whole of it")).await;
        browser.keys("#text", &format!("@alice please begin{ENTER}")).await;
        let live = "document.querySelector('#talk > .run')";
        for _ in 0..2 {
            browser.until(&item("please begin")).await;
            browser.until(&format!("{live}?.textContent.includes('half of it')")).await;
            let thinking = format!("{live}.querySelector('details.thinking')");
            browser.until(&format!("{thinking}?.textContent.includes('so it begins')")).await;
            assert_eq!(browser.run(&format!("return {thinking}.open")).await, false);
            browser.reload().await;
        }
        home.write("go", "");
        browser.until(&item("the whole of it")).await;
        browser.until(&format!("!{live}")).await;
        // What it did is there afterwards, for one who has not watched.
        browser
            .run(&format!("({}).querySelector('details').open = true", item("whole of it")))
            .await;
        browser
            .until(&format!("({}).textContent.includes('so it begins')", item("whole of it")))
            .await;
    });
}

#[test]
fn nothing_that_is_written_is_taken_for_markup() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "nothing_that_is_written_is_taken_for_markup";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock(HOSTILE)).await;
        browser.keys("#text", &format!("@alice <b>go</b>{ENTER}")).await;
        let said = item("<script>document.title");
        browser.until(&said).await;
        browser.until(&item("<b>go</b>")).await;
        let hrefs = format!("return [...({said}).querySelectorAll('a')].map((link) => link.href)");
        let links = browser.run(&hrefs).await;
        assert_eq!(links, serde_json::json!(["https://example.com/page"]));
        let markup = format!("return ({said}).querySelectorAll('script, img').length");
        assert_eq!(browser.run(&markup).await, 0);
        assert_eq!(
            browser.run(&format!("return ({said}).querySelectorAll('strong').length")).await,
            2
        );
        let title = browser.run("return document.title").await;
        assert!(title.as_str().unwrap().ends_with("agent-worker"), "{title}");
    });
}

#[test]
fn a_closing_note_is_folded_and_an_answer_is_not() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_closing_note_is_folded_and_an_answer_is_not";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let send = "- call: channel_send\n  with: { message: \"@user it is 8417\" }";
        start(&home, &browser, &mock(&format!("{send}\n- say: that was all"))).await;
        browser.keys("#text", &format!("@alice which port?{ENTER}")).await;
        let is_folded = |text: &str| {
            format!("({}).querySelector('.text').closest('details')?.open", item(text))
        };
        browser.until(&item("that was all")).await;
        // The run itself stands there first, and has the same words.
        browser.until(&format!("{} === false", is_folded("that was all"))).await;
        let answer = browser.run(&format!("return {}", is_folded("it is 8417"))).await;
        assert_eq!(answer, Value::Null, "it has no fold");
    });
}

#[test]
fn only_names_of_members_are_marked_as_mentions() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "only_names_of_members_are_marked_as_mentions";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: so it is")).await;
        let typed = format!("@alice tell @ghost and @user, not @Alice- or a@user{ENTER}");
        browser.keys("#text", &typed).await;
        let said = item("tell @ghost and");
        browser.until(&said).await;
        let marks = format!("[...({said})?.querySelectorAll('.mention') ?? []]");
        let marked = format!("{marks}.map((one) => one.textContent).join(' ')");
        let names = browser.run(&format!("return {marked}")).await;
        assert_eq!(names, "@alice @user @Alice-");
        browser.reload().await;
        browser.until(&format!("{marked} === '@alice @user @Alice-'")).await;
    });
}

#[test]
fn a_daemon_that_is_killed_and_comes_back_has_its_page_go_on() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let test = "a_daemon_that_is_killed_and_comes_back_has_its_page_go_on";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: here I am")).await;
        browser.keys("#text", "a draft").await;
        let port = home.daemon_file().unwrap().port;
        daemon.kill();
        browser.until("document.querySelector('#link').textContent === 'reconnecting …'").await;
        let daemon: Running = home.daemon();
        assert_eq!(home.daemon_file().unwrap().port, port, "it is where it was");
        browser.until("document.querySelector('#link').textContent === ''").await;
        home.ok(&["send", "@team", "from elsewhere @alice"]);
        browser.until(&item("from elsewhere")).await;
        browser.until(&item("here I am")).await;
        let draft = browser.run("return document.querySelector('#text').value").await;
        assert_eq!(draft, "a draft");
        daemon.stop();
    });
}

#[test]
fn a_question_is_answered_and_a_name_completed_with_the_keyboard() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_question_is_answered_and_a_name_completed_with_the_keyboard";
        let Some(browser) = open(test, &home, (390, 800)).await else { return };
        let script = mock(
            "- call: ask_person\n  with: { question: \"Which one?\", options: [left, right] }\n  \
             as: a\n- say: \"so ${{ a.answer }}\"",
        );
        start(&home, &browser, &script).await;
        browser.keys("#text", "please choose @al").await;
        browser.until("document.querySelector('#names li')?.textContent === '@alice'").await;
        browser.keys("#text", ENTER).await;
        browser.until("document.querySelector('#text').value === 'please choose @alice '").await;
        browser.keys("#text", ENTER).await;
        browser
            .until("document.querySelector('#needs form')?.textContent.includes('Which one?')")
            .await;
        browser.keys("#needs form button:nth-of-type(2)", ENTER).await;
        browser.until(&item("so right")).await;
        browser.until("!document.querySelector('#needs form')").await;
        // On a phone's width nothing is wider than the screen.
        let overflow = "return document.documentElement.scrollWidth - innerWidth";
        assert_eq!(browser.run(overflow).await, 0);
    });
}

#[test]
fn a_permission_is_shown_with_each_line_on_its_own() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_permission_is_shown_with_each_line_on_its_own";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let wants = "- ask: shell\n  with: { command: \"echo ok #\\nrm -rf work\" }\n  as: p";
        start(&home, &browser, &mock(wants)).await;
        browser.keys("#text", &format!("@alice go{ENTER}")).await;
        browser.until("document.querySelector('#needs form')").await;
        let asked = browser.run("return document.querySelector('#needs p').innerText").await;
        assert_eq!(asked, "alice@team wants to use: shell\ncommand: echo ok #\n  rm -rf work");
        let left = browser.run("return document.querySelector('#needs small').textContent").await;
        assert!(left.as_str().is_some_and(|left| left.ends_with(" left, then denied")), "{left}");
    });
}

#[test]
fn a_long_conversation_opens_at_its_end_and_older_messages_come_as_one_scrolls() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_long_conversation_opens_at_its_end_and_older_messages_come_as_one_scrolls";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        for n in 1..=230 {
            home.client().call(&said(n)).await.unwrap();
        }
        browser.reload().await;
        let end = "(({ scrollHeight, scrollTop, clientHeight }) => \
            scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('#talk'))";
        browser.until(&format!("{} && {end}", item("line 230."))).await;
        let count = "document.querySelectorAll('#talk [id^=msg_]').length";
        assert_eq!(browser.run(&format!("return {count}")).await, 100);
        for shown in [150, 200, 230] {
            browser.run("document.querySelector('#talk').scrollTop = 0").await;
            browser.until(&format!("{count} === {shown}")).await;
        }
        let first = "document.querySelector('#talk > li').textContent.includes('line 1.')";
        assert_eq!(browser.run(&format!("return {first}")).await, true);
    });
}

fn said(n: usize) -> ChannelSend {
    let message = format!("line {n}.\n\n{}", "more of it\n".repeat(n % 7));
    ChannelSend { message, to: Vec::new(), intent: None, reply_to: None }
}

#[test]
fn an_answer_that_is_typed_stays_whatever_else_happens() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "an_answer_that_is_typed_stays_whatever_else_happens";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let asks = mock(
            "- call: ask_person\n  with: { question: \"Which one?\" }\n  as: a\n\
             - say: \"so ${{ a.answer }}\"",
        );
        let team = Team::new("team", "@alice go").agent("alice", &asks).agent("bob", &asks);
        team.start(&home, &home.client(), Mode::Start).await;
        browser.until("document.querySelector('#needs input')").await;
        browser.keys("#needs input", "the le").await;
        home.ok(&["send", "@team", "@bob go too"]);
        browser.until("document.querySelectorAll('#needs input').length === 2").await;
        browser.keys("#needs input", &format!("ft{ENTER}")).await;
        browser.until("document.querySelectorAll('#needs input').length === 1").await;
        assert!(home.ok(&["questions", "--all"]).contains("the left"));
    });
}

#[test]
fn what_agents_say_elsewhere_is_counted_as_unread() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "what_agents_say_elsewhere_is_counted_as_unread";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: here I am")).await;
        let global = "document.querySelector('#tree button')";
        browser.run(&format!("{global}.click()")).await;
        browser.until("document.querySelector('#title').textContent.endsWith('@global')").await;
        home.ok(&["send", "@team", "@alice go"]);
        let badge = "document.querySelector('[data-key=\"channel @team\"] b')?.textContent";
        browser.until(&format!("{badge} === '1'")).await;
    });
}

#[test]
fn a_click_on_the_tree_counts_though_the_tree_changes_while_it_is_pressed() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_click_on_the_tree_counts_though_the_tree_changes_while_it_is_pressed";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: la")).await;
        browser.press("[data-key=\"channel @global\"]").await;
        home.ok(&["send", "@team", "something new"]);
        browser.until(&item("something new")).await;
        // By the second frame the tree would have been drawn.
        let frames = "const done = arguments[arguments.length - 1];
            requestAnimationFrame(() => requestAnimationFrame(done));";
        browser.wait(frames).await;
        browser.release().await;
        browser.until("document.querySelector('#title').textContent === 'channel @global'").await;
    });
}

#[test]
fn a_message_on_its_way_is_no_draft_of_another_conversation() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_message_on_its_way_is_no_draft_of_another_conversation";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: la")).await;
        browser
            .run(
                "const real = window.fetch;
                 window.fetch = async (path, request) => {
                     if (path.startsWith('/send')) await new Promise((go) => (window.letGo = go));
                     return real(path, request);
                 };",
            )
            .await;
        browser.keys("#text", &format!("on its way{ENTER}")).await;
        let open = |key: &str| format!("document.querySelector('[data-key=\"{key}\"]').click()");
        browser.run(&open("channel @global")).await;
        browser.until("document.querySelector('#title').textContent.endsWith('@global')").await;
        browser.keys("#text", "another").await;
        browser.run("window.letGo()").await;
        browser.run(&open("channel @team")).await;
        browser.until(&item("on its way")).await;
        browser.until("document.querySelector('#text').value === ''").await;
        browser.run(&open("channel @global")).await;
        browser.until("document.querySelector('#text').value === 'another'").await;
    });
}

#[test]
fn enter_sends_where_the_caret_has_left_the_name_that_was_begun() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "enter_sends_where_the_caret_has_left_the_name_that_was_begun";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: la")).await;
        browser.keys("#text", "hello @al").await;
        browser.until("document.querySelector('#names li')").await;
        let at_start = "\u{e011}";
        browser.keys("#text", &format!("{at_start}{ENTER}")).await;
        browser.until(&item("hello @al")).await;
        browser.until("document.querySelector('#names').hidden").await;
        browser.keys("#text", "once more @al").await;
        browser.until("document.querySelector('#names li')").await;
        browser.run("document.querySelector('#send').click()").await;
        browser.until(&item("once more @al")).await;
        browser.until("document.querySelector('#names').hidden").await;
    });
}

#[test]
fn a_text_that_is_nothing_but_marks_is_shown() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_text_that_is_nothing_but_marks_is_shown";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        for (text, times) in [
            ("'>'", 20_000),
            ("'a|\\n' + '-'", 1_000_000),
            ("'*a '", 100_000),
            ("'_a '", 100_000),
            ("'~~a '", 100_000),
            (r"'\\\\'", 1_000_000),
            ("'['", 100_000),
            ("'`a ``b '", 100_000),
            ("'`a` '", 1_000_000),
            ("'x\\n\\n'", 1_000_000),
        ] {
            let length = browser
                .wait(&format!(
                    "const done = arguments[arguments.length - 1];
                     import('/web/markdown.js').then(({{ markdown, element }}) => {{
                         const text = {text}.padEnd({times}, {text}.slice(-1) === '-' ? '-' : {text});
                         done(element('div', markdown(text)).textContent.length);
                     }}).catch((error) => done(error.message));"
                ))
                .await;
            assert!(length.as_u64().is_some_and(|length| length > 0), "{text}: {length}");
        }
    });
}
