//! The labels of the metrics. Each has few values: never an order's number, never a path as it was sent.

use prometheus_client::encoding::EncodeLabelSet;

/// What became of a callback to one channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CallbackLabels {
    pub channel: String,
    pub result: String,
}

/// One route of the API and the status of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    pub method: String,
    /// The pattern that matched, not the path.
    pub route: String,
    pub status: u16,
}

/// A call to a channel and the class of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CallOutcomeLabels {
    pub channel: String,
    /// `submit`, `query` or `close`.
    pub call: String,
    pub outcome: String,
}

/// A call to a channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CallLabels {
    pub channel: String,
    pub call: String,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ChannelLabels {
    pub channel: String,
}

/// A status of orders.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct StatusLabels {
    pub status: &'static str,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct OutcomeLabels {
    pub outcome: &'static str,
}

/// One queue of the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct OutboxLabels {
    /// `grants` or `deliveries`.
    pub queue: &'static str,
}
