//! The routes, a folder or file for each noun, and how they are mounted.

pub(crate) mod accounts;
pub(crate) mod alerts;
pub(crate) mod callbacks;
pub(crate) mod deliveries;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod operations;
pub(crate) mod orders;

use super::state::State;
use super::{door, payer};
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Resource};

/// The API, for an app or for a scope of the merchant's own app: `scope("/payments").configure(web::api(state))`.
/// `server.public_url` must then end in `/payments`.
pub fn api(state: State) -> impl Fn(&mut ServiceConfig) + Clone {
    move |config| {
        let shared = state.parts.clone();
        let passing = shared.clone();
        let scope = web::scope("/v1")
            .app_data(shared)
            .configure(orders::mount)
            .configure(callbacks::mount)
            .configure(accounts::mount)
            .configure(alerts::mount)
            .configure(deliveries::mount)
            .configure(keys::mount)
            .default_service(web::to(nothing_here))
            .wrap(from_fn(move |request, next| {
                door::pass(passing.clone(), request, next)
            }));
        config.service(scope);
        let page = web::resource("/pay/{order_id}").route(web::get().to(payer::pay));
        config.service(through_the_door(state.clone(), page));
    }
}

/// Health, readiness, metrics and documents, for the API's own app or for `server.admin_listen`.
pub fn operations(state: State) -> impl Fn(&mut ServiceConfig) + Clone {
    move |config| {
        for resource in operations::resources() {
            config.service(through_the_door(state.clone(), resource));
        }
        let shared = state.parts.clone();
        let pages = web::scope("/docs")
            .service(operations::pages())
            .default_service(web::to(nothing_here))
            .wrap(from_fn(move |request, next| {
                door::pass(shared.clone(), request, next)
            }));
        config.service(pages);
    }
}

/// What an app of ours answers to every other path.
pub fn everything_else(state: State) -> impl Fn(&mut ServiceConfig) + Clone {
    move |config| {
        let shared = state.parts.clone();
        config.default_service(web::to(nothing_here).wrap(from_fn(move |request, next| {
            door::pass(shared.clone(), request, next)
        })));
    }
}

fn through_the_door(state: State, resource: Resource) -> impl actix_web::dev::HttpServiceFactory {
    let shared = state.parts;
    resource
        .app_data(shared.clone())
        .wrap(from_fn(move |request, next| {
            door::pass(shared.clone(), request, next)
        }))
}

async fn nothing_here() -> HttpResponse {
    HttpResponse::NotFound().finish()
}
