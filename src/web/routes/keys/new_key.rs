//! The body that asks for a key.

use crate::web::form::{Form, as_text};
use crate::web::json::Object;
use crate::web::language::Text;
use crate::web::problem::Problem;
use crate::web::role::Role;
use crate::web::rules;
use serde_json::value::RawValue;

/// What a merchant's key may do beside creating and reading.
const SCOPES: [&str; 1] = ["refunds"];

/// Name, role and scopes of the key that is asked for.
pub(super) fn read(bytes: &[u8]) -> Result<(String, Role, Vec<String>), Problem> {
    let mut form = Form::new(Object::of_body(bytes)?);
    let name = form.required_text("name", rules::path_name);
    let words: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let role = form.required_text("role", |text| {
        Role::parse(text).is_none().then(|| rules::one_of(&words))
    });
    let scopes = form.raw("scopes").map_or(Ok(Vec::new()), scopes);
    let scopes = scopes.unwrap_or_else(|message| {
        form.refuse("scopes", message);
        Vec::new()
    });
    let role = role.and_then(|role| Role::parse(&role));
    let key = name.zip(role).map(|(name, role)| (name, role, scopes));
    form.finish(key)
}

fn scopes(raw: &RawValue) -> Result<Vec<String>, Text> {
    let wrong = || {
        Text::new(
            "must be an array that may hold refunds",
            "必须是数组，可包含 refunds",
        )
    };
    let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|_other_type| wrong())?;
    let mut scopes = Vec::new();
    for item in items {
        let scope = as_text(item)?;
        if !SCOPES.contains(&scope.as_str()) {
            return Err(wrong());
        }
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}
