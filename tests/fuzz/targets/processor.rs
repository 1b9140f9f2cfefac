//! A processor that answers each request as it is planned, and the channel that asks it.

use super::keys::{FOREIGN, PREVIOUS, SECRET, signature};
use super::replies::Call;
use super::wording::ORDER_NO;
use crate::scene::{START, Scene, account, cny};
use oncepay::channels::http::{HttpChannel, HttpChannelSettings};
use oncepay::channels::{Channel, ChargeCall, RefundCall};
use oncepay::clock::{SharedClock, SystemClock};
use oncepay::domain::order::{
    Answer, ChargeStatus, Input, Order, RefundAnswer, RefundRequest, RefundSource, Source,
    Statement,
};
use oncepay::domain::{OrderId, OrderNo, UnixMillis};
use secrecy::SecretString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a reply is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Own,
    /// With the secret of before a rotation.
    Previous,
    None,
    Foreign,
    /// As the answer to another request.
    OtherRequest,
    OtherStatus,
    OtherBody,
    Old,
    /// With two signature headers.
    Twice,
    /// With anything.
    Made,
}

/// What the next reply is.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) status: u16,
    pub(crate) mark: Mark,
    pub(crate) body: Vec<u8>,
    pub(crate) made: String,
    /// The body is all there is: no status line, no headers.
    pub(crate) raw: bool,
}

impl Plan {
    /// Whether it is the processor's own word, and one that means something.
    pub(crate) fn counts(&self) -> bool {
        let own = matches!(self.mark, Mark::Own | Mark::Previous);
        let trouble = (500..=599).contains(&self.status) || self.status == 429;
        own && !self.raw && !trouble
    }

    /// The body as JSON; null where it is none.
    pub(crate) fn body_read(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn written(&self, request_id: &str, clock: &SharedClock) -> Vec<u8> {
        if self.raw {
            return self.body.clone();
        }
        let mut head = format!(
            "HTTP/1.1 {} X\r\ncontent-length: {}\r\n",
            self.status,
            self.body.len()
        );
        head.push_str(&self.signed(request_id, clock));
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }

    fn signed(&self, request_id: &str, clock: &SharedClock) -> String {
        let age = if self.mark == Mark::Old { 301 } else { 0 };
        let timestamp = clock.wall().0.div_euclid(1_000) - age;
        let about = if self.mark == Mark::OtherRequest {
            "msg_other"
        } else {
            request_id
        };
        let status = self.status + u16::from(self.mark == Mark::OtherStatus);
        let mut text = format!("rep_1.{timestamp}.{about}.{status}\n").into_bytes();
        text.extend_from_slice(&self.body);
        if self.mark == Mark::OtherBody {
            text.push(b' ');
        }
        let own = |secret| signature(secret, &text);
        let signatures = match self.mark {
            Mark::None => return String::new(),
            Mark::Previous => own(PREVIOUS),
            Mark::Foreign => own(FOREIGN),
            Mark::Made => self.made.chars().filter(char::is_ascii_graphic).collect(),
            Mark::Own
            | Mark::OtherRequest
            | Mark::OtherStatus
            | Mark::OtherBody
            | Mark::Old
            | Mark::Twice => own(SECRET),
        };
        let mut headers = format!(
            "webhook-id: rep_1\r\nwebhook-timestamp: {timestamp}\r\nwebhook-signature: {signatures}\r\n"
        );
        if self.mark == Mark::Twice {
            headers.push_str(&format!("webhook-signature: {signatures}\r\n"));
        }
        headers
    }
}

#[derive(Default)]
struct Played {
    plan: Option<Plan>,
    /// Requests that were answered by it.
    answered: u32,
}

/// The processor, the channel, and a runtime for its calls.
pub(crate) struct Stage {
    channel: HttpChannel,
    runtime: tokio::runtime::Runtime,
    played: Arc<Mutex<Played>>,
}

static STAGE: LazyLock<Mutex<Stage>> = LazyLock::new(|| Mutex::new(Stage::open()));

impl Stage {
    /// One at a time.
    pub(crate) fn get() -> MutexGuard<'static, Self> {
        STAGE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open() -> Self {
        let clock: SharedClock = SystemClock::start();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let played = Arc::new(Mutex::new(Played::default()));
        let (shared, its_clock) = (Arc::clone(&played), Arc::clone(&clock));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (played, clock) = (Arc::clone(&shared), Arc::clone(&its_clock));
                std::thread::spawn(move || serve(connection, &played, &clock));
            }
        });
        let settings = HttpChannelSettings {
            name: account().channel,
            base_url: format!("http://{address}"),
            secret: SecretString::from(SECRET),
            previous_secret: Some(SecretString::from(PREVIOUS)),
            live: None,
            merchant: None,
            amount_max: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        Self {
            channel: HttpChannel::new(settings, clock).unwrap(),
            runtime: runtime.unwrap(),
            played,
        }
    }

    pub(crate) fn ask(&mut self, call: Call, plan: &Plan) -> Answer {
        let about = charge_call();
        self.until_answered(plan, |channel, runtime| {
            runtime.block_on(match call {
                Call::Query => channel.query(&about),
                Call::Close => channel.close(&about),
                Call::Submit | Call::Refund | Call::QueryRefund => channel.submit(&about),
            })
        })
    }

    pub(crate) fn ask_refund(&mut self, call: Call, plan: &Plan) -> RefundAnswer {
        let about = refund_call();
        self.until_answered(plan, |channel, runtime| {
            runtime.block_on(if call == Call::QueryRefund {
                channel.query_refund(&about)
            } else {
                channel.refund(&about)
            })
        })
    }

    /// A connection of before may break as it is taken up: then the plan was not played, and is played again.
    fn until_answered<T>(
        &mut self,
        plan: &Plan,
        ask: impl Fn(&HttpChannel, &tokio::runtime::Runtime) -> T,
    ) -> T {
        for _ in 0..20 {
            *self.played() = Played {
                plan: Some(plan.clone()),
                answered: 0,
            };
            let answer = ask(&self.channel, &self.runtime);
            let answered = self.played().answered;
            assert!(answered <= 1, "one call made {answered} requests");
            if answered == 1 {
                return answer;
            }
        }
        panic!("the processor was never reached");
    }

    fn played(&self) -> MutexGuard<'_, Played> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(connection: TcpStream, played: &Mutex<Played>, clock: &SharedClock) {
    let Ok(mut out) = connection.try_clone() else {
        return;
    };
    drop(connection.set_nodelay(true));
    let mut requests = BufReader::new(connection);
    while let Some(request_id) = request(&mut requests) {
        let (written, raw) = {
            let mut played = played.lock().unwrap_or_else(PoisonError::into_inner);
            played.answered += 1;
            let Some(plan) = &played.plan else {
                return;
            };
            (plan.written(&request_id, clock), plan.raw)
        };
        if out.write_all(&written).is_err() || raw {
            return;
        }
    }
}

/// Reads one request; its `webhook-id`.
fn request(from: &mut impl BufRead) -> Option<String> {
    let (mut id, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ") {
            match name.to_ascii_lowercase().as_str() {
                "webhook-id" => value.clone_into(&mut id),
                "content-length" => length = value.parse().ok()?,
                _ => {}
            }
        }
    }
    from.take(length).read_to_end(&mut Vec::new()).ok()?;
    Some(id)
}

/// The order that the calls are about.
pub(crate) fn order() -> Order {
    let (order_id, order_no) = (OrderId::from("ord_1"), OrderNo::from(ORDER_NO));
    Order {
        expires_at: START.plus(7_200_000),
        ..Order::unborn(order_id, order_no, account(), cny(1_999), START)
    }
}

fn charge_call() -> ChargeCall {
    ChargeCall::about(&order(), Duration::from_secs(5))
}

fn refund_call() -> RefundCall {
    let order = order();
    RefundCall {
        order_no: order.order_no.0,
        idempotency_key: order.idempotency_key,
        method: String::new(),
        charged: order.money,
        refund_no: "r1".to_owned(),
        trade_no: "T1".to_owned(),
        paid: order.money,
        money: cny(500),
        reason: None,
        channel_ref: None,
        channel_refund_no: None,
        created_at: UnixMillis(0),
        first_sent_at: None,
        notify_url: String::new(),
        timeout: Duration::from_secs(5),
    }
}

/// The order is paid, and a part of it is asked back.
pub(crate) fn pay_and_ask_back(scene: &mut Scene) {
    let paid = Input::Answer {
        source: Source::Reply { submit: 1 },
        answer: Answer::Charge(Statement {
            status: ChargeStatus::Paid,
            order_no: ORDER_NO.to_owned(),
            idempotency_key: None,
            merchant: None,
            money: Some(scene.order.money),
            trade_no: Some("T1".to_owned()),
            reference: None,
            summary: String::new(),
        }),
    };
    scene.apply(&paid).unwrap();
    let asked = Input::RefundRequested(RefundRequest {
        refund_no: "r1".to_owned(),
        amount: 500,
        reason: None,
        trade_no: None,
        source: RefundSource::Merchant,
        key_name: "shop".to_owned(),
    });
    scene.apply(&asked).unwrap();
}
