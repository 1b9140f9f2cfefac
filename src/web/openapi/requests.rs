//! The shapes of requests, for the document: the routes read them field by field.

#![expect(dead_code, reason = "shapes for the document; nothing is made of them")]

use crate::web::role::Role;
use crate::web::words::{CurrencyWord, DecisionWord, RefundDecisionWord};
use serde::Deserialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What a merchant asks to be paid.
#[derive(Debug, ToSchema)]
#[schema(as = NewOrder)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOrderBody {
    /// The merchant's own number, unique for ever.
    #[schema(pattern = "^[A-Za-z0-9_-]{1,64}$", example = "202607260001")]
    pub(crate) order_no: String,
    /// A channel of the configuration.
    #[schema(example = "sandbox")]
    pub(crate) channel: String,
    /// A payment method of the channel; its first is the default.
    #[schema(pattern = "^[A-Za-z0-9_-]{1,32}$", example = "direct")]
    pub(crate) method: Option<String>,
    /// Minor units, in plain digits: not `1999.0`, not `1e3`.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64, example = 1999)]
    pub(crate) amount: i64,
    /// A code of ISO 4217.
    #[schema(value_type = CurrencyWord, example = "CNY")]
    pub(crate) currency: String,
    /// No control characters.
    #[schema(
        min_length = 1,
        max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
        example = "VIP+ 月卡"
    )]
    pub(crate) subject: String,
    /// Required with entitlements.
    #[schema(pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$")]
    pub(crate) account: Option<String>,
    /// One of a kind.
    #[schema(max_items = 20)]
    pub(crate) entitlements: Option<Vec<NewEntitlement>>,
    /// Up to 20 entries; keys of 1–64 characters.
    #[schema(value_type = Option<BTreeMap<String, MetadataValue>>)]
    pub(crate) metadata: Option<BTreeMap<String, String>>,
    /// https (or loopback), its host in `server.return_hosts`.
    #[schema(format = "uri", max_length = 2048, pattern = "^https?://")]
    pub(crate) return_url: Option<String>,
    /// The payer's id at the channel, where its method needs one.
    #[schema(
        min_length = 1,
        max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
    )]
    pub(crate) payer: Option<String>,
    /// The number of an earlier order of the same purchase, which must be `FAILED` or `CLOSED`.
    #[schema(pattern = "^[A-Za-z0-9_-]{1,64}$")]
    pub(crate) replaces: Option<String>,
    /// Seconds; default 7200.
    #[schema(minimum = 1, maximum = 2_592_000)]
    pub(crate) expires_in: Option<i64>,
}

/// A value of metadata. No control characters.
#[derive(Debug, ToSchema)]
#[schema(max_length = 256, pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$")]
pub(crate) struct MetadataValue(pub String);

/// What the payer gets.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEntitlement {
    #[schema(pattern = "^[A-Za-z0-9_.@-]{1,64}$", example = "credits")]
    pub(crate) kind: String,
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64, example = 1000)]
    pub(crate) quantity: i64,
}

/// A decision about an order in `MANUAL`.
#[derive(Debug, ToSchema)]
#[schema(as = NewReview)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewBody {
    #[schema(value_type = DecisionWord)]
    pub(crate) decision: String,
    /// What the decision rests on.
    #[schema(
        min_length = 1,
        max_length = 500,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$",
        example = "bank statement line 17"
    )]
    pub(crate) basis: String,
    #[schema(
        min_length = 1,
        max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
    )]
    pub(crate) channel_trade_no: Option<String>,
    /// The version that the operator has read.
    #[schema(minimum = 1)]
    pub(crate) expected_version: i64,
}

/// Credits to be spent.
#[derive(Debug, ToSchema)]
#[schema(as = NewDebit)]
#[serde(deny_unknown_fields)]
pub(crate) struct DebitBody {
    /// The merchant's own number, unique in the account for ever.
    #[schema(pattern = "^[A-Za-z0-9_.@-]{1,64}$", example = "job-17")]
    pub(crate) debit_no: String,
    #[schema(pattern = "^[A-Za-z0-9_.@-]{1,64}$", example = "credits")]
    pub(crate) kind: String,
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64, example = 60)]
    pub(crate) quantity: i64,
    /// What it is for. No control characters.
    #[schema(
        min_length = 1,
        max_length = 500,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
    )]
    pub(crate) reason: Option<String>,
}

/// Credits to be held back.
#[derive(Debug, ToSchema)]
#[schema(as = NewHold)]
#[serde(deny_unknown_fields)]
pub(crate) struct HoldBody {
    /// The merchant's own number, unique in the account for ever.
    #[schema(pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$", example = "job-17")]
    pub(crate) hold_no: String,
    #[schema(pattern = "^[A-Za-z0-9_.@-]{1,64}$", example = "credits")]
    pub(crate) kind: String,
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64, example = 100)]
    pub(crate) quantity: i64,
    /// Seconds; default 3600.
    #[schema(minimum = 1, maximum = 2_592_000)]
    pub(crate) expires_in: Option<i64>,
}

/// How much is taken of a hold.
#[derive(Debug, ToSchema)]
#[schema(as = NewCapture)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaptureBody {
    /// At most what is held; the rest is freed.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64, example = 60)]
    pub(crate) quantity: i64,
}

/// What is to be given back.
#[derive(Debug, ToSchema)]
#[schema(as = NewRefund)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRefundBody {
    /// The merchant's own number, unique in its order.
    #[schema(pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$", example = "r-1")]
    pub(crate) refund_no: String,
    /// Minor units, in plain digits.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64, example = 500)]
    pub(crate) amount: i64,
    /// For people. No control characters.
    #[schema(
        min_length = 1,
        max_length = 256,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
    )]
    pub(crate) reason: Option<String>,
    /// The trade to be given back; without it the one that paid the order.
    #[schema(
        min_length = 1,
        max_length = 255,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
    )]
    pub(crate) channel_trade_no: Option<String>,
}

/// A decision about a refund in `MANUAL`.
#[derive(Debug, ToSchema)]
#[schema(as = NewRefundReview)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefundReviewBody {
    #[schema(value_type = RefundDecisionWord)]
    pub(crate) decision: String,
    /// What the decision rests on.
    #[schema(
        min_length = 1,
        max_length = 500,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$",
        example = "the processor's account, line 17"
    )]
    pub(crate) basis: String,
    /// The refund's version that the operator has read.
    #[schema(minimum = 1)]
    pub(crate) expected_version: i64,
}

/// A key to be made.
#[derive(Debug, ToSchema)]
#[schema(as = NewKey)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKeyBody {
    #[schema(pattern = "^(?!\\.{1,2}$)[A-Za-z0-9_.@-]{1,64}$")]
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) scopes: Option<Vec<Scope>>,
}

/// What a merchant's key may do beside creating and reading.
#[derive(Debug, ToSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    Refunds,
}
