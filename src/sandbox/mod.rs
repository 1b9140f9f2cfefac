//! The sandbox: a scripted processor, a service of its own with its own ledger.
//!
//! It speaks the processor protocol like any processor: it verifies signatures, honours idempotency keys, signs
//! its replies, delivers callbacks until they are acknowledged, expires charges, and keeps what it has done in a
//! file that survives `kill -9`. Without directives it charges at once and sends one callback.
//!
//! # Directives
//!
//! Words at the end of a charge's `subject` script it: `"VIP #delay=70s #no-callback"`. Durations are `300ms`,
//! `5s`, `2m`, `1h`. Where `[:n]` or `[=n]` stands, only the first `n` calls under the key are touched.
//!
//! | directive | what happens |
//! |---|---|
//! | `#declined` | the charge is declined |
//! | `#pending` | the payer must act: `PENDING` with a QR code |
//! | `#processing` | `PROCESSING` |
//! | `#status=FROZEN` | while it is not paid, its status is called so |
//! | `#pay-after=5s` | it is paid then, with its callback; until then it is pending, or what is said beside |
//! | `#late-success` | it can be paid even after it was closed, declined or expired |
//! | `#pay-twice` | the payer pays twice: a second trade with its own notice |
//! | `#delay=70s[:n]` | the charge lands at once, the reply is late |
//! | `#land-after=5s` | the charge lands late, and its reply follows; until then it is not found |
//! | `#lost-request[=n]` | nothing lands, the connection is dropped |
//! | `#lost-reply[=n]` | the charge lands, the connection is dropped without an answer |
//! | `#unsigned[=n]` | the reply to a submit has no signature |
//! | `#http=500[:n]` | a submit is answered with this status and nothing lands |
//! | `#http=500-charged[:n]` | the same, but the charge has landed |
//! | `#decline-submit=2` | the reply to the second submit says `DECLINED`, whatever has landed before |
//! | `#query=unknown[:n]` | queries are answered 500, unsigned |
//! | `#query=timeout[:n]` | queries are never answered |
//! | `#query=not-found[:n]` | queries lie: a signed 404 |
//! | `#query=unsigned[:n]` | queries tell the truth without a signature |
//! | `#close=refuse[:n]` | a close is refused: a signed 409 `cannot_close` |
//! | `#close=unknown\|timeout\|not-found\|unsigned[:n]` | as for queries |
//! | `#no-callback` | no callback is sent |
//! | `#callbacks=5` | the same notice five times at once |
//! | `#callback-delay=3s` | callbacks leave later |
//! | `#wrong-amount=1` | replies and callbacks say another amount |
//! | `#wrong-currency=USD`, `#wrong-key=k`, `#wrong-order=o` | or another currency, key or order number |
//! | `#refund=pending\|failed\|unknown` | what becomes of refunds |
//! | `#refund-after=5s` | a pending refund succeeds then, with its callback |
//!
//! What is not in this table is ignored, and listed in the ledger as `unknown_directives`.
//!
//! # Beside the protocol
//!
//! `GET /sandbox/ledger` shows what was really charged and refunded, and how many calls each key has received
//! since the start. `POST /sandbox/control`, from this machine alone: `{"pay": key}` or
//! `{"notify": {"key": key, "copies": 3}}`.

mod bills;
mod book;
mod change;
mod change_refund;
mod charges;
mod deliver;
pub mod directives;
mod journal;
mod later;
mod ledger;
mod processor;
pub mod record;
mod refunds;
mod reply;
mod say;
mod serve;
mod submit;

pub use journal::OpenError;
pub use processor::Sandbox;
pub use serve::{SandboxServe, configure, secret_in, serve, server};
