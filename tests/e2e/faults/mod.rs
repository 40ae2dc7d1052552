//! Faults that hit the daemon and its store: nothing that was acknowledged is lost, nothing is
//! done twice, nothing is left behind, and the work goes on (semantics §§2, 5, 6, 13).

mod copies;
mod crashes;
mod database;
mod descriptors;
mod disk;
mod hung;
mod inject;
mod io_errors;
mod points;
pub mod room;
mod scene;
mod start;
mod suspend;

use agent_worker_client::Client;
use agent_worker_protocol::Search;

/// Makes the daemon index all sent messages now. It does so a moment later by itself: then this
/// write would meet the fault, or the daemon would be killed in it, before a client is told.
async fn store_words(client: &Client) {
    let search = Search { text: "number".to_owned(), limit: None, next: None };
    client.call(&search).await.expect("it is found");
}
