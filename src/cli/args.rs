//! What may stand on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A payment runtime that charges an order once.
#[derive(Debug, Parser)]
#[command(name = "oncepay", version, about, max_term_width = 100)]
pub(super) struct Cli {
    /// The configuration's file; without it `oncepay.toml`, if it is there
    #[arg(long, global = true, value_name = "FILE", env = "ONCEPAY_CONFIG")]
    pub(super) config: Option<PathBuf>,
    /// Print data as JSON; also why a command failed, beside the words on standard error
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the server (also without any command)
    Serve(Serve),
    /// Play scripted orders against a sandbox and print each timeline as it happens
    Demo,
    /// Play what must hold before going live against a sandbox: a pass list, exit 1 if something does not hold
    Drill,
    /// Play months of orders in a world that fails, from one seed: exit 1 if a rule is broken
    Simulate(Simulate),
    /// Run a sandbox processor of its own
    #[command(after_long_help = crate::sandbox::DIRECTIVES)]
    Sandbox(Sandbox),
    /// Bring the database's schema up to date
    Migrate,
    /// Print a file for the deployment
    Init { what: Deployment },
    /// Look at the configuration
    Config {
        #[command(subcommand)]
        action: Config,
    },
    /// API keys
    Keys {
        #[command(subcommand)]
        action: Keys,
    },
    /// Orders
    Orders {
        #[command(subcommand)]
        action: Orders,
    },
    /// What ops must know
    Alerts {
        #[command(subcommand)]
        action: Alerts,
    },
    /// What people did: reviews, refunds, redeliveries, changes of keys
    Audit {
        #[command(subcommand)]
        action: Audit,
    },
    /// The credit ledger of accounts
    Ledger {
        #[command(subcommand)]
        action: Ledger,
    },
    /// Callbacks of channels
    Callback {
        #[command(subcommand)]
        action: Callback,
    },
    /// Copy the embedded database into FILE, also while the server runs
    Backup { file: PathBuf },
    /// Put a backup in the place of the embedded database
    Restore(Restore),
}

#[derive(Debug, Default, Args)]
pub(super) struct Serve {
    /// Address and port; wins over `server.listen`
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<String>,
    /// Wins over `database.url`
    #[arg(long, value_name = "URL")]
    pub(super) database: Option<String>,
    /// How log lines on standard error look; without it `human` at a terminal. ONCEPAY_LOG filters them
    #[arg(long, value_name = "FORMAT", env = "ONCEPAY_LOG_FORMAT")]
    pub(super) log_format: Option<LogLines>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum LogLines {
    Json,
    Human,
}

#[derive(Debug, Args)]
pub(super) struct Simulate {
    /// Everything that happens follows from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// How many orders come
    #[arg(long, value_name = "M", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(super) orders: u32,
    /// Within how many hours of the simulated clock they come
    #[arg(long, value_name = "H", default_value_t = 2_160, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) hours: u32,
}

#[derive(Debug, Args)]
pub(super) struct Sandbox {
    /// Address and port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    pub(super) listen: String,
    /// Where its ledger is kept
    #[arg(long, value_name = "FILE", default_value = "data/sandbox.ledger")]
    pub(super) file: PathBuf,
    /// The file of the secret that it shares with the channel; made if it is missing
    #[arg(long, value_name = "FILE", default_value = "data/sandbox.secret")]
    pub(super) secret_file: PathBuf,
    /// The secret itself, instead of the file
    #[arg(
        long,
        env = "ONCEPAY_SANDBOX_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    pub(super) secret: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Deployment {
    Systemd,
    Nginx,
    Compose,
}

#[derive(Debug, Subcommand)]
pub(super) enum Config {
    /// Say everything that is wrong with it
    Check,
}

#[derive(Debug, Subcommand)]
pub(super) enum Keys {
    /// Make a key and show it once
    Create {
        name: String,
        #[arg(long)]
        role: Role,
        /// `refunds` lets a merchant's key refund
        #[arg(long = "scope")]
        scopes: Vec<Scope>,
    },
    /// All keys, without their secrets
    List,
    /// Make a key worthless
    Revoke { name: String },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Role {
    Merchant,
    Viewer,
    Operator,
    Admin,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Scope {
    Refunds,
}

#[derive(Debug, Subcommand)]
pub(super) enum Orders {
    /// The newest orders
    List(OrderFilter),
    /// One order and its history
    Show {
        /// Order number or id
        order: String,
    },
    /// Ask the channel now
    Query {
        /// Order number or id
        order: String,
    },
    /// Decide about an order in MANUAL
    Review(Review),
}

#[derive(Debug, Args)]
pub(super) struct OrderFilter {
    /// Such as MANUAL or UNKNOWN
    #[arg(long, value_parser = super::orders::status)]
    pub(super) status: Option<crate::domain::order::OrderStatus>,
    #[arg(long)]
    pub(super) channel: Option<String>,
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) limit: u64,
}

#[derive(Debug, Args)]
pub(super) struct Review {
    /// Order number or id
    pub(super) order: String,
    #[arg(long)]
    pub(super) decision: Decision,
    /// What the decision rests on, such as "bank statement line 17"
    #[arg(long)]
    pub(super) basis: String,
    /// The trade that paid, if no payment is on record
    #[arg(long, value_name = "NUMBER")]
    pub(super) channel_trade_no: Option<String>,
    /// The version that was looked at; without it the present one
    #[arg(long, value_name = "VERSION")]
    pub(super) expected_version: Option<i64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Decision {
    Paid,
    NotPaid,
    Resubmit,
    Close,
    /// The money is there and is given back
    Refund,
}

#[derive(Debug, Subcommand)]
pub(super) enum Alerts {
    /// The newest alerts
    List {
        /// open, acknowledged or resolved
        #[arg(long)]
        status: Option<AlertStatus>,
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
        limit: u64,
    },
    /// Send a mail by the configured way
    Test,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum AlertStatus {
    Open,
    Acknowledged,
    Resolved,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum Ledger {
    /// Add up all entries and holds anew and compare them with the balances; it only reads
    Check,
}

#[derive(Debug, Subcommand)]
pub(super) enum Audit {
    /// Find the first row that was altered, moved or taken out; exit 1 if there is one
    Verify {
        /// A head that was kept elsewhere, as in the daily mail: only with it a cut tail is found
        #[arg(long, value_name = "SEQ:MAC", value_parser = super::audit::head)]
        head: Option<crate::store::audit::Head>,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Callback {
    /// Say whether a notice would be accepted, and which rule fails
    Verify(Verify),
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    #[arg(long)]
    pub(super) channel: String,
    /// One `Name: value` a line
    #[arg(long, value_name = "FILE")]
    pub(super) headers: PathBuf,
    /// The raw bytes
    #[arg(long, value_name = "FILE")]
    pub(super) body: PathBuf,
    /// When it arrived: RFC 3339 or Unix seconds; without it now
    #[arg(long, value_name = "TIME", value_parser = super::callback::when)]
    pub(super) at: Option<crate::domain::UnixMillis>,
}

#[derive(Debug, Args)]
pub(super) struct Restore {
    #[arg(required_unless_present = "mark")]
    pub(super) file: Option<PathBuf>,
    /// Only note that the database has just been restored by other means (PostgreSQL)
    #[arg(long, conflicts_with = "file")]
    pub(super) mark: bool,
}
