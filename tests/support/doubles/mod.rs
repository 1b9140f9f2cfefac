//! Doubles of the channels' gateways on loopback: each signs with test keys, keeps charges and refunds as the real one
//! would, and misbehaves when it is told to.

pub mod alipay;
pub mod stripe;
pub mod tokenpay;
pub mod wechat;
