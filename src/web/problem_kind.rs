//! The kinds of problem: code, status and words of each.

use super::language::Text;
use crate::domain::ledger;
use crate::domain::order::Refusal;

/// What kind of problem it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Validation,
    MalformedJson,
    BadRequest,
    UnsupportedMediaType,
    BodyTooLarge,
    RequestTimeout,
    Unauthenticated,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    OrderConflict,
    IdempotencyKeyReuse,
    ReplacedOrderOpen,
    DailyLimit,
    ChannelUnavailable,
    PaymentUnconfirmed,
    RateLimited,
    CallbackRejected,
    MalformedCallback,
    UnknownOrder,
    KeyExists,
    KeyConfigured,
    NothingToDeliver,
    Refused(Refusal),
    Ledger(ledger::Refusal),
    Unconfirmed,
    Unavailable,
    Internal,
}

impl Kind {
    /// The kind that stands for a bare HTTP status.
    #[must_use]
    pub(crate) const fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Unauthenticated,
            403 => Self::Forbidden,
            404 => Self::NotFound,
            405 => Self::MethodNotAllowed,
            408 => Self::RequestTimeout,
            413 => Self::BodyTooLarge,
            415 => Self::UnsupportedMediaType,
            422 => Self::Validation,
            429 => Self::RateLimited,
            503 => Self::Unavailable,
            400..=499 => Self::BadRequest,
            _ => Self::Internal,
        }
    }

    /// The code in the document and in its `type`.
    #[must_use]
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Ledger(refusal) => refusal.code(),
            Self::Unconfirmed => "unconfirmed",
            Self::Validation => "validation",
            Self::MalformedJson => "malformed-json",
            Self::BadRequest => "bad-request",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::BodyTooLarge => "body-too-large",
            Self::RequestTimeout => "request-timeout",
            Self::Unauthenticated => "unauthenticated",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::OrderConflict => "order-conflict",
            Self::IdempotencyKeyReuse => "idempotency-key-reuse",
            Self::ReplacedOrderOpen => "replaced-order-open",
            Self::DailyLimit => "daily-limit",
            Self::ChannelUnavailable => "channel-unavailable",
            Self::PaymentUnconfirmed => "payment-unconfirmed",
            Self::RateLimited => "rate-limited",
            Self::CallbackRejected => "callback-rejected",
            Self::MalformedCallback => "malformed-callback",
            Self::UnknownOrder => "unknown-order",
            Self::KeyExists => "key-exists",
            Self::KeyConfigured => "key-configured",
            Self::NothingToDeliver => "nothing-to-deliver",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }

    #[must_use]
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::Refused(refusal) => refusal.http_status(),
            Self::Ledger(refusal) => refusal.http_status(),
            Self::MalformedJson | Self::BadRequest | Self::MalformedCallback => 400,
            Self::Unauthenticated | Self::CallbackRejected => 401,
            Self::Forbidden => 403,
            Self::NotFound | Self::UnknownOrder => 404,
            Self::MethodNotAllowed => 405,
            Self::RequestTimeout => 408,
            Self::ReplacedOrderOpen
            | Self::KeyExists
            | Self::KeyConfigured
            | Self::NothingToDeliver => 409,
            Self::BodyTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Validation
            | Self::OrderConflict
            | Self::IdempotencyKeyReuse
            | Self::DailyLimit => 422,
            Self::RateLimited => 429,
            Self::Internal => 500,
            Self::Unavailable | Self::ChannelUnavailable => 503,
            Self::PaymentUnconfirmed | Self::Unconfirmed => 504,
        }
    }

    #[must_use]
    pub(crate) const fn title(self) -> Text {
        let (english, chinese) = match self {
            Self::Validation => ("The request is not valid", "请求无效"),
            Self::MalformedJson => ("The body is not JSON", "请求体不是有效的 JSON"),
            Self::BadRequest => ("The request cannot be understood", "无法理解该请求"),
            Self::UnsupportedMediaType => ("The body must be JSON", "请求体必须是 JSON"),
            Self::BodyTooLarge => ("The body is too large", "请求体过大"),
            Self::RequestTimeout => ("The body did not arrive in time", "请求体未按时到达"),
            Self::Unauthenticated => ("An API key is required", "需要 API 密钥"),
            Self::Forbidden => ("This key may not do that", "该密钥无权执行此操作"),
            Self::NotFound | Self::Ledger(ledger::Refusal::NoSuchHold) => {
                ("Not found", "资源不存在")
            }
            Self::MethodNotAllowed => ("The method is not allowed", "不支持该方法"),
            Self::OrderConflict => ("The order number is taken", "订单号已被占用"),
            Self::IdempotencyKeyReuse => ("The Idempotency-Key is taken", "幂等键已被占用"),
            Self::ReplacedOrderOpen => ("The replaced order is not ended", "被替换的订单尚未结束"),
            Self::DailyLimit => ("The account's limit of today", "账户当日限额"),
            Self::ChannelUnavailable => ("The channel does not answer", "渠道无响应"),
            Self::PaymentUnconfirmed => ("The payment is not confirmed yet", "支付结果仍在确认中"),
            Self::RateLimited => ("Too many requests", "请求过多"),
            Self::CallbackRejected => ("The callback is not authentic", "回调未通过验证"),
            Self::MalformedCallback => ("The callback is malformed", "回调格式有误"),
            Self::UnknownOrder => ("The order is not known", "未知订单"),
            Self::KeyExists => ("The name is in use", "名称已被使用"),
            Self::KeyConfigured => ("The key is configured", "该密钥来自配置文件"),
            Self::NothingToDeliver => ("Nothing can be delivered", "无法投递"),
            Self::Refused(_) => ("The order refuses this", "订单不允许此操作"),
            Self::Ledger(_) => ("The account refuses this", "账户不允许此操作"),
            Self::Unconfirmed => ("The result is not known yet", "结果尚未确认"),
            Self::Unavailable => ("Try again later", "请稍后重试"),
            Self::Internal => ("Something went wrong here", "服务器内部错误"),
        };
        Text::new(english, chinese)
    }
}
