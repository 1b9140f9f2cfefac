//! What each kind of problem tells its reader to do.

use super::language::Text;
use super::problem_kind::Kind;
use crate::domain::ledger;
use crate::domain::order::Refusal;

impl Kind {
    #[expect(
        clippy::too_many_lines,
        reason = "a table: a pair of texts for each kind"
    )]
    #[must_use]
    pub(crate) const fn detail(self) -> Text {
        let (english, chinese) = match self {
            Self::Refused(refusal) => refused(refusal),
            Self::Ledger(refusal) => refused_by_account(refusal),
            Self::Unconfirmed => (
                "Nobody knows yet whether it was written. Send the same request again: its number moves nothing twice.",
                "尚不确定是否已写入。请重新发送相同的请求：同一编号不会重复记账。",
            ),
            Self::Validation => (
                "Correct the fields named in errors.",
                "请修正 errors 中列出的字段。",
            ),
            Self::MalformedJson => (
                "Send one JSON object in UTF-8.",
                "请发送一个 UTF-8 编码的 JSON 对象。",
            ),
            Self::BadRequest => ("The request cannot be understood.", "无法理解该请求。"),
            Self::UnsupportedMediaType => (
                "Send the body as application/json in UTF-8, uncompressed.",
                "请以 application/json（UTF-8，不压缩）发送请求体。",
            ),
            Self::BodyTooLarge => ("Send a smaller body.", "请缩小请求体。"),
            Self::RequestTimeout => ("Send the request again.", "请重新发送请求。"),
            Self::Unauthenticated => (
                "Send Authorization: Bearer opk_… with a key that is in force.",
                "请在 Authorization: Bearer 中提供有效的 opk_… 密钥。",
            ),
            Self::Forbidden => (
                "Use a key whose role allows it.",
                "请使用具有相应角色的密钥。",
            ),
            Self::NotFound => (
                "Nothing is here under this address.",
                "该地址下没有任何资源。",
            ),
            Self::MethodNotAllowed => (
                "The Allow header names the methods of this address.",
                "该地址支持的方法见 Allow 响应头。",
            ),
            Self::OrderConflict => (
                "An order with this number and another payload exists; it is untouched.",
                "已存在使用该订单号但内容不同的订单，原订单未受影响。",
            ),
            Self::IdempotencyKeyReuse => (
                "This Idempotency-Key stands for another payload.",
                "该幂等键已用于其他内容的请求。",
            ),
            Self::ReplacedOrderOpen => (
                "The order named in replaces must be FAILED or CLOSED first.",
                "replaces 所指的订单必须先处于 FAILED 或 CLOSED。",
            ),
            Self::DailyLimit => (
                "The account's orders of today would add up to more than its limit.",
                "该账户今日订单总额将超过限额。",
            ),
            Self::ChannelUnavailable => (
                "The channel does not answer; nothing was written. Send the same request again, or choose another channel.",
                "渠道无响应，未写入任何内容。请稍后重新发送相同的请求，或选择其他渠道。",
            ),
            Self::PaymentUnconfirmed => (
                "The result is still being confirmed. Do not pay again; look the order up.",
                "支付结果仍在确认中，请勿重复支付；请查询该订单。",
            ),
            Self::RateLimited => (
                "Wait as long as Retry-After says.",
                "请按 Retry-After 指示的时间等待。",
            ),
            Self::CallbackRejected => (
                "The signature, time, merchant or mode of the callback does not verify.",
                "回调的签名、时间、商户或模式未通过验证。",
            ),
            Self::MalformedCallback => (
                "The callback verifies, but a field that it must have is missing or wrong.",
                "回调已通过验证，但缺少必需的字段或字段有误。",
            ),
            Self::UnknownOrder => (
                "The order is not known here yet; send the callback again.",
                "此处尚无该订单，请重新发送回调。",
            ),
            Self::KeyExists => (
                "Choose another name, or revoke the key that has it.",
                "请换一个名称，或先吊销使用该名称的密钥。",
            ),
            Self::KeyConfigured => (
                "Remove it from the configuration instead.",
                "请改为从配置文件中删除。",
            ),
            Self::NothingToDeliver => (
                "The endpoint is gone or not configured: set another fulfilment.url first.",
                "接收端已下线或未配置，请先设置新的 fulfilment.url。",
            ),
            Self::Unavailable => (
                "Nothing was written. Send the same request again.",
                "未写入任何内容，请重新发送相同的请求。",
            ),
            Self::Internal => (
                "Tell the operator the request_id.",
                "请将 request_id 告知运维人员。",
            ),
        };
        Text::new(english, chinese)
    }
}

const fn refused_by_account(refusal: ledger::Refusal) -> (&'static str, &'static str) {
    match refusal {
        ledger::Refusal::DebitConflict => (
            "A debit with this number and another kind or quantity exists; it is untouched.",
            "已存在使用该编号但种类或数量不同的扣减，原扣减未受影响。",
        ),
        ledger::Refusal::HoldConflict => (
            "A hold with this number and another content exists, or another quantity of it was captured; it is untouched.",
            "已存在使用该编号但内容不同的预留，或其已按另一数量扣减；原预留未受影响。",
        ),
        ledger::Refusal::InsufficientBalance => (
            "Less than this quantity is available in the account.",
            "账户可用余额不足。",
        ),
        ledger::Refusal::CaptureExceedsHold => (
            "No more can be captured than is held.",
            "扣减数量不得超过预留数量。",
        ),
        ledger::Refusal::HoldExpired => (
            "The hold has expired and keeps nothing back any more. Make another one, or a debit.",
            "该预留已过期，不再占用余额。请新建预留或直接扣减。",
        ),
        ledger::Refusal::HoldEnded => (
            "The hold was captured or released already.",
            "该预留已扣减或已释放。",
        ),
        ledger::Refusal::NoSuchHold => (
            "The account has no hold with this number.",
            "该账户没有此编号的预留。",
        ),
    }
}

const fn refused(refusal: Refusal) -> (&'static str, &'static str) {
    match refusal {
        Refusal::AlreadyPaid => ("The order is paid already.", "订单已支付。"),
        Refusal::NotReviewable => (
            "Only an order or a refund in MANUAL can be reviewed.",
            "只有处于 MANUAL 的订单或退款才能复核。",
        ),
        Refusal::VersionConflict => (
            "It has changed since you read it; read it again.",
            "内容已发生变化，请重新读取。",
        ),
        Refusal::BasisMissing => ("A review needs a basis.", "复核必须注明依据。"),
        Refusal::EvidenceOfPayment => (
            "Proof of the payment is on record: only PAID or REFUND can be decided.",
            "已有付款证据，只能选择 PAID 或 REFUND。",
        ),
        Refusal::SecondPersonRequired => (
            "Another operator must confirm this decision.",
            "该决定须由另一位操作员确认。",
        ),
        Refusal::ChannelChanged => (
            "The channel's account is not the one that the order was made under.",
            "渠道账户与下单时的账户不一致。",
        ),
        Refusal::ReplacedOrderOpen => (
            "An order that replaces this one is open or paid.",
            "替换该订单的订单尚未结束或已支付。",
        ),
        Refusal::TradeNoConflict => (
            "This trade number belongs to another order.",
            "该交易号属于另一笔订单。",
        ),
        Refusal::SubmitOpen => (
            "A call to the channel is still open; try again when it has ended.",
            "对渠道的调用尚未结束，请稍后再试。",
        ),
        Refusal::NoPaymentOnRecord => (
            "No payment is on record and none was named.",
            "没有付款记录，也未指明交易号。",
        ),
        Refusal::NotRefundable => (
            "The order has no payment that can be refunded now.",
            "该订单目前没有可退款的付款。",
        ),
        Refusal::RefundConflict => (
            "A refund with this number and another content exists.",
            "该退款单号已用于内容不同的退款。",
        ),
        Refusal::RefundExceedsOrder => (
            "The refunds would add up to more than was paid.",
            "退款总额将超过已付金额。",
        ),
        Refusal::UnknownTrade => (
            "This trade is not on record for the order.",
            "该订单没有此交易号的记录。",
        ),
        Refusal::NoSuchRefund => ("There is no such refund.", "没有该退款。"),
    }
}
