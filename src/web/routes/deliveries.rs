//! Webhooks to the merchant: what was sent, what came of it, and sending it again.

use crate::domain::outbox::DeliveryStatus;
use crate::moment::rfc3339;
use crate::store::deliveries::{self, DeliveryFilter, StoredAttempt, StoredDelivery};
use crate::store::journal::AuditRecord;
use crate::web::auth;
use crate::web::cursor::{self, is_id};
use crate::web::openapi::lists::DeliveryList;
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::rules;
use crate::web::state::Shared;
use crate::web::words::DeliveryStatusWord;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

/// What ids of deliveries begin with.
const PREFIX: &str = "dlv";

/// One webhook to `fulfilment.url`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub(crate) struct DeliveryView {
    #[schema(pattern = "^dlv_[0-9a-f]{32}$")]
    pub(crate) delivery_id: String,
    /// The same in all attempts: what a receiver deduplicates by.
    pub(crate) webhook_id: String,
    #[serde(rename = "type")]
    #[schema(example = "order.paid")]
    pub(crate) kind: String,
    pub(crate) order_no: String,
    #[schema(value_type = DeliveryStatusWord)]
    pub(crate) status: &'static str,
    /// Oldest first.
    pub(crate) attempts: Vec<AttemptView>,
    /// When it is sent next; null if it is not.
    #[schema(required = true, format = DateTime)]
    pub(crate) next_at: Option<String>,
}

/// One attempt. Without status and error it is under way, or a stop has interrupted it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryAttempt)]
pub(crate) struct AttemptView {
    #[schema(format = DateTime)]
    pub(crate) at: String,
    #[schema(required = true)]
    pub(crate) http_status: Option<i64>,
    #[schema(required = true)]
    pub(crate) error: Option<String>,
}

pub(super) fn mount(config: &mut ServiceConfig) {
    let path = "/deliveries/{delivery_id}/redeliver";
    config
        .service(web::resource("/deliveries").route(web::get().to(list)))
        .service(web::resource(path).route(web::post().to(redeliver)));
}

/// List webhooks, newest first.
#[utoipa::path(
    get, path = "/v1/deliveries", tag = "deliveries", operation_id = "list_deliveries",
    params(
        ("status" = Option<DeliveryStatusWord>, Query),
        ("order_no" = Option<String>, Query, pattern = "^[A-Za-z0-9_-]{1,64}$"),
        ("cursor" = Option<String>, Query, pattern = "^dlv_[0-9a-f]{32}$", description = "`next_cursor` of the page before"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 200, description = "Default 50"),
    ),
    responses(
        (status = 200, description = "A page of webhooks", body = DeliveryList),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn list(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadDeliveries)?;
    let mut parameters = Parameters::of(&request);
    let status = parameters.parse("status", |text| {
        DeliveryStatus::parse(text).ok_or_else(|| {
            let words: Vec<&str> = DeliveryStatus::ALL.iter().map(|it| it.as_str()).collect();
            rules::one_of(&words)
        })
    });
    let order_no = parameters.parse("order_no", |text| match rules::order_no(text) {
        Some(message) => Err(message),
        None => Ok(text.to_owned()),
    });
    let after = parameters.cursor(PREFIX);
    let limit = parameters.limit();
    parameters.finish()?;
    let filter = DeliveryFilter {
        status,
        order_no,
        after,
        limit: limit.saturating_add(1),
    };
    let read = &shared.database.read;
    let mut rows = deliveries::list(read, &filter).await?;
    let next_cursor = cursor::cut(&mut rows, limit, |row| row.delivery_id.clone());
    let ids: Vec<&str> = rows.iter().map(|row| row.delivery_id.as_str()).collect();
    let mut attempts = deliveries::attempts(read, &ids).await?;
    let view = |row: StoredDelivery| {
        let made = attempts.remove(&row.delivery_id).unwrap_or_default();
        view(row, made)
    };
    Ok(HttpResponse::Ok().json(DeliveryList {
        data: rows.into_iter().map(view).collect(),
        next_cursor,
    }))
}

/// Send a webhook again, whatever became of it: under the same `webhook-id`, with the same body, on a fresh schedule.
#[utoipa::path(
    post, path = "/v1/deliveries/{delivery_id}/redeliver", tag = "deliveries", operation_id = "redeliver",
    params(("delivery_id" = String, Path, pattern = "^dlv_[0-9a-f]{32}$")),
    responses(
        (status = 202, description = "It is sent now; the delivery as it stands", body = DeliveryView),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 409, description = "`nothing-to-deliver`: the endpoint has ended, or none is configured", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn redeliver(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::Redeliver)?;
    Parameters::of(&request).finish()?;
    let id = request.match_info().get("delivery_id").unwrap_or_default();
    if !is_id(id, PREFIX) {
        return Err(Problem::new(Kind::NotFound));
    }
    let read = &shared.database.read;
    let known = deliveries::by_id(read, id).await?;
    let known = known.ok_or_else(|| Problem::new(Kind::NotFound))?;
    let ended = match &shared.settings.fulfilment.url {
        Some(url) => deliveries::is_ended(read, url).await?,
        None => true,
    };
    if ended {
        return Err(Problem::new(Kind::NothingToDeliver));
    }
    let backend = shared.database.backend();
    let again = deliveries::redeliver(backend, id, shared.clock.wall());
    let record = AuditRecord {
        actor: format!("operator:{}", caller.name),
        action: "redeliver",
        subject: known.delivery_id,
        detail: json!({"webhook_id": known.webhook_id, "status": known.status}).to_string(),
    };
    shared.journal.run_audited(vec![again], &record).await?;
    shared.outbox.ring();
    let row = deliveries::by_id(read, id).await?;
    let row = row.ok_or_else(|| Problem::new(Kind::NotFound))?;
    let made = deliveries::attempts(read, &[id]).await?.remove(id);
    Ok(HttpResponse::Accepted().json(view(row, made.unwrap_or_default())))
}

fn view(row: StoredDelivery, attempts: Vec<StoredAttempt>) -> DeliveryView {
    let waits = row.status == DeliveryStatus::Pending;
    let attempt = |attempt: StoredAttempt| AttemptView {
        at: rfc3339(attempt.at),
        http_status: attempt.http_status,
        error: attempt.error,
    };
    DeliveryView {
        delivery_id: row.delivery_id,
        webhook_id: row.webhook_id,
        kind: row.kind,
        order_no: row.order_no,
        status: row.status.as_str(),
        attempts: attempts.into_iter().map(attempt).collect(),
        next_at: waits.then(|| rfc3339(row.due_at)),
    }
}
