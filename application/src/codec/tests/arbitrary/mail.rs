use entracte_domain::id::SessionId;
use proptest::prelude::*;

use super::leaves::*;
use super::messages::user_message;
use super::sessions::{dialect, session_kind};
use crate::codec::{Mail, MailAnswer, MailDecision, MailRequest, MailVerdict, NewSession};

fn session() -> impl Strategy<Value = SessionId> {
    text().prop_map(SessionId::new)
}

fn new_session() -> impl Strategy<Value = NewSession> {
    let leave = (any::<bool>(), gate());
    (session(), session_kind(), text(), text(), text(), dialect(), leave).prop_map(
        |(id, kind, name, provider, model, dialect, (require_validation, gate))| NewSession {
            id,
            kind,
            name,
            provider,
            model,
            dialect,
            require_validation,
            gate,
        },
    )
}

fn decision() -> impl Strategy<Value = MailDecision> {
    let verdict = prop_oneof![
        Just(MailVerdict::Approve),
        value().prop_map(|arguments| MailVerdict::Edit { arguments }),
        some(text()).prop_map(|reason| MailVerdict::Reject { reason }),
    ];
    (call_id(), verdict).prop_map(|(call, verdict)| MailDecision { call, verdict })
}

fn request() -> impl Strategy<Value = MailRequest> {
    prop_oneof![
        new_session().prop_map(MailRequest::StartSession),
        (text(), user_message(), some(text())).prop_map(|(author, message, client_key)| {
            MailRequest::SendMessage { author, message, client_key }
        }),
        (text(), few(decision())).prop_map(|(author, decisions)| MailRequest::Decide { author, decisions }),
        (text(), text()).prop_map(|(author, text)| MailRequest::Answer { author, text }),
        text().prop_map(|author| MailRequest::Interrupt { author }),
        (text(), any::<bool>()).prop_map(|(author, end)| MailRequest::Stop { author, end }),
        text().prop_map(|author| MailRequest::Resume { author }),
        (text(), call_id(), any::<bool>(), some(text())).prop_map(|(author, call, happened, note)| {
            MailRequest::Settle { author, call, happened, note }
        }),
        (text(), some(any::<bool>()), some(gate())).prop_map(|(author, require_validation, gate)| {
            MailRequest::ChangeSession { author, require_validation, gate, voice: None }
        }),
        text().prop_map(|author| MailRequest::ConfirmCompletion { author }),
        (text(), some(text())).prop_map(|(author, reason)| MailRequest::RejectCompletion { author, reason }),
    ]
}

pub(in crate::codec) fn mail() -> impl Strategy<Value = Mail> {
    (some(session()), request()).prop_map(|(session, request)| Mail { session, request })
}

pub(in crate::codec) fn mail_answer() -> impl Strategy<Value = MailAnswer> {
    prop_oneof![
        (some(message_id()), session())
            .prop_map(|(message, session)| MailAnswer::Accepted { message, session }),
        (text(), text()).prop_map(|(code, text)| MailAnswer::Refused { code, text }),
    ]
}
