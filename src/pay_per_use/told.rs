//! What people are told of.

use crate::domain::order::{Alert, AlertKind, Severity};
use crate::store::alerts::About;
use crate::store::metered::{PaidTrade, TradeKey};

/// Paid, and the resource could not be made, or nobody has asked for it again.
pub(super) fn undelivered(key: &TradeKey, resource: &str) -> Alert {
    let TradeKey { channel, trade_no } = key;
    alert(
        key,
        "undelivered",
        format!(
            "Trade {trade_no} of {channel} was paid for one use of {resource}, and nothing was delivered for it."
        ),
    )
}

/// Delivered, and the channel does not know of it.
pub(super) fn unconfirmed(key: &TradeKey, error: &str) -> Alert {
    let TradeKey { channel, trade_no } = key;
    alert(
        key,
        "unconfirmed",
        format!(
            "Trade {trade_no} of {channel} was delivered, and the channel has not taken the confirmation: {error}. It is tried hourly."
        ),
    )
}

/// Paid, and for nothing that can be delivered.
pub(super) fn unmatched(paid: &PaidTrade, why: &str) -> Alert {
    let TradeKey { channel, trade_no } = &paid.key;
    alert(
        &paid.key,
        "unmatched",
        format!(
            "Trade {trade_no} of {channel} has paid {} and was shown for {}, but {why}. Nothing is delivered for it.",
            paid.money, paid.resource_id
        ),
    )
}

fn alert(key: &TradeKey, episode: &str, message: String) -> Alert {
    Alert {
        kind: AlertKind::PayPerUse,
        severity: Severity::Action,
        subject: format!("{}/{}", key.channel, key.trade_no),
        episode: episode.to_owned(),
        message,
    }
}

pub(super) fn about(key: &TradeKey) -> About {
    About {
        channel: Some(key.channel.clone()),
        channel_trade_no: Some(key.trade_no.clone()),
        ..About::default()
    }
}
