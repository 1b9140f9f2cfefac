//! Stories through the real binary, a processor of its own, real HTTP, a real mail server, SQLite or PostgreSQL.

#![cfg(test)]
#![expect(
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::type_complexity,
    clippy::large_futures,
    reason = "a story is told in one go, and one that cannot go on says where"
)]

#[path = "../support/mod.rs"]
mod support;

mod audit;
mod backup;
mod callback_security;
mod callbacks;
mod channel_alipay;
mod channel_alipay_notices;
mod channel_rate;
mod channel_stripe;
mod channel_stripe_events;
mod channel_stripe_localstripe;
mod channel_tokenpay;
mod channel_tokenpay_notices;
mod channel_wechat;
mod channel_wechat_keys;
mod channel_wechat_notices;
mod circuit;
mod close;
mod crash;
mod daily_limit;
mod drill;
mod expiry;
mod flood;
mod fulfilment;
mod hang_up;
mod idempotency;
mod input;
mod keys;
mod late_reply;
mod late_success;
mod ledger;
mod lists;
mod lock;
mod long_words;
mod mail;
mod manual;
mod mismatch;
mod once;
mod operations;
mod order_of_events;
mod orphans;
mod outage;
mod pay_page;
mod preferences;
mod proxy;
mod queries;
mod quotas;
mod races;
mod receivers;
mod refunds;
mod refunds_asked;
mod refunds_by_people;
mod refunds_crash;
mod refunds_in_doubt;
mod refunds_ledger;
mod refunds_told;
mod refused_grants;
mod replay;
mod restart;
mod resubmit;
mod retention;
mod review;
mod roles;
mod same_again;
mod secret_change;
mod secrets;
mod shutdown;
mod storage;
mod sweep;
mod webhook_trouble;
mod webhooks;
mod wire;
