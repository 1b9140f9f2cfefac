//! Callbacks at the gateway: verified first, then a message to their order, acknowledged after the commit.

use super::gateway::{Gateway, GatewayError, Received, Seat, SeatKind};
use super::guard;
use super::messages::NoticeId;
use crate::channels::{Notice, RawNotice, RefundBounce, Rejection, RejectionRule};
use crate::clock;
use crate::domain::OrderNo;
use crate::domain::order::input::{Input, Source};
use crate::domain::order::{Alert, AlertKind, Severity};
use crate::store::alerts::About;
use crate::store::{inbox, orders};
use sha2::{Digest, Sha256};
use std::sync::atomic::Ordering;

/// Callbacks that may be in work at once; beyond it the channel is told to send again.
const CALLBACKS_MAX: usize = 4_096;
const DAY_MS: i64 = 86_400_000;
/// Different keys that are not loaded, of which ops are told in a day. Their names come before any proof: one that
/// somebody made up must not use up the place of a real one, and a thousand of them must not be a thousand mails.
const UNKNOWN_KEYS_A_DAY: usize = 5;
/// Letters of a key's name that tell it from others. A whole serial number looks like a secret, and would be masked.
const KEY_ID_SHOWN: usize = 20;

impl Gateway {
    /// Verifies a notice and hands it to its order; answers after the commit, within `callbacks.deadline`.
    pub async fn receive(&self, channel: &str, notice: RawNotice<'_>) -> Received {
        let Some(adapter) = self.shared.channel(channel) else {
            return Received::NoSuchChannel;
        };
        let digest = format!("sha256:{}", hex::encode(Sha256::digest(notice.body)));
        let verified = match adapter.verify(&notice, self.shared.now().wall) {
            Ok(verified) => verified,
            Err(rejection) => {
                let limit = self.shared.parts.callbacks_deadline;
                let told = self.tell_of_rejection(channel, &rejection);
                // The answer is sure already; the alert is queued even if it is not written in time.
                drop(tokio::time::timeout(limit, told).await);
                return Received::Rejected(rejection);
            }
        };
        let open = self.shared.callbacks_open.fetch_add(1, Ordering::AcqRel);
        let _seat = Seat {
            shared: self.shared.clone(),
            kind: SeatKind::Callback,
        };
        if open >= CALLBACKS_MAX {
            return Received::NotYet("too many callbacks are in work".to_owned());
        }
        let limit = self.shared.parts.callbacks_deadline;
        match tokio::time::timeout(limit, self.hand_over(channel, verified, digest)).await {
            Ok(received) => received,
            Err(_elapsed) => Received::NotYet("the database did not commit in time".to_owned()),
        }
    }

    async fn hand_over(&self, channel: &str, notice: Notice, digest: String) -> Received {
        let notice = match self.named(channel, notice).await {
            Ok(notice) => notice,
            Err(why) => return Received::NotYet(why),
        };
        let source = Source::Callback {
            repeat: false,
            digest: digest.clone(),
        };
        let (order_no, key, status, trade_no, input) = match notice {
            Notice::OfTrade { .. } | Notice::Unrelated { .. } => return Received::Unrelated,
            Notice::RefundBounced(bounce) => return self.tell_of_bounce(channel, bounce).await,
            Notice::Charge {
                key,
                status,
                order_no,
                answer,
            } => {
                // By its name the channel can be asked about it, should an order of this number come.
                let trade_no = answer.reference().or_else(|| answer.trade_no());
                let trade_no = trade_no.map(str::to_owned);
                let input = Input::Answer { source, answer };
                (order_no, key, status, trade_no, input)
            }
            Notice::Refund {
                key,
                status,
                order_no,
                news,
            } => {
                let trade_no = news.trade_no.clone();
                // Of two refunds of one order that are told under one id, neither is lost.
                let status = format!("refund {} {status}", news.refund_no);
                let input = Input::RefundTold { source, news };
                (order_no, key, status, trade_no, input)
            }
            Notice::Dispute {
                key,
                order_no,
                reference,
                phase,
                summary,
            } => {
                let status = format!("dispute {phase}");
                let input = Input::Dispute {
                    source,
                    reference,
                    phase,
                    summary,
                };
                (order_no, key, status, None, input)
            }
        };
        let id = NoticeId::new(channel, &key, &status, digest);
        if !OrderNo::is_valid(&order_no) {
            return Received::Unrelated;
        }
        let number = OrderNo(order_no.clone());
        match self
            .happened_by_notice(&number, input, Some(id.clone()), None)
            .await
        {
            Ok(settled) => Received::Kept {
                order: Box::new(settled.order),
                duplicate: settled.duplicate,
            },
            Err(GatewayError::NoSuchOrder) => self.keep_orphan(order_no, id, trade_no).await,
            Err(error) => Received::NotYet(error.to_string()),
        }
    }

    /// The notice with the number of its order, where it names only the trade. One that is not on record may be ours all
    /// the same: its order's replies were lost, or the order was forgotten by a restore.
    async fn named(&self, channel: &str, notice: Notice) -> Result<Notice, String> {
        let Notice::OfTrade { trade_no, about } = notice else {
            return Ok(notice);
        };
        let read = &self.shared.parts.database.read;
        let on_record = orders::number_by_trade(read, channel, &trade_no).await;
        let order_no = match on_record.map_err(|error| error.to_string())? {
            Some(order_no) => Some(order_no),
            None => self.number_at_channel(channel, &trade_no).await?,
        };
        Ok(match order_no {
            Some(order_no) => about.about(order_no),
            None => Notice::Unrelated {
                kind: format!("of trade {trade_no}"),
            },
        })
    }

    /// What is not said in time is sent again by the channel.
    async fn number_at_channel(
        &self,
        channel: &str,
        trade_no: &str,
    ) -> Result<Option<String>, String> {
        let Some(adapter) = self.shared.channel(channel) else {
            return Ok(None);
        };
        guard::ask(&self.shared, channel).await?;
        let timeout = clock::millis(self.shared.rules(channel).query_timeout_ms);
        adapter.number_of_trade(trade_no, timeout).await
    }

    /// Verified, ours by its number, and unknown: kept, alerted once, and asked about before a submit of that number.
    async fn keep_orphan(
        &self,
        order_no: String,
        id: NoticeId,
        channel_trade_no: Option<String>,
    ) -> Received {
        let orphan = inbox::Orphan {
            channel: id.channel,
            key: id.key,
            status: id.status,
            order_no: order_no.clone(),
            channel_trade_no,
            digest: id.digest,
            at: self.shared.now().wall,
        };
        let backend = self.shared.parts.database.backend();
        if !self.shared.expect_orphan(&order_no) {
            return Received::Orphan { order_no };
        }
        match self
            .shared
            .parts
            .journal
            .run(inbox::keep_orphan(backend, &orphan))
            .await
        {
            Ok(_) => {
                (self.shared.parts.on_alert)();
                Received::Orphan { order_no }
            }
            Err(error) => Received::NotYet(error.to_string()),
        }
    }

    /// Nothing is left to decide about such a refund: a person is told, once, and then it is acknowledged.
    async fn tell_of_bounce(&self, channel: &str, bounce: RefundBounce) -> Received {
        let RefundBounce {
            order_no,
            trade_no,
            refund_no,
            summary,
        } = bounce;
        let alert = Alert {
            kind: AlertKind::RefundFailed,
            severity: Severity::Action,
            subject: format!("{channel}/{trade_no}/{refund_no}"),
            episode: "bounced".to_owned(),
            message: format!(
                "The payer's bank has not taken refund {refund_no} of order {order_no} (trade {trade_no}): {summary}. \
                 The refund stays as it is here."
            ),
        };
        let about = About {
            channel: Some(channel.to_owned()),
            order_no: Some(order_no),
            channel_trade_no: Some(trade_no),
            ..About::default()
        };
        if self.shared.raise(&alert, &about).await {
            Received::Unrelated
        } else {
            Received::NotYet("the database did not commit".to_owned())
        }
    }

    /// Rejections write no row; two of them tell ops something: once for a channel and day, or for a key of it.
    async fn tell_of_rejection(&self, channel: &str, rejection: &Rejection) {
        let (kind, what, most) = match rejection.rule {
            RejectionRule::UnknownKey => (
                AlertKind::UnknownKey,
                "is signed with a key that is not loaded",
                UNKNOWN_KEYS_A_DAY,
            ),
            RejectionRule::Malformed => (
                AlertKind::MalformedCallback,
                "is verified and cannot be read",
                1,
            ),
            RejectionRule::MissingHeader
            | RejectionRule::Timestamp
            | RejectionRule::Signature
            | RejectionRule::OtherMerchant
            | RejectionRule::OtherMode => return,
        };
        let at = self.shared.now().wall;
        let day = at.0.div_euclid(DAY_MS).to_string();
        let mut alert = Alert {
            kind,
            severity: Severity::Action,
            subject: channel.to_owned(),
            episode: match &rejection.key_id {
                Some(key_id) => format!("{day}/{key_id}"),
                None => day.clone(),
            },
            message: format!(
                "A callback of {channel} {what}{}: {}",
                named(rejection),
                rejection.explanation
            ),
        };
        let Some(nth) = self.shared.counted_today(&alert, &day, most) else {
            return;
        };
        if nth > 1 && nth == most {
            alert.message.push_str(
                ". That is enough for today: other such keys are not told of until midnight UTC",
            );
        }
        let about = About {
            channel: Some(channel.to_owned()),
            ..About::default()
        };
        if !self.shared.raise(&alert, &about).await {
            self.shared.not_raised(&alert.key());
        }
    }
}

/// The key that a notice names, for people.
fn named(rejection: &Rejection) -> String {
    let Some(key_id) = &rejection.key_id else {
        return String::new();
    };
    let shown: String = key_id.chars().take(KEY_ID_SHOWN).collect();
    let more = if shown.len() < key_id.len() {
        "…"
    } else {
        ""
    };
    format!(" ({shown}{more})")
}
