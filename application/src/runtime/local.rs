//! The runtime of one process: it owns the database, has one task for each workspace with work, and one that
//! takes the mail of other processes in.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_domain::command::CallOutcome;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{Effect, Standing};
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

use super::accounts::News;
use super::house::House;
use super::letter::{Letter, Outcome};
use super::lock::lock;
use super::perform::perform;
use super::workspace::{Fault, Turn, Workspace};
use crate::codec::{Mail, MailAnswer, decode_mail, encode_mail_answer};
use crate::ports::{MailId, MailRow, PostError, Postbox, StoreError};

/// Letters that may wait for one workspace; whoever posts more waits.
const LETTERS: usize = 1024;

/// Letters that one turn takes in.
const FOLD: usize = 64;

/// Wait before a failed turn is made again.
const AGAIN: Millis = Millis::seconds(1);

/// Turns that may fail by conflict before the fault is looked for in the letters themselves.
const CONFLICTS_MAX: u32 = 5;

/// How long answers to mail are kept for posters that look late.
const KEEP_ANSWERS: Millis = Millis::hours(24);

/// The runtime of one process. Dropping it drops what runs; nothing committed is lost by that.
pub struct LocalRuntime {
    shared: Arc<Shared>,
    mail: tokio::task::JoinHandle<()>,
    network: tokio::task::JoinHandle<()>,
}

struct Shared {
    house: Arc<House>,
    workspaces: Mutex<HashMap<WorkspaceKey, mpsc::Sender<Letter>>>,
    tasks: Mutex<JoinSet<()>>,
}

impl LocalRuntime {
    /// Begins to serve: what a dead process left under way is taken up, and mail is looked for.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn start(house: Arc<House>) -> Result<Self, StoreError> {
        let keys = with_work(&house).await?;
        let shared = Arc::new(Shared {
            house,
            workspaces: Mutex::new(HashMap::new()),
            tasks: Mutex::new(JoinSet::new()),
        });
        for key in keys {
            // The task was made a moment ago and its box is empty.
            let _ = shared.sender(&key).send(Letter::Started).await;
        }
        let mail = tokio::spawn(take_mail(shared.clone()));
        let network = tokio::spawn(watch_network(shared.clone()));
        Ok(Self { shared, mail, network })
    }

    /// The house it works with.
    pub fn house(&self) -> &Arc<House> {
        &self.shared.house
    }
}

impl Drop for LocalRuntime {
    fn drop(&mut self) {
        self.mail.abort();
        self.network.abort();
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
    /// The letter box of a workspace; its task begins with its first letter.
    fn sender(self: &Arc<Self>, key: &WorkspaceKey) -> mpsc::Sender<Letter> {
        let mut workspaces = lock(&self.workspaces);
        if let Some(sender) = workspaces.get(key).filter(|sender| !sender.is_closed()) {
            return sender.clone();
        }
        let (sender, letters) = mpsc::channel(LETTERS);
        workspaces.insert(key.clone(), sender.clone());
        let house = self.house.clone();
        let task = WorkspaceTask { house, letters, running: HashMap::new(), trouble: None };
        lock(&self.tasks).spawn(task.run(key.clone(), sender.downgrade()));
        sender
    }
}

/// The workspaces where something goes on by itself: work that was under way, a deadline (also one to come), an
/// automation that awaits an occurrence, a session that waits for its slot.
async fn with_work(house: &House) -> Result<BTreeSet<WorkspaceKey>, StoreError> {
    let at_any_time = house.store.due(Timestamp(i64::MAX)).await?;
    let mut keys: BTreeSet<WorkspaceKey> = at_any_time.into_iter().map(|(key, _)| key).collect();
    keys.extend(house.automations.scheduled().await?);
    for row in house.store.workspaces().await? {
        if !keys.contains(&row.key) {
            let placed = house.store.placed(&row.key).await?;
            let waits = [Standing::Queued.word(), Standing::Suspended.word()];
            if placed.iter().any(|session| waits.contains(&session.standing.as_str())) {
                keys.insert(row.key);
            }
        }
    }
    Ok(keys)
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
                let boxes: Vec<_> = lock(&shared.workspaces).values().cloned().collect();
                for letters in boxes {
                    // A workspace whose task has ended waits for nothing.
                    let _ = letters.send(Letter::NetworkBack { provider: provider.clone() }).await;
                }
            }
        }
    }
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

async fn refuse_mail(house: &House, id: MailId, answer: &MailAnswer) {
    let refused = match encode_mail_answer(answer) {
        Ok(bytes) => house.mailbox.refuse(id, bytes).await.map_err(|error| error.to_string()),
        Err(fault) => Err(fault.to_string()),
    };
    if let Err(error) = refused {
        tracing::warn!(error, "mail that cannot be taken in could not be refused");
    }
}

/// The task of one workspace.
struct WorkspaceTask {
    house: Arc<House>,
    letters: mpsc::Receiver<Letter>,
    /// What runs, to be dropped when it is no longer desired.
    running: HashMap<SessionId, HashMap<Effect, AbortHandle>>,
    /// Why the last turn could not be committed; none when it was. What lasts is told once.
    trouble: Option<String>,
}

impl WorkspaceTask {
    async fn run(mut self, key: WorkspaceKey, own: mpsc::WeakSender<Letter>) {
        let mut waiting = Vec::new();
        let Some(mut workspace) = self.open(&key, &mut waiting).await else { return };
        let mut wake_at = workspace.look_at_deadlines().await.unwrap_or_default();
        loop {
            if waiting.is_empty() && !self.receive(&mut waiting, wake_at).await {
                return;
            }
            wake_at = self.settle(&mut workspace, &mut waiting, &own).await;
        }
    }

    async fn open(&mut self, key: &WorkspaceKey, waiting: &mut Vec<Letter>) -> Option<Workspace> {
        loop {
            match Workspace::open(self.house.clone(), key.clone()).await {
                Ok(workspace) => {
                    self.tell_mended(key);
                    return Some(workspace);
                }
                Err(
                    fault @ (Fault::Damaged(_) | Fault::Codec(_) | Fault::Store(StoreError::Inconsistent(_))),
                ) => {
                    tracing::error!(workspace = %key, %fault, "the workspace cannot be opened");
                    return None;
                }
                Err(fault @ (Fault::Store(StoreError::Unavailable(_)) | Fault::Conflict(_))) => {
                    self.tell_trouble(key, &fault);
                    self.pause(waiting, &fault).await;
                }
            }
        }
    }

    /// Waits for letters, or for a deadline; false when nobody can write any more.
    async fn receive(&mut self, waiting: &mut Vec<Letter>, wake_at: Option<Timestamp>) -> bool {
        let longest = self.house.settings.longest_sleep;
        let now = self.house.clock.now();
        let until = wake_at.map_or(longest, |at| Millis((at.0 - now.0 + 999) / 1000));
        let nap = Millis(until.0.clamp(0, longest.0));
        tokio::select! {
            biased;
            received = self.letters.recv_many(waiting, FOLD) => received > 0,
            () = self.house.clock.sleep(nap) => {
                waiting.push(Letter::Wake);
                true
            }
        }
    }

    /// Handles letters until nothing more can be done at once; gives the next deadline.
    async fn settle(
        &mut self,
        workspace: &mut Workspace,
        waiting: &mut Vec<Letter>,
        own: &mpsc::WeakSender<Letter>,
    ) -> Option<Timestamp> {
        let mut woken = false;
        let mut fold = usize::MAX;
        let mut conflicts = 0;
        loop {
            let mut letters: Vec<Letter> = waiting.drain(..fold.min(waiting.len())).collect();
            woken |= letters.iter().any(|letter| matches!(letter, Letter::Wake));
            match workspace.handle(&mut letters).await {
                Ok(turn) => {
                    self.tell_mended(workspace.key());
                    let (again, wake_at) = (turn.again, turn.wake_at);
                    waiting.extend(self.follow(workspace, turn, own).await);
                    if !again && waiting.is_empty() {
                        return if woken { self.after_wake(workspace).await } else { wake_at };
                    }
                }
                Err(fault) => {
                    self.tell_trouble(workspace.key(), &fault);
                    waiting.splice(0..0, letters);
                    let hopeless = match &fault {
                        Fault::Store(StoreError::Unavailable(_)) => false,
                        Fault::Store(StoreError::Inconsistent(_)) | Fault::Codec(_) | Fault::Damaged(_) => {
                            true
                        }
                        Fault::Conflict(_) => {
                            conflicts += 1;
                            conflicts >= CONFLICTS_MAX
                        }
                    };
                    fold = self.after_failure(workspace, waiting, &fault, fold, hopeless).await;
                }
            }
        }
    }

    /// A deadline was taken: what rests is forgotten, and the next deadline is looked up.
    async fn after_wake(&self, workspace: &mut Workspace) -> Option<Timestamp> {
        let now = self.house.clock.now();
        workspace.forget_resting(now);
        // A deadline that is past and was not taken must not make this a busy loop.
        let soonest = now.plus(AGAIN);
        match workspace.look_at_deadlines().await {
            Ok(looked) => looked.map(|at| at.max(soonest)),
            Err(fault) => {
                tracing::warn!(workspace = %workspace.key(), %fault, "the next deadline cannot be looked up");
                Some(soonest)
            }
        }
    }

    /// A turn failed. While the database cannot be used, what must not be lost is kept and tried again. A letter
    /// that can never be committed is found by trying one at a time, and taken apart, or it would block its
    /// workspace for ever. Gives how many letters the next turn takes.
    async fn after_failure(
        &mut self,
        workspace: &Workspace,
        waiting: &mut Vec<Letter>,
        fault: &Fault,
        fold: usize,
        hopeless: bool,
    ) -> usize {
        if !hopeless {
            self.pause(waiting, fault).await;
            return fold;
        }
        if waiting.is_empty() {
            waiting.extend(workspace.planning().map(|session| broken(session.clone(), fault)));
            // If that cannot be written either, this must not become a busy loop.
            self.house.clock.sleep(AGAIN).await;
        } else if fold == 1 || waiting.len() == 1 {
            let letter = waiting.remove(0);
            waiting.splice(0..0, self.defuse(letter, fault).await);
        }
        1
    }

    /// The database cannot be used now: it is tried again in a moment. Whoever asks meanwhile is told now, instead of
    /// waiting behind what cannot be written.
    async fn pause(&mut self, waiting: &mut Vec<Letter>, fault: &Fault) {
        while let Ok(letter) = self.letters.try_recv() {
            waiting.push(letter);
        }
        refuse_requests(waiting, fault);
        self.house.clock.sleep(AGAIN).await;
    }

    /// A fault that lasts is tried against every second and told once.
    fn tell_trouble(&mut self, key: &WorkspaceKey, fault: &Fault) {
        let says = fault.to_string();
        if self.trouble.as_ref() != Some(&says) {
            tracing::error!(workspace = %key, fault = says, "a turn could not be committed; it is tried again");
            self.trouble = Some(says);
        }
    }

    fn tell_mended(&mut self, key: &WorkspaceKey) {
        if self.trouble.take().is_some() {
            tracing::warn!(workspace = %key, "the workspace goes on");
        }
    }

    /// What is left of a letter that cannot be committed.
    async fn defuse(&self, letter: Letter, fault: &Fault) -> Option<Letter> {
        match letter {
            Letter::Outcome { session, outcome: Outcome::Broken(_) } => {
                tracing::error!(%session, "the session cannot be written; it stays as it is until a restart");
                None
            }
            // What came of it cannot be kept. The call must not wait for it for ever: what is kept is that nobody
            // knows, and its effect class says what follows.
            Letter::Outcome { session, outcome: Outcome::Call { call, attempt, outcome } }
                if !matches!(outcome, CallOutcome::Lost { .. }) =>
            {
                let outcome = CallOutcome::Lost { found_by_start: None };
                Some(Letter::Outcome { session, outcome: Outcome::Call { call, attempt, outcome } })
            }
            Letter::Outcome { session, outcome: _ } => Some(broken(session, fault)),
            Letter::Request { row: Some(id), .. } => {
                let answer = MailAnswer::Refused { code: "invalid".into(), text: fault.to_string() };
                refuse_mail(&self.house, id, &answer).await;
                None
            }
            Letter::Request { row: None, reply, .. } => {
                refuse(reply, fault);
                None
            }
            Letter::NetworkBack { .. } | Letter::Wake | Letter::Started => None,
        }
    }

    /// Drops what runs and is no longer desired; starts what is desired and does not run. Gives the letters about
    /// what could not be begun: they are handled next, so none is lost in a full box.
    async fn follow(
        &mut self,
        workspace: &mut Workspace,
        turn: Turn,
        own: &mpsc::WeakSender<Letter>,
    ) -> Vec<Letter> {
        let mut not_begun = Vec::new();
        for (session, desired) in turn.touched {
            let running = self.running.entry(session.clone()).or_default();
            running.retain(|effect, handle| {
                let keep = desired.contains(effect);
                if !keep {
                    handle.abort();
                }
                keep
            });
            for effect in desired {
                if self.running.get(&session).is_some_and(|running| running.contains_key(&effect)) {
                    continue;
                }
                match self.begin(workspace, &session, &effect, own, &mut not_begun).await {
                    Ok(Some(handle)) => {
                        self.running.entry(session.clone()).or_default().insert(effect, handle);
                    }
                    Ok(None) => {}
                    Err(fault) => {
                        tracing::error!(%session, ?effect, %fault, "an effect could not be begun");
                        not_begun.push(broken(session.clone(), &fault));
                    }
                }
            }
            if self.running.get(&session).is_some_and(HashMap::is_empty) {
                self.running.remove(&session);
            }
        }
        not_begun
    }

    /// Starts one effect. While the database cannot be read it is tried again: that is no fault of the session.
    async fn begin(
        &mut self,
        workspace: &mut Workspace,
        session: &SessionId,
        effect: &Effect,
        own: &mpsc::WeakSender<Letter>,
        waiting: &mut Vec<Letter>,
    ) -> Result<Option<AbortHandle>, Fault> {
        loop {
            match begin(&self.house, workspace, session, effect, own).await {
                Err(fault @ Fault::Store(StoreError::Unavailable(_))) => {
                    self.tell_trouble(workspace.key(), &fault);
                    self.pause(waiting, &fault).await;
                }
                begun => return begun,
            }
        }
    }
}

impl Drop for WorkspaceTask {
    fn drop(&mut self) {
        for handle in self.running.values().flat_map(HashMap::values) {
            handle.abort();
        }
    }
}

/// Starts one effect; its outcome comes back as a letter.
async fn begin(
    house: &Arc<House>,
    workspace: &mut Workspace,
    session: &SessionId,
    effect: &Effect,
    own: &mpsc::WeakSender<Letter>,
) -> Result<Option<AbortHandle>, Fault> {
    let Some(job) = workspace.job(session, effect).await? else { return Ok(None) };
    let (house, session, own) = (house.clone(), session.clone(), own.clone());
    let task = tokio::spawn(async move {
        let outcome = perform(house, session.clone(), job).await;
        if let Some(own) = own.upgrade() {
            let _ = own.send(Letter::Outcome { session, outcome }).await;
        }
    });
    Ok(Some(task.abort_handle()))
}

fn broken(session: SessionId, fault: &Fault) -> Letter {
    Letter::Outcome { session, outcome: Outcome::Broken(fault.to_string()) }
}

/// The database cannot be written: whoever asks is told now. Outcomes and wake-ups are kept, they must not be
/// lost; mail of other processes waits, its posters see no answer and may take it back.
fn refuse_requests(waiting: &mut Vec<Letter>, fault: &Fault) {
    let is_asked_here = |letter: &mut Letter| matches!(letter, Letter::Request { row: None, .. });
    for letter in waiting.extract_if(.., is_asked_here) {
        if let Letter::Request { reply, .. } = letter {
            refuse(reply, fault);
        }
    }
}

/// Tells who asked in this process why nothing came of it.
fn refuse(reply: Option<oneshot::Sender<Result<MailAnswer, PostError>>>, fault: &Fault) {
    let why = match fault {
        Fault::Store(error) => PostError::Store(error.clone()),
        other @ (Fault::Codec(_) | Fault::Damaged(_) | Fault::Conflict(_)) => {
            PostError::Unavailable(other.to_string())
        }
    };
    if let Some(reply) = reply {
        // Whoever asked may have gone.
        let _ = reply.send(Err(why));
    }
}
