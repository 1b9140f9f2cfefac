//! What a use costs, and what it is called.

use crate::domain::Money;
use std::time::Duration;

/// How long an offer can be paid, where the terms do not say.
const PAY_WITHIN: Duration = Duration::from_secs(30 * 60);
/// The channel's column for names is not documented; what a payer reads is short anyway.
const NAME_CHARS_MAX: usize = 128;
/// A day.
const PAY_WITHIN_MAX: Duration = Duration::from_secs(86_400);

/// The terms under which a resource is used.
#[derive(Debug, Clone)]
pub struct PayPerUseTerms {
    /// Of one use, in CNY.
    pub price: Money,
    /// What the payer buys, in the payer's words.
    pub goods_name: String,
    /// Who sells it, in the payer's words.
    pub seller_name: String,
    /// The number that Alipay gave the service; `api_mock_service_id` in its sandbox.
    pub service_id: String,
    /// How long an offer can be paid.
    pub pay_within: Duration,
}

/// Why a resource cannot be put behind a paywall.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayPerUseError {
    #[error("there is no channel `{0}`")]
    NoSuchChannel(String),
    #[error("the channel `{0}` knows no pay per use")]
    NotOffered(String),
    #[error("channels.{0}.seller_id is missing; offers name the seller")]
    NoSeller(String),
    #[error("{field} {problem}")]
    Terms {
        field: &'static str,
        problem: &'static str,
    },
}

impl PayPerUseTerms {
    /// Terms with half an hour to pay.
    #[must_use]
    pub fn new(
        price: Money,
        goods_name: impl Into<String>,
        seller_name: impl Into<String>,
        service_id: impl Into<String>,
    ) -> Self {
        Self {
            price,
            goods_name: goods_name.into(),
            seller_name: seller_name.into(),
            service_id: service_id.into(),
            pay_within: PAY_WITHIN,
        }
    }

    pub(super) fn check(&self) -> Result<(), PayPerUseError> {
        let refuse = |field, problem| Err(PayPerUseError::Terms { field, problem });
        if self.price.currency.as_str() != "CNY" || self.price.amount < 1 {
            return refuse("price", "must be at least 1, in CNY");
        }
        let names = [
            ("goods_name", &self.goods_name),
            ("seller_name", &self.seller_name),
            ("service_id", &self.service_id),
        ];
        for (field, name) in names {
            let fits = (1..=NAME_CHARS_MAX).contains(&name.chars().count());
            if !fits || name.chars().any(char::is_control) {
                return refuse(
                    field,
                    "must be 1–128 characters, none of them a control character",
                );
            }
            // They stand in a text of `name=value&…` that is signed.
            if name.contains(['&', '=']) {
                return refuse(field, "must not contain & or =");
            }
        }
        if self.pay_within.as_secs() < 1 || self.pay_within > PAY_WITHIN_MAX {
            return refuse("pay_within", "must be 1 second to 24 hours");
        }
        Ok(())
    }
}
