//! `oncepay drill`, as a merchant runs it before going live.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs it with a folder of its own for what is temporary; nothing of it may stay.
fn drill(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oncepay"));
    command
        .args(["drill", "--json"])
        .current_dir(folder)
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn left_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    entries
        .map(|entry| entry.expect("an entry").file_name().display().to_string())
        .collect()
}

/// Processes that were started in this folder.
fn running_in(folder: &Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("a proc filesystem");
    processes
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path().join("cwd")).ok())
        .filter(|cwd| cwd.starts_with(folder) && cwd != folder)
        .map(|cwd| cwd.display().to_string())
        .collect()
}

#[test]
fn everything_that_must_hold_before_going_live_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let Output {
        status,
        stdout,
        stderr,
    } = drill(folder.path())
        // The settings of a real installation do not count in it.
        .env("ONCEPAY_SERVER__UI_DEADLINE", "nonsense")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&stdout).into_owned();
    assert!(
        status.success(),
        "{said}{}",
        String::from_utf8_lossy(&stderr)
    );
    let list: serde_json::Value = serde_json::from_str(&said).expect("it prints JSON");
    assert_eq!(list["passed"], true, "{said}");
    let checks = list["checks"].as_array().expect("a list");
    let names: Vec<_> = checks
        .iter()
        .map(|check| check["name"].as_str().unwrap_or_default())
        .collect();
    let all = [
        "duplicate create",
        "duplicate notice",
        "time-out",
        "lost request",
        "refund",
        "mismatch",
        "crash",
    ];
    assert_eq!(names, all);
    assert_eq!(left_in(folder.path()), Vec::<String>::new());
}

#[test]
fn an_interrupted_drill_leaves_neither_a_server_nor_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = drill(folder.path()).spawn().expect("it starts");
    let until = Instant::now() + Duration::from_secs(60);
    while running_in(folder.path()).is_empty() {
        assert!(Instant::now() < until, "its server did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let signalled = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill(1) runs");
    assert!(signalled.success());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert_eq!(running_in(folder.path()), Vec::<String>::new());
    assert_eq!(left_in(folder.path()), Vec::<String>::new());
}
