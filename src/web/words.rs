//! The closed vocabularies of the API, as schemas.

use crate::domain::ledger::HoldStatus;
use crate::domain::order::{
    AlertKind, EntitlementStatus, EventKind, OrderStatus, Reason, RefundDecision, RefundStatus,
    ReviewDecision, Severity,
};
use crate::domain::outbox::DeliveryStatus;
use std::sync::OnceLock;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Declares a schema whose values are these words.
macro_rules! word_schema {
    ($($word:ident $name:literal = $values:expr;)+) => {$(
        #[doc = concat!("One of the words of `", $name, "`.")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $word;

        impl PartialSchema for $word {
            fn schema() -> RefOr<Schema> {
                let words: Vec<_> = $values;
                RefOr::T(Schema::Object(
                    ObjectBuilder::new()
                        .schema_type(Type::String)
                        .enum_values(Some(words))
                        .build(),
                ))
            }
        }

        impl ToSchema for $word {
            fn name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed($name)
            }
        }
    )+};
}

macro_rules! all {
    ($words:ty) => {
        <$words>::ALL
            .iter()
            .map(|word| word.as_str())
            .collect::<Vec<_>>()
    };
}

word_schema! {
    OrderStatusWord "OrderStatus" = all!(OrderStatus);
    ReasonWord "Reason" = all!(Reason);
    EntitlementStatusWord "EntitlementStatus" = all!(EntitlementStatus);
    DecisionWord "ReviewDecision" = all!(ReviewDecision);
    RefundStatusWord "RefundStatus" = all!(RefundStatus);
    RefundDecisionWord "RefundDecision" = all!(RefundDecision);
    RefundWord "RefundWord" = vec!["REFUND"];
    EventKindWord "EventKind" = all!(EventKind);
    AlertKindWord "AlertKind" = all!(AlertKind);
    SeverityWord "Severity" = all!(Severity);
    AlertStatusWord "AlertStatus" = vec!["open", "acknowledged", "resolved"];
    DeliveryStatusWord "DeliveryStatus" = all!(DeliveryStatus);
    ProposalWord "ProposalStatus" = vec!["PROPOSED"];
    NextActionWord "NextActionKind" =
        vec!["qr_code", "redirect", "form", "client_secret", "app_params"];
    HoldStatusWord "HoldStatus" = all!(HoldStatus);
    CurrencyWord "Currency" = currencies();
    KeySourceWord "KeySource" = vec!["configuration", "database"];
}

/// Every currency of ISO 4217, found by asking once for each of the 17,576 that could be one.
fn currencies() -> Vec<String> {
    static CODES: OnceLock<Vec<String>> = OnceLock::new();
    CODES.get_or_init(existing_codes).clone()
}

fn existing_codes() -> Vec<String> {
    let letters = || 'A'..='Z';
    let codes = letters().flat_map(|first| {
        letters()
            .flat_map(move |second| letters().map(move |third| format!("{first}{second}{third}")))
    });
    codes.filter(|code| super::rules::is_money(code)).collect()
}
