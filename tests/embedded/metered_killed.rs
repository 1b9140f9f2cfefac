//! The seller's process dies, or its database's connection does: nothing that was paid is lost, and nothing is delivered
//! twice.

use super::agents::{CONFIRM, Instead, VERIFY};
use super::market::{Market, is};
use super::reports::{Ahead, Desk, Payer, Place, Reports};
use super::support::{Running, SERVER_VARIABLE, eventually, free_port};
use reqwest::StatusCode;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PROCESS: &str = "metered_killed::the_seller_as_a_process";
const PORT: &str = "REPORTS_PORT";
const DATABASE: &str = "REPORTS_DATABASE";
const MORE: &str = "REPORTS_MORE";
const SLOWLY: &str = "REPORTS_SLOWLY";

/// What the other stories start, and kill.
#[actix_web::test]
#[ignore = "a process of the stories in this file"]
async fn the_seller_as_a_process() {
    let Ok(port) = std::env::var(PORT) else {
        return;
    };
    let value = |name| std::env::var(name).unwrap();
    let desk = Arc::new(Desk {
        slowly: AtomicUsize::new(value(SLOWLY).parse().unwrap()),
        ..Desk::default()
    });
    let place = Place {
        folder: Path::new("."),
        database: &value(DATABASE),
        more: &value(MORE),
        port: port.parse().unwrap(),
    };
    let _reports = Reports::open(&place, &desk, Ahead::start()).await;
    std::future::pending::<()>().await;
}

/// Starts the seller; each report takes so many milliseconds.
async fn start(market: &Market, port: u16, slowly: usize) -> (Running, Payer) {
    let environment = [
        (PORT, port.to_string()),
        (DATABASE, market.database.url.clone()),
        (MORE, market.configured()),
        (SLOWLY, slowly.to_string()),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value));
    let log = market.folder.path().join("log");
    let running = Running::this_test(PROCESS, market.folder.path(), &environment, &log);
    eventually("the seller serves", || async {
        let connected = TcpStream::connect(("127.0.0.1", port)).await;
        connected.map(drop).map_err(|_refused| running.log())
    })
    .await;
    (running, Payer::at(port))
}

#[actix_web::test]
async fn killed_between_the_delivery_and_its_confirmation_it_confirms_after_all() {
    let market = Market::set().await;
    let port = free_port();
    let (mut seller, payer) = start(&market, port, 0).await;
    let (trade_no, proof) = market.gateway.pay(&payer.offer("/v1/report/1").await);
    for _ in 0..100 {
        market.gateway.instead(CONFIRM, Instead::Trouble);
    }
    let got = payer.ask("/v1/report/1", &[&proof]).await;
    seller.kill();
    assert_eq!(got.body, "# Report 1, written as number 1");
    market.trades_become(&["DELIVERED"]).await;

    market.gateway.forgets_all_instead();
    let (mut seller, payer) = start(&market, port, 0).await;
    market.trades_become(&["CONFIRMED"]).await;
    let again = payer.ask("/v1/report/1", &[&proof]).await;
    assert_eq!((again.status, &again.body), (got.status, &got.body));
    assert_eq!(market.gateway.calls(VERIFY, &trade_no), 1);
    let confirmed = market.gateway.calls(CONFIRM, &trade_no);
    seller.kill();

    // Neither is done again.
    let (_seller, payer) = start(&market, port, 0).await;
    let again = payer.ask("/v1/report/1", &[&proof]).await;
    assert_eq!(again.body, got.body);
    assert_eq!(market.gateway.calls(CONFIRM, &trade_no), confirmed);
}

#[actix_web::test]
async fn killed_between_the_payment_and_the_delivery_it_delivers_after_all() {
    let market = Market::set().await;
    let port = free_port();
    let (mut seller, payer) = start(&market, port, 600_000).await;
    let (trade_no, proof) = market.gateway.pay(&payer.offer("/v1/report/1").await);
    let proofs = [proof.as_str()];
    let asked = payer.ask_within("/v1/report/1", &proofs, Duration::from_secs(120));
    let killed = async {
        market.trades_become(&["PAID"]).await;
        seller.kill();
    };
    let (got, ()) = futures_util::future::join(asked, killed).await;
    assert_eq!(got, None, "the connection breaks with the process");

    let (_seller, payer) = start(&market, port, 0).await;
    let got = payer.ask("/v1/report/1", &[&proof]).await;
    assert_eq!(got.body, "# Report 1, written as number 1");
    market.trades_become(&["CONFIRMED"]).await;
    assert_eq!(market.gateway.calls(VERIFY, &trade_no), 1);
    assert_eq!(market.gateway.calls(CONFIRM, &trade_no), 1);
}

/// A wire to PostgreSQL that breaks when a write is committed, and before that is told: at the next commits, so many.
struct Wire {
    port: u16,
    breaks: Arc<AtomicUsize>,
}

impl Wire {
    /// Before the server at this address.
    async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let wire = Self {
            port: listener.local_addr().unwrap().port(),
            breaks: Arc::default(),
        };
        let breaks = Arc::clone(&wire.breaks);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                let breaks = Arc::clone(&breaks);
                tokio::spawn(async move { Box::pin(carry(client, server, &breaks)).await });
            }
        });
        wire
    }

    /// The seller's database behind such a wire, and the seller.
    async fn between(market: &Market) -> (Self, Reports) {
        let mut url = reqwest::Url::parse(&market.database.url).unwrap();
        let server = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5432));
        let wire = Self::before(server).await;
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(wire.port)).unwrap();
        let reports = market.open_at(url.as_str()).await;
        (wire, reports)
    }

    /// From when the next report is written.
    fn breaks_at_the_next(&self, market: &Market, commits: usize) {
        let breaks = Arc::clone(&self.breaks);
        *market.desk.before_answering.lock().unwrap() =
            Some(Box::new(move || breaks.store(commits, Ordering::SeqCst)));
    }

    fn has_broken(&self) {
        assert_eq!(self.breaks.load(Ordering::SeqCst), 0, "it did not break");
    }
}

/// Carries what comes, both ways, until it ends or breaks.
async fn carry(mut client: TcpStream, mut server: TcpStream, breaks: &AtomicUsize) {
    let one_less = |left: usize| left.checked_sub(1);
    let (mut asked, mut told) = ([0; 65_536], [0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                let commits = asked[..length].windows(6).any(|it| it == b"COMMIT");
                server.write_all(&asked[..length]).await.unwrap();
                let order = Ordering::SeqCst;
                if commits && breaks.fetch_update(order, order, one_less).is_ok() {
                    let committed = server.read(&mut told).await.unwrap();
                    assert!(committed > 0, "the server has said what became of it");
                    return;
                }
            }
            read = server.read(&mut told) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&told[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[actix_web::test]
async fn a_delivery_whose_commit_was_not_heard_of_goes_out_all_the_same() {
    if std::env::var(SERVER_VARIABLE).is_err() {
        return; // SQLite has no connection to lose
    }
    let market = Market::set().await;
    let (wire, reports) = Wire::between(&market).await;
    // Too long to be kept: what does not go out now is lost.
    let (trade_no, proof) = market.gateway.pay(&reports.offer("/v1/report/long").await);
    wire.breaks_at_the_next(&market, 1);

    let got = reports.ask("/v1/report/long", &[&proof]).await;

    assert_eq!((got.status, got.body.len()), (StatusCode::OK, 300 * 1024));
    wire.has_broken();
    market.trades_become(&["CONFIRMED"]).await;
    assert_eq!(market.gateway.calls(CONFIRM, &trade_no), 1);
    assert_eq!(market.written(), 1);
    reports.close().await;
}

#[actix_web::test]
async fn a_delivery_that_nobody_can_be_sure_of_is_taken_back_and_made_again() {
    if std::env::var(SERVER_VARIABLE).is_err() {
        return; // SQLite has no connection to lose
    }
    let market = Market::set().await;
    let (wire, reports) = Wire::between(&market).await;
    let (trade_no, proof) = market.gateway.pay(&reports.offer("/v1/report/long").await);
    wire.breaks_at_the_next(&market, 2);

    let got = reports.ask("/v1/report/long", &[&proof]).await;

    is(&got, 503, "payment-unclear");
    wire.has_broken();
    let got = eventually("it is there again", || async {
        let got = reports.ask("/v1/report/long", &[&proof]).await;
        match got.status {
            StatusCode::OK => Ok(got),
            _ => Err(format!("{got:?}")),
        }
    })
    .await;
    assert_eq!((got.body.len(), market.written()), (300 * 1024, 2));
    market.trades_become(&["CONFIRMED"]).await;
    assert_eq!(market.gateway.calls(CONFIRM, &trade_no), 1);
    reports.close().await;
}
