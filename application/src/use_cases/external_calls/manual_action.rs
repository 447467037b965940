//! A local action that a person asks for by themselves.

use std::sync::Arc;

use entracte_domain::call::CallStatus;
use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::time::Millis;
use tokio::sync::Mutex;

use super::{AcceptedExternalCall, ExternalCallOutcome, ExternalCaller, RunExternalCall, ask};
use crate::commands::{Catalog, CatalogEntry};
use crate::mail::MailAnswer;
use crate::ports::{Clock, LogReader, MailSender, ResourceReader, WorkspaceStore};
use crate::stream::LiveText;
use crate::texts::saying;
use crate::use_cases::{ApprovalView, FollowTurn, UseCaseError, expect_accepted};

/// What became of an action by hand.
#[derive(Clone, Debug, PartialEq)]
pub enum ManualActionOutcome {
    /// It was done.
    Done {
        /// The session that it went through.
        session: SessionId,
        /// The call.
        call: CallId,
        /// What it answered.
        content: String,
    },
    /// It was not done.
    Refused {
        /// The word for the state of its call.
        state: String,
        /// Code of the refusal.
        code: Option<String>,
        /// Why.
        content: String,
    },
    /// Somebody is asked first.
    Waits {
        /// The session that it goes through.
        session: SessionId,
        /// What is asked.
        approval: Box<ApprovalView>,
    },
    /// It is not done yet: the session waits for its slot, or the action takes its time.
    Works {
        /// The session that it goes through.
        session: SessionId,
    },
}

/// Does a local action by hand, the way of every call: in a session of that person, with its ledger, rules and approvals.
/// The same action asked again while it waits is found where it is; under a key it is a new one, once.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let ports = HandPorts {
///     mail_sender: Arc::new(MockMailSender::new()),
///     store: Arc::new(MockWorkspaceStore::new()),
///     log: Arc::new(MockLogReader::new()),
///     rows: Arc::new(MockResourceReader::new()),
///     catalog: Arc::new(Catalog::new(&[]).unwrap()),
///     clock: Arc::new(SystemClock),
///     live: Arc::new(LiveText::default()),
/// };
/// let act = ActByHand::new(ports, Arc::default());
/// let who = Outsider { workspace: samples::workspace(), name: "ann".into(), seat: 0, restriction: Restriction::Open };
/// let command = Command { name: "zones.create".into(), arguments: Value::Object(vec![]) };
/// let refused = act.run(&who, &command, Millis::seconds(20)).await;
/// assert!(matches!(refused, Err(UseCaseError::NotFound(_))));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// As [`RunExternalCall`]: what was asked for goes on. Asked again with the same command it is found while it works
/// or its answer was not given, and under the same receipt at any time; else it is done again.
pub struct RunManualAction {
    ports: ManualActionPorts,
    calls: RunExternalCall,
    first: Option<MailAnswer>,
    one: Arc<Mutex<()>>,
}

/// What an action by hand goes through.
#[derive(Clone)]
pub struct ManualActionPorts {
    /// The way in.
    pub mail_sender: Arc<dyn MailSender>,
    /// What was committed.
    pub store: Arc<dyn WorkspaceStore>,
    /// The ledger.
    pub log: Arc<dyn LogReader>,
    /// The data.
    pub rows: Arc<dyn ResourceReader>,
    /// The commands.
    pub catalog: Arc<Catalog>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// What is heard in this process.
    pub live: Arc<LiveText>,
}

impl RunManualAction {
    /// Over these ports. `one` is the same for all that the same person asks for in the same workspace: they are taken in
    /// one after the other.
    pub fn new(ports: ManualActionPorts, one: Arc<Mutex<()>>) -> Self {
        let calls = RunExternalCall::new(ports.mail_sender.clone(), ports.store.clone(), ports.log.clone())
            .for_person();
        let calls = calls.with_precheck(ports.rows.clone(), ports.catalog.clone(), ports.clock.clone());
        Self { ports, calls, first: None, one }
    }

    /// Under a key: asked for through this way in, which remembers it. `first` is what was answered when it was asked for
    /// before.
    #[must_use]
    pub fn with_idempotency_key(mut self, keyed: Arc<dyn MailSender>, first: Option<MailAnswer>) -> Self {
        self.calls = self.calls.with_idempotency_key(keyed);
        self.first = first;
        self
    }

    /// Whether this way does a command: an action on the workspace's own data.
    pub fn supports_command(known: &CatalogEntry) -> bool {
        known.spec.kind == CommandKind::Action && known.spec.effect == EffectClass::Local
    }

    /// Does it; waits for what becomes of it, at most so long.
    ///
    /// # Errors
    /// When there is no such command, it is no local action, its arguments break its schema, what it is about is not there, or
    /// the request does not get through.
    pub async fn run(
        &self,
        who: &ExternalCaller,
        command: &Command,
        most: Millis,
    ) -> Result<ManualActionOutcome, UseCaseError> {
        self.check(command)?;
        let mut taken = {
            let _one = self.one.lock().await;
            match &self.first {
                Some(first) => {
                    let first = expect_accepted(first.clone())?;
                    self.calls.locate_accepted_call(who, &first).await?
                }
                None => self.calls.accept_call(who, command).await?,
            }
        };
        let clock = &self.ports.clock;
        let until = Millis(clock.monotonic().0.saturating_add(most.0));
        let mut is_second = false;
        loop {
            let left = Millis(until.0.saturating_sub(clock.monotonic().0).max(0));
            let (follow, session) = (self.follow(), taken.session.clone());
            let turn = tokio::select! {
                biased;
                turn = follow.run_until_idle(&who.workspace, &session, taken.after) => turn?,
                () = clock.sleep(left) => return Ok(ManualActionOutcome::Works { session }),
            };
            let _one = self.one.lock().await;
            let answer = self.calls.answer(who, &taken, &turn).await?;
            if is_second || !is_shown_schema(&answer) {
                return outcome(session, answer);
            }
            // The refusal showed the schema; from now on the call is checked by it.
            taken = self.find_previous_outcome(who, &taken, command).await?;
            is_second = true;
        }
    }

    fn check(&self, command: &Command) -> Result<(), UseCaseError> {
        let name = &command.name;
        let Some(known) = self.ports.catalog.find(name) else {
            return Err(UseCaseError::NotFound(saying!("by-hand-unknown", command = name).into()));
        };
        if !Self::supports_command(known) {
            let elsewhere = saying!("by-hand-elsewhere", command = name);
            return Err(UseCaseError::NotApplicable(elsewhere.into()));
        }
        let faults = known.faults(&command.arguments);
        if faults.is_empty() {
            return Ok(());
        }
        let all: Vec<String> = faults.iter().map(|fault| fault.sentence()).collect();
        let wrong = saying!("by-hand-arguments", command = name, faults = all.join("; "));
        Err(UseCaseError::Invalid(wrong.into()))
    }

    /// Asks once more in the same session: once, however often this is tried, because the message has a key of its own.
    async fn find_previous_outcome(
        &self,
        who: &ExternalCaller,
        taken: &AcceptedExternalCall,
        command: &Command,
    ) -> Result<AcceptedExternalCall, UseCaseError> {
        let key = format!("after {}", taken.after);
        match ask(&self.ports.mail_sender, who, &taken.session, command, Some(key)).await {
            // Another process was first there, because the refusal left the session free.
            Err(UseCaseError::Conflict(_)) => self.calls.accept_call(who, command).await,
            sent => self.calls.locate_accepted_call(who, &sent?).await,
        }
    }

    fn follow(&self) -> FollowTurn {
        let ManualActionPorts { store, log, rows, catalog, clock, live, .. } = self.ports.clone();
        FollowTurn::new(store, log, rows, catalog, clock).with_live_text(live)
    }
}

/// Whether the call was refused only because its schema had to be shown first.
fn is_shown_schema(answer: &ExternalCallOutcome) -> bool {
    matches!(answer, ExternalCallOutcome::Result { state, .. } if state == CallStatus::SchemaRequired.word())
}

fn outcome(session: SessionId, answer: ExternalCallOutcome) -> Result<ManualActionOutcome, UseCaseError> {
    match answer {
        ExternalCallOutcome::Result { call, content, is_error: false, .. } => {
            Ok(ManualActionOutcome::Done { session, call, content })
        }
        ExternalCallOutcome::Result { state, code, content, .. } => {
            Ok(ManualActionOutcome::Refused { state, code, content })
        }
        ExternalCallOutcome::WaitsForApproval(approval) => {
            Ok(ManualActionOutcome::Waits { session, approval })
        }
        ExternalCallOutcome::Failed(why) => Err(UseCaseError::NotApplicable(why.into())),
    }
}
