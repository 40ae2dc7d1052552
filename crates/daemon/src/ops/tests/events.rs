use agent_worker_protocol::{ErrorCode, Event, EventBody, EventList, EventPage, WorkflowStop};

use super::*;
use crate::{
    changes::message::post,
    rows::{Table, event},
};

fn read(world: &World, ask: &EventList) -> EventPage {
    world.call("", ask.clone()).unwrap()
}

fn places(page: &EventPage) -> Vec<i64> {
    page.events.iter().map(|event| event.seq).collect()
}

fn limited(limit: u32) -> EventList {
    EventList { limit: Some(limit), ..EventList::default() }
}

/// Stores an event again so often.
fn copy_event(world: &World, kind: &'static str, times: i64) {
    world.daemon(move |cx| {
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
                   INSERT INTO events (scope, kind, subject, actor, at, body)
                   SELECT scope, kind, subject, actor, at, body FROM n,
                       (SELECT * FROM events WHERE kind = ?1 LIMIT 1)";
        cx.db.change(Table::Events, sql, (kind, times))
    });
}

#[test]
fn the_log_is_read_in_pages_in_both_directions() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let all = read(&world, &limited(500));
    assert_eq!((places(&all), all.more), ((1..=all.newest).collect(), false));
    assert_eq!((all.next, all.oldest), (None, 1));
    assert!(all.newest > 6);
    let newest = read(&world, &limited(3));
    assert_eq!(places(&newest), [all.newest - 2, all.newest - 1, all.newest]);
    assert_eq!((newest.more, newest.next), (true, Some(all.newest - 2)));

    let (mut back, mut before) = (places(&newest), newest.next);
    while let Some(place) = before {
        let page = read(&world, &EventList { before: Some(place), ..limited(3) });
        assert!(page.events.len() <= 3);
        back.splice(0..0, places(&page));
        before = page.next;
    }
    assert_eq!(back, places(&all));

    let (mut on, mut after) = (Vec::new(), Some(0));
    while let Some(place) = after {
        let page = read(&world, &EventList { after: Some(place), ..limited(4) });
        on.extend(places(&page));
        after = page.next;
    }
    assert_eq!(on, places(&all));
    let both = EventList { before: Some(5), after: Some(1), ..limited(3) };
    assert_eq!(world.call("", both).unwrap_err().into_body().code, ErrorCode::Invalid);
}

#[test]
fn a_stored_event_is_the_one_that_was_announced_and_says_what_it_is_about() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let claim = world.claim();
    let page = read(&world, &EventList { kind: Some("run.changed".to_owned()), ..limited(1) });
    let logged = &page.events[0];
    assert_eq!((logged.subject.as_str(), logged.run), ("run_1", Some(claim.run())));
    assert_eq!((logged.actor.as_str(), logged.at.0), ("daemon", BEGIN));
    let event: Event = serde_json::from_value(serde_json::to_value(logged).unwrap()).unwrap();
    let EventBody::RunChanged(run) = event.body else { panic!("{event:?}") };
    assert_eq!(*run, world.run(claim.run()));
}

#[test]
fn a_message_stands_once_and_its_event_is_whole_even_when_it_is_removed() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go: swordfish");
    let claim = world.claim();
    world.tool(&claim, tell(&["bob"], "swordfish")).unwrap();
    let first_two = || -> Vec<String> {
        let ask = EventList { kind: Some("message.sent".to_owned()), after: Some(0), ..limited(2) };
        let page = read(&world, &ask);
        page.events.iter().map(|event| serde_json::to_string(event).unwrap()).collect()
    };
    let bodies_with_text = || {
        world.daemon(|cx| {
            let sql = "SELECT count(*) FROM events WHERE body LIKE '%swordfish%'";
            Ok(cx.conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
        })
    };
    let sent = first_two();
    assert!(sent.iter().all(|event| event.contains("swordfish")), "{sent:?}");
    assert!(sent[1].contains("alice+bob"), "{sent:?}");
    assert_eq!(bodies_with_text(), 0);

    let stop = |key: Scope, purge| {
        world.call("", WorkflowStop { key, now: true, purge, timeout: None }).unwrap();
    };
    stop(team(), false);
    world.fail(&claim, EndCause::Cancelled);
    let fresh =
        Launch { fresh: true, ..launch_of(&["alice"], "@alice go", Mode::Run, Limits::default()) };
    let archived = world.try_start(fresh).unwrap().archived.unwrap();
    assert_eq!(first_two(), sent, "its workflow has another name now");
    stop(archived, true);
    assert_eq!((first_two(), bodies_with_text()), (sent, 2));
}

#[test]
fn a_filter_lets_its_scope_and_its_kinds_through_alone() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("", say("elsewhere")).unwrap();
    let kinds = |ask: EventList| -> Vec<(String, String)> {
        let page = read(&world, &ask);
        page.events.iter().map(|event| (event.scope.to_string(), event.kind.clone())).collect()
    };
    let message = |scope: &str| (scope.to_owned(), "message.sent".to_owned());
    let of_messages = EventList { kind: Some("message.sent".to_owned()), ..limited(500) };
    assert_eq!(kinds(of_messages.clone()), [message("@team"), message("@global")]);
    let of_team = EventList { scope: Some(team()), ..of_messages.clone() };
    assert_eq!(kinds(of_team), [message("@team")]);
    let two = EventList {
        kind: Some("message.sent, agent.changed".to_owned()),
        scope: Some(team()),
        ..limited(500)
    };
    let found = kinds(two);
    assert!(found.contains(&message("@team")) && found.len() > 1);
    assert!(found.iter().all(|(_, kind)| kind == "message.sent" || kind == "agent.changed"));
    let nothing = EventList { kind: Some("schedule.changed".to_owned()), ..limited(500) };
    assert_eq!(read(&world, &nothing).next, None);
}

#[test]
fn a_page_looks_at_a_bounded_part_of_a_log_that_its_filter_keeps_out() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    copy_event(&world, "message.sent", 12_000);
    let ask = EventList { kind: Some("run.changed".to_owned()), ..limited(50) };
    world.claim();
    let first = read(&world, &ask);
    assert_eq!((first.events.len(), first.more), (1, true));
    assert_eq!(first.next, Some(first.newest - 4999));
    let (mut pages, mut found, mut next) = (1, 1, first.next);
    while let Some(before) = next {
        let page = read(&world, &EventList { before: Some(before), ..ask.clone() });
        (pages, found, next) = (pages + 1, found + page.events.len(), page.next);
    }
    assert_eq!((pages, found), (3, 1));
}

#[test]
fn where_nothing_more_fits_the_filter_there_is_no_more() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    copy_event(&world, "message.sent", 2);
    let ask = EventList { kind: Some("message.sent".to_owned()), ..limited(3) };
    let page = read(&world, &ask);
    assert_eq!((page.events.len(), page.more), (3, false));
    let page = read(&world, &EventList { limit: Some(2), ..ask });
    assert_eq!((page.events.len(), page.more), (2, true));
    assert_eq!(page.next, Some(page.events[0].seq));
}

#[test]
fn the_log_is_for_the_person() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let refused = world.tool(&world.claim(), EventList::default()).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Denied);
}

/// The last numbers of a message and of an event.
fn last(world: &World) -> (i64, i64) {
    (world.last_message().seq, world.daemon(|cx| event::range(cx.db)).1)
}

#[test]
fn no_number_is_given_twice_though_its_row_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.db");
    let (world, over) = World::in_file(&path);
    world.start(&["alice"], "hello");
    world.send("one");
    let (message, event) = last(&world);
    let undone = world.try_daemon(|cx| {
        let scope = WorkflowRow::by_name(cx.db, &team())?;
        post::say(cx, &scope, "two")?;
        Err::<(), _>(OpError::invalid("no"))
    });
    undone.unwrap_err();
    assert_eq!(last(&world), (message, event), "what is undone has no number");
    let stop = WorkflowStop { key: team(), now: true, purge: true, timeout: None };
    world.call("", stop).unwrap();
    let (_, event) = world.daemon(|cx| event::range(cx.db));
    drop(world);
    drop(over.blocking_recv());
    let (world, _over) = World::in_file(&path);
    let began = world.daemon(|cx| event::range(cx.db)).1;
    assert!(began >= event, "{began} after {event}");
    world.start(&["alice"], "again");
    assert_eq!(world.messages()[0].seq, message + 1);
    world.daemon(|cx| cx.db.change(Table::Events, "DELETE FROM events", ()));
    let (_, emptied) = world.daemon(|cx| event::range(cx.db));
    world.send("more");
    let (first, _) = world.daemon(|cx| event::range(cx.db));
    assert_eq!(first, emptied + 1);
}

#[test]
fn the_newest_number_is_known_before_its_transaction_is_over() {
    let world = World::new();
    world.start(&["alice"], "hello");
    let (range, newest) = world.daemon(|cx| {
        let scope = WorkflowRow::by_name(cx.db, &team())?;
        post::say(cx, &scope, "one")?;
        Ok((event::range(cx.db)?, event::newest_seq(cx.db)?))
    });
    assert_eq!(range.1, newest);
}
