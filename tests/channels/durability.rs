//! The sandbox's ledger outlives the sandbox.

use crate::support::{SECRET, call, channel, clock, meaning, open, serve, statement};
use oncepay::channels::Channel;
use oncepay::sandbox::{OpenError, Sandbox, SandboxServe};
use secrecy::SecretString;
use std::io::Write;
use std::rc::Rc;

/// The file as a crash leaves it: what was answered is there, and the process is gone.
fn crashed_copy(file: &std::path::Path, name: &str) -> std::path::PathBuf {
    let copy = file.with_file_name(name);
    std::fs::copy(file, &copy).unwrap();
    copy
}

#[actix_web::test]
async fn what_was_answered_is_there_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made/sandbox.jsonl");
    let before = channel(&serve(&open(&file)));
    let paid = before.submit(&call("1", "a")).await;
    before.submit(&call("2", "a #pending #pay-after=1h")).await;
    before.close(&call("2", "")).await;

    let copy = crashed_copy(&file, "copy.jsonl");
    let mut torn = std::fs::OpenOptions::new()
        .append(true)
        .open(&copy)
        .unwrap();
    torn.write_all(b"{\"charge\":{\"order_no\":\"3\",\"idem")
        .unwrap();
    drop(torn);
    let after = channel(&serve(&open(&copy)));
    let again = after.submit(&call("1", "a")).await;
    assert_eq!(statement(&again).trade_no, statement(&paid).trade_no);
    assert_eq!(meaning(&after.query(&call("2", "")).await), "CLOSED");
    assert_eq!(meaning(&after.query(&call("3", "")).await), "not found");
    assert_eq!(meaning(&after.submit(&call("4", "a")).await), "PAID");

    let third = crashed_copy(&copy, "third.jsonl");
    let last = channel(&serve(&open(&third)));
    assert_eq!(meaning(&last.query(&call("4", "")).await), "PAID");
}

#[actix_web::test]
async fn callbacks_and_payments_that_were_to_come_still_come() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sandbox.jsonl");
    let merchant = crate::support::Merchant::start(0);
    let before = channel(&serve(&open(&file)));
    let mut order = call("1", "a #pending #pay-after=1500ms");
    order.notify_url.clone_from(&merchant.url);
    before.submit(&order).await;
    let mut slow = call("2", "a #callback-delay=1500ms");
    slow.notify_url.clone_from(&merchant.url);
    before.submit(&slow).await;
    let copy = crashed_copy(&file, "copy.jsonl");
    let _after = open(&copy);
    // Both the sandbox and its copy send: two notices each.
    let arrived = merchant.callbacks(4).await;
    assert_eq!(arrived.len(), 4);
}

#[actix_web::test]
async fn a_file_that_is_in_use_or_no_ledger_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sandbox.jsonl");
    let secret = SecretString::from(SECRET);
    let _sandbox = open(&file);
    let second = Sandbox::open(&file, &secret, clock());
    assert!(matches!(second, Err(OpenError::InUse { .. })), "{second:?}");

    let foreign = folder.path().join("notes.txt");
    std::fs::write(&foreign, "these are\nnotes\n").unwrap();
    let refused = Sandbox::open(&foreign, &secret, clock());
    assert!(
        matches!(refused, Err(OpenError::Corrupt { line: 1, .. })),
        "{refused:?}"
    );
    assert_eq!(
        std::fs::read_to_string(&foreign).unwrap(),
        "these are\nnotes\n"
    );
}

#[test]
fn a_secret_is_made_once_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data/sandbox.secret");
    let made = oncepay::sandbox::secret_in(&file).unwrap();
    let kept = oncepay::sandbox::secret_in(&file).unwrap();
    assert_eq!(
        secrecy::ExposeSecret::expose_secret(&made),
        secrecy::ExposeSecret::expose_secret(&kept)
    );
    assert!(oncepay::channels::signing::SigningKey::parse(&made).is_ok());
}

const CHILD_LISTEN: &str = "ONCEPAY_TEST_SANDBOX_LISTEN";
const CHILD_FILE: &str = "ONCEPAY_TEST_SANDBOX_FILE";

/// Is a sandbox in a process of its own when the test below starts it so, and nothing otherwise.
#[actix_web::test]
async fn a_sandbox_for_another_test_to_kill() {
    let (Ok(listen), Ok(file)) = (std::env::var(CHILD_LISTEN), std::env::var(CHILD_FILE)) else {
        return;
    };
    let settings = SandboxServe {
        listen,
        file: file.into(),
        secret: SecretString::from(SECRET),
        workers: Some(2),
    };
    oncepay::sandbox::serve(settings, clock()).await.unwrap();
}

#[actix_web::test]
async fn no_answer_is_lost_by_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sandbox.jsonl");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap().to_string();
    drop(port);
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::a_sandbox_for_another_test_to_kill"])
        .env(CHILD_LISTEN, &address)
        .env(CHILD_FILE, &file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let channel = Rc::new(channel(&format!("http://{address}/sandbox")));
    while meaning(&channel.query(&call("0", "")).await) != "not found" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let submits: Vec<_> = (0..16)
        .map(|line| {
            let channel = channel.clone();
            actix_web::rt::spawn(async move {
                let mut answered = Vec::new();
                for n in 0.. {
                    let order_no = format!("{line}-{n}");
                    let answer = channel.submit(&call(&order_no, "a")).await;
                    if meaning(&answer) != "PAID" {
                        break;
                    }
                    answered.push((order_no, statement(&answer).trade_no.clone()));
                }
                answered
            })
        })
        .collect();
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let after = crate::support::channel(&serve(&open(&file)));
    let mut checked = 0;
    for answered in submits {
        for (order_no, trade_no) in answered.await.unwrap() {
            let found = after.query(&call(&order_no, "")).await;
            assert_eq!(statement(&found).trade_no, trade_no, "{order_no}");
            checked += 1;
        }
    }
    assert!(checked > 0);
}
