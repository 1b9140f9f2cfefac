//! What the gateway keeps: codes that were shown, trades that began, refunds that were made.

use super::Mishap;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trade {
    pub trade_no: String,
    pub total: String,
    pub status: &'static str,
    pub paid: bool,
    /// Numbers of refunds, and how much of each in fen.
    pub refunds: BTreeMap<String, i64>,
}

impl Trade {
    pub fn refunded(&self) -> i64 {
        self.refunds.values().sum()
    }
}

#[derive(Default)]
pub struct Book {
    /// What was asked for under a number, and what a code was given for.
    pub shown: HashMap<String, Value>,
    pub trades: HashMap<String, Trade>,
    pub mishaps: HashMap<String, Vec<Mishap>>,
    /// Methods and contents of all calls.
    pub calls: Vec<(String, Value)>,
    pub bill: Option<Vec<u8>>,
    pub last_trade: u64,
}

pub fn yuan(fen: i64) -> String {
    format!("{}.{:02}", fen / 100, fen % 100)
}

fn fen(yuan: &str) -> i64 {
    yuan.replace('.', "").parse().unwrap()
}

fn failed(sub_code: &str, order_no: &str) -> Value {
    json!({"code": "40004", "msg": "Business Failed", "sub_code": format!("ACQ.{sub_code}"), "out_trade_no": order_no})
}

impl Book {
    pub fn begin(&mut self, order_no: &str) -> String {
        if let Some(trade) = self.trades.get(order_no) {
            return trade.trade_no.clone();
        }
        self.last_trade += 1;
        let trade_no = format!("20261130220014000205{:08}", self.last_trade);
        let total = self.shown[order_no]["total_amount"]
            .as_str()
            .unwrap()
            .to_owned();
        let trade = Trade {
            trade_no: trade_no.clone(),
            total,
            status: "WAIT_BUYER_PAY",
            paid: false,
            refunds: BTreeMap::new(),
        };
        self.trades.insert(order_no.to_owned(), trade);
        trade_no
    }

    pub fn serve(&mut self, method: &str, content: &Value, port: u16) -> Value {
        let order_no = content["out_trade_no"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        match method {
            "alipay.trade.precreate" | "alipay.trade.page.pay" | "alipay.trade.wap.pay" => {
                self.show(&order_no, content)
            }
            "alipay.trade.query" => match self.trades.get(&order_no) {
                None => failed("TRADE_NOT_EXIST", &order_no),
                Some(trade) => {
                    let paid_at = if trade.paid {
                        "2026-11-30 18:00:11"
                    } else {
                        ""
                    };
                    json!({"code": "10000", "msg": "Success", "out_trade_no": order_no, "trade_no": trade.trade_no,
                           "trade_status": trade.status, "total_amount": trade.total, "send_pay_date": paid_at,
                           "buyer_logon_id": "buy***@sandbox.example"})
                }
            },
            "alipay.trade.close" => self.close(&order_no),
            "alipay.trade.refund" => self.refund(&order_no, content),
            "alipay.trade.fastpay.refund.query" => self.refund_of(&order_no, content),
            "alipay.data.dataservice.bill.downloadurl.query" => match self.bill {
                Some(_) => {
                    json!({"code": "10000", "msg": "Success", "bill_download_url": format!("http://127.0.0.1:{port}/bill?x=1")})
                }
                None => {
                    json!({"code": "40004", "msg": "Business Failed", "sub_code": "isp.bill_not_exist"})
                }
            },
            other => panic!("the double has no {other}"),
        }
    }

    fn show(&mut self, order_no: &str, content: &Value) -> Value {
        match self.trades.get(order_no).map(|trade| trade.status) {
            Some("TRADE_SUCCESS" | "TRADE_FINISHED") => {
                return failed("TRADE_HAS_SUCCESS", order_no);
            }
            Some("TRADE_CLOSED") => return failed("TRADE_HAS_CLOSE", order_no),
            _ => {}
        }
        let before = self
            .shown
            .entry(order_no.to_owned())
            .or_insert_with(|| content.clone());
        if before != content {
            return failed("CONTEXT_INCONSISTENT", order_no);
        }
        json!({"code": "10000", "msg": "Success", "out_trade_no": order_no,
               "qr_code": format!("https://qr.alipay.example/{order_no}")})
    }

    fn close(&mut self, order_no: &str) -> Value {
        match self.trades.get_mut(order_no) {
            None => failed("TRADE_NOT_EXIST", order_no),
            Some(trade) if trade.status == "WAIT_BUYER_PAY" => {
                trade.status = "TRADE_CLOSED";
                json!({"code": "10000", "msg": "Success", "out_trade_no": order_no, "trade_no": trade.trade_no})
            }
            Some(_) => failed("REASON_TRADE_STATUS_INVALID", order_no),
        }
    }

    fn refund(&mut self, order_no: &str, content: &Value) -> Value {
        let Some(trade) = self.trades.get_mut(order_no) else {
            return failed("TRADE_NOT_EXIST", order_no);
        };
        let number = content["out_request_no"].as_str().unwrap();
        let amount = fen(content["refund_amount"].as_str().unwrap());
        let known = trade.refunds.get(number).copied();
        match known {
            Some(before) if before != amount => {
                return failed("DISCORDANT_REPEAT_REQUEST", order_no);
            }
            None if trade.status != "TRADE_SUCCESS" => {
                return failed("TRADE_STATUS_ERROR", order_no);
            }
            None if trade.refunded() + amount > fen(&trade.total) => {
                return failed("REASON_TRADE_REFUND_FEE_ERR", order_no);
            }
            _ => {}
        }
        trade.refunds.insert(number.to_owned(), amount);
        if trade.refunded() == fen(&trade.total) {
            trade.status = "TRADE_CLOSED";
        }
        json!({"code": "10000", "msg": "Success", "out_trade_no": order_no, "trade_no": trade.trade_no,
               "fund_change": if known.is_some() { "N" } else { "Y" }, "refund_fee": yuan(trade.refunded())})
    }

    fn refund_of(&self, order_no: &str, content: &Value) -> Value {
        let Some(trade) = self.trades.get(order_no) else {
            return failed("TRADE_NOT_EXIST", order_no);
        };
        let number = content["out_request_no"].as_str().unwrap();
        match trade.refunds.get(number) {
            None => json!({"code": "10000", "msg": "Success"}),
            Some(amount) => {
                json!({"code": "10000", "msg": "Success", "out_trade_no": order_no, "trade_no": trade.trade_no,
                       "out_request_no": number, "refund_amount": yuan(*amount), "refund_status": "REFUND_SUCCESS",
                       "total_amount": trade.total})
            }
        }
    }
}
