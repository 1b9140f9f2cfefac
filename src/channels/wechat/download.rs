//! The platform's certificates, as they are downloaded.
//!
//! A download vouches for itself, as in `wechatpay-php`: each certificate is sealed with the APIv3 key, which nobody but
//! the merchant and WeChat Pay has; those that open are taken for the time being, and the reply must then be signed with
//! one of them, or with a key of the configuration.

use super::authentic::{self, Fault};
use super::gateway::{Gateway, signed_headers};
use super::keys::{self, KeyRing, NamedKey};
use super::sealed::Sealed;
use crate::channels::client::{Reply, Silence};
use crate::channels::rsa;
use crate::channels::words::object;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

const TARGET: &str = "/v3/certificates";
/// WeChat Pay asks for no more than this.
const BETWEEN_TRIES_MS: i64 = 60_000;
/// WeChat Pay asks for new ones within 12 hours; the hour is for downloads that fail.
const LIFE_MS: i64 = 11 * 3_600_000;
/// Of a download that nobody waits for.
const TIMEOUT: Duration = Duration::from_secs(10);

/// When certificates were downloaded, on the clock that never steps. Who holds it downloads.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    times: Mutex<Times>,
}

#[derive(Debug, Default)]
struct Times {
    tried: Option<i64>,
    done: Option<i64>,
    /// Why the newest one that nobody waited for failed.
    trouble: Option<String>,
}

impl Times {
    fn may_try(&self, now: i64) -> bool {
        let since = self.tried.map(|at| now.saturating_sub(at));
        since.is_none_or(|since| since >= BETWEEN_TRIES_MS)
    }

    fn are_old(&self, now: i64) -> bool {
        let since = self.done.map(|at| now.saturating_sub(at));
        since.is_none_or(|since| since >= LIFE_MS)
    }
}

#[derive(Debug, Deserialize)]
struct Body {
    data: Vec<Item>,
}

#[derive(Debug, Deserialize)]
struct Item {
    serial_no: String,
    encrypt_certificate: Sealed,
}

impl Gateway {
    /// Sees to it that replies can be verified: without any key, the certificates are downloaded first; certificates
    /// that have grown old are renewed meanwhile. An error says that nothing was sent.
    pub(super) async fn ready(self: &Arc<Self>, timeout: Duration) -> Result<(), Silence> {
        let Some(downloads) = &self.downloads else {
            return Ok(());
        };
        if !self.ring.is_empty(self.clock.0.wall()) {
            self.renew_in_background(Times::are_old);
            return Ok(());
        }
        let download = async {
            let mut times = downloads.times.lock().await;
            if self.ring.is_empty(self.clock.0.wall()) {
                self.download(&mut times, timeout).await
            } else {
                Ok(())
            }
        };
        let downloaded = tokio::time::timeout(timeout, download).await;
        let why = match downloaded {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => why,
            Err(_elapsed) => "no answer in time".to_owned(),
        };
        let why = format!("the platform's certificates are not there yet: {why}");
        Err(Silence::NotSent(why))
    }

    /// A message is signed with a key that is not loaded: perhaps it is new.
    pub(super) fn look_for_new_keys(self: &Arc<Self>) {
        self.renew_in_background(|_times, _now| true);
    }

    /// Why the newest download that nobody waited for failed, if it did and none is under way.
    pub(super) fn download_trouble(&self) -> Option<String> {
        let times = self.downloads.as_ref()?.times.try_lock().ok()?;
        times.trouble.clone()
    }

    /// Downloads without anybody waiting, if that is due and not under way, and there is a runtime to do it.
    fn renew_in_background(self: &Arc<Self>, due: fn(&Times, i64) -> bool) {
        let now = self.clock.0.mono_ms();
        let idle = self.downloads.as_ref().is_some_and(|downloads| {
            let times = downloads.times.try_lock();
            times.is_ok_and(|times| times.may_try(now) && due(&times, now))
        });
        let runtime = tokio::runtime::Handle::try_current();
        let (true, Ok(runtime)) = (idle, runtime) else {
            return;
        };
        let gateway = Arc::clone(self);
        runtime.spawn(async move {
            let Some(downloads) = &gateway.downloads else {
                return;
            };
            let mut times = downloads.times.lock().await;
            let now = gateway.clock.0.mono_ms();
            if !times.may_try(now) || !due(&times, now) {
                return;
            }
            times.trouble = gateway.download(&mut times, TIMEOUT).await.err();
        });
    }

    async fn download(&self, times: &mut Times, timeout: Duration) -> Result<(), String> {
        let now = self.clock.0.mono_ms();
        if !times.may_try(now) {
            return Err("a download failed less than a minute ago".to_owned());
        }
        times.tried = Some(now);
        let reply = self.fetch(TARGET, timeout).await.map_err(words_of)?;
        let keys = self.vouched_for(&reply)?;
        self.ring.replace_downloaded(keys);
        times.done = Some(now);
        Ok(())
    }

    /// The keys of a download that vouches for itself.
    fn vouched_for(&self, reply: &Reply) -> Result<Vec<NamedKey>, String> {
        let status = reply.status;
        if status != 200 {
            return Err(format!("HTTP {status}"));
        }
        let body: Body = object(&reply.body)
            .ok()
            .ok_or("the reply is not a list of certificates")?;
        let mut keys = Vec::new();
        for item in &body.data {
            keys.extend(self.opened(item)?);
        }
        if keys.is_empty() {
            return Err("there is none that is still valid".to_owned());
        }
        let signed = signed_headers(&reply.headers).ok_or("the reply is unsigned")?;
        let now = self.clock.0.wall();
        let candidates = KeyRing::new(keys.clone());
        match authentic::check(&candidates, signed, &reply.body, now) {
            Err(Fault::UnknownKey) => authentic::check(&self.ring, signed, &reply.body, now),
            end @ (Ok(()) | Err(Fault::Stale | Fault::Probe | Fault::WrongSignature)) => end,
        }
        .map_err(|fault| format!("the reply is {}", fault.of_a_reply()))?;
        Ok(keys)
    }

    /// The key in one of them; `None` if its time is over.
    fn opened(&self, item: &Item) -> Result<Option<NamedKey>, String> {
        let of = |why: &str| format!("a certificate cannot be read: {why}");
        let text = self.apiv3.open(&item.encrypt_certificate).map_err(&of)?;
        let text = String::from_utf8(text).ok().ok_or_else(|| of("no text"))?;
        let certificates = rsa::certificates(&text).map_err(|why| of(&why.to_string()))?;
        let [certificate] = certificates.as_slice() else {
            return Err(of("there is more than one"));
        };
        let named = keys::of_certificate(certificate).ok_or_else(|| of("no RSA key"))?;
        if named.serial != item.serial_no {
            return Err(of("it is announced under another serial number"));
        }
        Ok(Some(named).filter(|named| !named.has_expired(self.clock.0.wall())))
    }
}

fn words_of(silence: Silence) -> String {
    match silence {
        Silence::NotSent(why) => why,
        Silence::Unknown(unknown) => unknown.summary,
    }
}
