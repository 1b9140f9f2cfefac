//! The page's HTML. Everything that is not ours is escaped.

use crate::domain::Money;
use crate::domain::order::{NextAction, Order};
use crate::web::language::{Language, Text};
use html_escape::encode_quoted_attribute as escape;
use iso_currency::Currency;
use qrcode::QrCode;
use qrcode::render::svg;

/// Seconds after which a page that shows an open order looks again.
const LOOK_AGAIN_S: u32 = 3;
const QR_SIDE_MIN: u32 = 220;
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem;\
    color:#1a1a1a;background:#fff}h1{font-size:1.1rem;font-weight:500;overflow-wrap:anywhere}\
    .amount{font-size:2rem;font-weight:600}.message{padding:.75rem 1rem;border-left:4px solid #888;background:#f5f5f5}\
    a.do{display:inline-block;padding:.6rem 1.2rem;background:#0b57d0;color:#fff;border-radius:.3rem;text-decoration:none}\
    small{color:#666;overflow-wrap:anywhere}";

/// What the payer sees of one order.
pub(super) struct Page<'a> {
    pub(super) order: &'a Order,
    pub(super) message: &'a str,
    pub(super) language: Language,
}

impl Page<'_> {
    pub(super) fn html(&self) -> String {
        let order = self.order;
        let renew = if order.status.is_settled() {
            String::new()
        } else {
            format!("<meta http-equiv=\"refresh\" content=\"{LOOK_AGAIN_S}\">")
        };
        format!(
            "<!doctype html><html lang=\"{lang}\"><head><meta charset=\"utf-8\">{renew}\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{subject}</title><style>{STYLE}</style></head>\
             <body><main><h1>{subject}</h1><p class=\"amount\">{amount}</p>\
             <p class=\"message\" role=\"status\">{message}</p>{action}{back}<p><small>{number} {order_no}</small></p></main></body></html>",
            lang = self.language.tag(),
            subject = escape(&order.subject),
            amount = in_major_units(order.money),
            message = escape(self.message),
            action = self.action(),
            back = self.way_back(),
            number = self.text(Text::new("Order", "订单号")),
            order_no = escape(order.order_no.as_str()),
        )
    }

    /// What the payer must do next, if this page can offer it.
    fn action(&self) -> String {
        let Some(NextAction { kind, value }) = &self.order.next_action else {
            return String::new();
        };
        match kind.as_str() {
            "qr_code" => match QrCode::new(value) {
                Ok(code) => format!(
                    "<p>{}</p>{}",
                    self.text(Text::new("Scan this code to pay:", "请扫码支付：")),
                    code.render::<svg::Color<'_>>()
                        .min_dimensions(QR_SIDE_MIN, QR_SIDE_MIN)
                        .build()
                        .trim_start_matches("<?xml version=\"1.0\" standalone=\"yes\"?>")
                ),
                Err(_too_long) => format!("<p><small>{}</small></p>", escape(value)),
            },
            "redirect" if is_web(value) => format!(
                "<p><a class=\"do\" rel=\"noreferrer\" href=\"{}\">{}</a></p>",
                escape(value),
                self.text(Text::new("Go on to pay", "前往支付"))
            ),
            // A form, a client secret and app parameters are for the merchant's own page or app.
            _ => String::new(),
        }
    }

    fn way_back(&self) -> String {
        match &self.order.return_url {
            Some(url) if self.order.status.is_settled() => format!(
                "<p><a href=\"{}\">{}</a></p>",
                escape(url),
                self.text(Text::new("Back to the shop", "返回商家"))
            ),
            Some(_) | None => String::new(),
        }
    }

    fn text(&self, text: Text) -> String {
        text.in_language(self.language).to_owned()
    }
}

/// Only what a browser opens as a page; never `javascript:`.
fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// `19.99 CNY`, by the currency's own number of places; written with whole numbers alone.
fn in_major_units(money: Money) -> String {
    let places = Currency::from_code(money.currency.as_str())
        .and_then(|currency| currency.exponent())
        .unwrap_or(0);
    let unit = 10_i64.checked_pow(u32::from(places)).unwrap_or(1);
    let (whole, rest) = (money.amount.div_euclid(unit), money.amount.rem_euclid(unit));
    if places == 0 {
        format!("{whole} {}", money.currency)
    } else {
        let width = usize::from(places);
        format!("{whole}.{rest:0width$} {}", money.currency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Currency as Code;

    #[test]
    fn an_amount_is_written_with_the_places_of_its_currency() {
        let money = |amount, code| Money::new(amount, Code::parse(code).unwrap());
        assert_eq!(in_major_units(money(1999, "CNY")), "19.99 CNY");
        assert_eq!(in_major_units(money(5, "USD")), "0.05 USD");
        assert_eq!(in_major_units(money(80, "JPY")), "80 JPY");
        assert_eq!(in_major_units(money(1234, "KWD")), "1.234 KWD");
    }

    #[test]
    fn a_link_that_is_no_page_is_not_offered() {
        assert!(!is_web("javascript:alert(1)"));
        assert!(is_web("https://pay.example.com/1"));
    }
}
