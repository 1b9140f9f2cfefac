//! How amounts are written for people.

use oncepay::domain::{Currency, Money};

#[test]
fn every_currency_has_the_places_that_iso_4217_gives_it() {
    let letters = || 'A'..='Z';
    let mut known = 0;
    for first in letters() {
        for second in letters() {
            for third in letters() {
                let code: String = [first, second, third].iter().collect();
                let Some(named) = iso_currency::Currency::from_code(&code) else {
                    continue;
                };
                known += 1;
                let places = named.exponent().map_or(0, u32::from);
                assert_eq!(
                    Currency::parse(&code).unwrap().places(),
                    places,
                    "the places of {code}"
                );
            }
        }
    }
    assert!(known > 150, "only {known} currencies are known");
}

#[test]
fn an_alert_tells_amounts_as_people_write_them() {
    let yuan = Currency::parse("CNY").unwrap();
    assert_eq!(Money::new(500, yuan).to_string(), "5.00 CNY");
    assert_eq!(Money::new(1, yuan).to_string(), "0.01 CNY");
}
