//! `fetch`: a page of the web, and of nothing nearer.

mod address;
mod html;
mod page;
mod reach;

#[cfg(test)]
mod tests;

use std::{error::Error, iter::successors};

use reqwest::{Client, Response, Url, header, redirect::Policy};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

pub use self::reach::Reach;
use self::{page::Page, reach::OutOfReach};
use super::{Limits, Refusal};
use crate::workspace::Outcome;

/// How often a page may name another in its place.
const MOST_REDIRECTS: usize = 5;

/// Fetches a page of the web by GET and gives its text; of HTML, what a reader sees. Addresses of
/// this machine and of private networks are refused.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fetch {
    /// The address, beginning with `https://` or `http://`
    url: String,
}

/// Fetches it. No proxy is used: it would be the one to look names up, behind our back.
pub async fn fetch(limits: &Limits, reach: &Reach, asked: &Fetch) -> Result<Outcome, Refusal> {
    let seconds = limits.fetch_time.as_secs();
    let url = parsed(&asked.url)?;
    let page = timeout(limits.fetch_time, load(limits, reach, url)).await;
    let page = page.unwrap_or_else(|_| {
        Err(Refusal::new(format!("timed out: `{}` took more than {seconds} s", asked.url)))
    })?;
    page.told(limits.fetch_text)
}

async fn load(limits: &Limits, reach: &Reach, mut url: Url) -> Result<Page, Refusal> {
    let client = client(reach)?;
    for _ in 0..=MOST_REDIRECTS {
        let response = ask(&client, reach, &url).await?;
        match elsewhere(&url, &response)? {
            Some(next) => url = next,
            None => return Page::load(response, limits.fetch_bytes).await,
        }
    }
    Err(Refusal::new(format!("`{url}`: more than {MOST_REDIRECTS} redirects")))
}

fn client(reach: &Reach) -> Result<Client, Refusal> {
    let client = agent_worker_http::client()
        .no_proxy()
        .redirect(Policy::none())
        .dns_resolver(reach.clone())
        .user_agent(concat!("agent-worker/", env!("CARGO_PKG_VERSION")));
    client.build().map_err(|error| Refusal::new(format!("no page can be fetched here: {error}")))
}

async fn ask(client: &Client, reach: &Reach, url: &Url) -> Result<Response, Refusal> {
    const WANTED: &str = "text/html, text/plain, application/json, text/*;q=0.9, */*;q=0.1";
    reach.check(url).map_err(|refused| out_of_reach(url, &refused))?;
    let sent = client.get(url.clone()).header(header::ACCEPT, WANTED).send().await;
    sent.map_err(|error| match cause::<OutOfReach>(&error) {
        Some(refused) => out_of_reach(url, refused),
        None => Refusal::new(format!("`{url}` cannot be fetched: {}", root(&error))),
    })
}

/// Where a page says that it is to be found.
fn elsewhere(url: &Url, response: &Response) -> Result<Option<Url>, Refusal> {
    const REDIRECTIONS: [u16; 5] = [301, 302, 303, 307, 308];
    if !REDIRECTIONS.contains(&response.status().as_u16()) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(header::LOCATION) else { return Ok(None) };
    let location = String::from_utf8_lossy(location.as_bytes());
    let next = url.join(&location).map_err(|error| {
        Refusal::new(format!("`{url}` redirects to an invalid address: {error}"))
    })?;
    web(next).map(Some)
}

fn parsed(text: &str) -> Result<Url, Refusal> {
    let url = Url::parse(text.trim())
        .map_err(|error| Refusal::new(format!("`{text}` is not the address of a page: {error}")))?;
    web(url)
}

fn web(mut url: Url) -> Result<Url, Refusal> {
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = url.scheme();
        return Err(Refusal::new(format!("unsupported scheme `{scheme}:`")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refusal::new("an address with a name or a password in it is not fetched"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn out_of_reach(url: &Url, refused: &OutOfReach) -> Refusal {
    Refusal::new(format!("`{url}` is not fetched: {refused}"))
        .hint("only what is in the public web can be fetched")
}

/// The error of this kind that another comes from.
fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    successors(Some(error), |&error| error.source()).find_map(<dyn Error>::downcast_ref)
}

/// What an error comes from in the end.
fn root(mut error: &dyn Error) -> String {
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}
