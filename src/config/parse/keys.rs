//! `[[keys]]`.

use crate::config::section::Section;
use crate::config::{KeySettings, address};
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeSet;

const ROLES: [&str; 4] = ["merchant", "viewer", "operator", "admin"];
const SECRET_CHARS_MIN: usize = 32;

pub(in crate::config) fn list(sections: Vec<Section<'_>>) -> Vec<KeySettings> {
    let mut names = BTreeSet::new();
    let keys = sections.into_iter().filter_map(|mut section| {
        let name = section.parsed(
            "name",
            "1–64 of A-Z a-z 0-9 _ - . @, and not . or ..",
            |text| address::is_key_name(text).then(|| text.to_owned()),
        );
        if name
            .as_ref()
            .is_some_and(|name| !names.insert(name.clone()))
        {
            section.refuse("name", "another key has this name; names are unique");
        }
        let role = section.parsed("role", "merchant, viewer, operator or admin", |text| {
            ROLES.contains(&text).then(|| text.to_owned())
        });
        let scopes = scopes(&mut section);
        let key = section.secret("key");
        for (field, missing) in [
            ("name", name.is_none()),
            ("role", role.is_none()),
            ("key", key.is_none()),
        ] {
            if missing && !section.was_refused(field) {
                section.refuse(field, "is missing");
            }
        }
        if let (Some(role), Some(key)) = (&role, &key) {
            agree(&section, role, key);
        }
        section.finish();
        Some(KeySettings {
            name: name?,
            role: role?,
            scopes,
            key: key?,
        })
    });
    keys.collect()
}

fn scopes(section: &mut Section<'_>) -> Vec<String> {
    let scopes = section.texts("scopes").unwrap_or_default();
    for scope in &scopes {
        if scope != "refunds" {
            section.refuse(
                "scopes",
                format!("`{scope}` is refused; allowed is \"refunds\""),
            );
        }
    }
    scopes
}

/// The whole text of a key: `opk_`, its role, `_` and a secret that nobody guesses.
fn agree(section: &Section<'_>, role: &str, key: &SecretString) {
    let text = key.expose_secret();
    let secret = text
        .strip_prefix("opk_")
        .and_then(|rest| rest.strip_prefix(role))
        .and_then(|rest| rest.strip_prefix('_'));
    match secret {
        None => section.refuse(
            "key",
            format!("allowed is opk_{role}_ and a secret: the key must name its role"),
        ),
        Some(secret) if secret.len() < SECRET_CHARS_MIN => section.refuse(
            "key",
            format!(
                "its secret is too short; at least {SECRET_CHARS_MIN} characters after opk_{role}_"
            ),
        ),
        Some(secret) if !secret.bytes().all(|byte| byte.is_ascii_graphic()) => {
            section.refuse(
                "key",
                "its secret may hold printable ASCII without spaces alone",
            );
        }
        Some(_) => {}
    }
}
