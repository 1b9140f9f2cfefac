//! What the gateway answers.

use super::{ASKED, Asked, Book, Fault, Kept, TOKEN, signature};
use actix_web::HttpResponse;
use actix_web::web::{self, Bytes, Data};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

type Reply = HttpResponse;

fn refusal(message: &str) -> Reply {
    HttpResponse::Ok().json(json!({"success": false, "message": message}))
}

/// The head is written and the body never ends as it should.
fn broken() -> Reply {
    let error =
        futures_util::stream::once(async { Err::<Bytes, _>(actix_web::error::ErrorGone("")) });
    HttpResponse::Ok().streaming(error)
}

/// Does what the double was told, or what was asked.
async fn under(
    book: &Data<Mutex<Book>>,
    asked: Asked,
    work: impl FnOnce(&mut Book) -> Reply,
) -> Reply {
    let (fault, reply) = {
        let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
        match asked {
            Asked::CreateOrder => book.creates += 1,
            Asked::Query => book.queries += 1,
        }
        let at = book.faults.iter().position(|(of, _)| *of == asked);
        let fault = at
            .and_then(|at| book.faults.remove(at))
            .map(|(_, fault)| fault);
        let reply = match &fault {
            Some(Fault::DropsBefore) => broken(),
            Some(Fault::Answers(status, body)) => {
                let status = actix_web::http::StatusCode::from_u16(*status).unwrap();
                HttpResponse::build(status)
                    .content_type("application/json")
                    .body(body.clone())
            }
            Some(Fault::Refuses(message)) => refusal(message),
            Some(Fault::DropsAfter | Fault::Late(_) | Fault::Held(_)) | None => work(&mut book),
        };
        (fault, reply)
    };
    let reply = match fault {
        Some(Fault::Late(by)) => {
            tokio::time::sleep(by).await;
            reply
        }
        Some(Fault::Held(until)) => {
            until.notified().await;
            reply
        }
        Some(Fault::DropsAfter) => broken(),
        Some(Fault::DropsBefore | Fault::Answers(..) | Fault::Refuses(_)) | None => reply,
    };
    book.lock().unwrap_or_else(PoisonError::into_inner).answered += 1;
    reply
}

pub(super) async fn create(book: Data<Mutex<Book>>, body: Bytes) -> Reply {
    under(&book, Asked::CreateOrder, |book| {
        let Ok(raw) = serde_json::from_slice::<BTreeMap<String, Box<RawValue>>>(&body) else {
            return refusal("The model field is required.");
        };
        let fields: BTreeMap<&str, &str> = raw.iter().map(|(k, v)| (k.as_str(), v.get())).collect();
        let text = |name: &str| {
            let value = fields.get(name).copied().unwrap_or("null");
            serde_json::from_str::<String>(value).unwrap_or_else(|_| value.replace("null", ""))
        };
        if text("Signature") != signature(&fields) {
            return refusal("签名验证失败！");
        }
        if text("Currency") != TOKEN {
            return refusal("不支持的币种【X】！\n当前支持的币种参数有：TRX, USDT_TRC20");
        }
        if text("OrderUserKey").is_empty() {
            return refusal("用户标识为必传参数");
        }
        let known = |it: &&Kept| it.out_order_id == text("OutOrderId") && it.status != "Expired";
        if let Some(old) = book.orders.iter().find(known) {
            return made(book, old, "订单已存在，查询旧订单！");
        }
        let order = Kept {
            id: format!("66f9d5a8-d9c7-0224-004f-{:012x}", book.orders.len() + 1),
            out_order_id: text("OutOrderId"),
            user_key: text("OrderUserKey"),
            actual_amount: text("ActualAmount"),
            currency: text("Currency"),
            asked: ASKED.to_owned(),
            notify_url: text("NotifyUrl"),
            status: "Pending".to_owned(),
            sent: None,
            inexact: false,
            transfer: None,
        };
        let reply = made(book, &order, "创建订单成功！");
        book.orders.push(order);
        reply
    })
    .await
}

fn made(book: &Book, order: &Kept, message: &str) -> Reply {
    HttpResponse::Ok().json(json!({
        "success": true, "message": message, "data": format!("{}/Pay?Id={}", book.pay_host, order.id),
        "info": {
            "ActualAmount": order.actual_amount, "Amount": order.asked, "BaseCurrency": book.base_currency,
            "BlockChainName": "TRON", "CurrencyName": "USDT", "ExpireTime": "2026-11-30 18:30:00", "Id": order.id,
            "OrderUserKey": order.user_key, "OutOrderId": order.out_order_id, "PassThroughInfo": null,
            "QrCodeLink": format!("{}/GetQrCode?Id={}", book.pay_host, order.id), "ToAddress": "TKGTx4p",
        },
    }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    id: &'a str,
    out_order_id: &'a str,
    order_user_key: &'a str,
    block_transaction_id: Option<&'a str>,
    pay_time: Option<&'a str>,
    pay_amount: Option<Box<RawValue>>,
    is_dynamic_amount: bool,
    actual_amount: Box<RawValue>,
    currency: &'a str,
    amount: Box<RawValue>,
    status: &'a str,
}

#[derive(Serialize)]
struct Found<'a> {
    success: bool,
    message: &'a str,
    data: Shown<'a>,
    info: Option<()>,
}

pub(super) async fn query(
    book: Data<Mutex<Book>>,
    asked: web::Query<BTreeMap<String, String>>,
) -> Reply {
    under(&book, Asked::Query, |book| {
        let id = asked.get("Id").map_or("", String::as_str);
        let quoted = format!("\"{id}\"");
        let ours = signature(&BTreeMap::from([("Id", quoted.as_str())]));
        if asked.get("Signature") != Some(&ours) {
            return refusal("签名验证失败！");
        }
        let Some(order) = book.orders.iter().find(|order| order.id == id) else {
            return refusal("订单不存在！");
        };
        let number = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let shown = Shown {
            id: &order.id,
            out_order_id: &order.out_order_id,
            order_user_key: &order.user_key,
            block_transaction_id: order.transfer.as_deref(),
            pay_time: order.transfer.as_ref().map(|_| "2026-11-30T18:00:11"),
            pay_amount: order.sent.as_deref().map(number),
            is_dynamic_amount: order.inexact,
            actual_amount: number(&order.actual_amount),
            currency: &order.currency,
            amount: number(&order.asked),
            status: &order.status,
        };
        HttpResponse::Ok().json(Found {
            success: true,
            message: "订单信息获取成功！",
            data: shown,
            info: None,
        })
    })
    .await
}
