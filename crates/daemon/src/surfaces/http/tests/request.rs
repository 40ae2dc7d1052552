use std::{io, time::Duration};

use futures::stream;

use super::*;

/// A body of parts of this length, with a second between two.
fn body_of(parts: usize, bytes: usize) -> Body {
    let stream = stream::iter(0..parts).then(move |_| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok::<_, io::Error>(Bytes::from(vec![b' '; bytes]))
    });
    Body::from_stream(stream)
}

async fn read(body: Body) -> Result<usize, ErrorCode> {
    let span = "30s".parse().unwrap();
    let read = whole(body, 1 << 20, span).await;
    read.map(|bytes| bytes.len()).map_err(|refusal| refusal.0.code)
}

#[tokio::test(start_paused = true)]
async fn a_long_body_may_take_longer_than_its_time_while_it_comes() {
    assert_eq!(read(body_of(45, 20_000)).await, Ok(900_000));
    assert_eq!(read(Body::empty()).await, Ok(0));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_or_is_too_long_is_refused() {
    assert_eq!(read(body_of(3600, 1)).await, Err(ErrorCode::TooSlow));
    assert_eq!(read(body_of(3600, 2000)).await, Err(ErrorCode::TooSlow));
    assert_eq!(read(body_of(29, 1)).await, Ok(29));
    assert_eq!(read(body_of(60, 20_000)).await, Err(ErrorCode::TooLarge));
}
