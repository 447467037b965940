//! The way in: this process's own runtime when it can own the database, else the mail store of the one that does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use entracte_application::mail::{Mail, MailAnswer};
use entracte_application::ports::{Holder, MailSender, OwnershipError, PostError};
use entracte_application::runtime::{LocalRuntime, RemoteMailSender};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use tokio::sync::RwLock;

use crate::error::CliError;
use crate::wiring::Wiring;

/// Looks beside an owner before it is asked again whether it is gone.
const LOOKS_BETWEEN: u32 = 20;

/// How long an owner may take to answer before it is asked whether it is gone, each time a request is posted again. Short at
/// first: most owners are commands, which are gone in a moment.
const PATIENCE: [Millis; 4] = [Millis(300), Millis(700), Millis::seconds(2), Millis::seconds(4)];
const LAST_PATIENCE: Millis = Millis::seconds(8);

/// How often an owner looks whether somebody wants its place, how long what runs gets then, and how long it does not come
/// back: who wanted it takes it meanwhile.
const WANTED_LOOK: Millis = Millis::seconds(2);
const GIVE_WAY: Millis = Millis::seconds(15);
const STAY_AWAY: Millis = Millis::seconds(30);

/// The kind of the owner that gives way to nobody.
pub(crate) const SERVE: &str = "serve";

/// The way in for requests.
pub(crate) struct Way {
    wiring: Arc<Wiring>,
    inner: RwLock<Inner>,
    /// The process stops: it never owns the database again.
    leaves: AtomicBool,
    /// It gave way to another process, and does not own the database before then, on the clock that only goes on.
    away_until: Mutex<Option<Millis>>,
}

enum Inner {
    /// This process owns the database, until another one takes it.
    Own(LocalRuntime),
    /// Another process does.
    Beside(RemoteMailSender),
}

impl Way {
    /// Owns the database when nobody does.
    pub(crate) async fn open(wiring: Arc<Wiring>) -> Result<Arc<Self>, CliError> {
        let inner = match own(&wiring).await? {
            Some(own) => own,
            None => Inner::Beside(beside(&wiring)),
        };
        let (inner, leaves) = (RwLock::new(inner), AtomicBool::new(false));
        let gives_way = wiring.kind().kind != SERVE;
        let way = Arc::new(Self { wiring, inner, leaves, away_until: Mutex::new(None) });
        if gives_way {
            tokio::spawn(give_way(Arc::downgrade(&way), way.wiring.clone()));
        }
        Ok(way)
    }

    /// What runs comes to its end, and the database goes to who wants it: from now on requests go there.
    async fn give_way(&self) {
        let is_done = match &*self.inner.read().await {
            Inner::Own(runtime) => runtime.shutdown(GIVE_WAY).await,
            Inner::Beside(_) => return,
        };
        tracing::info!(is_done, "another process wanted the database and has it now");
        let until = Millis(self.wiring.clock.monotonic().0.saturating_add(STAY_AWAY.0));
        *self.away_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        *self.inner.write().await = Inner::Beside(beside(&self.wiring));
    }

    fn stays_away(&self) -> bool {
        let until = *self.away_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| self.wiring.clock.monotonic() < until)
    }

    /// Whether this process owns the database.
    pub(crate) async fn owns(&self) -> bool {
        matches!(&*self.inner.read().await, Inner::Own(runtime) if runtime.is_owner())
    }

    /// Stops in order: nothing new starts, what runs gets this long to come to its end, and the database is given back. Says
    /// whether everything came to its end.
    pub(crate) async fn leave(&self, grace: Millis) -> bool {
        self.leaves.store(true, Ordering::Release);
        match &*self.inner.read().await {
            Inner::Own(runtime) => runtime.shutdown(grace).await,
            Inner::Beside(_) => true,
        }
    }

    /// Takes the place of an owner that has gone; asked at every look, it does so now and then.
    pub(crate) async fn step_in(&self, look: u32) -> Result<bool, CliError> {
        let is_time = look % LOOKS_BETWEEN == LOOKS_BETWEEN - 1;
        if !is_time || self.leaves.load(Ordering::Acquire) || self.stays_away() || self.owns().await {
            return Ok(false);
        }
        self.step_aside().await;
        let own = own(&self.wiring).await?;
        let stepped_in = own.is_some();
        if let Some(own) = own {
            *self.inner.write().await = own;
        }
        Ok(stepped_in)
    }

    /// Owns the database, or takes it now where nobody has it.
    pub(crate) async fn step_in_now(&self) -> Result<bool, CliError> {
        Ok(self.owns().await || self.step_in(LOOKS_BETWEEN - 1).await?)
    }

    /// Another process took the database from this one: from now on requests go there.
    async fn step_aside(&self) {
        let mut inner = self.inner.write().await;
        if matches!(&*inner, Inner::Own(runtime) if !runtime.is_owner()) {
            *inner = Inner::Beside(beside(&self.wiring));
        }
    }
}

/// Gives way when somebody wants the database; for as long as there is a way.
async fn give_way(way: Weak<Way>, wiring: Arc<Wiring>) {
    loop {
        wiring.clock.sleep(WANTED_LOOK).await;
        let Some(way) = way.upgrade() else { return };
        if !way.owns().await {
            continue;
        }
        match wiring.ownership().holder().await {
            Ok(Some(Holder { wanted_by: Some(_), .. })) => way.give_way().await,
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "it cannot be read whether somebody wants the database"),
        }
    }
}

fn beside(wiring: &Wiring) -> RemoteMailSender {
    RemoteMailSender::new(wiring.mail_store.clone(), wiring.clock.clone())
}

async fn own(wiring: &Wiring) -> Result<Option<Inner>, CliError> {
    let owner = match wiring.services().own().await {
        Ok(owner) => owner,
        Err(OwnershipError::Owned { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    wiring.check_secrets()?;
    // The owner runs sessions, so it needs every command that they may ask for.
    wiring.meet().await?;
    Ok(Some(Inner::Own(LocalRuntime::start(wiring.services(), owner).await?)))
}

#[async_trait]
impl MailSender for Way {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, PostError> {
        // The owner may have gone since it was last asked.
        let ask = || self.step_in(LOOKS_BETWEEN - 1);
        let unavailable = |error: CliError| PostError::Unavailable(error.message);
        ask().await.map_err(unavailable)?;
        for patience in PATIENCE {
            match self.post_once(patience, workspace, mail.clone()).await {
                // It was taken back, so nobody handles it twice.
                Err(PostError::NotTaken { .. } | PostError::NotOwner) => {
                    ask().await.map_err(unavailable)?;
                }
                answer => return answer,
            }
        }
        self.post_once(LAST_PATIENCE, workspace, mail).await
    }
}

impl Way {
    async fn post_once(
        &self,
        patience: Millis,
        workspace: &WorkspaceKey,
        mail: Mail,
    ) -> Result<MailAnswer, PostError> {
        match &*self.inner.read().await {
            Inner::Own(runtime) => runtime.post(workspace, mail).await,
            Inner::Beside(mail_sender) => mail_sender.post_within(patience, workspace, mail).await,
        }
    }
}
