//! Roles and what each may do.

use serde::Serialize;
use utoipa::ToSchema;

/// The role of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Merchant,
    Viewer,
    Operator,
    Admin,
}

/// What a request wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Begin a charge. That is the merchant's own business: nobody else's key does it.
    CreateOrder,
    ReadOrders,
    CloseOrder,
    /// Give money back. A merchant's key needs the scope too.
    RefundOrder,
    /// Ask the channel now, or decide a review.
    OperateOrder,
    ReadAlerts,
    AcknowledgeAlert,
    ReadDeliveries,
    /// Have a webhook sent again.
    Redeliver,
    ManageKeys,
    ReadAccounts,
    /// Spend credits, hold them back, give them back. As with a charge, that is the merchant's own business.
    MoveAccount,
}

impl Role {
    pub const ALL: &'static [Self] = &[Self::Merchant, Self::Viewer, Self::Operator, Self::Admin];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merchant => "merchant",
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.as_str() == text)
    }

    /// Whether a key of this role may do it.
    #[must_use]
    pub const fn may(self, act: Act) -> bool {
        match act {
            Act::CreateOrder | Act::MoveAccount => matches!(self, Self::Merchant),
            Act::ReadOrders | Act::ReadAccounts => true,
            Act::CloseOrder | Act::RefundOrder => {
                matches!(self, Self::Merchant | Self::Operator | Self::Admin)
            }
            Act::OperateOrder | Act::AcknowledgeAlert | Act::Redeliver => {
                matches!(self, Self::Operator | Self::Admin)
            }
            Act::ReadAlerts | Act::ReadDeliveries => {
                matches!(self, Self::Viewer | Self::Operator | Self::Admin)
            }
            Act::ManageKeys => matches!(self, Self::Admin),
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(act: Act) -> Vec<&'static str> {
        let may = Role::ALL.iter().filter(|role| role.may(act));
        may.map(|role| role.as_str()).collect()
    }

    #[test]
    fn merchants_create_viewers_read_operators_act_and_admins_manage_keys() {
        assert_eq!(allowed(Act::CreateOrder), ["merchant"]);
        assert_eq!(allowed(Act::ReadOrders).len(), 4);
        assert_eq!(allowed(Act::CloseOrder), ["merchant", "operator", "admin"]);
        assert_eq!(allowed(Act::RefundOrder), ["merchant", "operator", "admin"]);
        assert_eq!(allowed(Act::OperateOrder), ["operator", "admin"]);
        assert_eq!(allowed(Act::ReadAlerts), ["viewer", "operator", "admin"]);
        assert_eq!(allowed(Act::AcknowledgeAlert), ["operator", "admin"]);
        assert_eq!(allowed(Act::ReadDeliveries), allowed(Act::ReadAlerts));
        assert_eq!(allowed(Act::Redeliver), ["operator", "admin"]);
        assert_eq!(allowed(Act::ManageKeys), ["admin"]);
        assert_eq!(allowed(Act::ReadAccounts).len(), 4);
        assert_eq!(allowed(Act::MoveAccount), ["merchant"]);
    }
}
