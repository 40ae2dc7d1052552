//! Lists that are longer than the daemon gives at once.

use agent_worker_client::ClientError;
use agent_worker_protocol::ErrorCode;

/// Reads the newest `limit` entries page by page, newest first, and whether there are older ones.
/// `page` is given how many are wanted and the entry before which they are. A daemon of an earlier
/// version may have no page but the first.
pub async fn newest<T>(
    limit: u32,
    mut page: impl AsyncFnMut(u32, Option<&T>) -> Result<(Vec<T>, bool), ClientError>,
) -> Result<(Vec<T>, bool), ClientError> {
    let (mut found, mut more) = page(limit, None).await?;
    while more && let Some(oldest) = found.last() {
        let left = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(u32::MAX));
        if left == 0 {
            break;
        }
        let (older, has_older) = match page(left, Some(oldest)).await {
            // As one of an earlier version refuses a field that it does not know.
            Err(error) if error.is(ErrorCode::Invalid) => break,
            answer => answer?,
        };
        found.extend(older);
        more = has_older;
    }
    Ok((found, more))
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::ErrorBody;

    use super::*;

    /// What a daemon answers that has the entries 1 to 5 and gives two at once.
    async fn of_five(limit: u32) -> (Vec<u32>, bool) {
        let page = async |left: u32, oldest: Option<&u32>| {
            let before = oldest.copied().unwrap_or(6);
            let given: Vec<u32> = (1..before).rev().take(left.min(2) as usize).collect();
            let more = given.last().is_some_and(|last| *last > 1);
            Ok::<_, ClientError>((given, more))
        };
        newest(limit, page).await.unwrap()
    }

    #[tokio::test]
    async fn a_list_is_read_on_until_it_has_what_was_asked_for() {
        assert_eq!(of_five(1).await, (vec![5], true));
        assert_eq!(of_five(3).await, (vec![5, 4, 3], true));
        assert_eq!(of_five(5).await, (vec![5, 4, 3, 2, 1], false));
        assert_eq!(of_five(9).await, (vec![5, 4, 3, 2, 1], false));
    }

    #[tokio::test]
    async fn the_first_page_is_shown_where_the_daemon_has_no_other() {
        let page = async |_: u32, oldest: Option<&u32>| {
            let message = "unknown field `before`".to_owned();
            let refused = ErrorBody { code: ErrorCode::Invalid, message, hint: None };
            oldest.map_or(Ok((vec![5, 4], true)), |_| Err(ClientError::Refused(refused)))
        };
        assert_eq!(newest(9, page).await.unwrap(), (vec![5, 4], true));
    }
}
