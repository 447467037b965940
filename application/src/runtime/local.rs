//! The runtime of one process: it owns the database, has a task for each workspace with something to do, and three of
//! its own: the timer, one that takes the mail of other processes in, and one that watches the network.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use super::accounts::News;
use super::alarm::{Alarm, keep_time, look_everywhere};
use super::house::House;
use super::letter::Letter;
use super::lock::lock;
use super::task::WorkspaceTask;
use crate::codec::{Mail, MailAnswer, decode_mail, encode_mail_answer};
use crate::ports::{MailId, MailRow, PostError, Postbox, StoreError, WaitsFor};

/// Letters that may wait for one workspace; whoever posts more waits.
const LETTERS: usize = 1024;

/// How long answers to mail are kept for posters that look late.
const KEEP_ANSWERS: Millis = Millis::hours(24);

/// The runtime of one process. Dropping it drops what runs; nothing committed is lost by that.
pub struct LocalRuntime {
    shared: Arc<Shared>,
    own_tasks: Vec<JoinHandle<()>>,
}

/// What the tasks of a process share.
pub(super) struct Shared {
    pub(super) house: Arc<House>,
    pub(super) alarm: Alarm,
    /// The letter boxes of the workspaces in memory.
    workspaces: Mutex<HashMap<WorkspaceKey, mpsc::Sender<Letter>>>,
    tasks: Mutex<JoinSet<()>>,
}

impl LocalRuntime {
    /// Begins to serve: what a dead process left under way is taken up, what is due is done, and mail is looked for.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn start(house: Arc<House>) -> Result<Self, StoreError> {
        let now = house.clock.now();
        let agenda = look_everywhere(&house, now).await?;
        let shared = Arc::new(Shared::new(house, agenda.next));
        for key in agenda.due {
            // The task was made a moment ago and its box is empty.
            let _ = shared.sender(&key).send(Letter::Started).await;
        }
        let own_tasks = vec![
            tokio::spawn(keep_time(shared.clone(), now)),
            tokio::spawn(take_mail(shared.clone())),
            tokio::spawn(watch_network(shared.clone())),
        ];
        Ok(Self { shared, own_tasks })
    }

    /// The house it works with.
    pub fn house(&self) -> &Arc<House> {
        &self.shared.house
    }

    /// How many workspaces are in memory: those with something to do, and those that had until a moment ago.
    pub fn workspaces_in_memory(&self) -> usize {
        self.shared.in_memory()
    }
}

impl Drop for LocalRuntime {
    fn drop(&mut self) {
        self.own_tasks.iter().for_each(JoinHandle::abort);
        lock(&self.shared.tasks).abort_all();
        lock(&self.shared.workspaces).clear();
    }
}

#[async_trait]
impl Postbox for LocalRuntime {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, PostError> {
        let (reply, answer) = oneshot::channel();
        let letter = Letter::Request { mail, reply: Some(reply), row: None };
        let gone = |_| PostError::Unavailable("the workspace's task has ended".into());
        self.shared.sender(workspace).send(letter).await.map_err(|_| gone(()))?;
        answer.await.map_err(|_| gone(()))?
    }
}

impl Shared {
    /// Of a process with nothing in memory, where something is due then.
    pub(super) fn new(house: Arc<House>, next: Option<Timestamp>) -> Self {
        let (workspaces, tasks) = (Mutex::new(HashMap::new()), Mutex::new(JoinSet::new()));
        Self { house, alarm: Alarm::planned(next), workspaces, tasks }
    }

    /// The letter box of a workspace; its task begins with its first letter.
    pub(super) fn sender(self: &Arc<Self>, key: &WorkspaceKey) -> mpsc::Sender<Letter> {
        let mut workspaces = lock(&self.workspaces);
        if let Some(sender) = workspaces.get(key).filter(|sender| !sender.is_closed()) {
            return sender.clone();
        }
        let (sender, letters) = mpsc::channel(LETTERS);
        workspaces.insert(key.clone(), sender.clone());
        self.alarm.opened(key);
        let task = WorkspaceTask::new(self.clone(), key.clone(), letters);
        let mut tasks = lock(&self.tasks);
        forget_ended(&mut tasks);
        tasks.spawn(task.run(sender.downgrade()));
        sender
    }

    /// Tells a workspace that a deadline may be due. One that is in memory looks at its own deadlines, unless the clock
    /// was set back.
    pub(super) fn wake(self: &Arc<Self>, key: &WorkspaceKey, set_back: bool) {
        let is_live = lock(&self.workspaces).get(key).is_some_and(|sender| !sender.is_closed());
        if set_back || !is_live {
            // A full box is that of a task that has much to do, and looks by itself.
            let _ = self.sender(key).try_send(Letter::Wake);
        }
    }

    /// Lets the task of a workspace end, unless a letter is in its box or on its way there. Who writes takes the box under
    /// the same lock, so from here on a letter finds either this task or none, and then begins another one, which reads
    /// what this one committed.
    pub(super) fn retire(
        &self,
        key: &WorkspaceKey,
        letters: &mpsc::Receiver<Letter>,
        rest: (Option<Timestamp>, bool),
    ) -> bool {
        let mut workspaces = lock(&self.workspaces);
        // In this order: who gave the box back before it was counted has put his letter into it.
        let is_written_to = workspaces.get(key).is_some_and(|sender| sender.strong_count() > 1);
        if is_written_to || !letters.is_empty() {
            return false;
        }
        workspaces.remove(key);
        let (look_at, holds_back) = rest;
        self.alarm.rests(key, look_at, holds_back);
        true
    }

    /// A workspace cannot be opened: it is left alone until somebody writes to it.
    pub(super) fn give_up(&self, key: &WorkspaceKey) {
        let mut workspaces = lock(&self.workspaces);
        workspaces.remove(key);
        self.alarm.rests(key, None, true);
    }

    /// How many workspaces are in memory.
    pub(super) fn in_memory(&self) -> usize {
        lock(&self.workspaces).len()
    }

    /// Frees what is left of tasks that ended.
    pub(super) fn forget_ended(&self) {
        forget_ended(&mut lock(&self.tasks));
    }
}

fn forget_ended(tasks: &mut JoinSet<()>) {
    while tasks.try_join_next().is_some() {}
}

/// Tells every workspace when a provider that could not be reached can be reached again.
async fn watch_network(shared: Arc<Shared>) {
    let mut asking: HashMap<String, AbortHandle> = HashMap::new();
    loop {
        match shared.house.accounts.next().await {
            News::Gone(provider) => {
                let Some(connectivity) = shared.house.connectivity.clone() else { continue };
                let (house, name) = (shared.house.clone(), provider.clone());
                let ask = async move {
                    connectivity.back(&name).await;
                    house.accounts.is_back(&name);
                };
                asking.insert(provider, lock(&shared.tasks).spawn(ask));
            }
            News::Back(provider) => {
                if let Some(asks) = asking.remove(&provider) {
                    asks.abort();
                }
                for key in who_waits_for_network(&shared).await {
                    // A closed box is that of a workspace that cannot be opened.
                    let _ =
                        shared.sender(&key).send(Letter::NetworkBack { provider: provider.clone() }).await;
                }
            }
        }
    }
}

/// The workspaces in memory, and those at rest where a session waits for the network.
async fn who_waits_for_network(shared: &Shared) -> BTreeSet<WorkspaceKey> {
    let mut keys: BTreeSet<WorkspaceKey> = lock(&shared.workspaces).keys().cloned().collect();
    match shared.house.store.waiting(WaitsFor::Network).await {
        Ok(waiting) => keys.extend(waiting),
        // Their waits end by themselves.
        Err(error) => tracing::warn!(%error, "who waits for the network cannot be looked up"),
    }
    keys
}

/// Takes the mail of other processes in.
async fn take_mail(shared: Arc<Shared>) {
    let mut taken = std::collections::HashSet::new();
    let old = shared.house.clock.now().plus(Millis(-KEEP_ANSWERS.0));
    if let Err(error) = shared.house.mailbox.forget(old, None).await {
        tracing::warn!(%error, "answered mail of earlier days could not be forgotten");
    }
    loop {
        match shared.house.mailbox.unanswered().await {
            Ok(rows) => {
                taken.retain(|id| rows.iter().any(|row| row.id == *id));
                for row in rows {
                    if taken.insert(row.id) {
                        hand_in(&shared, row).await;
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the mail of other processes cannot be read"),
        }
        shared.house.clock.sleep(shared.house.settings.mail_poll).await;
    }
}

async fn hand_in(shared: &Arc<Shared>, row: MailRow) {
    match decode_mail(&row.body) {
        Ok(mail) => {
            let letter = Letter::Request { mail, reply: None, row: Some(row.id) };
            // A closed box opens again with the next look.
            let _ = shared.sender(&row.workspace).send(letter).await;
        }
        Err(fault) => {
            let answer = MailAnswer::Refused { code: "invalid".into(), text: fault.to_string() };
            refuse_mail(&shared.house, row.id, &answer).await;
        }
    }
}

pub(super) async fn refuse_mail(house: &House, id: MailId, answer: &MailAnswer) {
    let refused = match encode_mail_answer(answer) {
        Ok(bytes) => house.mailbox.refuse(id, bytes).await.map_err(|error| error.to_string()),
        Err(fault) => Err(fault.to_string()),
    };
    if let Err(error) = refused {
        tracing::warn!(error, "mail that cannot be taken in could not be refused");
    }
}
