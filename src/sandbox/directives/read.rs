//! Reads directives: words at the end of a subject that begin with `#`, `#name` or `#name=value`.

use super::{Callbacks, Fault, HttpFault, Outcome, RefundOutcome, Script, Times};
use std::time::Duration;

impl Times {
    pub(super) fn parse(text: Option<&str>) -> Option<Self> {
        match text {
            None => Some(Self::Always),
            Some(count) => count.parse().ok().map(Self::First),
        }
    }
}

impl Script {
    /// Reads the words at the end of `subject` that begin with `#`.
    #[must_use]
    pub fn parse(subject: &str) -> Self {
        let mut script = Self::default();
        if !subject.contains('#') {
            return script;
        }
        let words: Vec<&str> = subject.split_whitespace().collect();
        let is_plain = |word: &&str| !word.starts_with('#');
        let first = words
            .iter()
            .rposition(is_plain)
            .map_or(0, |at| at.saturating_add(1));
        for word in words.into_iter().skip(first) {
            if script.apply(word.trim_start_matches('#')).is_none() {
                script.unknown.push(word.to_owned());
            }
        }
        if script.pay_after.is_some() && script.outcome == Outcome::Paid {
            script.outcome = Outcome::Pending;
        }
        script
    }

    fn apply(&mut self, word: &str) -> Option<()> {
        match word.split_once('=') {
            None => self.apply_flag(word),
            Some((name, value)) => self
                .apply_charge(name, value)
                .or_else(|| self.apply_rest(name, value)),
        }
    }

    fn apply_flag(&mut self, name: &str) -> Option<()> {
        match name {
            "declined" => self.outcome = Outcome::Declined,
            "pending" => self.outcome = Outcome::Pending,
            "processing" => self.outcome = Outcome::Processing,
            "lost-request" => self.lost_request = Times::Always,
            "lost-reply" => self.lost_reply = Times::Always,
            "unsigned" => self.unsigned = Times::Always,
            "no-callback" => self.callbacks = Callbacks(0),
            "pay-twice" => self.pay_twice = true,
            "every-submit-charges" => self.every_submit_charges = true,
            "late-success" => self.late_success = true,
            other => return self.refund_faults.apply_flag(other),
        }
        Some(())
    }

    fn apply_charge(&mut self, name: &str, value: &str) -> Option<()> {
        let (head, count) = counted(value);
        match name {
            "delay" => self.delay = Some((duration(head)?, Times::parse(count)?)),
            "land-after" => self.land_after = Some(duration(value)?),
            "lost-request" => self.lost_request = Times::First(value.parse().ok()?),
            "lost-reply" => self.lost_reply = Times::First(value.parse().ok()?),
            "unsigned" => self.unsigned = Times::First(value.parse().ok()?),
            "http" => self.http = Some(http_fault(head, count)?),
            "decline-submit" => self.decline_submit = Some(value.parse().ok()?),
            "query" => self.query = Some((fault(head)?, Times::parse(count)?)),
            "close" => self.close = Some((close_fault(head)?, Times::parse(count)?)),
            "pay-after" => self.pay_after = Some(duration(value)?),
            _ => return None,
        }
        Some(())
    }

    fn apply_rest(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "callbacks" => {
                let copies = value.parse().ok().filter(|it| *it <= Callbacks::MAX);
                self.callbacks = Callbacks(copies?);
            }
            "callback-delay" => self.callback_delay = Some(duration(value)?),
            "wrong-amount" => self.lies.amount = Some(value.parse().ok()?),
            "wrong-currency" => self.lies.currency = Some(value.to_owned()),
            "wrong-key" => self.lies.key = Some(value.to_owned()),
            "wrong-order" => self.lies.order_no = Some(value.to_owned()),
            "status" => {
                self.lies.status = Some(value.to_owned());
                self.outcome = Outcome::Processing;
            }
            "refund" => self.refund = RefundOutcome::parse(value)?,
            "refund-after" => self.refund_after = Some(duration(value)?),
            other => return self.refund_faults.apply(other, value),
        }
        Some(())
    }
}

/// `value:n` → `(value, Some(n))`.
pub(super) fn counted(value: &str) -> (&str, Option<&str>) {
    value
        .split_once(':')
        .map_or((value, None), |(head, count)| (head, Some(count)))
}

/// `300ms`, `5s`, `2m`, `1h`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let (number, unit_ms) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1)
    } else if let Some(number) = text.strip_suffix('s') {
        (number, 1000)
    } else if let Some(number) = text.strip_suffix('m') {
        (number, 60_000)
    } else {
        (text.strip_suffix('h')?, 3_600_000)
    };
    let millis = number.parse::<u64>().ok()?.checked_mul(unit_ms)?;
    Some(Duration::from_millis(millis))
}

fn http_fault(head: &str, count: Option<&str>) -> Option<HttpFault> {
    let (status, charged) = head
        .strip_suffix("-charged")
        .map_or((head, false), |status| (status, true));
    let status: u16 = status.parse().ok()?;
    (300..=599).contains(&status).then_some(HttpFault {
        status,
        charged,
        times: Times::parse(count)?,
    })
}

pub(super) fn fault(word: &str) -> Option<Fault> {
    match word {
        "unknown" => Some(Fault::Unknown),
        "timeout" => Some(Fault::Timeout),
        "not-found" => Some(Fault::NotFound),
        "unsigned" => Some(Fault::Unsigned),
        _ => None,
    }
}

fn close_fault(word: &str) -> Option<Fault> {
    match word {
        "refuse" => Some(Fault::Refuse),
        other => fault(other),
    }
}
