//! Ports on loopback.

use std::net::TcpListener;

/// Below the ports that the system gives to outgoing connections: a server that is down for a moment finds its own free.
const FIRST: u16 = 10_000;
const COUNT: u128 = 20_000;

/// A port that nobody uses now, and that no outgoing connection takes while its server is down.
pub fn free_port() -> u16 {
    loop {
        let place = uuid::Uuid::new_v4().as_u128() % COUNT;
        let port = FIRST + u16::try_from(place).expect("a small number");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
