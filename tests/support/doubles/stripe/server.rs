//! The double's HTTP.

use super::KEY;
use super::ledger::{Ledger, Outcome, Posted, Trick, error};
use actix_web::body::BodyStream;
use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data, Query};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

type Shared = Arc<Mutex<Ledger>>;

/// Serves on a free port until the process ends.
pub fn start(ledger: Shared) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let app = move || {
            App::new()
                .app_data(Data::new(Arc::clone(&ledger)))
                .default_service(web::to(answer))
        };
        let server = HttpServer::new(app).workers(1).disable_signals();
        let server = server.listen(listener).expect("a server").run();
        actix_web::rt::System::new().block_on(server)
    });
    port
}

/// What is done about a request under the lock; what takes time follows.
struct Done {
    outcome: Outcome,
    replayed: bool,
    trick: Option<Trick>,
}

async fn answer(ledger: Data<Shared>, request: HttpRequest, body: Bytes) -> HttpResponse {
    let done = act(&ledger, &request, &body);
    let (status, text) = match done.trick {
        Some(Trick::DropBefore | Trick::DropAfter) => return broken(),
        Some(Trick::Answer { status, body } | Trick::AnswerAfter { status, body }) => {
            (status, body)
        }
        Some(Trick::Delay(time)) => {
            actix_web::rt::time::sleep(time).await;
            (done.outcome.0, done.outcome.1.to_string())
        }
        None => (done.outcome.0, done.outcome.1.to_string()),
    };
    let mut response = HttpResponse::build(StatusCode::from_u16(status).expect("a status"));
    response.insert_header(("request-id", "req_double"));
    if done.replayed {
        response.insert_header(("idempotent-replayed", "true"));
    }
    response.content_type("application/json").body(text)
}

fn act(ledger: &Shared, request: &HttpRequest, body: &[u8]) -> Done {
    let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
    let path = request.path().to_owned();
    let call = format!("{} {path}", request.method());
    let header = |name: &str| {
        let value = request.headers().get(name);
        let text = value.and_then(|value| value.to_str().ok());
        text.unwrap_or_default().to_owned()
    };
    let trick = ledger.trick(&call);
    let without_effect = matches!(trick, Some(Trick::DropBefore | Trick::Answer { .. }));
    let form = pairs(std::str::from_utf8(body).unwrap_or_default());
    if request.method() == "POST" {
        ledger.posts.push(Posted {
            path: path.clone(),
            key: header("idempotency-key"),
            version: header("stripe-version"),
            form: form.clone(),
        });
    } else {
        ledger.gets.push(path.clone());
    }
    let (outcome, replayed) = if without_effect {
        ((200, serde_json::Value::Null), false)
    } else if header("authorization") != format!("Bearer {KEY}") {
        (error(401, "invalid_request_error", None), false)
    } else if request.method() == "POST" {
        ledger.post(&path, &header("idempotency-key"), &form)
    } else {
        (ledger.get(&path, &pairs(request.query_string())), false)
    };
    Done {
        outcome,
        replayed,
        trick,
    }
}

fn pairs(text: &str) -> Vec<(String, String)> {
    Query::<Vec<(String, String)>>::from_query(text)
        .map(Query::into_inner)
        .unwrap_or_default()
}

/// A connection that breaks after the head of an answer.
fn broken() -> HttpResponse {
    let end: Result<Bytes, std::io::Error> = Err(std::io::Error::other("the double hangs up"));
    let stream = futures_util::stream::iter([Ok(Bytes::from_static(b"{")), end]);
    HttpResponse::Ok().body(BodyStream::new(stream))
}
