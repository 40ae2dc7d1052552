//! Waiting for mail: `my_inbox` with `wait` answers as soon as there is a message, so that a client
//! need not ask again and again.

use agent_worker_protocol::{DeliveryState, EventBody, InboxPage, MyInbox, Target};
use tokio::{sync::Semaphore, time::Instant};

use crate::{
    context::{Credential, Cx, store::heard},
    engine::app::App,
    error::OpError,
};

/// Reads an inbox, and waits for mail where it is empty and the caller wants to. Where no place is
/// free to wait in, the empty page is the answer. No answer is stored for a repeat: what that is
/// given is what is leased.
pub async fn inbox(
    app: &App,
    places: &Semaphore,
    credential: Credential,
    read: MyInbox,
) -> Result<InboxPage, OpError> {
    let Some(wait) = read.wait else { return app.call(credential, None, read).await };
    let until = Instant::now() + wait.duration();
    let mut news = app.store().subscribe();
    let who = |cx: &mut Cx<'_>| Ok(cx.member()?.target());
    let me = app.store().read(credential.clone(), who).await?;
    loop {
        let page = app.call(credential.clone(), None, read.clone()).await?;
        if !page.messages.is_empty() || Instant::now() >= until {
            return Ok(page);
        }
        let Ok(_place) = places.try_acquire() else { return Ok(page) };
        tokio::select! {
            goes_on = heard(&mut news, |body| may_be_mail(body, &me)) => if !goes_on {
                return Err(OpError::shutting_down());
            },
            () = tokio::time::sleep_until(until) => {}
            () = app.stopping().cancelled() => return Ok(page),
        }
    }
}

/// Whether something has changed that may be mail for this member.
fn may_be_mail(body: &EventBody, me: &Target) -> bool {
    match body {
        EventBody::MessageSent { deliveries, .. } => {
            deliveries.iter().any(|delivery| delivery.agent == *me)
        }
        EventBody::DeliveryChanged(delivery) => {
            delivery.agent == *me && delivery.state == DeliveryState::Pending
        }
        EventBody::AgentChanged(agent) => agent.target == *me,
        EventBody::AgentRemoved { target } => target == me,
        _ => false,
    }
}
