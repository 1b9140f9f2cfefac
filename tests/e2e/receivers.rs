//! The receivers that the README shows: word for word, and at work where their interpreter is installed.

use crate::support::{
    Processor, Receiver, Shop, Stage, WEBHOOK_SECRET, eventually, free_port, order,
};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const ALL: [&str; 5] = [
    "receiver.py",
    "receiver_library.py",
    "receiver.mjs",
    "receiver.php",
    "Receiver.java",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/receivers")
}

#[test]
fn the_readme_shows_each_receiver_as_it_was_run() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("a README");
    for name in ALL {
        let text = std::fs::read_to_string(folder().join(name)).expect("a receiver");
        let shown = readme.contains(&format!("\n{text}```\n"));
        assert!(
            shown,
            "README.md does not show tests/receivers/{name} as it is"
        );
    }
}

/// A sample at work; it ends with the test.
struct Sample {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Drop for Sample {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Whether this command is there and succeeds.
fn works(program: &str, arguments: &[&str]) -> bool {
    let ran = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ran.is_ok_and(|status| status.success())
}

impl Sample {
    async fn start(program: &str, name: &str, scratch: &Path) -> Self {
        let port = free_port();
        let log = scratch.join(format!("{name}.log"));
        let out = File::create(&log).expect("a log file");
        let err = out.try_clone().expect("a second handle");
        let file = folder().join(name);
        let mut command = Command::new(program);
        if program == "php" {
            command
                .arg("-S")
                .arg(format!("127.0.0.1:{port}"))
                .arg(&file);
        } else {
            command.arg(&file).arg(port.to_string());
        }
        let child = command
            .current_dir(scratch)
            .env("WEBHOOK_SECRET", WEBHOOK_SECRET)
            .env("RECEIVER_DB", scratch.join("receiver.db"))
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .expect("the sample starts");
        let sample = Self { child, port, log };
        eventually(&format!("{name} listens"), || async {
            let connected = tokio::net::TcpStream::connect(("127.0.0.1", port)).await;
            connected
                .map(drop)
                .map_err(|error| format!("{error}: {}", sample.said()))
        })
        .await;
        sample
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// What it answers to this message.
    async fn answers(&self, id: &str, timestamp: u64, signature: &str, body: &[u8]) -> u16 {
        let request = reqwest::Client::new()
            .post(format!("http://127.0.0.1:{}/", self.port))
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp.to_string())
            .header("webhook-signature", signature)
            .body(body.to_vec());
        request.send().await.expect("it answers").status().as_u16()
    }
}

/// The sample takes what the real binary sends, once; and nothing that was forged, changed or kept.
async fn takes_what_is_genuine_alone(program: &str, name: &str) {
    let scratch = tempfile::tempdir().expect("a folder");
    let sample = Sample::start(program, name, scratch.path()).await;
    let (model, processor) = (Receiver::open().await, Processor::start().await);
    let at_sample = model.configuration().replace(
        &format!(":{}/hooks", model.port),
        &format!(":{}/hooks", sample.port),
    );
    let stage = Stage {
        more: at_sample,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let mut body = order("sample-1", "VIP+ 月卡");
    body["account"] = json!("user-42");
    body["entitlements"] = json!([{"kind": "credits", "quantity": 7}]);

    shop.create(&body).await;

    let paid = shop
        .delivery_becomes("sample-1", "order.paid", "DELIVERED")
        .await;
    shop.delivery_becomes("sample-1", "entitlement.granted", "DELIVERED")
        .await;
    let id = paid["delivery_id"].as_str().expect("an id");
    assert_eq!(
        shop.redeliver(id, crate::support::OPERATOR).await.status,
        202
    );
    let again = shop
        .delivery_becomes("sample-1", "order.paid", "DELIVERED")
        .await;
    assert_eq!(
        again["attempts"].as_array().map(Vec::len),
        Some(2),
        "{}",
        sample.said()
    );
    let said = sample.said();
    let known = [
        "sample-1 PAID",
        "sample-1 order.paid",
        "order.paid sample-1",
    ];
    let told: usize = known.iter().map(|told| said.matches(told).count()).sum();
    assert_eq!(told, 1, "{name} takes a message once:\n{said}");

    let now = crate::support::Notice::of("evt_1", "").timestamp;
    let forged = br#"{"type":"order.paid","data":{"order_no":"x","status":"PAID","version":9}}"#;
    let sign = |at: u64, body: &[u8]| {
        let notice = crate::support::Notice {
            id: "evt_1".to_owned(),
            timestamp: at,
            body: body.to_vec(),
        };
        let headers = notice.signed(WEBHOOK_SECRET);
        let signature = headers
            .iter()
            .find(|(name, _)| *name == "webhook-signature");
        signature.expect("a signature").1.clone()
    };
    let genuine = sign(now, forged);
    let rotated = format!("v1,bm90IG91cnM= {genuine}");
    let old = sign(now - 900, forged);
    for (what, at, signature, body, expected) in [
        ("no signature", now, "", &forged[..], 401),
        ("another key", now, "v1,bm90IG91cnM=", &forged[..], 401),
        ("another body", now, &genuine, &b"{}"[..], 401),
        ("a message that was kept", now - 900, &old, &forged[..], 401),
        (
            "the second of two signatures",
            now,
            &rotated,
            &forged[..],
            204,
        ),
    ] {
        let status = sample.answers("evt_1", at, signature, body).await;
        assert_eq!(status, expected, "{name}: {what}\n{}", sample.said());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_in_python_works() {
    if !works("python3", &["--version"]) {
        return println!("skipped: python3 is not installed");
    }
    takes_what_is_genuine_alone("python3", "receiver.py").await;
}

/// `ONCEPAY_TEST_PYTHON` names a Python that has the library.
#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_with_the_standard_library_of_webhooks_works() {
    let python = std::env::var("ONCEPAY_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !works(&python, &["-c", "import standardwebhooks"]) {
        return println!("skipped: {python} has no standardwebhooks");
    }
    takes_what_is_genuine_alone(&python, "receiver_library.py").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_in_node_works() {
    if !works("node", &["--version"]) {
        return println!("skipped: node is not installed");
    }
    takes_what_is_genuine_alone("node", "receiver.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_in_php_works() {
    if !works("php", &["-r", "new PDO('sqlite::memory:');"]) {
        return println!("skipped: php with pdo_sqlite is not installed");
    }
    takes_what_is_genuine_alone("php", "receiver.php").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_in_java_works() {
    if !works("javac", &["--version"]) {
        return println!("skipped: no JDK is installed");
    }
    takes_what_is_genuine_alone("java", "Receiver.java").await;
}
