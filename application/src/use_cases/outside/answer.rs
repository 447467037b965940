//! What became of a call from outside.

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::Phase;

use super::lane::{AskedCall, Lane, is_unknown};
use super::{CallFromOutside, Outsider, TakenIn};
use crate::codec::{WorkspaceBody, decode_call, decode_snapshot};
use crate::commands::content_of;
use crate::texts::{Texts, say};
use crate::use_cases::{Approval, MarkRead, TurnView, UseCaseError, Waiting};

/// The answer to a call from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum OutsideAnswer {
    /// It has its result.
    Result {
        /// The call.
        call: CallId,
        /// The word for its state, as the ledger has it.
        state: String,
        /// Code for the caller; none for plain success.
        code: Option<String>,
        /// What it answered, or why it was not done.
        content: String,
        /// It went wrong.
        is_error: bool,
    },
    /// A person is asked for leave; the same call asked again finds it.
    WaitsForLeave(Box<Approval>),
    /// It did not get as far as a call: what went wrong, for people.
    Failed(String),
}

impl CallFromOutside {
    /// The answer to a call, once its session rests. An answer with a result is given once: the same call asked
    /// again after it is a new one. One whose outcome nobody knows is the same call until a person settles it.
    ///
    /// # Errors
    /// When the database cannot be read, or that the answer was given cannot be written.
    pub async fn answer(
        &self,
        who: &Outsider,
        taken: &TakenIn,
        turn: &TurnView,
    ) -> Result<OutsideAnswer, UseCaseError> {
        if let Some(Waiting::Validation(open)) = &turn.waiting
            && let Some(approval) = open.first()
        {
            return Ok(OutsideAnswer::WaitsForLeave(Box::new(approval.clone())));
        }
        let Some(Lane::Asked(asked)) = self.lane(who, &taken.session).await? else {
            return Ok(OutsideAnswer::Failed("its answer was fetched by another process".into()));
        };
        let answer = match &asked.call {
            Some(call) => self.result(who, &asked, call).await?,
            None => OutsideAnswer::Failed(troubles(turn)),
        };
        if !matches!(&answer, OutsideAnswer::Result { state, .. } if is_unknown(state)) {
            self.mark(who, &taken.session).await?;
        }
        Ok(answer)
    }

    async fn result(
        &self,
        who: &Outsider,
        asked: &AskedCall,
        id: &CallId,
    ) -> Result<OutsideAnswer, UseCaseError> {
        let Some(row) = self.log.call(id).await? else {
            return Err(UseCaseError::NotFound(format!("the call {id} is not in the ledger")));
        };
        let call = decode_call(&row)?;
        let texts = Texts::of(WorkspaceBody::load(&*self.store, &who.workspace).await?.settings.language);
        let Some(result) = call.result() else {
            return Ok(OutsideAnswer::Failed(format!("it is not finished ({})", row.state)));
        };
        if let Some(happened) = found(&row.state) {
            let content = say!(texts, if happened { "outside-happened" } else { "outside-absent" });
            let (call, code) = (id.clone(), None);
            return Ok(OutsideAnswer::Result { call, state: row.state, code, content, is_error: !happened });
        }
        let brought = asked.entries.iter().find_map(|entry| content_of(&entry.input, id));
        Ok(OutsideAnswer::Result {
            call: id.clone(),
            code: result.code.clone(),
            content: brought.unwrap_or_else(|| texts.speak(&result.content)),
            is_error: result.is_error(),
            state: row.state,
        })
    }

    /// Remembers that all up to now was answered.
    async fn mark(&self, who: &Outsider, session: &SessionId) -> Result<(), UseCaseError> {
        let Some(row) = self.store.session(session).await? else { return Ok(()) };
        let snapshot = decode_snapshot(&row.body)?;
        if !matches!(snapshot.phase, Phase::Idle) {
            return Ok(());
        }
        let mark = MarkRead::new(self.postbox.clone());
        mark.run(&who.workspace, session, who.name.clone(), row.sequence).await?;
        Ok(())
    }
}

/// What a person found out about a call of unknown outcome, by the word of its state.
fn found(state: &str) -> Option<bool> {
    [("settled_happened", true), ("settled_absent", false)]
        .into_iter()
        .find_map(|(word, happened)| (word == state).then_some(happened))
}

fn troubles(turn: &TurnView) -> String {
    let all: Vec<&str> = turn.troubles.iter().map(|(_, text)| text.as_str()).collect();
    if all.is_empty() { "the call was stopped before it began".to_owned() } else { all.join("; ") }
}
