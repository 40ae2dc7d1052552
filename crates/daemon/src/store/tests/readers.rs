use super::*;
use std::cell::RefCell;
use std::time::Duration;
use tokio::time::timeout;

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

#[tokio::test]
async fn a_read_without_an_end_is_cut_off_when_its_caller_is_gone() {
    let readers = one();
    let (begins, begun) = oneshot::channel();
    let endless = |conn: &Connection| {
        begins.send(()).unwrap();
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                   SELECT count(*) FROM n";
        Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
    };
    let of = readers.clone();
    let caller = tokio::spawn(async move { of.read(endless).await });
    begun.await.unwrap();
    caller.abort();
    let next = readers.read(|conn| Ok(conn.query_row("SELECT 2", [], |row| row.get(0))?));
    let next = timeout(Duration::from_secs(10), next).await.expect("the reader is free again");
    assert_eq!(next.ok(), Some(2));
}

#[tokio::test]
async fn other_work_of_a_reader_is_done_to_its_end_without_its_caller() {
    let readers = one();
    readers.read(|_| Ok(())).await.unwrap();
    let ((begins, begun), (goes_on, waits)) = (oneshot::channel(), mpsc::channel());
    let (ends, ended) = oneshot::channel();
    let work = move |conn: &Connection| {
        begins.send(()).unwrap();
        waits.recv().unwrap();
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
                   SELECT count(*) FROM n";
        ends.send(conn.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap();
        Ok(())
    };
    let of = readers.clone();
    let caller = tokio::spawn(async move { of.with(work).await });
    begun.await.unwrap();
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    goes_on.send(()).unwrap();
    assert_eq!(ended.await.unwrap(), Ok(100_000));
}
