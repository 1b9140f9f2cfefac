//! The directives at the end of a charge's `subject` that script what the sandbox does with it.

use std::time::Duration;

/// What a charge is scripted to do. The default is an honest processor: paid at once, one callback.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// What becomes of the charge at its submit.
    pub outcome: Outcome,
    /// `#delay=70s[:n]`: the reply to a submit is late; the charge has landed before.
    pub delay: Option<(Duration, Times)>,
    /// `#land-after=5s`: the charge lands so long after its submit arrived, and is not found before.
    pub land_after: Option<Duration>,
    /// `#lost-request[=n]`: nothing lands and the connection is dropped.
    pub lost_request: Times,
    /// `#lost-reply[=n]`: the charge lands and the connection is dropped without an answer.
    pub lost_reply: Times,
    /// `#unsigned[=n]`: replies to submits carry no signature.
    pub unsigned: Times,
    /// `#http=500[:n]` answers a submit with this status; `#http=500-charged[:n]` charges first.
    pub http: Option<HttpFault>,
    /// `#decline-submit=2`: the reply to the second submit says DECLINED, whatever has landed before.
    pub decline_submit: Option<u32>,
    /// `#query=unknown|timeout|not-found|unsigned[:n]`.
    pub query: Option<(Fault, Times)>,
    /// `#close=unknown|timeout|not-found|unsigned|refuse[:n]`.
    pub close: Option<(Fault, Times)>,
    /// `#pay-after=5s`: it is paid then, with its callback; until then it is pending, or what is said beside.
    pub pay_after: Option<Duration>,
    /// `#late-success`: it can be paid even after it was closed, declined or expired.
    pub late_success: bool,
    /// `#pay-twice`: the payer pays a second time; another trade with a notice of its own.
    pub pay_twice: bool,
    /// `#callbacks=5`: the same notice so many times at once; `#no-callback`: none.
    pub callbacks: Callbacks,
    /// `#callback-delay=3s`.
    pub callback_delay: Option<Duration>,
    /// What replies and callbacks say instead of the truth.
    pub lies: Lies,
    /// `#refund=pending|failed|unknown`, and `#refund-after=5s` settles one that is pending.
    pub refund: RefundOutcome,
    pub refund_after: Option<Duration>,
    /// What looked like a directive and is none: ignored, and listed in the ledger.
    pub unknown: Vec<String>,
}

/// What becomes of a charge when it lands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    #[default]
    Paid,
    /// `#declined`
    Declined,
    /// `#pending`: a QR code is returned.
    Pending,
    /// `#processing`
    Processing,
}

/// How many of the calls a fault touches, counted per key from the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Times {
    #[default]
    Never,
    First(u32),
    Always,
}

/// `#http=…`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpFault {
    pub status: u16,
    pub charged: bool,
    pub times: Times,
}

/// What is wrong with the answer to a query or a close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// 500 without a signature.
    Unknown,
    /// It is never answered.
    Timeout,
    /// A signed 404, although the charge is there.
    NotFound,
    /// The truth, without a signature.
    Unsigned,
    /// Of a close: a signed 409 `cannot_close`.
    Refuse,
}

/// How often a notice is sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Callbacks(pub u32);

impl Default for Callbacks {
    fn default() -> Self {
        Self(1)
    }
}

/// Fields that replies and callbacks get wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lies {
    /// `#wrong-amount=1`
    pub amount: Option<i64>,
    /// `#wrong-currency=USD`
    pub currency: Option<String>,
    /// `#wrong-key=other`
    pub key: Option<String>,
    /// `#wrong-order=other`
    pub order_no: Option<String>,
    /// `#status=FROZEN`: while it is not paid, its status is called so.
    pub status: Option<String>,
}

/// What becomes of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RefundOutcome {
    #[default]
    Succeeded,
    Pending,
    Failed,
    /// 500, and nothing was refunded.
    Unknown,
}

impl Times {
    /// Whether call `n` (from 1) is touched.
    #[must_use]
    pub const fn include(self, n: u32) -> bool {
        match self {
            Self::Never => false,
            Self::First(count) => n <= count,
            Self::Always => true,
        }
    }

    fn parse(text: Option<&str>) -> Option<Self> {
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

    /// Whether call `n` of a kind that is scripted so is touched, and how.
    #[must_use]
    pub fn fault(scripted: Option<(Fault, Times)>, n: u32) -> Option<Fault> {
        scripted.and_then(|(fault, times)| times.include(n).then_some(fault))
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
            "late-success" => self.late_success = true,
            _ => return None,
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
            "callbacks" => self.callbacks = Callbacks(value.parse().ok()?),
            "callback-delay" => self.callback_delay = Some(duration(value)?),
            "wrong-amount" => self.lies.amount = Some(value.parse().ok()?),
            "wrong-currency" => self.lies.currency = Some(value.to_owned()),
            "wrong-key" => self.lies.key = Some(value.to_owned()),
            "wrong-order" => self.lies.order_no = Some(value.to_owned()),
            "status" => {
                self.lies.status = Some(value.to_owned());
                self.outcome = Outcome::Processing;
            }
            "refund" => self.refund = refund_outcome(value)?,
            "refund-after" => self.refund_after = Some(duration(value)?),
            _ => return None,
        }
        Some(())
    }
}

/// `value:n` → `(value, Some(n))`.
fn counted(value: &str) -> (&str, Option<&str>) {
    value
        .split_once(':')
        .map_or((value, None), |(head, count)| (head, Some(count)))
}

/// `300ms`, `5s`, `2m`, `1h`.
fn duration(text: &str) -> Option<Duration> {
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

fn fault(word: &str) -> Option<Fault> {
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

fn refund_outcome(word: &str) -> Option<RefundOutcome> {
    match word {
        "pending" => Some(RefundOutcome::Pending),
        "failed" => Some(RefundOutcome::Failed),
        "unknown" => Some(RefundOutcome::Unknown),
        _ => None,
    }
}
