//! The nested parts of a create: what the payer gets, and the merchant's own notes.

use crate::domain::order::Entitlement;
use crate::web::form::{Form, as_text};
use crate::web::json::Object;
use crate::web::language::Text;
use crate::web::problem::FieldError;
use crate::web::rules;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

const ENTITLEMENTS_MAX: usize = 20;
const METADATA_MAX: usize = 20;
const QUANTITY_MAX: i64 = 1_000_000_000_000;

pub(super) fn entitlements(form: &mut Form<'_>, has_account: bool) -> Vec<Entitlement> {
    let Some(raw) = form.raw("entitlements") else {
        return Vec::new();
    };
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
        form.refuse("entitlements", Text::new("must be an array", "必须是数组"));
        return Vec::new();
    };
    if items.len() > ENTITLEMENTS_MAX {
        let message = Text::new("must hold at most 20 items", "最多包含 20 项");
        form.refuse("entitlements", message);
        return Vec::new();
    }
    if !items.is_empty() && !has_account {
        let message = Text::new("is required with entitlements", "有权益时为必填项");
        form.refuse("account", message);
    }
    let mut kinds = BTreeSet::new();
    let mut read = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        match entitlement(index, item, &mut kinds) {
            Ok(entitlement) => read.push(entitlement),
            Err(errors) => form.refuse_all(errors),
        }
    }
    read
}

fn entitlement(
    index: usize,
    raw: &RawValue,
    kinds: &mut BTreeSet<String>,
) -> Result<Entitlement, Vec<FieldError>> {
    let place = format!("entitlements[{index}]");
    let Some(object) = Object::of(raw) else {
        let message = Text::new("must be an object", "必须是对象");
        return Err(vec![FieldError::new(place, message)]);
    };
    let mut form = Form::at(format!("{place}."), object);
    let kind = form.required_text("kind", rules::name);
    let quantity = form.required_whole("quantity", 1, QUANTITY_MAX);
    if let Some(kind) = &kind
        && !kinds.insert(kind.clone())
    {
        let message = Text::new("stands here twice", "种类重复");
        form.refuse("kind", message);
    }
    let errors = form.into_errors();
    match (kind, quantity) {
        (Some(kind), Some(quantity)) if errors.is_empty() => Ok(Entitlement::new(kind, quantity)),
        _ => Err(errors),
    }
}

pub(super) fn metadata(form: &mut Form<'_>) -> BTreeMap<String, String> {
    let Some(raw) = form.raw("metadata") else {
        return BTreeMap::new();
    };
    let Some(object) = Object::of(raw) else {
        form.refuse("metadata", Text::new("must be an object", "必须是对象"));
        return BTreeMap::new();
    };
    if object.fields.len() > METADATA_MAX {
        let message = Text::new("must hold at most 20 entries", "最多包含 20 项");
        form.refuse("metadata", message);
        return BTreeMap::new();
    }
    for key in &object.repeated {
        let message = Text::new("is given more than once", "重复出现");
        form.refuse(&format!("metadata.{key}"), message);
    }
    let mut read = BTreeMap::new();
    for (key, value) in object.fields {
        match metadata_value(&key, value) {
            Ok(text) => drop(read.insert(key, text)),
            Err(message) => form.refuse(&format!("metadata.{key}"), message),
        }
    }
    read
}

fn metadata_value(key: &str, raw: &RawValue) -> Result<String, Text> {
    if rules::plain(1, 64)(key).is_some() {
        return Err(Text::new(
            "its key must have 1 to 64 characters and no control characters",
            "键名长度必须为 1 到 64 个字符且不含控制字符",
        ));
    }
    let text = as_text(raw)?;
    match rules::plain(0, 256)(&text) {
        Some(message) => Err(message),
        None => Ok(text),
    }
}
