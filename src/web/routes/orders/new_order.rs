//! The body of a create: every field read and judged before anything begins.

use crate::actors::NewOrder;
use crate::channels::{Admission, Channel};
use crate::domain::order::{Entitlement, EntitlementStatus};
use crate::domain::{Currency, Money, OrderNo};
use crate::web::form::{Form, as_text};
use crate::web::json::Object;
use crate::web::language::Text;
use crate::web::problem::FieldError;
use crate::web::state::Shared;
use crate::web::{return_url, rules};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// The largest whole number that every reader of JSON keeps exactly.
pub(crate) const AMOUNT_MAX: i64 = 9_007_199_254_740_991;
pub(crate) const QUANTITY_MAX: i64 = 1_000_000_000_000;
pub(crate) const EXPIRES_IN_MAX_S: i64 = 2_592_000;
const EXPIRES_IN_DEFAULT_S: i64 = 7200;
const ENTITLEMENTS_MAX: usize = 20;
const METADATA_MAX: usize = 20;

/// The order that a form asks for, without its caller; every fault is noted in the form.
pub(super) fn read(form: &mut Form<'_>, shared: &Shared) -> Option<NewOrder> {
    let order_no = form.required_text("order_no", rules::order_no);
    let channel = form
        .required_text("channel", |_any| None)
        .and_then(|name| configured(form, shared, name));
    let method = form.text("method", rules::word);
    let amount = form.required_whole("amount", 1, AMOUNT_MAX);
    let currency = form.required_text("currency", rules::currency);
    let subject = form.required_text("subject", rules::plain(1, 128));
    let account = form.text("account", rules::name);
    let entitlements = entitlements(form, account.is_some());
    let metadata = metadata(form);
    let hosts = &shared.settings.server.return_hosts;
    let return_url = form.text("return_url", |text| return_url::check(text, hosts));
    let payer = form.text("payer", rules::plain(1, 128));
    let replaces = form.text("replaces", rules::order_no);
    if replaces.is_some() && replaces == order_no {
        let message = Text::new("must name another order", "必须是另一笔订单");
        form.refuse("replaces", message);
    }
    let expires_in_s = form.whole("expires_in", 1, EXPIRES_IN_MAX_S);
    let channel = channel?;
    let order = NewOrder {
        order_no: OrderNo(order_no?),
        channel: channel.name().to_owned(),
        method: method.unwrap_or_else(|| channel.default_method().to_owned()),
        money: Money::new(amount?, Currency::parse(&currency?)?),
        subject: subject?,
        account,
        entitlements,
        metadata,
        return_url,
        payer,
        replaces: replaces.map(OrderNo),
        expires_in_s: expires_in_s.unwrap_or(EXPIRES_IN_DEFAULT_S),
        by: String::new(),
        idempotency: None,
    };
    admit(form, channel, &order);
    Some(order)
}

fn configured<'a>(
    form: &mut Form<'_>,
    shared: &'a Shared,
    name: String,
) -> Option<&'a dyn Channel> {
    let channel = shared.channels.get(&name);
    if channel.is_none() {
        form.refuse("channel", Text::new("is not configured", "未配置该渠道"));
    }
    channel.map(AsRef::as_ref)
}

/// Asks the channel whether it can carry the order.
fn admit(form: &mut Form<'_>, channel: &dyn Channel, order: &NewOrder) {
    let admission = Admission {
        order_no: order.order_no.as_str(),
        method: &order.method,
        money: order.money,
        subject: &order.subject,
        expires_in_s: order.expires_in_s,
    };
    if let Err(refusal) = channel.admits(&admission) {
        form.refuse(refusal.field, Text::as_is(refusal.message));
    }
}

fn entitlements(form: &mut Form<'_>, has_account: bool) -> Vec<Entitlement> {
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
        (Some(kind), Some(quantity)) if errors.is_empty() => Ok(Entitlement {
            kind,
            quantity,
            status: EntitlementStatus::Pending,
        }),
        _ => Err(errors),
    }
}

fn metadata(form: &mut Form<'_>) -> BTreeMap<String, String> {
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
