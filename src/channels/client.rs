//! A channel's HTTP client, and one request on the wire once.
//!
//! A request is written at most once. The client follows no redirect and has no retry of its own, but one: when
//! it picks an idle connection that turns out to be closed *before* the first byte of the request was handed to
//! it, hyper gives the request back untouched and it goes out on a new connection. A connection that breaks
//! after the request was taken up ends the call, and whether the other side read it is not known.

use crate::domain::order::{Answer, Reason, RefundAnswer, UnknownAnswer};
use reqwest::header::HeaderMap;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// The longest reply that is read, in bytes.
const REPLY_BYTES_MAX: usize = 1 << 20;
/// Idle connections kept: fewer than the calls in flight would halve the throughput.
const IDLE_CONNECTIONS_MAX: usize = 1024;
/// Shorter than the sandbox keeps them, see its `KEEP_ALIVE`.
const IDLE_CONNECTION_LIFE: Duration = Duration::from_secs(90);
/// A channel that cannot be reached for so long counts as not reached: nothing was sent.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// What came back, whoever wrote it.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// How a call ended without a reply. The texts are for people and name no secret.
#[derive(Debug)]
pub(super) enum CallFailure {
    /// The connection was never made: no effect.
    NotSent(String),
    TimedOut,
    /// It broke after the request may have been written.
    Broken(String),
    TooLong,
    /// What was downloaded could not be kept here.
    NotKept(std::io::Error),
}

/// A call without a reply that says anything.
#[derive(Debug)]
pub(super) enum Silence {
    NotSent(String),
    Unknown(UnknownAnswer),
}

/// The one client of a channel. A proxy of the environment is never used for this machine.
pub(super) fn client(loopback: bool) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .tcp_nodelay(true)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .pool_idle_timeout(IDLE_CONNECTION_LIFE)
        .referer(false)
        .user_agent(concat!("oncepay/", env!("CARGO_PKG_VERSION")));
    if loopback {
        builder.no_proxy().build()
    } else {
        builder.build()
    }
}

/// Sends the request and reads its reply, all within `timeout`.
pub(super) async fn call(
    request: reqwest::RequestBuilder,
    timeout: Duration,
) -> Result<Reply, CallFailure> {
    match tokio::time::timeout(timeout, call_untimed(request)).await {
        Ok(end) => end,
        Err(_elapsed) => Err(CallFailure::TimedOut),
    }
}

async fn call_untimed(request: reqwest::RequestBuilder) -> Result<Reply, CallFailure> {
    let mut response = request.send().await.map_err(failure)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failure)? {
        if body.len().saturating_add(chunk.len()) > REPLY_BYTES_MAX {
            return Err(CallFailure::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Reply {
        status: response.status().as_u16(),
        headers: std::mem::take(response.headers_mut()),
        body,
    })
}

/// Writes a reply's body into a file as it comes, `bytes_max` at most; the reply that is returned has none. A reply
/// whose status is not 200 is read as any other.
pub(super) async fn download(
    request: reqwest::RequestBuilder,
    into: &Path,
    bytes_max: u64,
    timeout: Duration,
) -> Result<Reply, CallFailure> {
    let download = async {
        let mut response = request.send().await.map_err(failure)?;
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let mut body = Vec::new();
        let mut file = tokio::fs::File::create(into)
            .await
            .map_err(CallFailure::NotKept)?;
        let mut length: u64 = 0;
        while let Some(chunk) = response.chunk().await.map_err(failure)? {
            let of_chunk = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            length = length.saturating_add(of_chunk);
            if length > bytes_max {
                return Err(CallFailure::TooLong);
            }
            if status == 200 {
                file.write_all(&chunk).await.map_err(CallFailure::NotKept)?;
            } else if body.len() < REPLY_BYTES_MAX {
                body.extend_from_slice(&chunk);
            }
        }
        file.sync_all().await.map_err(CallFailure::NotKept)?;
        Ok(Reply {
            status,
            headers,
            body,
        })
    };
    match tokio::time::timeout(timeout, download).await {
        Ok(end) => end,
        Err(_elapsed) => Err(CallFailure::TimedOut),
    }
}

/// A header that is there once; a second one would leave open which of them was meant.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Only a failure to connect proves that nothing was sent.
fn failure(error: reqwest::Error) -> CallFailure {
    let error = error.without_url();
    if error.is_builder() {
        CallFailure::NotSent("the request could not be built".to_owned())
    } else if error.is_connect() {
        CallFailure::NotSent(format!("not reached: {}", innermost(&error)))
    } else {
        CallFailure::Broken(format!("the connection broke: {}", innermost(&error)))
    }
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

impl From<CallFailure> for Silence {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::NotSent(summary) => Self::NotSent(summary),
            CallFailure::TimedOut => Self::unknown(Reason::SubmitTimeout, "no answer in time"),
            CallFailure::Broken(why) => Self::unknown(Reason::ChannelUnavailable, why),
            CallFailure::TooLong => Self::unreadable("the reply exceeds 1 MiB"),
            CallFailure::NotKept(error) => {
                let summary = format!("what came could not be kept: {error}");
                Self::unknown(Reason::ChannelUnavailable, summary)
            }
        }
    }
}

impl Silence {
    pub(super) fn unknown(reason: Reason, summary: impl Into<String>) -> Self {
        Self::Unknown(UnknownAnswer {
            reason,
            summary: summary.into(),
        })
    }

    /// Something came that is not the channel's own word, or is none that it has.
    pub(super) fn unreadable(summary: impl Into<String>) -> Self {
        Self::unknown(Reason::UnreadableReply, summary)
    }

    /// The channel, or what stands before it, is out of order: 5xx and the like.
    pub(super) fn unavailable(summary: impl Into<String>) -> Self {
        Self::unknown(Reason::ChannelUnavailable, summary)
    }
}

impl From<Silence> for Answer {
    fn from(silence: Silence) -> Self {
        match silence {
            Silence::NotSent(summary) => Self::NotSent { summary },
            Silence::Unknown(unknown) => Self::Unknown(unknown),
        }
    }
}

impl From<Silence> for RefundAnswer {
    fn from(silence: Silence) -> Self {
        match silence {
            Silence::NotSent(summary) => Self::NotSent { summary },
            Silence::Unknown(unknown) => Self::Unknown(unknown),
        }
    }
}
