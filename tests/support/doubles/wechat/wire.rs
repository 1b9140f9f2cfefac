//! One request and one reply on a connection, as little of HTTP as that takes; a reply may also be a broken connection.

use super::seal::Headers;
use std::collections::BTreeMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request, as it came.
#[derive(Debug, Clone)]
pub struct Got {
    pub method: String,
    pub target: String,
    /// Lower-case names.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// One of the fields of its `Authorization`.
    pub fn authorization(&self, field: &str) -> &str {
        let header = self.header("authorization");
        let after = header.split(&format!("{field}=\"")).nth(1);
        after
            .and_then(|rest| rest.split('"').next())
            .unwrap_or_default()
    }
}

pub async fn read(stream: &mut TcpStream) -> Option<Got> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(bytes.get(..end)?).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ').map(str::to_owned);
    let (method, target) = (first.next()?, first.next()?);
    let headers: BTreeMap<_, _> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.parse().expect("a length"));
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Got {
        method,
        target,
        headers,
        body,
    })
}

pub async fn write(stream: &mut TcpStream, status: u16, headers: &Headers, body: &[u8]) {
    let mut head = format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n");
    if status != 204 {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let bytes = [head.as_bytes(), body].concat();
    // Who has gone away does not hear it.
    drop(stream.write_all(&bytes).await);
    drop(stream.shutdown().await);
}
