//! Ports on loopback.

use std::net::TcpListener;

/// A port that nobody uses now, so that a server keeps its address over restarts.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    listener
        .local_addr()
        .expect("a bound socket has an address")
        .port()
}
