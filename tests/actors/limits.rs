//! Limits that hold for a channel of the merchant's own too.

use crate::bank::{BANK, Bank, Does};
use crate::clock::TestClock;
use crate::stage::{Stage, money, settings, sqlite};
use oncepay::config::Settings;
use oncepay::domain::Money;

/// The bank takes the place of this channel, and its limits hold.
fn limited(mut settings: Settings) -> Settings {
    let mut bank = settings.channels["unused"].clone();
    bank.merchant = "default".to_owned();
    bank.amount_max = Some(1_998);
    settings.channels.insert(BANK.to_owned(), bank);
    settings
}

#[actix::test]
async fn an_own_channel_takes_no_more_than_its_configured_amount() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path(), &sqlite(folder.path()), r#"["1m"]"#);
    let bank = Bank::open(Does::Pays, Does::Pays);
    let stage = Stage::open(limited(settings), &bank, &TestClock::start()).await;
    let gateway = stage.gateway();
    let refused = gateway
        .new_order("large", BANK, money(), "VIP")
        .unwrap_err();
    assert_eq!(
        (refused.field, refused.message.as_str()),
        ("amount", "must be at most 1998")
    );
    let less = Money::new(1_998, money().currency);
    assert!(gateway.new_order("small", BANK, less, "VIP").is_ok());
    stage.runtime.stop().await;
}
