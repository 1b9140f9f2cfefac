//! Callbacks: Standard Webhooks to the charge's `notify_url`, again and again until they are acknowledged.

use super::processor::Sandbox;
use super::record::{Notice, Record};
use crate::channels::http::sign::{self, Stamped};
use crate::channels::signing;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Waits of 1, 2, 4 … s, an hour at most: with so many attempts it ends after about half a day.
const ATTEMPTS_MAX: u32 = 24;
const WAIT_MAX: Duration = Duration::from_secs(3600);
/// What a merchant answers a callback with.
const ACKNOWLEDGEMENT: &[u8] = b"success";

/// The client that delivers callbacks.
pub(super) fn client() -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .tcp_nodelay(true)
        .no_proxy()
        .timeout(TIMEOUT)
        .pool_max_idle_per_host(1024)
        .build()
}

impl Sandbox {
    /// Delivers a notice, in as many copies at once as it asks for; one of them is repeated until it is
    /// acknowledged.
    pub(super) async fn deliver(&self, notice: Notice) {
        let wait = notice.due_at.saturating_sub(self.now_ms());
        if let Ok(wait) = u64::try_from(wait) {
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        for _copy in 1..notice.copies {
            let (sandbox, copy) = (self.clone(), notice.clone());
            self.runtime().spawn(async move {
                sandbox.send(&copy).await;
            });
        }
        for attempt in 0..ATTEMPTS_MAX {
            if self.send(&notice).await {
                break;
            }
            let wait = Duration::from_secs(1_u64 << attempt.min(12)).min(WAIT_MAX);
            tokio::time::sleep(wait).await;
        }
        self.change(|change| {
            change.book.notices.remove(&notice.id);
            change.records.push(Record::NoticeDone(notice.id));
        });
    }

    /// Sends it once; whether it was acknowledged.
    async fn send(&self, notice: &Notice) -> bool {
        let Ok(_permit) = self.callback_permits().acquire().await else {
            return false;
        };
        let timestamp = signing::timestamp(self.clock().wall());
        let head = Stamped {
            id: &notice.id,
            timestamp: &timestamp,
        };
        let signature = self
            .key()
            .sign(&sign::notice_text(head, notice.body.as_bytes()));
        let request = self
            .client()
            .post(&notice.url)
            .header(sign::ID, &notice.id)
            .header(sign::TIMESTAMP, &timestamp)
            .header(sign::SIGNATURE, signature)
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(notice.body.clone());
        let Ok(response) = request.send().await else {
            return false;
        };
        response.status() == reqwest::StatusCode::OK && is_acknowledged(response).await
    }
}

/// Whether the body is the one word; what is longer is not read.
async fn is_acknowledged(mut response: reqwest::Response) -> bool {
    let mut body = Vec::new();
    while body.len() <= ACKNOWLEDGEMENT.len() {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(_) => return false,
        }
    }
    body == ACKNOWLEDGEMENT
}
