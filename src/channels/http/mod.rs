//! The processor protocol: signed requests, signed replies, Standard Webhooks callbacks.
