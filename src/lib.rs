//! oncepay: a payment runtime that charges an order once.

pub mod actors;
pub mod channels;
pub mod cli;
pub mod clock;
pub mod config;
pub mod domain;
pub mod mail;
pub mod runtime;
pub mod sandbox;
pub mod store;
pub mod telemetry;
pub mod web;
