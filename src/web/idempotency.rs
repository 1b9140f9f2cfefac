//! `Idempotency-Key`: a client's own name for one request.

use super::form::Form;
use super::language::Text;
use super::problem::FieldError;
use actix_web::http::header::HeaderMap;

/// The key of the request, if it has one; what is wrong with it is noted in the form.
pub(crate) fn key(headers: &HeaderMap, form: &mut Form<'_>) -> Option<String> {
    match read(headers) {
        Ok(key) => key,
        Err(message) => {
            form.refuse_all(vec![FieldError::new("Idempotency-Key", message)]);
            None
        }
    }
}

fn read(headers: &HeaderMap) -> Result<Option<String>, Text> {
    let mut given = headers.get_all("idempotency-key");
    let Some(value) = given.next() else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if given.next().is_some() || !visible || !(1..=255).contains(&text.len()) {
        return Err(Text::new(
            "must be one value of 1 to 255 visible ASCII characters",
            "必须是一个由 1 到 255 个可见 ASCII 字符组成的值",
        ));
    }
    Ok(Some(text.to_owned()))
}
