use super::*;
use std::cell::RefCell;
use std::time::Duration;

thread_local! {
    static HELD: RefCell<Option<mpsc::Sender<()>>> = const { RefCell::new(None) };
}

fn one() -> Readers {
    Readers::new(vec![Connection::open_in_memory().unwrap()]).unwrap()
}

#[tokio::test]
async fn a_connection_is_always_used_by_the_same_thread() {
    let readers = one();
    let mut threads = Vec::new();
    for _ in 0..20 {
        threads.push(readers.with(|_| Ok(thread::current().id())).await.unwrap());
    }
    assert!(threads.iter().all(|thread| *thread == threads[0]), "{threads:?}");
}

#[tokio::test]
async fn a_read_that_panics_costs_no_reader() {
    let readers = one();
    let broken = readers.with(|_| -> Result<(), OpError> { panic!("on purpose") }).await;
    assert!(matches!(broken, Err(OpError::Broken(_))), "{broken:?}");
    let next = readers.with(|conn| Ok(conn.query_row("SELECT 2", [], |row| row.get(0))?));
    assert_eq!(next.await.ok(), Some(2));
}

#[tokio::test]
async fn a_reader_ends_with_its_pool() {
    let readers = one();
    let (held, ended) = mpsc::channel::<()>();
    let keep = |_: &Connection| {
        HELD.set(Some(held));
        Ok(())
    };
    readers.with(keep).await.unwrap();
    drop(readers);
    let gone = ended.recv_timeout(Duration::from_secs(10));
    assert_eq!(gone, Err(mpsc::RecvTimeoutError::Disconnected));
}
