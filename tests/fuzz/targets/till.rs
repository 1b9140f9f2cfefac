//! The whole API in this process, on a database of its own: requests go in as the network would hand them over.

use super::keys::SECRET;
use actix_web::body::to_bytes;
use actix_web::dev::Service;
use actix_web::http::{Method, Uri};
use actix_web::test::{TestRequest, init_service};
use actix_web::{App, rt};
use oncepay::channels::{
    Acknowledge, AcknowledgementBody, Admission, Call, Channel, ChargeCall, FieldRefusal, Notice,
    RawNotice, RefundCall, Rejection, RejectionRule,
};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{
    Answer, ChargeStatus, Fingerprint, NextAction, RefundAnswer, RefundStatement, Statement,
};
use oncepay::domain::schedule::Capabilities;
use oncepay::{Runtime, Settings};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A request before it goes in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) request_id: Option<String>,
    pub(crate) body: Vec<u8>,
}

type Asked = (Request, SyncSender<Option<Response>>);

static DOOR: LazyLock<Mutex<tokio::sync::mpsc::UnboundedSender<Asked>>> = LazyLock::new(|| {
    let (ask, asked) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || rt::System::new().block_on(serve(asked)));
    Mutex::new(ask)
});

/// The answer; `None` where no such request can be on the wire.
pub(crate) fn send(request: Request) -> Option<Response> {
    let (answer, answered): (_, Receiver<Option<Response>>) = sync_channel(1);
    let door = DOOR.lock().unwrap_or_else(PoisonError::into_inner);
    door.send((request, answer)).unwrap();
    answered.recv().expect("the API has died over a request")
}

fn settings(folder: &std::path::Path) -> Settings {
    let folder = folder.display();
    let keys = ["merchant", "operator", "viewer", "admin"].map(|role| {
        let scopes = if role == "merchant" {
            "\"refunds\""
        } else {
            ""
        };
        format!(
            "[[keys]]\nname = \"{role}\"\nrole = \"{role}\"\nscopes = [{scopes}]\nkey = \"{}\"\n",
            key(role)
        )
    });
    let text = format!(
        "[server]\ndata_dir = \"{folder}\"\nui_deadline = \"4s\"\nreturn_hosts = [\"shop.example.com\"]\n\
         [database]\nurl = \"sqlite://{folder}/till.db\"\n\
         [channels.till]\nkind = \"http\"\nbase_url = \"http://127.0.0.1:1\"\nsecret = \"{SECRET}\"\n\
         [limits]\nrequests_per_key = \"off\"\ncallbacks_per_address = \"off\"\n\
         unauthenticated_per_address = \"off\"\n{}",
        keys.concat()
    );
    Settings::from_text(&text).unwrap()
}

pub(crate) fn key(role: &str) -> String {
    format!("opk_{role}_0123456789abcdef0123456789abcdef")
}

async fn serve(mut asked: tokio::sync::mpsc::UnboundedReceiver<Asked>) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::builder(settings(folder.path()))
        .channel(Arc::new(Counter))
        .start()
        .await
        .unwrap();
    let app = App::new()
        .configure(runtime.routes())
        .configure(runtime.operations());
    let app = init_service(app).await;
    while let Some((request, answer)) = asked.recv().await {
        let Some(request) = arrived(request) else {
            drop(answer.send(None));
            continue;
        };
        let response = match app.call(request.to_request()).await {
            Ok(response) => response.into_parts().1.map_into_boxed_body(),
            Err(error) => error.error_response(),
        };
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(value.to_str().unwrap_or_default().to_owned())
        };
        let response = Response {
            status: response.status().as_u16(),
            content_type: header("content-type").unwrap_or_default(),
            request_id: header("x-request-id"),
            body: to_bytes(response.into_body()).await.unwrap().to_vec(),
        };
        drop(answer.send(Some(response)));
    }
}

/// As the server's parser would let it through.
fn arrived(request: Request) -> Option<TestRequest> {
    let uri: Uri = request.path.parse().ok()?;
    let method: Method = request.method.parse().ok()?;
    let mut arrived = TestRequest::default()
        .method(method)
        .uri(&uri.to_string())
        .peer_addr("127.0.0.1:9".parse().ok()?);
    for (name, value) in request.headers {
        let name = actix_web::http::header::HeaderName::try_from(name).ok()?;
        let value = actix_web::http::header::HeaderValue::from_bytes(value.as_bytes()).ok()?;
        arrived = arrived.append_header((name, value));
    }
    Some(arrived.set_payload(request.body))
}

/// A channel that answers at once, as the order's method says.
struct Counter;

impl Channel for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn account(&self) -> Fingerprint {
        Fingerprint {
            channel: "counter".to_owned(),
            merchant: "M1".to_owned(),
            live: false,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            one_charge_per_key: true,
            resubmits: true,
            key_life_ms: None,
            closes: true,
            refunds: true,
            own_expiry: false,
            asynchronous: false,
            repeats_action: false,
            settles_within_ms: 0,
        }
    }

    fn default_method(&self) -> &'static str {
        "paid"
    }

    fn admits(&self, _: &Admission<'_>) -> Result<(), FieldRefusal> {
        Ok(())
    }

    fn submit<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { stated(call) })
    }

    fn query<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { stated(call) })
    }

    fn close<'a>(&'a self, call: &'a ChargeCall) -> Call<'a, Answer> {
        Box::pin(async { stated(call) })
    }

    fn refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(async { given_back(call) })
    }

    fn query_refund<'a>(&'a self, call: &'a RefundCall) -> Call<'a, RefundAnswer> {
        Box::pin(async { given_back(call) })
    }

    fn verify(&self, _: &RawNotice<'_>, _: UnixMillis) -> Result<Notice, Rejection> {
        Err(Rejection {
            rule: RejectionRule::Signature,
            explanation: "it sends none".to_owned(),
            key_id: None,
            signed_text: None,
        })
    }

    fn acknowledgement(&self, _: Acknowledge) -> AcknowledgementBody {
        AcknowledgementBody {
            content_type: "text/plain",
            body: "thanks".to_owned(),
        }
    }
}

fn stated(call: &ChargeCall) -> Answer {
    let status = match call.method.as_str() {
        "no" => ChargeStatus::Declined,
        "odd" => ChargeStatus::Unexplained("ODD".to_owned()),
        "later" => ChargeStatus::Pending {
            next_action: Some(NextAction {
                kind: "qr_code".to_owned(),
                value: "QR".to_owned(),
            }),
        },
        _ => ChargeStatus::Paid,
    };
    Answer::Charge(Statement {
        status,
        order_no: call.order_no.clone(),
        idempotency_key: Some(call.idempotency_key.clone()),
        merchant: None,
        money: Some(call.money),
        trade_no: Some(format!("T-{}", call.order_no)),
        reference: None,
        summary: "stated".to_owned(),
    })
}

fn given_back(call: &RefundCall) -> RefundAnswer {
    RefundAnswer::Succeeded(RefundStatement {
        refund_no: call.refund_no.clone(),
        amount: Some(call.money.amount),
        trade_no: Some(call.trade_no.clone()),
        channel_refund_no: None,
        summary: "given back".to_owned(),
    })
}
