//! A merchant's app that sells reports by the piece, to programs: its route knows nothing of payments.

use actix_web::dev::ServerHandle;
use actix_web::web::{Data, Path, get, resource};
use actix_web::{App, HttpResponse, HttpServer};
use oncepay::clock::{Clock, SharedClock, SystemClock};
use oncepay::domain::UnixMillis;
use oncepay::{Currency, Money, PayPerUseTerms, Runtime, Settings};
use reqwest::header::HeaderMap;
use reqwest::{Client, StatusCode};
use std::path::Path as File;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the route does with the reports it is asked for.
#[derive(Default)]
pub(crate) struct Desk {
    /// How many it has begun to write.
    pub(crate) written: AtomicUsize,
    /// Statuses that the next ones are answered with, instead of a report.
    pub(crate) failing: Mutex<Vec<u16>>,
    /// Milliseconds that each takes.
    pub(crate) slowly: AtomicUsize,
    /// What happens when the next one is written and has not gone out.
    pub(crate) before_answering: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

/// A clock that tests put forward.
pub(crate) struct Ahead {
    clock: SharedClock,
    pub(crate) by_ms: AtomicI64,
}

impl Ahead {
    pub(crate) fn start() -> Arc<Self> {
        Arc::new(Self {
            clock: SystemClock::start(),
            by_ms: AtomicI64::new(0),
        })
    }
}

impl Clock for Ahead {
    fn wall(&self) -> UnixMillis {
        self.clock.wall().plus(self.by_ms.load(Ordering::SeqCst))
    }

    fn mono_ms(&self) -> i64 {
        self.clock.mono_ms()
    }
}

/// Where the app stands.
pub(crate) struct Place<'a> {
    pub(crate) folder: &'a File,
    pub(crate) database: &'a str,
    /// Sections of the configuration.
    pub(crate) more: &'a str,
    /// 0 is any.
    pub(crate) port: u16,
}

pub(crate) struct Reports {
    payer: Payer,
    pub(crate) runtime: Runtime,
    server: ServerHandle,
}

impl std::ops::Deref for Reports {
    type Target = Payer;

    fn deref(&self) -> &Payer {
        &self.payer
    }
}

/// A program that asks for reports.
pub(crate) struct Payer {
    address: String,
}

/// An answer, as the payer's program has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) status: StatusCode,
    pub(crate) needed: Option<String>,
    pub(crate) validation: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Reports {
    pub(crate) async fn open(place: &Place<'_>, desk: &Arc<Desk>, clock: Arc<Ahead>) -> Self {
        let text = format!(
            "server.public_url = \"http://127.0.0.1:1\"\nserver.data_dir = \"{}\"\n\
             database.url = \"{}\"\n{}",
            place.folder.display(),
            place.database,
            place.more
        );
        let settings = Settings::from_text(&text).expect("good settings");
        let runtime = Runtime::builder(settings)
            .clock(clock)
            .start()
            .await
            .expect("it starts");
        let price = Money::new(1, Currency::parse("CNY").unwrap());
        let terms =
            PayPerUseTerms::new(price, "AI 生成内容服务", "测试商户", "api_mock_service_id");
        let paid = runtime.pay_per_use("alipay", terms).expect("it is offered");
        let desk = Data::from(desk.clone());
        let server = HttpServer::new(move || {
            App::new().app_data(desk.clone()).service(
                resource("/v1/report/{id}")
                    .wrap(paid.clone())
                    .route(get().to(write)),
            )
        })
        .workers(2)
        .disable_signals()
        .bind(("127.0.0.1", place.port))
        .unwrap();
        let port = server.addrs()[0].port();
        let running = server.run();
        let handle = running.handle();
        actix_web::rt::spawn(running);
        Self {
            payer: Payer::at(port),
            runtime,
            server: handle,
        }
    }

    pub(crate) async fn close(self) {
        self.server.stop(true).await;
        self.runtime.stop().await;
    }

    /// The process dies: nothing is finished and nothing said.
    pub(crate) async fn crash(self) {
        self.server.stop(false).await;
        self.runtime.abandon();
    }
}

impl Payer {
    pub(crate) fn at(port: u16) -> Self {
        Self {
            address: format!("http://127.0.0.1:{port}"),
        }
    }

    /// Asks for a report, with these proofs of payment.
    pub(crate) async fn ask(&self, path: &str, proofs: &[&str]) -> Got {
        self.ask_within(path, proofs, Duration::from_secs(60))
            .await
            .expect("an answer")
    }

    /// As `ask`; `None`: the payer's program has hung up.
    pub(crate) async fn ask_within(
        &self,
        path: &str,
        proofs: &[&str],
        patience: Duration,
    ) -> Option<Got> {
        let client = Client::builder().timeout(patience).build().unwrap();
        let mut request = client.get(format!("{}{path}", self.address));
        for proof in proofs {
            request = request.header("Payment-Proof", *proof);
        }
        let answer = request.send().await.ok()?;
        let header = |name: &str| {
            let value = answer.headers().get(name)?;
            Some(value.to_str().unwrap().to_owned())
        };
        Some(Got {
            status: answer.status(),
            needed: header("Payment-Needed"),
            validation: header("Payment-Validation"),
            headers: answer.headers().clone(),
            body: answer.text().await.ok()?,
        })
    }

    /// The offer for a report.
    pub(crate) async fn offer(&self, path: &str) -> String {
        let got = self.ask(path, &[]).await;
        assert_eq!(got.status, StatusCode::PAYMENT_REQUIRED, "{got:?}");
        got.needed.expect("an offer")
    }
}

async fn write(desk: Data<Desk>, id: Path<String>) -> HttpResponse {
    let n = desk.written.fetch_add(1, Ordering::SeqCst) + 1;
    let slowly = desk.slowly.load(Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(u64::try_from(slowly).unwrap())).await;
    let failing = desk.failing.lock().unwrap().pop();
    if let Some(status) = failing {
        return HttpResponse::build(actix_web::http::StatusCode::from_u16(status).unwrap())
            .body("no paper");
    }
    if let Some(before) = desk.before_answering.lock().unwrap().take() {
        before();
    }
    if id.as_str() == "long" {
        return HttpResponse::Ok().body("x".repeat(300 * 1024));
    }
    if id.as_str() == "packed" {
        return HttpResponse::Ok()
            .insert_header(("content-disposition", "attachment; filename=\"r.csv\""))
            .insert_header(("content-encoding", "br"))
            .append_header(("link", "</a>"))
            .append_header(("link", "</b>"))
            .body(format!("packed as number {n}"));
    }
    HttpResponse::Ok()
        .content_type("text/markdown")
        .body(format!("# Report {id}, written as number {n}"))
}
