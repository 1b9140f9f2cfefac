//! A receiver's name must not lead into a network of our own, whatever it resolves to, and when.

use super::till::Till;
use oncepay::fulfilment::{Resolve, Resolving};
use oncepay::{Currency, Money, Runtime, Settings, Wait};
use sea_orm::{ConnectionTrait, Statement};
use std::net::{IpAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Nobody answers there: it is public, and the test does not leave this machine.
const PUBLIC: &str = "203.0.114.1";

/// A name server that answers from a script; the last answer stays.
#[derive(Clone)]
struct NameServer {
    answers: Arc<Mutex<Vec<Vec<IpAddr>>>>,
    asked: Arc<AtomicUsize>,
}

impl NameServer {
    fn says(answers: &[&[&str]]) -> Self {
        let parse = |all: &&[&str]| {
            all.iter()
                .map(|it| it.parse().expect("an address"))
                .collect()
        };
        Self {
            answers: Arc::new(Mutex::new(answers.iter().map(parse).collect())),
            asked: Arc::default(),
        }
    }
}

impl Resolve for NameServer {
    fn resolve(&self, host: String) -> Resolving {
        assert!(host == "hooks.example.com" || host == "localhost", "{host}");
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().expect("unpoisoned");
        let answer = if answers.len() > 1 {
            answers.remove(0)
        } else {
            answers[0].clone()
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn text(folder: &Path, url: &str, more: &str) -> String {
    let folder = folder.display();
    format!(
        r#"
        [server]
        data_dir = "{folder}"
        [database]
        url = "sqlite://{folder}/payments.db"
        [fulfilment]
        url = "{url}"
        secrets = ["whsec_dGhlLXNob3AgYW5kIG9uY2VwYXkgc2hhcmUgdGhpcyBrZXk="]
        schedule = ["50ms", "50ms", "50ms", "50ms"]
        {more}
        "#
    )
}

/// Sells something, and waits for so many attempts to tell of it; their errors.
async fn attempts(runtime: &Runtime, count: usize) -> Vec<String> {
    let euro = Currency::parse("EUR").expect("a currency");
    let gateway = runtime.gateway();
    let order = gateway.new_order("sold", Till::NAME, Money::new(1_000, euro), "A book");
    let wait = Wait::UpTo(Duration::from_secs(20));
    let sold = gateway.create(order.expect("a good order"), wait).await;
    assert_eq!(sold.expect("it is paid").order.status.as_str(), "PAID");
    let read = &runtime.database().read;
    let sql = "SELECT COALESCE(error, 'status ' || http_status) FROM delivery_attempts \
               WHERE error IS NOT NULL OR http_status IS NOT NULL ORDER BY n";
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let statement = Statement::from_string(read.get_database_backend(), sql);
        let rows = read.query_all_raw(statement).await.expect("it runs");
        let errors: Vec<String> = rows
            .iter()
            .map(|row| row.try_get_by_index(0).expect("a text"))
            .collect();
        if errors.len() >= count {
            return errors;
        }
        assert!(Instant::now() < until, "too few attempts: {errors:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn open(text: &str, names: &NameServer) -> Runtime {
    Runtime::builder(Settings::from_text(text).expect("good settings"))
        .channel(Arc::new(Till))
        .resolver(Arc::new(names.clone()))
        .start()
        .await
        .expect("it starts")
}

/// A listener that tells whether anybody has connected.
struct Trap {
    listener: TcpListener,
    port: u16,
}

impl Trap {
    fn set() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("it does not block");
        let port = listener.local_addr().expect("an address").port();
        Self { listener, port }
    }

    fn is_sprung(&self) -> bool {
        self.listener.accept().is_ok()
    }
}

#[actix_web::test]
async fn a_name_with_a_private_address_among_its_public_ones_is_not_called() {
    let private = [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "100.64.0.1",
        "::1",
        "fd00:ec2::254",
        "::ffff:192.168.0.1",
        "64:ff9b::a00:1",
    ];
    for address in private {
        let folder = tempfile::tempdir().expect("a folder");
        let trap = Trap::set();
        let url = format!("https://hooks.example.com:{}/hook", trap.port);
        let names = NameServer::says(&[&[PUBLIC, address]]);
        let runtime = open(&text(folder.path(), &url, ""), &names).await;
        let errors = attempts(&runtime, 1).await;
        let told = format!("hooks.example.com has the private address {address}");
        assert!(errors[0].contains(&told), "{errors:?}");
        assert!(!trap.is_sprung(), "{address}");
        runtime.stop().await;
    }
}

#[actix_web::test]
async fn a_name_that_changes_its_mind_is_checked_each_time_and_asked_once_for_a_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let trap = Trap::set();
    let url = format!("https://hooks.example.com:{}/hook", trap.port);
    let names = NameServer::says(&[&[PUBLIC], &["127.0.0.1"]]);
    let runtime = open(&text(folder.path(), &url, ""), &names).await;

    let errors = attempts(&runtime, 3).await;

    assert!(!errors[0].contains("private"), "{errors:?}");
    for error in &errors[1..3] {
        assert!(
            error.contains("has the private address 127.0.0.1"),
            "{errors:?}"
        );
    }
    assert!(
        names.asked.load(Ordering::SeqCst) <= errors.len() + 1,
        "once for each attempt"
    );
    assert!(!trap.is_sprung(), "nobody has connected");
    runtime.stop().await;
}

#[actix_web::test]
async fn a_private_address_that_is_meant_is_called_where_the_name_leads() {
    let folder = tempfile::tempdir().expect("a folder");
    let trap = Trap::set();
    let url = format!("http://localhost:{}/hook", trap.port);
    let names = NameServer::says(&[&["127.0.0.1"]]);
    let runtime = open(&text(folder.path(), &url, "allow_private = true"), &names).await;
    let listener = trap.listener.try_clone().expect("a second handle");
    let serving = std::thread::spawn(move || {
        use std::io::{Read, Write};
        listener.set_nonblocking(false).expect("it blocks");
        let (mut stream, _) = listener.accept().expect("somebody connects");
        let mut head = [0; 4096];
        let read = stream.read(&mut head).expect("a request");
        stream
            .write_all(b"HTTP/1.1 204 X\r\n\r\n")
            .expect("it is answered");
        String::from_utf8_lossy(&head[..read]).into_owned()
    });

    assert_eq!(attempts(&runtime, 1).await, ["status 204"]);

    let request = serving.join().expect("it was served");
    assert!(request.starts_with("POST /hook HTTP/1.1"), "{request}");
    assert!(
        request.contains(&format!("localhost:{}", trap.port)),
        "{request}"
    );
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    runtime.stop().await;
}

#[test]
fn an_address_that_is_private_as_written_is_refused_with_its_key() {
    let folder = Path::new("data");
    for url in [
        "https://127.0.0.1/x",
        "http://localhost:9/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/x",
        "https://[::1]/x",
        "https://[fd00::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://2130706433/x",
        "https://0x7f.1/x",
        "https://shop.localhost/x",
    ] {
        let refused = Settings::from_text(&text(folder, url, ""))
            .expect_err(url)
            .to_string();
        assert!(refused.contains("fulfilment.url"), "{url}: {refused}");
        assert!(refused.contains("allow_private"), "{url}: {refused}");
        Settings::from_text(&text(folder, url, "allow_private = true")).expect("it is meant");
    }
    Settings::from_text(&text(folder, "https://hooks.example.com/x", "")).expect("a name");
}
