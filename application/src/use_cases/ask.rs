//! Use cases that post one request: send, withdraw, answer, interrupt, stop, end, delete, resume, settle, confirm,
//! reject, attach, open, leave, mark.

use std::sync::Arc;

use entracte_domain::id::{CallId, MessageId, RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::spending::SpendingAmount;

use super::{AcceptedRequest, UseCaseError, expect_accepted, expect_accepted_empty, expect_done};
use crate::mail::{
    AnswerQuestionRequest, AnswerSpendingRequest, CancelQuestionRequest, CompactContextRequest,
    ConfirmCompletionRequest, DeleteSessionRequest, InterruptRoundRequest, LeaveSessionRequest, Mail,
    MailRequest, MarkEndSeenRequest, MarkReadRequest, OpenSessionRequest, RejectCompletionRequest,
    ResumeSessionRequest, SendMessageRequest, SettleCallRequest, SettleUsageRequest, StopSessionRequest,
    WithdrawMessageRequest,
};
use crate::ports::MailSender;

/// Declares one such use case: its documentation, its fields, its request, the effect of a repetition (`again`), the
/// arguments and the request of its example (`with`), and how its answer is read.
macro_rules! verb {
    (
        $(#[doc = $doc:literal])* $name:ident $fields:tt => $request:expr,
        again $($again:literal)+, with $given:tt as $posted:tt
    ) => {
        verb!(
            $(#[doc = $doc])*
            $name $fields => $request, again $($again)+, with $given as $posted,
            expect_accepted -> AcceptedRequest, "let taken = ", "assert_eq!(taken.session, session);"
        );
    };
    (
        $(#[doc = $doc:literal])* $name:ident $fields:tt => $request:expr,
        again $($again:literal)+, with $given:tt as $posted:tt, $read:ident
    ) => {
        verb!(
            $(#[doc = $doc])*
            $name $fields => $request, again $($again)+, with $given as $posted, $read -> (), "", ""
        );
    };
    (
        $(#[doc = $doc:literal])*
        $name:ident($($field:ident: $type:ty),*) => $request:expr, again $($again:literal)+,
        with ($($given:tt)*) as ($($posted:tt)*),
        $read:ident -> $answer:ty, $taken:literal, $seen:literal
    ) => {
        use_case! {
            $(#[doc = $doc])*
            ///
            /// # Examples
            /// ```
            /// # use entracte_application::{samples::example::*, use_cases::*};
            /// # example(async {
            /// let mail_sender = samples::mail_sender(|request| {
            #[doc = concat!("    matches!(request, MailRequest::Session(_, SessionRequest::", stringify!($($posted)*), "))")]
            /// });
            #[doc = concat!("let verb = ", stringify!($name), "::new(Arc::new(mail_sender));")]
            /// let (workspace, session) = (samples::workspace(), samples::session());
            #[doc = concat!($taken, "verb.run(&workspace, &session, ", stringify!($($given)*), ").await?;")]
            #[doc = $seen]
            /// # Ok(()) });
            /// ```
            pub struct $name over (mail_sender: dyn MailSender) again $($again)+
        }

        impl $name {
            /// Posts the request; it is committed when this returns.
            ///
            /// # Errors
            /// When it is refused (the session is unknown or has ended, the request does not apply, …) or is not
            /// accepted. Nothing was done then.
            pub async fn run(
                &self,
                workspace: &WorkspaceKey,
                session: &SessionId,
                $($field: $type),*
            ) -> Result<$answer, UseCaseError> {
                let mail = Mail::from_request(MailRequest::session(session.clone(), $request));
                $read(self.mail_sender.post(workspace, mail).await?)
            }
        }
    };
}

verb!(
    /// Sends a user message. Accepted in every phase of an open session; during a round it waits for the next model
    /// call. A repetition with the same `client_key` is the same message.
    SendMessage(author: String, message: UserMessage, client_key: Option<String>)
        => SendMessageRequest { author, message, client_key },
    again "Asked again with the same `client_key` it is the same message; without a key it would be a second "
        "one, so look for it first.",
    with ("ann".into(), UserMessage::text("Hello."), None) as (SendMessage(SendMessageRequest { client_key: None, .. }))
);
verb!(
    /// Withdraws a message that was sent during a round and that no model has read. It stays in the log, but is never
    /// sent to a model.
    WithdrawMessage(author: String, message: MessageId) => WithdrawMessageRequest { author, message },
    again "Asked again it is refused, because the message waits no more.",
    with ("ann".into(), samples::session().message_id(3, 0)) as (WithdrawMessage(_)),
    expect_accepted_empty
);
verb!(
    /// Answers the open question: the number of an option, its text, or yes / no. With the message that asks it, only
    /// that question is answered.
    AnswerQuestion(author: String, text: String, question: Option<MessageId>)
        => AnswerQuestionRequest { author, text, question },
    again "Asked again without a message it answers the question that is open then, which may be the next one: look "
        "first.",
    with ("ann".into(), "yes".into(), None) as (AnswerQuestion(_))
);
verb!(
    /// Gives up the open question that this message asks: a chat rests, an agent ends.
    CancelQuestion(author: String, question: MessageId) => CancelQuestionRequest { author, question },
    again "Asked again it is refused, because the question is not open any more.",
    with ("ann".into(), samples::session().message_id(3, 0)) as (CancelQuestion(_))
);
verb!(
    /// Interrupts the round; the session then rests.
    InterruptRound(author: String) => InterruptRoundRequest { author },
    again "Asked again it may interrupt the next round, where one began meanwhile; look first.",
    with ("ann".into()) as (InterruptRound(_))
);
verb!(
    /// Summarises the conversation of a resting chat now; it rests again afterwards.
    CompactSession(author: String) => CompactContextRequest { author },
    again "Asked again it is refused while the summary is made; where the session rests again it may sum up "
        "what came since.",
    with ("ann".into()) as (CompactContext(_))
);
verb!(
    /// Stops a session's work. A run ends; a chat rests.
    StopSession(author: String) => StopSessionRequest { author, end: false },
    again "Asked again it stops what works then, and is refused where nothing does.",
    with ("ann".into()) as (Stop(StopSessionRequest { end: false, .. }))
);
verb!(
    /// Ends a session; it refuses messages from then on.
    EndSession(author: String) => StopSessionRequest { author, end: true },
    again "Asked again it is refused, because the session has ended.",
    with ("ann".into()) as (Stop(StopSessionRequest { end: true, .. }))
);
verb!(
    /// Deletes a session with all its stored data. A working session is refused: it must be stopped first. A chat
    /// without user messages leaves no deletion record.
    DeleteSession(author: String) => DeleteSessionRequest { author },
    again "Asked again it is refused: there is no such session.",
    with ("ann".into()) as (Delete(_)),
    expect_done
);
verb!(
    /// Resumes a session where it rests.
    ResumeSession(author: String) => ResumeSessionRequest { author },
    again "Asked again it is refused while the session works; where it rests again it begins one more round.",
    with ("ann".into()) as (Resume(_))
);
verb!(
    /// Records whether an action of unknown outcome happened.
    SettleCall(author: String, call: CallId, happened: bool, note: Option<String>)
        => SettleCallRequest { author, call, happened, note },
    again "Asked again it is refused, because the outcome is no longer unknown.",
    with ("ann".into(), samples::session().call_id(7, 0), true, None)
        as (SettleCall(SettleCallRequest { happened: true, .. }))
);
verb!(
    /// Answers whether the session may use more of a cap at whose soft line it rests: so much more, as much as the
    /// question proposes, or, without `goes_on`, nothing.
    AnswerSpending(author: String, goes_on: bool, extra: Option<SpendingAmount>)
        => AnswerSpendingRequest { author, goes_on, extra },
    again "Asked again it is refused, because nothing is asked any more.",
    with ("ann".into(), true, None) as (AnswerSpending(AnswerSpendingRequest { goes_on: true, .. }))
);
verb!(
    /// States what a model call of unknown usage used, so that its reservation is settled; nothing, if it was not billed.
    SettleUsage(author: String, number: RoundAttempt, amount: SpendingAmount)
        => SettleUsageRequest {
            author,
            round: number.round,
            attempt: number.attempt,
            tokens: amount.tokens,
            cost: amount.cost,
        },
    again "Asked again it is refused, because the usage is no longer unknown.",
    with ("ann".into(), Default::default(), Default::default()) as (SettleUsage(_))
);
verb!(
    /// Confirms that a run's work is done.
    ConfirmCompletion(author: String) => ConfirmCompletionRequest { author },
    again "Asked again it is refused, because nothing is to be confirmed any more.",
    with ("ann".into()) as (ConfirmCompletion(_))
);
verb!(
    /// Rejects the completion of a run: its work is not done.
    RejectCompletion(author: String, reason: Option<String>)
        => RejectCompletionRequest { author, reason },
    again "Asked again it rejects what the run says is done then, which may be something else: look first.",
    with ("ann".into(), Some("Two are missing.".into()))
        as (RejectCompletion(RejectCompletionRequest { reason: Some(_), .. }))
);
verb!(
    /// Records that a client has a session open, for `runtime.attachment_lease`; the same `attachment` renews the
    /// lease. A resting chat keeps its slot from runs while a client has it open, at most for `chat_eviction`.
    AttachSession(author: String, attachment: String)
        => OpenSessionRequest { author, attachment, asks_slot: false },
    again "Asked again it renews the same attachment.",
    with ("ann".into(), "phone".into()) as (Open(OpenSessionRequest { asks_slot: false, .. }))
);
verb!(
    /// Opens a chat: like [`AttachSession`], and the chat requests its slot without a model call. The answer contains
    /// the result; the chat waits for the slot while it is open.
    OpenSession(author: String, attachment: String)
        => OpenSessionRequest { author, attachment, asks_slot: true },
    again "Asked again it renews the same attachment.",
    with ("ann".into(), "phone".into()) as (Open(OpenSessionRequest { asks_slot: true, .. }))
);
verb!(
    /// Records that a client closed a session. A resting chat that no client has open yields its slot to waiting
    /// sessions.
    LeaveSession(author: String, attachment: String) => LeaveSessionRequest { author, attachment },
    again "Asked again it changes nothing.",
    with ("ann".into(), "phone".into()) as (Leave(_))
);
verb!(
    /// Records that a person has seen how a run ended, which removes its item from the inbox of all people. The item
    /// stays until then; a repetition changes nothing, and the request is refused if there is nothing to see.
    MarkSeen(author: String) => MarkEndSeenRequest { author },
    again "Asked again it changes nothing.",
    with ("bob".into()) as (MarkEndSeen(_)),
    expect_accepted_empty
);
verb!(
    /// Records that a reader has read everything up to the session's `sequence`; the mark never moves back.
    MarkRead(reader: String, sequence: u64) => MarkReadRequest { reader, sequence },
    again "Asked again it changes nothing.",
    with ("bob".into(), 4) as (MarkRead(MarkReadRequest { sequence: 4, .. })),
    expect_accepted_empty
);
