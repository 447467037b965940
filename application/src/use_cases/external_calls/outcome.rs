//! The outcome of an external call.

use entracte_domain::call::CallStatus;
use entracte_domain::file::FileReference;
use entracte_domain::id::{CallId, WorkspaceKey};

use super::{AcceptedExternalCall, ExternalCaller, RunExternalCall, caller_session};
use crate::codec::decode_call;
use crate::command_naming::CommandNaming;
use crate::commands::{ResultParts, result_parts};
use crate::journal::JournalEntry;
use crate::texts::{say, saying};
use crate::use_cases::settings::texts_of;
use crate::use_cases::{ApprovalView, MarkRead, PendingDecision, TurnView, UseCaseError};

/// The answer to an external call.
#[derive(Clone, Debug, PartialEq)]
pub enum ExternalCallOutcome {
    /// The call has its result.
    Result {
        /// Unique id of the call.
        call: CallId,
        /// The stored word of its state in the ledger.
        state: String,
        /// The code for the caller; `None` for plain success.
        code: Option<String>,
        /// The result without its files, or why it was not executed.
        content: String,
        /// The files that the call brought.
        files: Vec<FileReference>,
        /// Whether it failed.
        is_error: bool,
    },
    /// The call waits for approval by a person; the same call requested again finds it.
    WaitsForApproval(Box<ApprovalView>),
    /// No call was created, with the reason for people.
    Failed(String),
}

impl ExternalCallOutcome {
    /// Whether the call was refused only because its schema had to be shown first.
    pub fn is_shown_schema(&self) -> bool {
        matches!(self, Self::Result { state, .. } if state == CallStatus::SchemaRequired.word())
    }
}

impl RunExternalCall {
    /// The answer to a call, once its session is idle. An answer with a result is given once: the same call requested
    /// afterwards is a new one. A call with unknown outcome stays the same call until a person settles it.
    ///
    /// # Errors
    /// When the database cannot be read, or the delivery of the answer cannot be recorded.
    pub async fn answer(
        &self,
        who: &ExternalCaller,
        taken: &AcceptedExternalCall,
        turn: &TurnView,
    ) -> Result<ExternalCallOutcome, UseCaseError> {
        let entries = self.entries(who, &taken.session, taken.after).await?;
        // The entries of this call, up to the next one, if there is one by now.
        let mut messages =
            entries.iter().enumerate().filter(|(_, entry)| caller_session::asks(entry, who).is_some());
        let next = messages.nth(1).map_or(entries.len(), |(index, _)| index);
        let own = entries.get(..next).unwrap_or(&entries);
        let call = own.iter().find_map(caller_session::call_of);
        if let (Some(PendingDecision::Validation(open)), Some(call)) = (&turn.waiting, &call)
            && let Some(approval) = open.iter().find(|approval| approval.call.id == *call)
        {
            return Ok(ExternalCallOutcome::WaitsForApproval(Box::new(approval.clone())));
        }
        let answer = match &call {
            Some(call) => self.result(who, own, call).await?,
            None => ExternalCallOutcome::Failed(self.troubles(&who.workspace, turn).await?),
        };
        let is_unknown =
            matches!(&answer, ExternalCallOutcome::Result { state, .. } if caller_session::is_unknown(state));
        if let Some(last) = own.last().filter(|_| !is_unknown) {
            let mark = MarkRead::new(self.mail_sender.clone());
            mark.run(&who.workspace, &taken.session, who.name.clone(), last.sequence).await?;
        }
        Ok(answer)
    }

    async fn result(
        &self,
        who: &ExternalCaller,
        entries: &[JournalEntry],
        id: &CallId,
    ) -> Result<ExternalCallOutcome, UseCaseError> {
        let Some(row) = self.log.call(&who.workspace, id).await? else {
            return Err(UseCaseError::NotFound(saying!("request-no-call", call = id.as_str()).into()));
        };
        let call = decode_call(&row)?;
        let texts = texts_of(&*self.store, &who.workspace).await?;
        let Some(result) = call.result() else {
            return Ok(ExternalCallOutcome::Failed(say!(
                texts,
                "outside-unfinished",
                state = row.state.word()
            )));
        };
        if let Some(happened) = row.state.finding() {
            let content = say!(texts, if happened { "outside-happened" } else { "outside-absent" });
            let (call, code) = (id.clone(), None);
            return Ok(ExternalCallOutcome::Result {
                call,
                state: row.state.word().to_owned(),
                code,
                content,
                files: Vec::new(),
                is_error: !happened,
            });
        }
        let brought = entries.iter().find_map(|entry| result_parts(&entry.input, id));
        let ResultParts { content, files } = brought.unwrap_or_else(|| ResultParts {
            content: texts.render_speech_for(CommandNaming::Tools, &result.content),
            files: result.files.clone(),
        });
        Ok(ExternalCallOutcome::Result {
            call: id.clone(),
            code: result.code.clone(),
            content,
            files,
            is_error: result.is_error(),
            state: row.state.word().to_owned(),
        })
    }

    /// Why the turn brought no call.
    async fn troubles(&self, workspace: &WorkspaceKey, turn: &TurnView) -> Result<String, UseCaseError> {
        if turn.troubles.is_empty() {
            return Ok(say!(texts_of(&*self.store, workspace).await?, "outside-stopped"));
        }
        let all: Vec<&str> = turn.troubles.iter().map(|(_, text)| text.as_str()).collect();
        Ok(all.join("; "))
    }
}
