//! A shop on actix-web with oncepay inside: its own pages, its own channel, and the payment API under `/payments`.

use super::bank::Bank;
use super::bank_transfer::BankTransfer;
use actix_web::dev::ServerHandle;
use actix_web::web::{Data, Json, Path, get, post, scope};
use actix_web::{App, HttpResponse, HttpServer};
use oncepay::{Currency, Gateway, GatewayError, Money, Order, OrderNo, OrderStatus, Runtime};
use oncepay::{Settings, Wait};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// How long a shopper looks at "one moment, please". The order goes on after that.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Shop {
    pub(crate) address: String,
    server: ServerHandle,
    runtime: Runtime,
}

impl Shop {
    /// Opens the payments first, then the doors.
    pub(crate) async fn open(
        settings: Settings,
        bank: Bank,
        listener: TcpListener,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let runtime = Runtime::builder(settings)
            .channel(Arc::new(BankTransfer::new(bank)))
            .start()
            .await?;
        let address = format!("http://{}", listener.local_addr()?);
        let gateway = Data::new(runtime.gateway().clone());
        let payments = runtime.routes();
        let server = HttpServer::new(move || {
            App::new()
                .app_data(gateway.clone())
                .route("/checkout", post().to(check_out))
                .route("/checkout/{cart}", get().to(look))
                .service(scope("/payments").configure(payments.clone()))
        })
        .workers(2)
        .disable_signals()
        .listen(listener)?
        .run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Ok(Self {
            address,
            server: handle,
            runtime,
        })
    }

    /// Closes the doors first, then the payments: what was begun is committed.
    pub(crate) async fn close(self) {
        self.server.stop(true).await;
        self.runtime.stop().await;
    }
}

#[derive(Deserialize)]
struct Cart {
    cart: String,
    cents: i64,
}

/// The shopper pays. The cart's number is the order's: pressing the button twice is one order.
async fn check_out(gateway: Data<Gateway>, cart: Json<Cart>) -> HttpResponse {
    let Some(euro) = Currency::parse("EUR") else {
        return HttpResponse::InternalServerError().finish();
    };
    let total = Money::new(cart.cents, euro);
    let order = gateway.new_order(&cart.cart, BankTransfer::NAME, total, "Your books");
    let mut order = match order {
        Ok(order) => order,
        Err(refusal) => return HttpResponse::BadRequest().body(refusal.to_string()),
    };
    order.metadata.insert("from".to_owned(), "web".to_owned());
    match gateway.create(order, Wait::UpTo(PATIENCE)).await {
        Ok(answered) => HttpResponse::Ok().json(page(&answered.order)),
        Err(GatewayError::OrderConflict) => {
            HttpResponse::Conflict().body("this cart has changed: start anew")
        }
        Err(error) => HttpResponse::ServiceUnavailable().body(error.to_string()),
    }
}

/// The shopper's page asks how it stands; the answer comes as soon as there is one.
async fn look(gateway: Data<Gateway>, cart: Path<String>) -> HttpResponse {
    let order_no = OrderNo(cart.into_inner());
    match gateway.wait(&order_no, Duration::ZERO).await {
        Ok(answered) => HttpResponse::Ok().json(page(&answered.order)),
        Err(GatewayError::NoSuchOrder) => HttpResponse::NotFound().finish(),
        Err(error) => HttpResponse::ServiceUnavailable().body(error.to_string()),
    }
}

/// What a shopper is told. Only `FAILED` and `CLOSED` say "not paid": everything else is not known to be so.
fn page(order: &Order) -> Value {
    let says = match order.status {
        OrderStatus::Paid => "thank you",
        OrderStatus::Failed | OrderStatus::Closed => "not paid; you may order again",
        OrderStatus::Pending => "please transfer the money with this reference",
        OrderStatus::Refunding | OrderStatus::PartiallyRefunded | OrderStatus::Refunded => {
            "given back"
        }
        OrderStatus::Unpaid
        | OrderStatus::Processing
        | OrderStatus::Unknown
        | OrderStatus::Manual => "we are looking into it; please do not pay again",
    };
    let reference = order.next_action.as_ref().map(|action| &action.value);
    json!({"says": says, "reference": reference, "cents": order.money.amount})
}
