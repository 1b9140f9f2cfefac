//! Alerts.

use crate::domain::order::{AlertKind, Severity};
use crate::moment::rfc3339;
use crate::store;
use crate::store::alerts::StoredAlert;
use crate::web::auth;
use crate::web::cursor::{self, is_id};
use crate::web::openapi::lists::AlertList;
use crate::web::problem::Problem;
use crate::web::problem_kind::Kind;
use crate::web::problem_view::ProblemView;
use crate::web::query::Parameters;
use crate::web::role::Act;
use crate::web::rules;
use crate::web::state::Shared;
use crate::web::words::{AlertKindWord, AlertStatusWord, SeverityWord};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

const STATUSES: [&str; 3] = ["open", "acknowledged", "resolved"];

/// One thing that ops must know, once.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Alert)]
pub(crate) struct AlertView {
    #[schema(pattern = "^alr_[0-9a-f]{32}$")]
    pub(crate) alert_id: String,
    #[schema(value_type = AlertKindWord)]
    pub(crate) kind: String,
    #[schema(value_type = SeverityWord)]
    pub(crate) severity: String,
    #[schema(value_type = AlertStatusWord)]
    pub(crate) status: String,
    #[schema(required = true)]
    pub(crate) order_id: Option<String>,
    #[schema(required = true)]
    pub(crate) order_no: Option<String>,
    #[schema(required = true)]
    pub(crate) channel: Option<String>,
    #[schema(minimum = 1)]
    pub(crate) count: i64,
    pub(crate) message: String,
    pub(crate) suggested_action: String,
    #[schema(format = DateTime)]
    pub(crate) created_at: String,
    /// The name of the key that acknowledged it.
    #[schema(required = true)]
    pub(crate) acknowledged_by: Option<String>,
    #[schema(required = true, format = DateTime)]
    pub(crate) resolved_at: Option<String>,
}

pub(super) fn mount(config: &mut ServiceConfig) {
    config
        .service(web::resource("/alerts").route(web::get().to(list)))
        .service(
            web::resource("/alerts/{alert_id}/acknowledge").route(web::post().to(acknowledge)),
        );
}

/// List alerts, newest first; without `status` all of them.
#[utoipa::path(
    get, path = "/v1/alerts", tag = "alerts", operation_id = "list_alerts",
    params(
        ("status" = Option<AlertStatusWord>, Query),
        ("cursor" = Option<String>, Query, pattern = "^alr_[0-9a-f]{32}$", description = "`next_cursor` of the page before"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 200, description = "Default 50"),
    ),
    responses(
        (status = 200, description = "A page of alerts", body = AlertList),
        (status = 422, description = "`validation`", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn list(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    auth::require(&shared.keys, &request, Act::ReadAlerts)?;
    let mut parameters = Parameters::of(&request);
    let status = parameters.parse("status", |text| {
        let known = STATUSES.into_iter().find(|status| *status == text);
        known.ok_or_else(|| rules::one_of(&STATUSES))
    });
    let after = parameters.cursor("alr");
    let limit = parameters.limit();
    parameters.finish()?;
    let read = &shared.database.read;
    let rows = limit.saturating_add(1);
    let mut alerts = store::alerts::list(read, status, after.as_deref(), rows).await?;
    let next_cursor = cursor::cut(&mut alerts, limit, |alert| alert.alert_id.clone());
    Ok(HttpResponse::Ok().json(AlertList {
        data: alerts.into_iter().map(view).collect(),
        next_cursor,
    }))
}

/// Acknowledge an alert. One that is acknowledged or resolved already stays as it is.
#[utoipa::path(
    post, path = "/v1/alerts/{alert_id}/acknowledge", tag = "alerts", operation_id = "acknowledge_alert",
    params(("alert_id" = String, Path, pattern = "^alr_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The alert as it stands", body = AlertView),
        (status = 404, description = "`not-found`", body = ProblemView, content_type = "application/problem+json"),
        (status = 422, description = "`validation`: an unknown parameter", body = ProblemView, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn acknowledge(
    shared: Data<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let caller = auth::require(&shared.keys, &request, Act::AcknowledgeAlert)?;
    Parameters::of(&request).finish()?;
    let id = request.match_info().get("alert_id").unwrap_or_default();
    if !is_id(id, "alr") {
        return Err(Problem::new(Kind::NotFound));
    }
    let backend = shared.database.backend();
    let at = shared.clock.wall();
    let statement = store::alerts::acknowledge(backend, id, &caller.name, at);
    shared.journal.run(vec![statement]).await?;
    let alert = store::alerts::by_id(&shared.database.read, id).await?;
    let alert = alert.ok_or_else(|| Problem::new(Kind::NotFound))?;
    Ok(HttpResponse::Ok().json(view(alert)))
}

fn view(alert: StoredAlert) -> AlertView {
    let action = AlertKind::parse(&alert.kind)
        .zip(Severity::parse(&alert.severity))
        .map(|(kind, severity)| kind.suggested_action(severity));
    AlertView {
        alert_id: alert.alert_id,
        kind: alert.kind,
        severity: alert.severity,
        status: alert.status,
        order_id: alert.order_id,
        order_no: alert.order_no,
        channel: alert.channel,
        count: alert.count,
        message: alert.message,
        suggested_action: action.unwrap_or_default().to_owned(),
        created_at: rfc3339(alert.created_at),
        acknowledged_by: alert.acknowledged_by,
        resolved_at: alert.resolved_at.map(rfc3339),
    }
}
