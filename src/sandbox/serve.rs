//! The sandbox's routes, and the sandbox as a server of its own.

use super::processor::Sandbox;
use super::{bills, charges, ledger, refunds, submit};
use crate::clock::SharedClock;
use actix_web::web::{self, Data, PayloadConfig, ServiceConfig};
use actix_web::{App, HttpServer, dev::Server};
use base64::Engine;
use secrecy::SecretString;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bodies of requests, in bytes.
const BODY_BYTES_MAX: usize = 1 << 20;
/// Longer than channels keep an idle connection: one that closes just when a submit is written costs an answer.
const KEEP_ALIVE: Duration = Duration::from_secs(120);
/// How long calls in flight may take once the server stops, in seconds; some are scripted never to end.
const SHUTDOWN_S: u64 = 3;
/// The length of a secret that is made here.
const SECRET_BYTES: usize = 32;

/// A sandbox that is a server of its own.
#[derive(Debug, Clone)]
pub struct SandboxServe {
    /// Address and port.
    pub listen: String,
    /// Where its ledger is kept.
    pub file: PathBuf,
    /// `whsec_…`, shared with the channel.
    pub secret: SecretString,
    /// Threads that answer; `None` is one for each processor.
    pub workers: Option<usize>,
}

/// Mounts the sandbox at `/sandbox` of an actix-web application.
pub fn configure(sandbox: &Sandbox) -> impl FnOnce(&mut ServiceConfig) + Clone + use<> {
    let data = Data::new(sandbox.clone());
    move |config: &mut ServiceConfig| {
        let scope = web::scope("/sandbox")
            .app_data(data)
            .app_data(PayloadConfig::new(BODY_BYTES_MAX))
            .route("/charges", web::post().to(submit::submit))
            .route("/charges/{key}", web::get().to(charges::query))
            .route("/charges/{key}/close", web::post().to(charges::close))
            .route("/charges/{key}/refunds", web::post().to(refunds::refund))
            .route("/charges/{key}/refunds/{no}", web::get().to(refunds::query))
            .route("/bills/{date}", web::get().to(bills::bill))
            .route("/ledger", web::get().to(ledger::show))
            .route("/control", web::post().to(ledger::control));
        config.service(scope);
    }
}

/// Serves the sandbox at `/sandbox` of this listener until the server is stopped. It leaves signals alone.
///
/// # Errors
/// When the listener cannot be used.
pub fn server(
    sandbox: &Sandbox,
    listener: TcpListener,
    workers: Option<usize>,
) -> io::Result<Server> {
    let routes = configure(sandbox);
    let mut server = HttpServer::new(move || App::new().configure(routes.clone()));
    if let Some(workers) = workers {
        server = server.workers(workers);
    }
    Ok(server
        .disable_signals()
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_S)
        .listen(listener)?
        .run())
}

/// Runs a sandbox until SIGINT or SIGTERM.
///
/// # Errors
/// When its ledger cannot be opened or its address cannot be listened on.
pub async fn serve(settings: SandboxServe, clock: SharedClock) -> io::Result<()> {
    let sandbox =
        Sandbox::open(&settings.file, &settings.secret, clock).map_err(io::Error::other)?;
    let routes = configure(&sandbox);
    let mut server = HttpServer::new(move || App::new().configure(routes.clone()));
    if let Some(workers) = settings.workers {
        server = server.workers(workers);
    }
    let server = server
        .disable_signals()
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_S)
        .bind(&settings.listen)?;
    for address in server.addrs() {
        tracing::info!(%address, "the sandbox is listening");
    }
    let server = server.run();
    let handle = server.handle();
    let stopper = tokio::spawn(async move {
        if shutdown().await.is_ok() {
            handle.stop(true).await;
        }
    });
    let ended = server.await;
    stopper.abort();
    ended
}

/// The secret that is kept in `file`; a random one is made and kept when there is none.
///
/// # Errors
/// When the file can be neither read nor made.
pub fn secret_in(file: &Path) -> io::Result<SecretString> {
    match std::fs::read_to_string(file) {
        Ok(text) => return Ok(SecretString::from(text.trim())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut key = [0; SECRET_BYTES];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    let encoded = base64::engine::general_purpose::STANDARD.encode(key);
    let secret = format!("whsec_{encoded}");
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut made = options.open(file)?;
    made.write_all(secret.as_bytes())?;
    made.sync_all()?;
    Ok(SecretString::from(secret))
}

#[cfg(unix)]
async fn shutdown() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        ended = tokio::signal::ctrl_c() => ended,
    }
}

#[cfg(not(unix))]
async fn shutdown() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
