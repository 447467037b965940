use std::sync::Arc;

use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::Command;
use entracte_domain::file::append_file_lines;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::restriction::Restriction;
use entracte_domain::time::Millis;
use entracte_domain::validation::{RuleRequester, StandingApprovalRule};
use entracte_domain::value::JsonValue;

use super::UseCaseError;
use crate::codec::WorkspaceBody;
use crate::command_naming::CommandNaming;
use crate::commands::Catalog;
use crate::failpoints::{FailpointOperation, run_between_failpoints};
use crate::ports::{CallRequest, Clock, IdGenerator, WorkspaceStore};
use crate::texts::{LocalizedTexts, ReaderLanguage, saying};

/// The time-out of a query whose declaration sets none.
const TIMEOUT: Millis = Millis::seconds(15);
/// The code of a failure because a named object does not exist.
pub(super) const NOT_FOUND: &str = "NOT_FOUND";

use_case! {
    /// Runs one query on a person's request, outside of any session. Actions are refused: they belong to a session,
    /// with its ledger and its approval.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let run = RunQueryCommand::new(
    ///     Arc::new(Catalog::new(&[]).unwrap()),
    ///     Arc::new(samples::store()),
    ///     Arc::new(SystemClock),
    ///     Arc::new(RandomIdGenerator),
    /// );
    /// let arguments = JsonValue::Object(vec![]);
    /// let refused = run.run(&samples::workspace(), "zone.list", arguments).await;
    /// assert!(matches!(refused, Err(UseCaseError::NotFound(text)) if text.contains("zone.list")));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Dropping it stops the query. A query changes nothing, so it may be repeated.
    pub struct RunQueryCommand over (catalog: Catalog, store: dyn WorkspaceStore, clock: dyn Clock, ids: dyn IdGenerator)
        and (
            /// The language of the words.
            reader: ReaderLanguage = ReaderLanguage::OF_WORKSPACE
        )
}

impl RunQueryCommand {
    /// Words results and refusals in the language of this reader.
    #[must_use]
    pub fn for_reader(self, reader: ReaderLanguage) -> Self {
        Self { reader, ..self }
    }

    /// Runs the query and returns its result.
    ///
    /// # Errors
    /// When the command is unknown or not a query, a rule of the workspace denies it, its arguments violate the
    /// schema, or it fails.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        name: &str,
        arguments: JsonValue,
    ) -> Result<String, UseCaseError> {
        let body = WorkspaceBody::load(&*self.store, workspace).await?;
        let locale = body.settings.locale_for(self.reader);
        let texts = body.settings.texts_for(self.reader);
        let Some(known) = self.catalog.find(name) else {
            return Err(UseCaseError::NotFound(
                saying!("by-hand-unknown", command = name).into_refusal_text(texts),
            ));
        };
        let stem = self.ids.key();
        let session = SessionId::new(format!("ses_{stem}"));
        let now = self.clock.now();
        let command = Command { name: known.spec.name.clone(), arguments };
        // A rule that refuses a command applies to people, too.
        let requester = RuleRequester::from_session(&session);
        let denies =
            |rule: &&StandingApprovalRule| rule.refusal_reason_for(&command, requester, now).is_some();
        if let Some(rule) = body.rules.iter().find(denies) {
            let text = saying!("by-hand-denied", command = name, rule = &rule.id).into_refusal_text(texts);
            return Err(UseCaseError::NotApplicable(text));
        }
        let faults = known.argument_faults(&command.arguments, texts);
        if !faults.is_empty() {
            let all: Vec<String> = faults.iter().map(|fault| fault.sentence()).collect();
            let text = saying!("by-hand-arguments", command = name, faults = all.join("; "))
                .into_refusal_text(texts);
            return Err(UseCaseError::Invalid(text));
        }
        if known.spec.may_need_approval() {
            return Err(UseCaseError::NotApplicable(
                saying!("by-hand-action", command = name).into_refusal_text(texts),
            ));
        }
        let request = CallRequest {
            task: None,
            workspace: workspace.clone(),
            session,
            call: CallId::new(format!("cal_{stem}_0_0")),
            command,
            acts_as: None,
            via: Vec::new(),
            key: stem,
            attempt: 1,
            now,
            reference: now,
            locale,
            naming: CommandNaming::Types,
            restriction: Restriction::Open,
            progress: crate::ports::CallProgressSink::default(),
        };
        let most = known.spec.timeout.unwrap_or(TIMEOUT);
        let outcome = tokio::select! {
            biased;
            outcome = run_between_failpoints(FailpointOperation::RunCommand, known.executor.run(request)) => outcome,
            () = self.clock.sleep(most) => CallOutcome::TimedOut,
        };
        match outcome {
            CallOutcome::Succeeded { mut content, files, .. } => {
                append_file_lines(&mut content, &files);
                Ok(content)
            }
            CallOutcome::Accepted { content, .. } => Ok(content),
            CallOutcome::Failed(failure) => Err(failed(name, &failure, texts)),
            CallOutcome::TimedOut => {
                let text = saying!(
                    "by-hand-late",
                    command = name,
                    seconds = u64::try_from(most.0 / 1000).unwrap_or_default()
                )
                .into_refusal_text(texts);
                Err(UseCaseError::NotApplicable(text))
            }
            CallOutcome::Lost { .. } | CallOutcome::Probed { .. } | CallOutcome::Reported { .. } => Err(
                UseCaseError::NotApplicable(saying!("by-hand-lost", command = name).into_refusal_text(texts)),
            ),
        }
    }
}

/// Distinguishes a missing object from an invalid request.
pub(super) fn failed(name: &str, failure: &CallFailure, texts: &LocalizedTexts) -> UseCaseError {
    let CallFailure { code, message, .. } = failure;
    let text =
        saying!("by-hand-failed", code = code, message = message, command = name).into_refusal_text(texts);
    if code == NOT_FOUND { UseCaseError::NotFound(text) } else { UseCaseError::Invalid(text) }
}
