//! What the double remembers of charges and refunds, and what it says of them.

use super::keys::{APPID, MCHID};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A charge under its merchant's number.
#[derive(Debug, Clone)]
pub struct Charge {
    /// As it was asked for.
    pub asked: Value,
    pub state: String,
    pub transaction_id: Option<String>,
    pub submits: u32,
}

/// A refund under its merchant's number.
#[derive(Debug, Clone)]
pub struct Refund {
    pub order_no: String,
    pub transaction_id: String,
    pub status: String,
    pub amount: i64,
    pub total: i64,
    pub sends: u32,
}

/// A status, and a body if it has one.
pub type Said = (u16, Option<Value>);

#[derive(Debug, Default)]
pub struct Book {
    pub charges: BTreeMap<String, Charge>,
    pub refunds: BTreeMap<String, Refund>,
    /// What the next refunds begin with.
    pub refund_status: Option<String>,
}

pub fn code(status: u16, code: &str) -> Said {
    let message = "a message of the double";
    (status, Some(json!({"code": code, "message": message})))
}

impl Book {
    pub fn submit(&mut self, method: &str, asked: Value) -> Said {
        let total = asked["amount"]["total"].as_i64().unwrap_or_default();
        let openid = asked["payer"]["openid"].as_str();
        let named = asked["mchid"] == MCHID && asked["appid"] == APPID;
        let Some(order_no) = asked["out_trade_no"].as_str().map(str::to_owned) else {
            return code(400, "PARAM_ERROR");
        };
        if !named {
            return code(400, "APPID_MCHID_NOT_MATCH");
        }
        if total < 1 || (method == "jsapi") != openid.is_some() {
            return code(400, "PARAM_ERROR");
        }
        let charge = self.charges.entry(order_no).or_insert_with(|| Charge {
            asked: asked.clone(),
            state: "NOTPAY".to_owned(),
            transaction_id: None,
            submits: 0,
        });
        charge.submits += 1;
        match charge.state.as_str() {
            "NOTPAY" if charge.asked != asked => code(403, "OUT_TRADE_NO_USED"),
            "NOTPAY" if method == "jsapi" => {
                let prepay_id = "wx301800120000000000000000000001";
                (200, Some(json!({"prepay_id": prepay_id})))
            }
            "NOTPAY" => {
                let code_url = "weixin://wxpay/bizpayurl?pr=p4lpSuKzz";
                (200, Some(json!({"code_url": code_url})))
            }
            "CLOSED" => code(400, "ORDER_CLOSED"),
            _ => code(400, "ORDERPAID"),
        }
    }

    pub fn query(&self, order_no: &str) -> Said {
        match self.charges.get(order_no) {
            Some(_) => (200, Some(self.transaction(order_no))),
            None => code(404, "ORDER_NOT_EXIST"),
        }
    }

    pub fn close(&mut self, order_no: &str) -> Said {
        let Some(charge) = self.charges.get_mut(order_no) else {
            return code(404, "ORDERNOTEXIST");
        };
        match charge.state.as_str() {
            "NOTPAY" => {
                charge.state = "CLOSED".to_owned();
                (204, None)
            }
            "CLOSED" => code(400, "ORDER_CLOSED"),
            "USERPAYING" => code(202, "USERPAYING"),
            _ => code(400, "ORDERPAID"),
        }
    }

    /// The payer pays.
    pub fn pay(&mut self, order_no: &str) {
        let paid = self
            .charges
            .values()
            .filter(|it| it.transaction_id.is_some());
        let n = paid.count() + 1;
        let charge = self.charges.get_mut(order_no).expect("a charge to pay");
        assert_eq!(charge.state, "NOTPAY", "it can be paid");
        charge.state = "SUCCESS".to_owned();
        charge.transaction_id = Some(format!("42000020261130{n:014}"));
    }

    pub fn transaction(&self, order_no: &str) -> Value {
        let charge = &self.charges[order_no];
        let mut transaction = json!({
            "mchid": MCHID, "appid": APPID, "out_trade_no": order_no, "trade_type": "NATIVE",
            "trade_state": charge.state, "trade_state_desc": "说明", "attach": "",
            "amount": {"total": charge.asked["amount"]["total"], "currency": "CNY"},
            "payer": {"openid": "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"},
        });
        if let Some(number) = &charge.transaction_id {
            transaction["transaction_id"] = json!(number);
            transaction["success_time"] = json!("2026-11-30T18:00:11+08:00");
        }
        transaction
    }

    pub fn refund(&mut self, asked: &Value) -> Said {
        let text = |field: &str| asked[field].as_str().unwrap_or_default().to_owned();
        let (number, trade) = (text("out_refund_no"), text("transaction_id"));
        let amount = asked["amount"]["refund"].as_i64().unwrap_or_default();
        let total = asked["amount"]["total"].as_i64().unwrap_or_default();
        if let Some(refund) = self.refunds.get_mut(&number) {
            refund.sends += 1;
            if (&refund.transaction_id, refund.amount) != (&trade, amount) {
                return code(400, "INVALID_REQUEST");
            }
            return (200, Some(self.refund_of(&number)));
        }
        let mut charges = self.charges.iter_mut();
        let of_trade = charges.find(|(_, it)| it.transaction_id.as_deref() == Some(&*trade));
        let Some((order_no, charge)) = of_trade else {
            return code(404, "RESOURCE_NOT_EXISTS");
        };
        let before: i64 = self
            .refunds
            .values()
            .filter(|it| it.transaction_id == trade && it.status != "CLOSED")
            .map(|it| it.amount)
            .sum();
        if charge.asked["amount"]["total"] != total || before + amount > total || amount < 1 {
            return code(400, "INVALID_REQUEST");
        }
        charge.state = "REFUND".to_owned();
        let status = self.refund_status.clone();
        let refund = Refund {
            order_no: order_no.clone(),
            transaction_id: trade,
            status: status.unwrap_or_else(|| "PROCESSING".to_owned()),
            amount,
            total,
            sends: 1,
        };
        self.refunds.insert(number.clone(), refund);
        (200, Some(self.refund_of(&number)))
    }

    pub fn query_refund(&self, number: &str) -> Said {
        match self.refunds.get(number) {
            Some(_) => (200, Some(self.refund_of(number))),
            None => code(404, "RESOURCE_NOT_EXISTS"),
        }
    }

    fn refund_of(&self, number: &str) -> Value {
        let refund = &self.refunds[number];
        json!({
            "refund_id": refund_id(number), "out_refund_no": number, "transaction_id": refund.transaction_id,
            "out_trade_no": refund.order_no, "channel": "ORIGINAL", "user_received_account": "零钱",
            "create_time": "2026-11-30T18:01:00+08:00", "status": refund.status,
            "amount": {"total": refund.total, "refund": refund.amount, "currency": "CNY"},
        })
    }

    /// The resource of a refund's notice.
    pub fn refund_told(&self, number: &str) -> Value {
        let refund = &self.refunds[number];
        json!({
            "mchid": MCHID, "out_trade_no": refund.order_no, "transaction_id": refund.transaction_id,
            "out_refund_no": number, "refund_id": refund_id(number), "refund_status": refund.status,
            "user_received_account": "零钱",
            "amount": {"total": refund.total, "refund": refund.amount, "payer_total": refund.total,
                       "payer_refund": refund.amount},
        })
    }
}

fn refund_id(number: &str) -> String {
    let digits = number.bytes().map(usize::from).sum::<usize>();
    format!("503000202611{digits:016}")
}
