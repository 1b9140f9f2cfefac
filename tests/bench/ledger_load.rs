//! Callers that grant and debit as fast as they are answered.

use super::ledger_rows::{Rows, account, url};
use oncepay::clock::{SystemClock, new_id};
use oncepay::config::Settings;
use oncepay::domain::ledger::Request;
use oncepay::domain::order::{
    Event, EventDetail, EventKind, Fingerprint, Order, OrderStatus, Posting,
};
use oncepay::domain::{Currency, EventId, Money, OrderId, OrderNo, UnixMillis};
use oncepay::runtime::Runtime;
use oncepay::store::audit::AuditKey;
use oncepay::store::journal::JournalKind;
use oncepay::store::{Committed, Database, DatabaseSettings, Journal, Urgency, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    Grants,
    Debits,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
}

/// A number of its own for each piece of work, spread over the accounts by a multiplier without a pattern.
static NUMBER: AtomicU64 = AtomicU64::new(1);

fn next(accounts: u64) -> (u64, String) {
    let n = NUMBER.fetch_add(1, Ordering::Relaxed);
    let spread = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    (n, account(spread % accounts))
}

impl Load {
    /// How much of it is done a second.
    pub(crate) async fn run(&self, folder: &Path, rows: &Rows, work: Work, callers: usize) -> f64 {
        match work {
            Work::Grants => self.grants(folder, rows.accounts, callers).await,
            Work::Debits => self.debits(folder, rows.accounts, callers).await,
        }
    }

    async fn grants(&self, folder: &Path, accounts: u64, callers: usize) -> f64 {
        let settings = DatabaseSettings {
            url: url(folder),
            readers: 1,
        };
        let database = Database::open(&settings).await.expect("it opens");
        let epoch = database.next_epoch(UnixMillis(1)).await.expect("an epoch");
        let (clock, key) = (SystemClock::start(), AuditKey::new([7; 32]));
        let journal = Journal::start(&database, epoch, JournalKind::Grouped, clock, key);
        let one = journal.clone();
        let done = self
            .called(callers, move || {
                let journal = one.clone();
                async move {
                    let (n, account) = next(accounts);
                    let committed = journal.commit(grant(n, account), Urgency::Assured).await;
                    assert_eq!(committed, Ok(Committed::Done));
                }
            })
            .await;
        journal.close().await;
        database.close().await;
        done
    }

    async fn debits(&self, folder: &Path, accounts: u64, callers: usize) -> f64 {
        let text = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"{}\"\n[database]\nurl = \"{}\"\n",
            folder.display(),
            url(folder)
        );
        let settings = Settings::from_text(&text).expect("the bench's configuration");
        let runtime = Runtime::builder(settings).start().await.expect("it starts");
        let gateway = runtime.gateway().clone();
        let done = self
            .called(callers, move || {
                let gateway = gateway.clone();
                async move {
                    let (n, account) = next(accounts);
                    let debit = Request::Debit {
                        debit_no: format!("job-{}", new_id(&format!("{n:07}"))),
                        kind: "credits".to_owned(),
                        quantity: 17,
                        reason: None,
                    };
                    let moved = gateway.account(&account, debit).await;
                    moved.expect("it is booked");
                }
            })
            .await;
        runtime.stop().await;
        done
    }

    async fn called<F: Future<Output = ()> + 'static>(
        &self,
        callers: usize,
        call: impl Fn() -> F + 'static,
    ) -> f64 {
        let begins = Instant::now() + self.warm_up;
        let ends = begins + self.measured;
        let call = Rc::new(call);
        let callers: Vec<_> = (0..callers)
            .map(|_| {
                let call = Rc::clone(&call);
                actix_web::rt::spawn(async move {
                    let mut done = 0_u64;
                    while Instant::now() < ends {
                        call().await;
                        let now = Instant::now();
                        done += u64::from(now >= begins && now < ends);
                    }
                    done
                })
            })
            .collect();
        let mut done = 0;
        for caller in callers {
            done += caller.await.expect("a caller ends");
        }
        done as f64 / self.measured.as_secs_f64()
    }
}

/// An order that is paid and grants its credits in the same write.
fn grant(n: u64, account: String) -> Write {
    let fingerprint = Fingerprint {
        channel: "sandbox".into(),
        merchant: "m-1".into(),
        live: false,
    };
    let order_no = format!("{}-{n}", new_id("g"));
    let money = Money::new(1999, Currency::parse("CNY").expect("a currency"));
    let at = UnixMillis(1_760_000_000_000);
    let order = Order {
        method: "direct".into(),
        subject: "VIP+".into(),
        status: OrderStatus::Paid,
        version: 1,
        event_seq: 1,
        account: Some(account.clone()),
        expires_at: at.plus(7_200_000),
        ..Order::unborn(
            OrderId(new_id("ord")),
            OrderNo::from(order_no.as_str()),
            fingerprint,
            money,
            at,
        )
    };
    let event = Event {
        kind: EventKind::Created,
        by: "api:bench".into(),
        from: None,
        to: order.status,
        detail: EventDetail::default(),
        digest: None,
    };
    Write {
        decision_id: EventId(new_id("evt")),
        expected_version: None,
        wake_at: None,
        order,
        events: vec![event],
        payments: Vec::new(),
        alerts: Vec::new(),
        resolves_alerts: false,
        resolved_alerts: Vec::new(),
        refunds: Vec::new(),
        postings: vec![Posting {
            account,
            kind: "credits".into(),
            quantity: 1000,
            source: format!("order:{order_no}"),
            held: None,
        }],
        fulfilments: Vec::new(),
        deliveries: Vec::new(),
        audit: None,
        daily_limit: None,
        subscription_period_ms: 0,
        callback: None,
        idempotency: None,
        unless_replaced: false,
        at,
    }
}
