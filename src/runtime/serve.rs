//! `oncepay serve`: the runtime behind its own HTTP server, from the first bind to the last commit.

use super::{Runtime, RuntimeBuilder, RuntimeError};
use crate::clock::SystemClock;
use crate::config::{Settings, check_serving};
use crate::sandbox::{self, Sandbox};
use crate::store::{ProcessLock, StoreError};
use crate::web;
use actix_web::dev::{Server, ServerHandle};
use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A connection that an idle proxy keeps open must not end in the middle of its next request.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// What is being answered when a stop comes may take this long.
const SHUTDOWN_S: u64 = 9;

/// Serves until a signal or a lost database ends it. `listening` is called once requests are taken.
pub async fn serve(
    builder: RuntimeBuilder,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), RuntimeError> {
    let (mut terminate, mut interrupt) = signals()?;
    let settings = builder.settings();
    check_serving(settings)?;
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
    // Bound first: a port in use is said before anything is touched, and early callers wait instead of failing.
    let opened = open(settings);
    let (listener, admin, sandbox) = match opened {
        Ok(opened) => opened,
        Err(error) => return Err(told_by_the_lock(settings, error).await),
    };
    let address = listener.local_addr().unwrap_or(settings.server.listen);
    let mut runtime = builder.start().await?;
    let server = main_server(&runtime, listener, sandbox, admin.is_none())?;
    let handle = server.handle();
    let mut servers = vec![handle];
    actix_web::rt::spawn(server);
    if let Some(listener) = admin {
        let server = admin_server(&runtime, listener)?;
        servers.push(server.handle());
        actix_web::rt::spawn(server);
    }
    tracing::info!(%address, "serving");
    listening(address);
    tokio::select! {
        _ = terminate.recv() => tracing::info!("asked to stop"),
        _ = interrupt.recv() => tracing::info!("interrupted"),
        why = runtime.lost() => {
            tracing::error!(%why, "stopping at once");
            runtime.abandon();
            return Err(why);
        }
    }
    tokio::select! {
        () = stop(runtime, servers) => {}
        _ = terminate.recv() => tracing::warn!("asked twice: ending at once"),
        _ = interrupt.recv() => tracing::warn!("interrupted twice: ending at once"),
    }
    Ok(())
}

async fn stop(runtime: Runtime, servers: Vec<ServerHandle>) {
    // New orders are refused from now on, while answers in work still go out.
    runtime.gateway().stop_accepting();
    let stopping = servers.iter().map(|server| server.stop(true));
    let stopping: Vec<_> = stopping.map(actix_web::rt::spawn).collect();
    runtime.stop().await;
    for server in stopping {
        drop(tokio::time::timeout(Duration::from_secs(1), server).await);
    }
    tracing::info!("stopped");
}

fn signals() -> Result<(Signal, Signal), RuntimeError> {
    let terminate = signal(SignalKind::terminate()).map_err(RuntimeError::Server)?;
    let interrupt = signal(SignalKind::interrupt()).map_err(RuntimeError::Server)?;
    Ok((terminate, interrupt))
}

/// What is taken before the database.
type Opened = (TcpListener, Option<TcpListener>, Option<Sandbox>);

fn open(settings: &Settings) -> Result<Opened, RuntimeError> {
    let listener = bind(settings.server.listen)?;
    let admin = settings.server.admin_listen.map(bind).transpose()?;
    Ok((listener, admin, open_sandbox(settings)?))
}

/// A second process fails at the first thing that the other one has; that it has the database says more.
async fn told_by_the_lock(settings: &Settings, error: RuntimeError) -> RuntimeError {
    if settings.sqlite_file().is_some_and(|file| !file.exists()) {
        return error;
    }
    match ProcessLock::take(&settings.database.url).await {
        Err(held @ StoreError::InUse(_)) => held.into(),
        Ok(_) | Err(_) => error,
    }
}

fn bind(address: SocketAddr) -> Result<TcpListener, RuntimeError> {
    TcpListener::bind(address).map_err(|error| RuntimeError::Listen { address, error })
}

fn open_sandbox(settings: &Settings) -> Result<Option<Sandbox>, RuntimeError> {
    if !settings.sandbox.mounted {
        return Ok(None);
    }
    let Some((_, secret)) = settings.sandbox_channel() else {
        return Ok(None);
    };
    let file = settings.data_dir.join("sandbox.ledger");
    Sandbox::open(&file, secret, SystemClock::start())
        .map(Some)
        .map_err(|error| RuntimeError::Sandbox(error.to_string()))
}

fn main_server(
    runtime: &Runtime,
    listener: TcpListener,
    sandbox: Option<Sandbox>,
    with_operations: bool,
) -> Result<Server, RuntimeError> {
    let routes = runtime.routes();
    let operations = runtime.operations();
    let rest = web::everything_else(runtime.state.clone());
    let server = HttpServer::new(move || {
        let mounted = sandbox.clone();
        App::new()
            .configure(routes.clone())
            .configure(|config: &mut ServiceConfig| {
                if with_operations {
                    operations(config);
                }
                if let Some(sandbox) = &mounted {
                    sandbox::configure(sandbox)(config);
                }
            })
            .configure(rest.clone())
    });
    let server = server
        .disable_signals()
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_S)
        .listen(listener)
        .map_err(RuntimeError::Server)?;
    Ok(server.run())
}

fn admin_server(runtime: &Runtime, listener: TcpListener) -> Result<Server, RuntimeError> {
    let operations = runtime.operations();
    let rest = web::everything_else(runtime.state.clone());
    let server = HttpServer::new(move || {
        App::new()
            .configure(operations.clone())
            .configure(rest.clone())
    });
    let server = server
        .workers(1)
        .disable_signals()
        .shutdown_timeout(SHUTDOWN_S)
        .listen(listener)
        .map_err(RuntimeError::Server)?;
    Ok(server.run())
}
