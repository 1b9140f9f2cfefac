//! One request with a webhook, and what its answer means.

use super::retry_after;
use crate::clock::SharedClock;
use reqwest::header::RETRY_AFTER;
use std::time::Duration;

/// Bytes of an answer's body that are read, so that its connection can be used again. Nobody looks at them.
const BODY_BYTES_MAX: usize = 4 << 10;
/// The status is what counts: a body that does not end is not waited for.
const BODY_WITHIN: Duration = Duration::from_secs(1);
/// Characters that are kept of what went wrong.
const ERROR_MAX: usize = 200;

/// What a receiver answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Status {
        code: u16,
        /// Of a 429 or a 503, in milliseconds.
        retry_after_ms: Option<i64>,
    },
    /// Nothing; why, for people.
    Nothing(String),
}

/// What an answer means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Delivered,
    /// 410: nothing is to be sent there any more.
    Gone,
    Missed {
        error: String,
        retry_after_ms: Option<i64>,
    },
}

impl Answer {
    pub(super) fn meaning(&self) -> Meaning {
        let (error, retry_after_ms) = match self {
            Self::Status {
                code: 200..=299, ..
            } => return Meaning::Delivered,
            Self::Status { code: 410, .. } => return Meaning::Gone,
            Self::Status {
                code: code @ 300..=399,
                ..
            } => (
                format!("answered {code}, and redirects are not followed"),
                None,
            ),
            Self::Status {
                code,
                retry_after_ms,
            } => (format!("answered {code}"), *retry_after_ms),
            Self::Nothing(why) => (why.chars().take(ERROR_MAX).collect(), None),
        };
        Meaning::Missed {
            error,
            retry_after_ms,
        }
    }

    pub(super) const fn http_status(&self) -> Option<u16> {
        match self {
            Self::Status { code, .. } => Some(*code),
            Self::Nothing(_) => None,
        }
    }
}

pub(super) async fn exchange(request: reqwest::RequestBuilder, clock: &SharedClock) -> Answer {
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) => return Answer::Nothing(nothing(error)),
    };
    let code = response.status().as_u16();
    let asks = matches!(code, 429 | 503);
    let header = response.headers().get(RETRY_AFTER).filter(|_| asks);
    let retry_after_ms = header
        .and_then(|value| value.to_str().ok())
        .and_then(|text| retry_after::millis(text, clock.wall()));
    drop(tokio::time::timeout(BODY_WITHIN, drained(response)).await);
    Answer::Status {
        code,
        retry_after_ms,
    }
}

async fn drained(mut response: reqwest::Response) {
    let mut read = 0_usize;
    while let Ok(Some(chunk)) = response.chunk().await {
        read = read.saturating_add(chunk.len());
        if read > BODY_BYTES_MAX {
            return;
        }
    }
}

fn nothing(error: reqwest::Error) -> String {
    let error = error.without_url();
    let what = if error.is_builder() {
        "the request could not be built"
    } else if error.is_connect() {
        "not reached"
    } else {
        "the connection broke"
    };
    format!("{what}: {}", innermost(&error))
}

pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(code: u16) -> Meaning {
        let answer = Answer::Status {
            code,
            retry_after_ms: Some(7_000),
        };
        answer.meaning()
    }

    #[test]
    fn only_success_is_delivered_and_only_410_ends_the_endpoint() {
        for code in [200, 201, 202, 204, 299] {
            assert_eq!(meaning(code), Meaning::Delivered, "{code}");
        }
        assert_eq!(meaning(410), Meaning::Gone);
        for code in [100, 301, 302, 304, 307, 308] {
            let missed = matches!(meaning(code), Meaning::Missed { .. });
            assert!(missed, "{code}");
        }
        for code in [400, 401, 404, 409, 429, 500, 503] {
            let error = format!("answered {code}");
            let retry_after_ms = Some(7_000);
            let missed = Meaning::Missed {
                error,
                retry_after_ms,
            };
            assert_eq!(meaning(code), missed, "{code}");
        }
    }
}
