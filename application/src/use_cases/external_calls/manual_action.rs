//! Local actions that a person requests directly.

use std::sync::Arc;

use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::file::append_file_lines;
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

/// The outcome of a manual action.
#[derive(Clone, Debug, PartialEq)]
pub enum ManualActionOutcome {
    /// The action was executed.
    Done {
        /// The session of the call.
        session: SessionId,
        /// Unique id of the call.
        call: CallId,
        /// The result.
        content: String,
    },
    /// The action was not executed.
    Refused {
        /// The stored word of the call's state.
        state: String,
        /// The code of the refusal.
        code: Option<String>,
        /// The reason.
        content: String,
    },
    /// The action waits for approval.
    Waits {
        /// The session of the call.
        session: SessionId,
        /// The approval that is needed.
        approval: Box<ApprovalView>,
    },
    /// The action came to nothing before it was a call, or its call has no result, with the reason for people.
    Failed(String),
    /// The action is not finished: the session waits for its slot, or the action takes longer.
    Works {
        /// The session of the call.
        session: SessionId,
    },
}

/// Executes a local action on a person's request, like every call: in a session of that person, with its ledger, rules
/// and approvals. Repeating the action while it waits finds the existing call; under an idempotency key it is a new
/// one, executed once.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let ports = ManualActionPorts {
///     mail_sender: Arc::new(MockMailSender::new()),
///     store: Arc::new(MockWorkspaceStore::new()),
///     log: Arc::new(MockLogReader::new()),
///     rows: Arc::new(MockResourceReader::new()),
///     catalog: Arc::new(Catalog::new(&[]).unwrap()),
///     clock: Arc::new(SystemClock),
///     live: Arc::new(LiveText::default()),
/// };
/// let act = RunManualAction::new(ports, Arc::default());
/// let (workspace, restriction) = (samples::workspace(), Restriction::Open);
/// let who = ExternalCaller { workspace, name: "ann".into(), seat: 0, restriction };
/// let command = Command { name: "zones.create".into(), arguments: JsonValue::Object(vec![]) };
/// let refused = act.run(&who, &command, Millis::seconds(20)).await;
/// assert!(matches!(refused, Err(UseCaseError::NotFound(_))));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Same as [`RunExternalCall`]: a posted request continues. The same command is found again while it works or its
/// answer was not fetched, and under the same receipt at any time; otherwise it is executed again.
pub struct RunManualAction {
    ports: ManualActionPorts,
    calls: RunExternalCall,
    first: Option<MailAnswer>,
    one: Arc<Mutex<()>>,
}

/// The ports of a manual action.
#[derive(Clone)]
pub struct ManualActionPorts {
    /// Posts requests.
    pub mail_sender: Arc<dyn MailSender>,
    /// The committed rows.
    pub store: Arc<dyn WorkspaceStore>,
    /// The log and the ledger.
    pub log: Arc<dyn LogReader>,
    /// The workspace's own data.
    pub rows: Arc<dyn ResourceReader>,
    /// The catalog of commands.
    pub catalog: Arc<Catalog>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// Signals of live text in this process.
    pub live: Arc<LiveText>,
}

impl RunManualAction {
    /// Creates the use case over these ports. `one` is shared by all actions of the same person in the same workspace,
    /// which are accepted one after the other.
    pub fn new(ports: ManualActionPorts, one: Arc<Mutex<()>>) -> Self {
        let calls = RunExternalCall::new(ports.mail_sender.clone(), ports.store.clone(), ports.log.clone())
            .for_person();
        let calls = calls.with_precheck(ports.rows.clone(), ports.catalog.clone(), ports.clock.clone());
        Self { ports, calls, first: None, one }
    }

    /// Runs under an idempotency key: requests are posted through `keyed`, which stores the receipt. `first` is the
    /// answer to the same request made before.
    #[must_use]
    pub fn with_idempotency_key(mut self, keyed: Arc<dyn MailSender>, first: Option<MailAnswer>) -> Self {
        self.calls = self.calls.with_idempotency_key(keyed);
        self.first = first;
        self
    }

    /// Whether a command can run as a manual action: an action on the workspace's own data.
    pub fn supports_command(known: &CatalogEntry) -> bool {
        known.spec.kind == CommandKind::Action && known.spec.effect == EffectClass::Local
    }

    /// Executes the action and waits at most this long for its outcome.
    ///
    /// # Errors
    /// When there is no such command, it is not a local action, its arguments violate its schema, its object does not
    /// exist, or the request is not accepted.
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
            if is_second || !answer.is_shown_schema() {
                return Ok(outcome(session, answer));
            }
            // The refusal showed the schema; the repeated call is validated against it.
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

    /// Requests the call again in the same session; the message has a key of its own, so repeated attempts have no
    /// further effect.
    async fn find_previous_outcome(
        &self,
        who: &ExternalCaller,
        taken: &AcceptedExternalCall,
        command: &Command,
    ) -> Result<AcceptedExternalCall, UseCaseError> {
        let key = format!("after {}", taken.after);
        match ask(&self.ports.mail_sender, who, &taken.session, command, Some(key)).await {
            // Another process was first, because the refusal left the session idle.
            Err(UseCaseError::Conflict(_)) => self.calls.accept_call(who, command).await,
            sent => self.calls.locate_accepted_call(who, &sent?).await,
        }
    }

    fn follow(&self) -> FollowTurn {
        let ManualActionPorts { store, log, rows, catalog, clock, live, .. } = self.ports.clone();
        FollowTurn::new(store, log, rows, catalog, clock).with_live_text(live)
    }
}

fn outcome(session: SessionId, answer: ExternalCallOutcome) -> ManualActionOutcome {
    match answer {
        ExternalCallOutcome::Result { call, mut content, files, is_error: false, .. } => {
            append_file_lines(&mut content, &files);
            ManualActionOutcome::Done { session, call, content }
        }
        ExternalCallOutcome::Result { state, code, content, .. } => {
            ManualActionOutcome::Refused { state, code, content }
        }
        ExternalCallOutcome::WaitsForApproval(approval) => ManualActionOutcome::Waits { session, approval },
        ExternalCallOutcome::Failed(why) => ManualActionOutcome::Failed(why),
    }
}
