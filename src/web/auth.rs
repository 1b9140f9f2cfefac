//! `Authorization: Bearer opk_…`: who asks, and whether they may.

use super::allowance;
use super::keyring::{Caller, KeyRing};
use super::problem::Problem;
use super::problem_kind::Kind;
use super::role::Act;
use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};

/// The caller, if their key is in force and may do this now: else 401, 429 or 403.
pub(crate) fn require(keys: &KeyRing, request: &HttpRequest, act: Act) -> Result<Caller, Problem> {
    let caller = bearer(request.headers()).and_then(|key| keys.find(key));
    let caller = caller.ok_or_else(|| {
        Problem::new(Kind::Unauthenticated)
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    })?;
    if let Some(allowance) = keys.take(&caller) {
        allowance::spend(request, allowance)?;
    }
    if caller.may(act) {
        Ok(caller)
    } else {
        Err(Problem::new(Kind::Forbidden))
    }
}

/// The one key that the request brings.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION);
    let (Some(value), None) = (given.next(), given.next()) else {
        return None;
    };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}
