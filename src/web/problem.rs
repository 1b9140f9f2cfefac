//! Every refusal as a problem document (RFC 9457): one type, rendered in one place.

use super::about::About;
use super::language::{Language, Text};
use super::problem_kind::Kind;
use super::problem_view::{FieldErrorView, ProblemView};
use crate::scrub::scrub;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use serde_json::Value;
use std::time::Duration;

/// Fields that one document names: enough to correct any honest request.
const ERRORS_MAX: usize = 100;

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldError {
    pub(crate) field: String,
    pub(crate) message: Text,
}

impl FieldError {
    #[must_use]
    pub(crate) fn new(field: impl Into<String>, message: Text) -> Self {
        Self {
            field: field.into(),
            message,
        }
    }
}

/// Why a request got no answer of the kind it asked for.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) kind: Kind,
    /// What this occurrence is about, where the kind's own words say too little.
    pub(crate) detail: Option<Box<Text>>,
    pub(crate) errors: Vec<FieldError>,
    /// The order as it stands, for a payment that is not confirmed yet.
    pub(crate) order: Option<Box<Value>>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// For the log alone.
    pub(crate) cause: Option<String>,
}

impl Problem {
    #[must_use]
    pub(crate) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            detail: None,
            errors: Vec::new(),
            order: None,
            headers: Vec::new(),
            cause: None,
        }
    }

    /// A request with these fields wrong; of a flood of them, the first.
    #[must_use]
    pub(crate) fn validation(mut errors: Vec<FieldError>) -> Self {
        errors.truncate(ERRORS_MAX);
        Self {
            errors,
            ..Self::new(Kind::Validation)
        }
    }

    /// A request with this one field wrong.
    #[must_use]
    pub(crate) fn field(field: &str, message: Text) -> Self {
        Self::validation(vec![FieldError::new(field, message)])
    }

    #[must_use]
    pub(crate) fn detailed(mut self, detail: Text) -> Self {
        self.detail = Some(Box::new(detail));
        self
    }

    /// For the log alone.
    #[must_use]
    pub(crate) fn because(mut self, cause: impl ToString) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    #[must_use]
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    #[must_use]
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        self.with_header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// In whole seconds, rounded up: a wait of 10 ms is not a wait of none.
    #[must_use]
    pub(crate) fn retry_after_at_least(self, wait: Duration) -> Self {
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        self.retry_after(u64::try_from(seconds).unwrap_or(u64::MAX))
    }

    /// The document in the language of the request.
    #[must_use]
    pub(crate) fn render(&self, about: &About) -> HttpResponse {
        let mut response = HttpResponseBuilder::new(self.status_code());
        for (name, value) in &self.headers {
            response.insert_header((name.clone(), value.clone()));
        }
        response
            .insert_header((header::CONTENT_LANGUAGE, about.language.tag()))
            .insert_header((header::CONTENT_TYPE, "application/problem+json"))
            .body(self.text(about))
    }

    fn text(&self, about: &About) -> String {
        serde_json::to_string(&self.view(about)).unwrap_or_default()
    }

    fn view(&self, about: &About) -> ProblemView {
        let language: Language = about.language;
        let detail = self.detail.as_deref().cloned();
        let detail = detail.unwrap_or_else(|| self.kind.detail());
        ProblemView {
            kind: format!("urn:oncepay:problem:{}", self.kind.code()),
            title: self.kind.title().in_language(language).to_owned(),
            status: self.kind.status(),
            detail: detail.in_language(language).to_owned(),
            code: self.kind.code().to_owned(),
            request_id: about.request_id.clone(),
            errors: self
                .errors
                .iter()
                .map(|error| error.view(language))
                .collect(),
            order: self.order.as_deref().cloned(),
        }
    }
}

impl FieldError {
    /// A field may bear any name that a caller has given it, and a message may quote it.
    fn view(&self, language: Language) -> FieldErrorView {
        FieldErrorView {
            field: scrub(&self.field, &[]),
            message: scrub(self.message.in_language(language), &[]),
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.kind.code())
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// What stands in until the door renders the problem for its request.
    fn error_response(&self) -> HttpResponse {
        HttpResponseBuilder::new(self.status_code()).finish()
    }
}
