//! Refunds, as merchants, operators and the processor see them.

use super::{Answer, MERCHANT, Processor, Shop, eventually, order};
use serde_json::{Value, json};

/// What asks for a refund.
pub fn refund(refund_no: &str, amount: i64) -> Value {
    json!({"refund_no": refund_no, "amount": amount})
}

/// A notice about a refund, as the processor words it.
pub fn told(order_no: &str, trade_no: &str, refund_no: &str, amount: i64, status: &str) -> Value {
    json!({"type": "refund.updated", "data": {
        "order_no": order_no, "idempotency_key": format!("pay:order:{order_no}"), "trade_no": trade_no,
        "refund_no": refund_no, "amount": amount, "status": status,
    }})
}

impl Shop {
    /// An order that is paid, with this amount and subject.
    pub async fn paid(&self, order_no: &str, amount: i64, subject: &str) -> Value {
        let mut body = order(order_no, subject);
        body["amount"] = json!(amount);
        let paid = self.create(&body).await;
        assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);
        paid.body
    }

    /// Asks for a refund of this order with this key.
    pub async fn refund_with(&self, order: &Value, key: &str, body: &Value) -> Answer {
        let path = refunds_of(order);
        self.ask("POST", &path, key, Some(body)).await
    }

    /// The merchant asks for a refund of this order.
    pub async fn refund(&self, order: &Value, refund_no: &str, amount: i64) -> Answer {
        self.refund_with(order, MERCHANT, &refund(refund_no, amount))
            .await
    }

    /// The refund with this number.
    pub async fn refund_of(&self, order: &Value, refund_no: &str) -> Value {
        let path = format!("{}/{refund_no}", refunds_of(order));
        let answer = self.ask("GET", &path, MERCHANT, None).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body
    }

    /// All refunds of this order, newest first.
    pub async fn refunds(&self, order: &Value) -> Vec<Value> {
        let answer = self.ask("GET", &refunds_of(order), MERCHANT, None).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body["data"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until the refund has this status.
    pub async fn refund_becomes(&self, order: &Value, refund_no: &str, status: &str) -> Value {
        eventually(&format!("refund {refund_no} becomes {status}"), || async {
            let path = format!("{}/{refund_no}", refunds_of(order));
            let answer = self.ask("GET", &path, MERCHANT, None).await;
            if answer.text("status") == status {
                Ok(answer.body)
            } else {
                Err(answer.body.to_string())
            }
        })
        .await
    }

    /// An operator's decision about a refund.
    pub async fn review_refund(
        &self,
        order: &Value,
        refund_no: &str,
        key: &str,
        body: &Value,
    ) -> Answer {
        let path = format!("{}/{refund_no}/reviews", refunds_of(order));
        self.ask("POST", &path, key, Some(body)).await
    }
}

impl Processor {
    /// Somebody refunds at the processor itself.
    pub async fn refund_by_hand(&self, order_no: &str, refund_no: &str, amount: i64) {
        let charge = self.charge(order_no).await.expect("it is charged");
        self.control(json!({"refund": {
            "key": charge.idempotency_key, "refund_no": refund_no, "amount": amount, "trade_no": charge.trade_no,
        }}))
        .await;
    }

    /// A refund takes this status at the processor, which tells so.
    pub async fn settle_refund(&self, order_no: &str, refund_no: &str, status: &str) {
        let key = format!("pay:order:{order_no}");
        self.control(
            json!({"settle_refund": {"key": key, "refund_no": refund_no, "status": status}}),
        )
        .await;
    }

    /// What must hold for every refund number: one refund, of this amount, that succeeded.
    pub async fn refunded_once(&self, order_no: &str, refund_no: &str, amount: i64) {
        let refunds = self.refunds(order_no).await;
        let ours: Vec<_> = refunds
            .iter()
            .filter(|it| it.refund_no == refund_no)
            .map(|it| (it.amount, it.status.as_str()))
            .collect();
        assert_eq!(ours, [(amount, "SUCCEEDED")], "{refunds:?}");
    }
}

/// The address of an order's refunds.
pub fn refunds_of(order: &Value) -> String {
    let order_id = order["order_id"].as_str().expect("an order's id");
    format!("/v1/orders/{order_id}/refunds")
}
