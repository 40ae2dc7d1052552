//! The control room as a member sees it, beside what that member is answered over HTTP.

use std::{collections::BTreeSet, time::Duration};

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentList, AgentQueue, AgentShow, Attention, DocList, DocRead, EventList, GroupList,
    GroupMembers, Inbox, Mode, Op, Peek, ProposalList, QuestionList, RunBlocks, RunList,
    ScheduleList, ScheduleShow, Search, Target, WorkflowList,
};
use serde_json::json;

use super::screen::{Setup, Terminal};
use crate::support::{Home, Team, Watch, block_on, mock, wait_until};

const MEMBERS: [&str; 3] = ["ann", "ben", "cat"];

/// A team in which not everything is for everyone.
fn team(home: &Home) {
    let mut team = Team::new("team", "");
    for member in MEMBERS {
        team = team.agent(member, &mock("- say: well"));
    }
    home.ok(&["start", &team.write(home), "-d"]);
    home.ok(&["send", "@team", "a word for everyone"]);
    home.ok(&["group", "create", "inner", "ann", "ben", "--in", "@team"]);
    home.ok(&["send", "@team", "a word for some", "--to", "inner", "--inform"]);
    home.ok(&["send", "ann@team", "a word for one", "--inform"]);
}

fn screen(home: &Home, target: &str, member: &str) -> String {
    home.ok(&["tui", target, "--as", member, "--dump", "160x50"])
}

/// The names of the conversations that the daemon lists for a member, as the tree shows them.
fn conversations(home: &Home, member: &str) -> Vec<String> {
    let listed = home.json(&["group", "list", "@team", "--as", member]);
    let names = listed["groups"].as_array().unwrap().iter();
    names.map(|group| group["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_member_is_shown_what_it_is_answered_over_http() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    for member in MEMBERS {
        let shown = screen(&home, "@team", member);
        assert!(shown.contains(&format!("VIEW AS {member}@team")), "{shown}");
        let said = home.json(&["peek", "@team", "--as", member]);
        for message in said["messages"].as_array().unwrap() {
            let text = message["content"].as_str().unwrap();
            assert!(shown.contains(text), "{member}, {text}: {shown}");
        }
        let open = conversations(&home, member);
        for (name, line) in [("inner", "& inner"), ("ann+user", "& ann")] {
            let is_open = open.iter().any(|known| known == name);
            assert_eq!(shown.contains(line), is_open, "{member}, {name} of {open:?}: {shown}");
        }
        for other in MEMBERS {
            for secret in ["a word for some", "a word for one"] {
                let inbox = screen(&home, &format!("{other}@team"), member);
                assert!(!inbox.contains(secret) || other == member, "{member} of {other}: {inbox}");
            }
            let target = format!("{other}@team");
            let answered = home.run(&["inbox", &target, "--as", member]).code == Some(0);
            let pane = screen(&home, &target, member);
            assert_eq!(
                pane.contains(&format!("{member} does not see the transcripts of {target}")),
                !answered,
                "{member} of {other}: {pane}"
            );
        }
    }
}

#[test]
fn who_is_not_a_member_is_told_so_and_sees_nothing() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    let refused = home.run(&["tui", "@team", "--as", "ghost", "--dump", "160x50"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""), "{refused:?}");
    assert!(refused.stderr.contains("ghost is not a member of @team"), "{refused:?}");
}

/// Words that each stand in one thing of the team alone.
const WORDS: [&str; 17] = [
    "channelword",
    "innerword",
    "anyword",
    "pairword",
    "annthought",
    "benthought",
    "catthought",
    "annanswer",
    "benanswer",
    "docword",
    "proposalword",
    "reasonword",
    "annschedule",
    "catschedule",
    "questionword",
    "foreignword",
    "catmail",
];

/// A team in which everything has a word of its own: what is said, thought, voted for and asked.
async fn everything(home: &Home, client: &Client) {
    let works = |name: &str, more: &[serde_json::Value]| {
        let mut steps = vec![json!({ "think": format!("{name}thought") })];
        steps.extend(more.iter().cloned());
        steps.push(json!({ "say": format!("{name}answer") }));
        let again = json!({ "think": format!("{name}thought") });
        json!([{ "do": steps }, { "times": 0, "do": [again] }]).to_string()
    };
    let tells = json!({ "call": "channel_send", "with":
        { "message": "pairword", "to": ["ben"], "intent": "inform" } });
    let asks =
        json!({ "call": "ask_person", "with": { "question": "questionword", "default": "no" } });
    Team::new("team", "@ann @ben @cat begin")
        .agent("ann", &works("ann", &[tells]))
        .agent("ben", &works("ben", &[]))
        .agent("cat", &works("cat", &[asks, json!({ "fail": "permanent" })]))
        .start(home, client, Mode::Start)
        .await;
    let mut watch = Watch::all(client).await;
    for _ in MEMBERS {
        watch.run_ended(|_| true).await;
    }
    for (words, to) in [("channelword", "@team"), ("anyword", "ann@team"), ("catmail", "cat@team")]
    {
        home.ok(&["send", to, words, "--inform"]);
    }
    home.ok(&["group", "create", "inner", "ann", "ben", "--in", "@team"]);
    home.ok(&["send", "@team", "innerword", "--to", "inner", "--inform"]);
    home.ok(&["doc", "write", "# docword", "--file", "plan.md", "--in", "@team"]);
    let electors = ["--electors", "ann,ben"];
    let create = ["proposal", "create", "approval", "proposalword", "--in", "@team"];
    home.ok(&[&create[..], &electors].concat());
    home.ok(&["proposal", "vote", "prop_1", "approve", "--as", "ann", "--reason", "reasonword"]);
    for name in ["ann", "cat"] {
        let (target, prompt) = (format!("{name}@team"), format!("{name}schedule"));
        home.ok(&["schedule", &target, "set", "24h", "--prompt", &prompt, "--name", "daily"]);
    }
    Team::new("other", "")
        .agent("dan", &mock("- say: well"))
        .start(home, client, Mode::Start)
        .await;
    home.ok(&["send", "@other", "foreignword"]);
    let is_at_rest =
        |agent: &serde_json::Value| ["idle", "paused"].contains(&agent["state"].as_str().unwrap());
    wait_until("all are at rest", || {
        let listed = home.json(&["list", "@team"]);
        listed["agents"].as_array().unwrap().iter().all(is_at_rest)
    });
}

/// What a caller is answered, as text; empty if it is refused.
async fn answer<O: Op>(client: &Client, op: O) -> String
where
    O::Output: serde::Serialize,
{
    match client.call(&op).await {
        Ok(answer) => serde_json::to_string(&answer).expect("it is JSON"),
        Err(_) => String::new(),
    }
}

/// A pane: where it is found, the keys that show it there, and what the same is over HTTP.
struct Pane {
    place: String,
    keys: &'static str,
    answer: String,
}

/// What shows an agent in a box.
const PEEK: &str = "p";

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

/// The panes of the team with what a caller is answered for each.
async fn panes(client: &Client) -> Vec<Pane> {
    let mut panes = Vec::new();
    let mut pane = |place: &str, keys, answer| {
        panes.push(Pane { place: place.to_owned(), keys, answer });
    };
    let scope = client.at(target("@team"));
    pane("team", "1", answer(&scope, Peek::default()).await);
    pane("team", "2", answer(&scope, AgentList {}).await);
    let read = DocRead { file: Some("plan.md".to_owned()), ..DocRead::default() };
    pane("team", "3", answer(&scope, DocList {}).await + &answer(&scope, read).await);
    pane("team", "4", answer(&scope, ProposalList { all: true, ..Default::default() }).await);
    let schedules = answer(&scope, ScheduleList { all: true }).await;
    pane("team", "5", schedules.clone());
    pane("team", "j", schedules);
    let events = EventList { scope: Some("@team".parse().unwrap()), ..EventList::default() };
    pane("team", "6", answer(&scope, events).await);
    for name in MEMBERS {
        let agent = target(&format!("{name}@team"));
        let at = client.at(agent.clone());
        let runs = at.call(&RunList::default()).await.map(|page| page.runs).unwrap_or_default();
        let mut blocks = String::new();
        for run in &runs {
            let op = RunBlocks {
                id: run.id,
                from: None,
                last: false,
                limit: None,
                max_chars: None,
                tail_chars: None,
            };
            blocks += &answer(&scope, op).await;
        }
        let listed = serde_json::to_string(&runs).unwrap();
        let inbox = Inbox { target: agent.clone(), limit: None, all: true, before: None };
        let shown = answer(&scope, AgentShow { target: agent.clone() }).await;
        let times = answer(&scope, ScheduleShow { target: agent.clone() }).await;
        pane(name, "1", blocks.clone());
        pane(name, "2", answer(&scope, inbox).await);
        pane(name, "3", answer(&scope, AgentQueue { target: agent, limit: None }).await);
        pane(name, "4", listed);
        pane(name, "5", blocks);
        pane(name, "6", shown + &times);
        pane(name, PEEK, String::new());
    }
    for talk in ["inner", "ann+ben", "cat+user"] {
        let group = talk.parse().unwrap();
        let said = Peek { group: Some(talk.parse().unwrap()), ..Peek::default() };
        pane(talk, "1", answer(&scope, said).await);
        pane(talk, "2", answer(&scope, GroupMembers { group }).await);
    }
    for keys in ["1", "2", "3", "4", "5"] {
        pane("everything", keys, String::new());
    }
    panes
}

/// What a caller is answered to all that is asked for beside the panes.
async fn beside(client: &Client) -> String {
    let scope = client.at(target("@team"));
    let mut all = answer(&scope, WorkflowList {}).await;
    all += &answer(&scope, GroupList {}).await;
    all += &answer(&scope, QuestionList::default()).await;
    all += &answer(&scope, Attention {}).await;
    for word in WORDS {
        let op = Search { text: word.to_owned(), limit: None, next: None };
        let hits = answer(&scope, op).await;
        if hits.contains("\"hits\":[{") {
            all += word;
        }
    }
    all
}

/// Some of the words.
type Words = BTreeSet<&'static str>;

/// The words that are in a text.
fn words_in(text: &str) -> Words {
    WORDS.into_iter().filter(|word| text.contains(word)).collect()
}

/// What a place is called in the list of all that has a name.
fn name_of(place: &str) -> String {
    match place {
        "team" => "workflow team".to_owned(),
        "inner" => "& inner @team".to_owned(),
        "everything" => "everything".to_owned(),
        "ann+ben" => "& ann, ben @team".to_owned(),
        other => match other.split_once("+user") {
            Some((member, _)) => format!("& {member} @team"),
            None => format!("{other} {other}@team"),
        },
    }
}

/// The screens of all panes, as the user or a member sees them, each once it shows these words.
fn screens(home: &Home, member: Option<&str>, panes: &[Pane], wanted: &[Words]) -> Vec<String> {
    let mut args = vec!["@team"];
    args.extend(member.into_iter().flat_map(|name| ["--as", name]));
    let setup = Setup { columns: 160, rows: 50, ..Setup::default() };
    let mut terminal = Terminal::tui(home, &setup, &args);
    terminal.wait_for_text(member.map_or("live", |_| "VIEW AS"));
    terminal.wait_for_text("# channel");
    let press = |keys: &str| {
        terminal.press(keys);
        terminal.wait_for_quiet(QUIET);
    };
    let mut place = "";
    let mut shown = Vec::new();
    for (at, pane) in panes.iter().enumerate() {
        if pane.place != place {
            place = &pane.place;
            let name = name_of(place);
            terminal.press("f");
            terminal.paste(&name);
            // The list is drawn together with what is looked for in it.
            terminal.wait_for_text(&format!("> {name}"));
            press("\r");
            if terminal.text().contains("no match") {
                press("\x1b");
            }
        }
        press(pane.keys);
        let words = wanted.get(at).cloned().unwrap_or_default();
        let what = format!("{member:?} sees {words:?} in {place} after `{}`", pane.keys);
        terminal.wait_for(&what, |screen| words.is_subset(&words_in(&screen.contents())));
        shown.push(terminal.text());
        if pane.keys == PEEK {
            press("\x1b");
        }
    }
    terminal.press("q");
    terminal.end();
    shown
}

/// How long a screen that is complete says nothing.
const QUIET: Duration = Duration::from_millis(300);

#[test]
fn every_pane_shows_each_member_what_it_is_answered_over_http() {
    let home = Home::new();
    let _daemon = home.daemon();
    let client = home.client();
    let (own, others) = block_on(async {
        everything(&home, &client).await;
        let mut others = Vec::new();
        for member in MEMBERS {
            let as_member = client.acting_as(member.parse().unwrap());
            others.push((member, panes(&as_member).await, beside(&as_member).await));
        }
        (panes(&client).await, others)
    });
    let users: Vec<Words> =
        screens(&home, None, &own, &[]).iter().map(|screen| words_in(screen)).collect();
    let never: Vec<_> =
        WORDS.iter().filter(|word| !users.iter().any(|words| words.contains(*word))).collect();
    assert!(never.is_empty(), "the user sees everything but {never:?}");
    std::thread::scope(|scope| {
        for (member, panes, beside) in &others {
            scope.spawn(|| assert_seen_as(&home, member, panes, beside, &users));
        }
    });
}

/// A member sees in each pane what the user sees there and it is answered, and nothing that it is
/// answered to nothing.
fn assert_seen_as(home: &Home, member: &str, panes: &[Pane], beside: &str, users: &[Words]) {
    let all: String = panes.iter().map(|pane| pane.answer.as_str()).collect();
    let known = words_in(&(all + beside));
    let secrets = secrets_of(member);
    assert!(secrets.iter().all(|secret| !known.contains(secret)), "{member}: {known:?}");
    let answered = panes.iter().map(|pane| words_in(&pane.answer));
    let wanted: Vec<Words> = answered.zip(users).map(|(words, users)| &words & users).collect();
    for (pane, screen) in panes.iter().zip(screens(home, Some(member), panes, &wanted)) {
        let seen = words_in(&screen);
        let more: Vec<_> = seen.difference(&known).collect();
        let place = format!("{member} sees {} after `{}`", pane.place, pane.keys);
        assert!(more.is_empty(), "{place}: {more:?} are not for it:\n{screen}");
    }
}

/// What a member is not answered to anything.
fn secrets_of(member: &str) -> &'static [&'static str] {
    match member {
        "ann" => &["benthought", "catthought", "questionword", "catmail", "foreignword"],
        "ben" => &["annthought", "catthought", "anyword", "questionword", "catmail", "foreignword"],
        _ => &["annthought", "benthought", "innerword", "anyword", "pairword", "foreignword"],
    }
}
