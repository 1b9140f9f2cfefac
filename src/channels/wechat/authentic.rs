//! Whether a message is WeChat Pay's own word: the same rules for notices and for replies.

use super::keys::KeyRing;
use super::sign::{self, Stamp};
use crate::channels::signing;
use crate::domain::UnixMillis;

/// The headers that sign a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signed<'a> {
    pub(super) stamp: Stamp<'a>,
    pub(super) serial: &'a str,
    pub(super) signature: &'a str,
}

/// Why a message is not taken for WeChat Pay's word: the first rule that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Stale,
    UnknownKey,
    /// Wrong on purpose: WeChat Pay looks whether anybody checks.
    Probe,
    WrongSignature,
}

impl Fault {
    /// For the summary of a reply.
    pub(super) const fn of_a_reply(self) -> &'static str {
        match self {
            Self::Stale => "signed too long ago or ahead of our clock",
            Self::UnknownKey => "signed with a key that is not loaded",
            Self::Probe => "a probe of WeChat Pay, signed wrongly on purpose",
            Self::WrongSignature => "wrong signature",
        }
    }
}

/// Checks the rules in their order, over the raw bytes of the body.
pub(super) fn check(
    ring: &KeyRing,
    signed: Signed<'_>,
    body: &[u8],
    now: UnixMillis,
) -> Result<(), Fault> {
    if !signing::is_fresh(signed.stamp.timestamp, now) {
        return Err(Fault::Stale);
    }
    let key = ring.find(signed.serial, now).ok_or(Fault::UnknownKey)?;
    if key.verifies(&sign::message_text(signed.stamp, body), signed.signature) {
        Ok(())
    } else if sign::is_probe(signed.signature) {
        Err(Fault::Probe)
    } else {
        Err(Fault::WrongSignature)
    }
}
