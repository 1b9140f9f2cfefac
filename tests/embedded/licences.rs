//! The merchant's own licence server, as a fulfiller of the kind `licence`. In earnest it is another system.

use oncepay::{Fulfiller, FulfillerError, Fulfilling, Grant, Revocation};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// How the server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Works,
    Fails,
    Panics,
    /// It has taken the request and does not answer until it is well again.
    Hangs,
}

/// What it has of one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Licence {
    pub(crate) id: String,
    pub(crate) account: Option<String>,
    pub(crate) seats: i64,
    version: i64,
    pub(crate) asked: usize,
}

#[derive(Clone)]
pub(crate) struct Licences {
    mood: watch::Sender<Mood>,
    issued: Arc<Mutex<BTreeMap<String, Licence>>>,
}

impl Licences {
    pub(crate) fn open() -> Self {
        Self {
            mood: watch::Sender::new(Mood::Works),
            issued: Arc::default(),
        }
    }

    pub(crate) fn is(&self, mood: Mood) {
        self.mood.send_replace(mood);
    }

    pub(crate) fn of(&self, order_no: &str) -> Option<Licence> {
        self.issued
            .lock()
            .expect("unpoisoned")
            .get(order_no)
            .cloned()
    }

    /// The same id again is the same licence.
    fn issue(&self, grant: &Grant) {
        let mut issued = self.issued.lock().expect("unpoisoned");
        let licence = issued.entry(grant.order_no.clone()).or_insert(Licence {
            id: grant.id.clone(),
            account: grant.account.clone(),
            seats: grant.quantity,
            version: 0,
            asked: 0,
        });
        licence.asked += 1;
    }

    async fn answers(&self) -> Result<(), FulfillerError> {
        let mut mood = self.mood.subscribe();
        let now = *mood.borrow_and_update();
        match now {
            Mood::Works => Ok(()),
            Mood::Fails => Err(FulfillerError::new("the licence server is being moved")),
            Mood::Panics => panic!("the licence server's client has a bug"),
            Mood::Hangs => {
                drop(mood.wait_for(|mood| *mood != Mood::Hangs).await);
                Ok(())
            }
        }
    }
}

impl Fulfiller for Licences {
    fn kinds(&self) -> Vec<String> {
        vec!["licence".to_owned()]
    }

    fn grant<'a>(&'a self, grant: &'a Grant) -> Fulfilling<'a> {
        Box::pin(async {
            if *self.mood.borrow() == Mood::Hangs {
                self.issue(grant);
                return self.answers().await;
            }
            self.answers().await?;
            self.issue(grant);
            Ok(())
        })
    }

    fn revoke<'a>(&'a self, revocation: &'a Revocation) -> Fulfilling<'a> {
        Box::pin(async {
            self.answers().await?;
            let mut issued = self.issued.lock().expect("unpoisoned");
            if let Some(licence) = issued.get_mut(&revocation.order_no)
                && licence.version < revocation.version
            {
                licence.version = revocation.version;
                licence.seats = revocation.left;
            }
            Ok(())
        })
    }
}
