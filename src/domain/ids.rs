//! Names of things: ours carry a prefix and a UUIDv7 in simple form, the merchant's are theirs.

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

text_id!(
    /// Our number of an order: `ord_` and a UUIDv7 in simple form.
    OrderId
);
text_id!(
    /// The merchant's number of an order: 1–64 of `A-Z a-z 0-9 _ -`, unique.
    OrderNo
);
text_id!(
    /// Our number of an event: `evt_` and a UUIDv7 in simple form. It is also the id of the decision that wrote it.
    EventId
);

impl OrderNo {
    /// The longest number that a merchant may give.
    pub const LENGTH_MAX: usize = 64;

    /// Whether `text` may be an order number.
    #[must_use]
    pub fn is_valid(text: &str) -> bool {
        (1..=Self::LENGTH_MAX).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    }

    /// The key under which this order is charged: fixed at creation, the same in every submit, query and review.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        format!("pay:order:{}", self.0)
    }
}
