//! Names of receivers: resolved once for a connection, every address checked, and connected to what was checked.
//!
//! Our client asks this and nothing else for the addresses of a name, and connects to those that it is given. So a
//! name that answers otherwise the second time (DNS rebinding) is checked the second time, or was not asked again.

use crate::config::public_address::is_public;
use reqwest::dns::{Addrs, Name};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

/// The addresses of a name, sooner or later.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks names up. Tests bring their own.
pub trait Resolve: Send + Sync + 'static {
    fn resolve(&self, host: String) -> Resolving;
}

/// The machine's own resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, host: String) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// A resolver whose answers are checked.
pub(super) struct Checked {
    resolver: Arc<dyn Resolve>,
    allow_private: bool,
}

impl Checked {
    pub(super) fn new(resolver: Arc<dyn Resolve>, allow_private: bool) -> Self {
        Self {
            resolver,
            allow_private,
        }
    }
}

impl reqwest::dns::Resolve for Checked {
    fn resolve(&self, name: Name) -> reqwest::dns::Resolving {
        let allow_private = self.allow_private;
        let host = name.as_str().to_owned();
        let found = self.resolver.resolve(host.clone());
        Box::pin(async move {
            let addresses = found.await?;
            if addresses.is_empty() {
                return Err(format!("{host} has no address").into());
            }
            // One that is private is enough: a name with two faces is not trusted with the other one.
            let private = addresses.iter().find(|address| !is_public(**address));
            if let Some(private) = private.filter(|_| !allow_private) {
                return Err(format!(
                    "{host} has the private address {private}, and fulfilment.allow_private is not set"
                )
                .into());
            }
            // The port is the URL's.
            let sockets = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok::<Addrs, _>(Box::new(sockets))
        })
    }
}
