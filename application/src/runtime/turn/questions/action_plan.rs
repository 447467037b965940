use std::hash::{Hash, Hasher};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use entracte_domain::call::CallFailure;
use futures_util::FutureExt;

use super::{QuestionReader, TurnQuestion};
use crate::failpoints::{FailpointOperation, run_between_failpoints};
use crate::ports::{ActionPlan, ActionPlanError, CallRequest, ResourceReader};
use crate::runtime::error::TurnError;
use crate::texts::{LocalizedTexts, say};

/// The changes a local command would make, or why it cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runtime) struct ActionPlanQuestion(pub(in crate::runtime) Box<CallRequest>);

/// A turn has few of these for one call.
impl Hash for ActionPlanQuestion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.call.hash(state);
    }
}

impl TurnQuestion for ActionPlanQuestion {
    type Answer = Result<ActionPlan, CallFailure>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Result<ActionPlan, CallFailure>, TurnError> {
        let request = &self.0;
        let name = &request.command.name;
        let texts = LocalizedTexts::for_language(request.locale.language);
        let Some(known) = reader.pipeline.catalog.find(name) else {
            return Ok(Err(failure("UNKNOWN_COMMAND", say!(texts, "command-gone", command = name))));
        };
        let rows: Arc<dyn ResourceReader> = reader.services.rows.clone();
        let work = known.executor.plan(CallRequest::clone(request), rows);
        let planned = AssertUnwindSafe(run_between_failpoints(FailpointOperation::PlanCommand, work))
            .catch_unwind()
            .await;
        match planned {
            Ok(Ok(plan)) => Ok(Ok(plan)),
            Ok(Err(ActionPlanError::Refused(failure))) => Ok(Err(failure)),
            Ok(Err(ActionPlanError::Store(error))) => Err(error.into()),
            Err(_) => {
                tracing::error!(call = %request.call, command = name, "the executor panicked while it planned");
                Ok(Err(failure("EXECUTOR_ERROR", say!(texts, "call-panicked"))))
            }
        }
    }
}

fn failure(code: &str, message: String) -> CallFailure {
    CallFailure { code: code.to_owned(), message, path: None, retryable: false }
}
