//! A submit is on the wire once, whatever becomes of its connection.

use crate::raw::RawServer;
use crate::support::{call, channel, meaning};
use oncepay::channels::Channel;
use std::time::Duration;

const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

#[actix_web::test]
async fn a_connection_that_dies_after_reading_is_not_tried_again() {
    let server = RawServer::answering(Vec::new());
    let answer = channel(&server.base).submit(&call("1", "a")).await;
    assert_eq!(meaning(&answer), "unknown: channel_unavailable");
    assert_eq!(server.posts(), 1);
}

#[actix_web::test]
async fn a_kept_connection_that_dies_after_reading_is_not_tried_again() {
    let server = RawServer::behaving(|n| match n {
        1 => (REPLY.to_vec(), false),
        _ => (Vec::new(), true),
    });
    let channel = channel(&server.base);
    channel.submit(&call("1", "a")).await;
    let answer = channel.submit(&call("2", "a")).await;
    assert_eq!(meaning(&answer), "unknown: channel_unavailable");
    assert_eq!(server.posts(), 2);
}

#[actix_web::test]
async fn a_kept_connection_that_was_closed_while_idle_costs_no_order() {
    let server = RawServer::behaving(|_n| (REPLY.to_vec(), true));
    let channel = channel(&server.base);
    for n in 1..=8 {
        let answer = channel.submit(&call(&n.to_string(), "a")).await;
        assert_eq!(meaning(&answer), "unknown: unreadable_reply");
        // The close is seen before the next submit.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(server.posts(), 8);
}

/// The server closes at the very moment at which the next submit may be written. Some submits break; none is
/// read twice.
#[actix_web::test]
async fn a_close_that_races_the_next_submit_never_doubles_it() {
    let server = RawServer::behaving(|_n| (REPLY.to_vec(), true));
    let channel = channel(&server.base);
    let mut answered = 0;
    for n in 1..=500 {
        let answer = channel.submit(&call(&n.to_string(), "a")).await;
        match meaning(&answer).as_str() {
            "unknown: unreadable_reply" => answered += 1,
            "unknown: channel_unavailable" => {}
            other => panic!("{other}"),
        }
    }
    // The server closes without reading what came late, so that it has read what it has answered and no more.
    assert_eq!(server.posts(), answered);
}

#[actix_web::test]
async fn a_timeout_is_not_tried_again() {
    let server = RawServer::behaving(|_n| {
        std::thread::sleep(Duration::from_secs(1));
        (REPLY.to_vec(), true)
    });
    let mut hasty = call("1", "a");
    hasty.timeout = Duration::from_millis(200);
    let channel = channel(&server.base);
    assert_eq!(
        meaning(&channel.submit(&hasty).await),
        "unknown: submit_timeout"
    );
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(server.posts(), 1);
}
