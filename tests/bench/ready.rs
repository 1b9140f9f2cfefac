//! When a server is ready, and how much memory it took until then.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// `start_server` returns when the port is bound, which is before the rows are read. A machine that is busy may say for a
/// moment that it is not ready.
pub fn wait_until_ready(port: u16) {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = readiness(port);
        if answer.starts_with("HTTP/1.1 200") {
            return;
        }
        assert!(Instant::now() < until, "the server is ready: {answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn readiness(port: u16) -> String {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    socket
        .write_all(b"GET /readyz HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n")
        .expect("it reads");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("it answers");
    answer
}

pub fn peak_memory_mib(pid: u32) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process is there");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("Linux tells the peak");
    let kib: u64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .expect("a number");
    kib / 1024
}
