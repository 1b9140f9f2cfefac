//! The paywall: an actix-web middleware around a resource.

use super::counter::{Admitted, Counter};
use super::ticket::Ticket;
use super::{answers, header, offer};
use crate::channels::pay_per_use::PaymentProof;
use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};
use actix_web::error::ErrorInternalServerError;
use actix_web::{Error, HttpResponse};
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

/// What is delivered is kept for a while up to this length; longer ones go out once.
const KEPT_BYTES_MAX: u64 = 256 * 1024;
/// Longer than any address that is worth paying for.
const RESOURCE_BYTES_MAX: usize = 1_024;

/// Puts a resource behind a paywall: `web::resource(…).wrap(pay_per_use.clone())`.
///
/// Without a payment the answer is `402` with an offer in `Payment-Needed`. With one, in `Payment-Proof`, the channel is
/// asked, the resource is made, and its answer goes out once it is on record that it does: for one trade once. An answer
/// that is no success is passed on and uses nothing up. Whoever shows the trade again within ten minutes gets the same
/// answer again, with its headers, if its length was known and at most 256 KiB. The resource is made anew for the same
/// trade as long as nothing has gone out: after an answer that was no success, after one whose delivery could not be put on
/// record, and after a crash before it was. The method of the request does not count: what is paid for is the path and the
/// query.
#[derive(Clone)]
pub struct PayPerUse {
    counter: Arc<Counter>,
}

impl std::fmt::Debug for PayPerUse {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PayPerUse").finish_non_exhaustive()
    }
}

impl PayPerUse {
    pub(super) fn new(counter: Counter) -> Self {
        Self {
            counter: Arc::new(counter),
        }
    }
}

impl<S, B> Transform<S, ServiceRequest> for PayPerUse
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<BoxBody>;
    type Error = Error;
    type Transform = Paywall<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(Paywall {
            service: Rc::new(service),
            counter: Arc::clone(&self.counter),
        }))
    }
}

/// The resource behind its paywall.
pub struct Paywall<S> {
    service: Rc<S>,
    counter: Arc<Counter>,
}

impl<S> std::fmt::Debug for Paywall<S> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Paywall").finish_non_exhaustive()
    }
}

impl<S, B> Service<ServiceRequest> for Paywall<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<BoxBody>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>>>>;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.service.poll_ready(context)
    }

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let (service, counter) = (Rc::clone(&self.service), Arc::clone(&self.counter));
        // A task of its own: a payer who hangs up does not stop what was begun, and finds it when they come again.
        let answered = actix_web::rt::spawn(answer(service, counter, request));
        Box::pin(async move {
            match answered.await {
                Ok(answered) => answered,
                Err(end) => Err(ErrorInternalServerError(end.to_string())),
            }
        })
    }
}

/// What the request comes with.
enum Shown {
    Nothing,
    Unreadable,
    Proof(PaymentProof),
}

async fn answer<S, B>(
    service: Rc<S>,
    counter: Arc<Counter>,
    request: ServiceRequest,
) -> Result<ServiceResponse<BoxBody>, Error>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody + 'static,
{
    let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
    if path.len() > RESOURCE_BYTES_MAX {
        return Ok(request.into_response(HttpResponse::UriTooLong().finish()));
    }
    let resource = offer::resource_id(path);
    let proof = match shown(&request) {
        Shown::Proof(proof) => proof,
        Shown::Unreadable => return Ok(request.into_response(answers::unreadable())),
        Shown::Nothing => {
            let offer = counter.offer(&resource);
            return Ok(request.into_response(answers::needed(offer, None)));
        }
    };
    let answer = match counter.admit(&proof, &resource).await {
        Admitted::Make(ticket) => return delivered(&*service, request, *ticket).await,
        Admitted::Again(kept, validation) => answers::kept(kept, validation),
        Admitted::Unmatched => answers::unmatched(),
        Admitted::Busy => answers::busy(),
        Admitted::Unclear(why) => answers::unclear(&why),
        Admitted::Nothing(why) => answers::needed(counter.offer(&resource), Some(&why)),
    };
    Ok(request.into_response(answer))
}

/// A second header of the name would leave open which of them was meant.
fn shown(request: &ServiceRequest) -> Shown {
    let mut values = request.headers().get_all(header::PROOF);
    match (values.next(), values.next()) {
        (None, _) => Shown::Nothing,
        (Some(value), None) => {
            let proof = value.to_str().ok().and_then(header::proof);
            proof.map_or(Shown::Unreadable, Shown::Proof)
        }
        (Some(_), Some(_)) => Shown::Unreadable,
    }
}

/// Makes the resource, records that it is delivered, and lets it go out.
async fn delivered<S, B>(
    service: &S,
    request: ServiceRequest,
    ticket: Ticket,
) -> Result<ServiceResponse<BoxBody>, Error>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody + 'static,
{
    let made = service.call(request).await?;
    if !made.status().is_success() {
        return Ok(made.map_into_boxed_body());
    }
    let (request, response) = made.into_parts();
    let (response, body) = response.into_parts();
    let (mut response, kept) = match body.size() {
        BodySize::None | BodySize::Sized(0..=KEPT_BYTES_MAX) => {
            let bytes = to_bytes(body)
                .await
                .map_err(|error| ErrorInternalServerError(error.into()))?;
            let kept = answers::to_keep(&response, &bytes);
            (response.set_body(BoxBody::new(bytes)), kept)
        }
        BodySize::Sized(_) | BodySize::Stream => (response.set_body(BoxBody::new(body)), None),
    };
    let validation = ticket.validation();
    if !ticket.goes_out(kept.as_ref()).await {
        let unclear = answers::unclear("the delivery cannot be recorded");
        return Ok(ServiceResponse::new(request, unclear));
    }
    answers::validated(&mut response, validation);
    Ok(ServiceResponse::new(request, response))
}
