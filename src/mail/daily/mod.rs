//! The mail of a day: what came in and went out, and what stands open.

mod words;

use super::Mail;
use crate::domain::UnixMillis;
use html_escape::encode_quoted_attribute as escape;

/// Open cases that are told one by one, the oldest.
pub const CASES_LISTED: usize = 5;
const DAY_MS: i64 = 86_400_000;

/// What a daily mail tells. Everything in it is typed: it holds no free text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The day that is told of, such as `2026-08-01`.
    pub day: String,
    pub paid: Vec<Sum>,
    pub refunded: Vec<Sum>,
    pub second_payments: Vec<Sum>,
    pub manual_orders: Standing,
    pub manual_refunds: Standing,
    pub unknown: Standing,
    pub deliveries: Failing,
    pub grants: Failing,
    /// `SEQ:MAC` of the audit log's newest row.
    pub audit_head: String,
}

/// Money of one channel and currency, in minor units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    pub channel: String,
    pub currency: String,
    pub count: i64,
    pub amount: i64,
}

/// Cases that stand open, by age.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// For less than a day, for one to three days, for longer.
    pub ages: [usize; 3],
    pub oldest: Vec<Case>,
}

/// An order, or a refund of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub order_id: String,
    pub order_no: String,
    pub refund_no: Option<String>,
    pub since: UnixMillis,
}

/// How much of the outbox fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failing {
    pub retried: u64,
    pub given_up: u64,
}

impl Standing {
    /// These, which must come with the oldest first, as they stand at `now`.
    #[must_use]
    pub fn of(cases: Vec<Case>, now: UnixMillis) -> Self {
        let mut ages = [0_usize; 3];
        for case in &cases {
            let [young, days, old] = &mut ages;
            let age = match now.since(case.since) {
                ..DAY_MS => young,
                DAY_MS..259_200_000 => days,
                259_200_000.. => old,
            };
            *age = age.saturating_add(1);
        }
        let mut oldest = cases;
        oldest.truncate(CASES_LISTED);
        Self { ages, oldest }
    }

    pub(super) fn count(&self) -> usize {
        self.ages.iter().sum()
    }
}

/// One part of the mail: a title, lines, and what shows more.
struct Section {
    title: &'static str,
    lines: Vec<Line>,
}

struct Line {
    text: String,
    /// At a shell of the server, and with an API key.
    more: Option<(String, String)>,
}

/// The mail of this report. `public_url` has no slash at its end.
#[must_use]
pub fn render_daily(report: &Report, public_url: &str, message_id: &str, at: UnixMillis) -> Mail {
    let headline = words::headline(report);
    let sections = words::sections(report, public_url);
    Mail {
        message_id: message_id.to_owned(),
        subject: format!("[oncepay] {headline}"),
        text: text(&headline, &sections),
        html: html(&headline, &sections),
        at,
    }
}

fn text(headline: &str, sections: &[Section]) -> String {
    let mut body = format!("{headline}\n");
    for section in sections {
        body.push_str(&format!("\n{}\n", section.title));
        for line in &section.lines {
            body.push_str(&format!("  {}\n", line.text));
            if let Some((command, link)) = &line.more {
                body.push_str(&format!(
                    "    On the server: {command}\n    With an API key: {link}\n"
                ));
            }
        }
    }
    body
}

fn html(headline: &str, sections: &[Section]) -> String {
    let sections: String = sections.iter().map(html_section).collect();
    format!(
        "<!doctype html><html lang=\"en\"><body style=\"{}\"><h1 style=\"font-size:17px\">{}</h1>{sections}</body></html>",
        super::html::STYLE,
        escape(headline)
    )
}

fn html_section(section: &Section) -> String {
    let lines: String = section
        .lines
        .iter()
        .map(|line| {
            let more = line.more.as_ref().map(|(command, link)| {
                let link = escape(link);
                format!(
                    "<br>On the server: <code>{}</code>; with an API key: <a href=\"{link}\">{link}</a>",
                    escape(command)
                )
            });
            format!("<li>{}{}</li>", escape(&line.text), more.unwrap_or_default())
        })
        .collect();
    format!(
        "<h2 style=\"font-size:15px;margin:20px 0 4px\">{}</h2><ul style=\"margin:4px 0\">{lines}</ul>",
        escape(section.title)
    )
}
