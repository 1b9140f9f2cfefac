//! The body of a create: every field read and judged before anything begins.

use super::new_order_parts::{entitlements, metadata};
use crate::actors::NewOrder;
use crate::channels::{Admission, Channel};
use crate::domain::{Currency, Money, OrderNo};
use crate::web::form::Form;
use crate::web::language::Text;
use crate::web::return_url;
use crate::web::rules::{self, AMOUNT_MAX};
use crate::web::state::Shared;

const EXPIRES_IN_MAX_S: i64 = 2_592_000;
const EXPIRES_IN_DEFAULT_S: i64 = 7200;

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
    let account = form.text("account", rules::path_name);
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
    admit(form, shared, &order);
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

/// Asks whether the channel can carry the order, within its limits.
fn admit(form: &mut Form<'_>, shared: &Shared, order: &NewOrder) {
    let admission = Admission {
        order_no: order.order_no.as_str(),
        method: &order.method,
        money: order.money,
        subject: &order.subject,
        expires_in_s: order.expires_in_s,
        payer: order.payer.as_deref(),
    };
    if let Err(refusal) = shared.gateway.admits(&order.channel, &admission) {
        form.refuse(refusal.field, Text::as_is(refusal.message));
    }
}
