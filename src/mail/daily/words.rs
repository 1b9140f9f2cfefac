//! What a daily mail says, line by line.

use super::{Case, Failing, Line, Report, Section, Standing, Sum};
use crate::domain::{Currency, Money};
use crate::moment::rfc3339;

pub(super) fn headline(report: &Report) -> String {
    let paid: i64 = report
        .paid
        .iter()
        .fold(0, |all, sum| all.saturating_add(sum.count));
    let waiting = report
        .manual_orders
        .count()
        .saturating_add(report.manual_refunds.count());
    let waits = match waiting {
        0 => "nothing waits for a person".to_owned(),
        1 => "1 case waits for a person".to_owned(),
        more => format!("{more} cases wait for a person"),
    };
    format!("{}: {} paid, {waits}", report.day, orders(paid))
}

pub(super) fn sections(report: &Report, public_url: &str) -> Vec<Section> {
    vec![
        money("Orders paid on the day (UTC)", &report.paid),
        money("Refunds that succeeded", &report.refunded),
        money(
            "Second payments, and payments that did not match",
            &report.second_payments,
        ),
        standing(
            "Orders that wait for a person (MANUAL)",
            &report.manual_orders,
            public_url,
        ),
        standing(
            "Refunds that wait for a person (MANUAL)",
            &report.manual_refunds,
            public_url,
        ),
        standing(
            "Orders whose payment is not known (UNKNOWN)",
            &report.unknown,
            public_url,
        ),
        failing("Webhooks that fail", report.deliveries),
        failing("Grants that fail", report.grants),
        audit(&report.audit_head),
    ]
}

fn orders(count: i64) -> String {
    if count == 1 {
        "1 order".to_owned()
    } else {
        format!("{count} orders")
    }
}

fn plain(text: String) -> Line {
    Line { text, more: None }
}

fn money(title: &'static str, sums: &[Sum]) -> Section {
    let lines = sums.iter().map(|sum| {
        let amount = match Currency::parse(&sum.currency) {
            Some(currency) => Money::new(sum.amount, currency).to_string(),
            None => format!("{} {}", sum.amount, sum.currency),
        };
        plain(format!("{}: {}, {amount}", sum.channel, sum.count))
    });
    section(title, lines.collect())
}

fn standing(title: &'static str, standing: &Standing, public_url: &str) -> Section {
    let mut lines = Vec::new();
    if standing.count() > 0 {
        let [young, days, old] = standing.ages;
        lines.push(plain(format!(
            "{young} for less than a day, {days} for one to three days, {old} for longer; the oldest:"
        )));
    }
    lines.extend(standing.oldest.iter().map(|case| open(case, public_url)));
    section(title, lines)
}

fn open(case: &Case, public_url: &str) -> Line {
    let order = format!("order {}", case.order_no);
    let what = match &case.refund_no {
        Some(refund_no) => format!("refund {refund_no} of {order}"),
        None => order,
    };
    let link = match &case.refund_no {
        Some(refund_no) => {
            format!(
                "{public_url}/v1/orders/{}/refunds/{refund_no}",
                case.order_id
            )
        }
        None => format!("{public_url}/v1/orders/{}", case.order_id),
    };
    Line {
        text: format!("{what}, since {}", rfc3339(case.since)),
        more: Some((format!("oncepay orders show {}", case.order_no), link)),
    }
}

fn failing(title: &'static str, failing: Failing) -> Section {
    let mut lines = Vec::new();
    if failing.retried > 0 {
        lines.push(plain(format!(
            "{} have failed three times or more and are tried again",
            failing.retried
        )));
    }
    if failing.given_up > 0 {
        lines.push(plain(format!("{} were given up", failing.given_up)));
    }
    section(title, lines)
}

fn audit(head: &str) -> Section {
    Section {
        title: "Audit log",
        lines: vec![
            plain(format!("head {head}")),
            plain(format!(
                "Keep this mail: `oncepay audit verify --head {head}` tells whether rows were cut off since."
            )),
        ],
    }
}

fn section(title: &'static str, lines: Vec<Line>) -> Section {
    let lines = if lines.is_empty() {
        vec![plain("none".to_owned())]
    } else {
        lines
    };
    Section { title, lines }
}
