//! Problem documents as they go over the wire.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A problem document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemView {
    /// `urn:oncepay:problem:` and the code.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) status: u16,
    pub(crate) detail: String,
    pub(crate) code: String,
    pub(crate) request_id: String,
    /// Each wrong field of the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub(crate) errors: Vec<FieldErrorView>,
    /// The order, where the problem is `payment-unconfirmed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = super::view::OrderView, required = false, nullable = false)]
    pub(crate) order: Option<Value>,
}

/// What is wrong with one field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FieldError)]
pub(crate) struct FieldErrorView {
    /// Its place in the request, such as `entitlements[0].quantity`.
    pub(crate) field: String,
    pub(crate) message: String,
}
