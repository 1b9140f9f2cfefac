//! One order, its rules, two clocks and the register of open calls: everything around a decision, without IO.

use crate::money_rules::examine_money;
use crate::order_ledger::Ledger;
use crate::rules::{Step, examine};
use oncepay::domain::order::decide::{Context, create, decide};
use oncepay::domain::order::refund::RefundCallKind;
use oncepay::domain::order::{
    Decision, Effect, Fingerprint, Input, Order, OrderStatus, Refusal, Source, granted_at_once,
};
use oncepay::domain::schedule::{Capabilities, LateSuccess, OnRefund, Rules};
use oncepay::domain::{Currency, Money, Now, OrderId, OrderNo, UnixMillis};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const START: UnixMillis = UnixMillis(1_800_000_000_000);

pub(crate) struct Scene {
    pub(crate) order: Order,
    pub(crate) rules: Rules,
    pub(crate) now: Now,
    pub(crate) open: Vec<u32>,
    pub(crate) successor: Option<OrderStatus>,
    /// Keys of all alerts that were ever raised.
    pub(crate) told: BTreeSet<String>,
    /// Every submit that went out, by its number.
    pub(crate) charges: Vec<u32>,
    /// Refunds whose send is out.
    pub(crate) open_refunds: Vec<String>,
    /// Every refund that went out, by its number.
    pub(crate) sent: Vec<String>,
    pub(crate) ledger: Ledger,
    /// Grants are made in the write that queues them, but for this kind, which somebody outside grants too.
    pub(crate) at_once_except: Option<String>,
    next_refund_id: String,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self {
            order: unborn(),
            rules: usual_rules(),
            now: Now {
                wall: START,
                mono_ms: 1_000_000,
                epoch: 1,
            },
            open: Vec::new(),
            successor: None,
            told: BTreeSet::new(),
            charges: Vec::new(),
            open_refunds: Vec::new(),
            sent: Vec::new(),
            ledger: Ledger::default(),
            at_once_except: None,
            next_refund_id: "ref_1".into(),
        }
    }

    pub(crate) fn create(&mut self) -> Decision {
        let decision = create(&self.order, "api:shop", &self.context());
        self.take(&decision);
        decision
    }

    /// Decides, holds the decision against the rules that no path may break, and makes it so.
    pub(crate) fn apply(&mut self, input: &Input) -> Result<Decision, Refusal> {
        if let Input::Answer { source, .. } | Input::TradeTaken { source, .. } = input
            && let Source::Reply { submit } = source
        {
            self.open.retain(|open| open != submit);
        }
        if let Input::RefundReply {
            call: RefundCallKind::Send,
            refund_no,
            ..
        } = input
        {
            self.open_refunds.retain(|open| open != refund_no);
        }
        let context = self.context();
        let outcome = self.decided(input, &context);
        assert_eq!(outcome, self.decided(input, &context), "not deterministic");
        if let Ok(decision) = &outcome {
            let step = Step {
                before: &self.order,
                input,
                context: &context,
                told: &self.told,
                decision,
            };
            examine(&step);
            examine_money(&step);
            self.take(decision);
            self.books_balance();
        }
        outcome
    }

    fn decided(&self, input: &Input, context: &Context<'_>) -> Result<Decision, Refusal> {
        let first = decide(&self.order, input, context)?;
        let Some(outside) = &self.at_once_except else {
            return Ok(first);
        };
        let again = |order: &Order, input: &Input| decide(order, input, context);
        Ok(granted_at_once(
            &self.order,
            first,
            |kind| kind != outside,
            again,
        ))
    }

    /// Whatever the row holds, a decision is made, and the same one again.
    pub(crate) fn decide_twice(&self, input: &Input) {
        let context = self.context();
        let outcome = decide(&self.order, input, &context);
        assert_eq!(outcome, decide(&self.order, input, &context));
    }

    /// When the runtime would wake the order.
    pub(crate) fn wake_at(&self) -> Option<UnixMillis> {
        self.order.timer_at(self.rules.submit_timeout_ms)
    }

    pub(crate) fn pass(&mut self, millis: i64) {
        self.now.wall = self.now.wall.plus(millis);
        self.now.mono_ms += millis;
    }

    /// The process ends, and another one starts: every call is gone.
    pub(crate) fn restart(&mut self) {
        self.now.epoch += 1;
        self.now.mono_ms = 0;
        self.open.clear();
        self.open_refunds.clear();
    }

    fn context(&self) -> Context<'_> {
        Context {
            now: self.now,
            rules: &self.rules,
            open_submits: &self.open,
            open_refunds: &self.open_refunds,
            new_refund_id: &self.next_refund_id,
            successor: self.successor,
        }
    }

    fn take(&mut self, decision: &Decision) {
        self.order = decision.next.clone();
        self.told
            .extend(decision.alerts.iter().map(|alert| alert.key()));
        for effect in &decision.effects {
            match effect {
                Effect::Submit { n } => {
                    self.open.push(*n);
                    self.charges.push(*n);
                }
                Effect::Refund { refund_no } => {
                    self.open_refunds.push(refund_no.clone());
                    self.sent.push(refund_no.clone());
                }
                Effect::Query | Effect::Close | Effect::QueryRefund { .. } => {}
            }
        }
        for posting in &decision.postings {
            self.ledger.take(posting);
        }
        self.next_refund_id = format!("ref_{}", self.order.refunds.len() + 1);
    }

    /// The ledger holds what the row says that was granted and not taken back.
    fn books_balance(&self) {
        for kept in &self.order.entitlements {
            let granted = if kept.granted {
                kept.quantity - kept.revoked
            } else {
                0
            };
            assert_eq!(self.ledger.balance(&kept.kind), granted, "{kept:?}");
            assert_eq!(self.ledger.held(&kept.kind), kept.held, "{kept:?}");
        }
    }
}

pub(crate) fn account() -> Fingerprint {
    Fingerprint {
        channel: "alipay".into(),
        merchant: "M1".into(),
        live: true,
    }
}

/// A channel that charges once for a key, can be asked again for a day, and closes.
pub(crate) fn usual_rules() -> Rules {
    Rules {
        capabilities: Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: Some(24 * 3_600_000),
            closes: true,
            refunds: true,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        },
        fingerprint: Some(account()),
        late_success: LateSuccess::Manual,
        on_refund: OnRefund::Debt,
        ui_deadline_ms: 60_000,
        submit_timeout_ms: 3_000,
        query_timeout_ms: 3_000,
        read_timeout_ms: 30_000,
        schedule_ms: vec![60_000, 300_000, 900_000],
        pending_schedule_ms: vec![30_000, 60_000],
        expiry_attempts: 3,
        expiry_margin_ms: 600_000,
        startup_grace_ms: 120_000,
        not_found_grace_ms: 30_000,
        max_submits: 2,
        second_person_above: BTreeMap::new(),
    }
}

pub(crate) fn cny(amount: i64) -> Money {
    Money::new(amount, Currency::parse("CNY").unwrap())
}

fn unborn() -> Order {
    let (order_id, order_no) = (OrderId::from("ord_1"), OrderNo::from("A-1"));
    Order {
        method: "qr".into(),
        subject: "VIP+".into(),
        expires_at: START.plus(2 * 3_600_000),
        ..Order::unborn(order_id, order_no, account(), cny(1999), START)
    }
}
