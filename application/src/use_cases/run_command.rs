use std::sync::Arc;

use entracte_domain::call::{CallOutcome, Failure};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use entracte_domain::value::Value;

use super::UseCaseError;
use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::failpoints::{Operation, around};
use crate::ports::{CallRequest, Clock, IdGenerator, Store};

/// Time for a query whose declaration says nothing of it.
const TIMEOUT: Millis = Millis::seconds(15);
/// The code of a failure that says that what was named is not there.
const NOT_FOUND: &str = "NOT_FOUND";

/// Runs one query by hand, outside of any session. Actions are not run this way: they belong to a session,
/// with its ledger and its approval.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{RunCommand, UseCaseError};
/// # use entracte_application::commands::Catalog;
/// # use entracte_application::ports::MockStore;
/// # use entracte_application::system::{RandomIds, SystemClock};
/// # use entracte_domain::value::Value;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// let run = RunCommand::new(
///     Arc::new(Catalog::new(&[]).unwrap()),
///     Arc::new(MockStore::new()),
///     Arc::new(SystemClock),
///     Arc::new(RandomIds),
/// );
/// let arguments = Value::Object(vec![]);
/// let refused = run.run(&samples::workspace(), "zone.list", arguments).await;
/// assert!(matches!(refused, Err(UseCaseError::NotFound(text)) if text.contains("zone.list")));
/// # Ok(())
/// # }
/// ```
pub struct RunCommand {
    catalog: Arc<Catalog>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl RunCommand {
    /// Over these ports.
    pub fn new(
        catalog: Arc<Catalog>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { catalog, store, clock, ids }
    }

    /// What the query answers.
    ///
    /// # Errors
    /// When the command is unknown or no query, its arguments break the schema, or it fails.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        name: &str,
        arguments: Value,
    ) -> Result<String, UseCaseError> {
        let Some(known) = self.catalog.find(name) else {
            return Err(UseCaseError::NotFound(format!(
                "there is no command {name}; list them: entracte command list"
            )));
        };
        let faults = known.faults(&arguments);
        if !faults.is_empty() {
            let all: Vec<String> = faults.iter().map(|fault| fault.sentence()).collect();
            let text = format!(
                "the parameters of {name} are not valid: {}; see them: entracte command show {name}",
                all.join("; ")
            );
            return Err(UseCaseError::Invalid(text));
        }
        if known.spec.kind == CommandKind::Action {
            return Err(UseCaseError::NotApplicable(format!(
                "{name} is an action; actions run in a session, with their approval: entracte chat"
            )));
        }
        let stem = self.ids.key();
        let now = self.clock.now();
        let request = CallRequest {
            workspace: workspace.clone(),
            session: SessionId::new(format!("ses_{stem}")),
            call: CallId::new(format!("cal_{stem}_0_0")),
            command: Command { name: known.spec.name.clone(), arguments },
            acts_as: None,
            key: stem,
            attempt: 1,
            now,
            reference: now,
            locale: WorkspaceBody::load(&*self.store, workspace).await?.settings.locale(),
        };
        let most = known.spec.timeout.unwrap_or(TIMEOUT);
        let outcome = tokio::select! {
            biased;
            outcome = around(Operation::RunCommand, known.executor.run(request)) => outcome,
            () = self.clock.sleep(most) => CallOutcome::TimedOut,
        };
        match outcome {
            CallOutcome::Succeeded { content, .. } | CallOutcome::Accepted { content, .. } => Ok(content),
            CallOutcome::Failed(failure) => Err(failed(name, &failure)),
            CallOutcome::TimedOut => Err(UseCaseError::NotApplicable(format!(
                "{name} did not answer within {} s and was cancelled; try again",
                most.0 / 1000
            ))),
            CallOutcome::Lost { .. } | CallOutcome::Probed { .. } => {
                Err(UseCaseError::NotApplicable(format!("{name} did not answer; try again")))
            }
        }
    }
}

/// What is not there is told apart from what was asked in a wrong way.
fn failed(name: &str, failure: &Failure) -> UseCaseError {
    let Failure { code, message, .. } = failure;
    let text = format!("{code}: {message}; see its parameters: entracte command show {name}");
    if code == NOT_FOUND { UseCaseError::NotFound(text) } else { UseCaseError::Invalid(text) }
}
