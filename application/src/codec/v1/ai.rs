//! Replies of models, and questions to the user.

use entracte_domain::command::{self, CommandKind};
use entracte_domain::message as domain;
use entracte_domain::question as ask;
use entracte_domain::session::{
    AiResponse as DomainResponse, FormatFault as DomainFault, ReplyEnd, RequestedCall, StoppedReply,
};
use serde::{Deserialize, Serialize};

use super::agent::{AskPrincipalV1, ExitV1};
use super::call::CommandV1;
use super::leaf::{HashV1, JsonTextV1, RawV1, UsageV1};
use super::lookup;
use super::shape::{by_hand, shape};
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AiResponseV1 {
    round: u32,
    attempt: u32,
    message: AiMessageV1,
    #[serde(default, skip_serializing_if = "is_default")]
    asks_at_limit: bool,
    /// `None` for the usual end, and in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<ReplyEndV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FormatFaultV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<lookup::RequestedCallV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<UsageV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<HashV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
}

by_hand!(AiResponseV1 = DomainResponse);

impl From<&DomainResponse> for AiResponseV1 {
    fn from(response: &DomainResponse) -> Self {
        let DomainResponse {
            round,
            attempt,
            message,
            end,
            asks_at_limit,
            faults,
            calls,
            usage,
            request,
            handle,
        } = response;
        Self {
            round: *round,
            attempt: *attempt,
            message: AiMessageV1::of(message, calls),
            asks_at_limit: *asks_at_limit,
            end: (*end != ReplyEnd::Done).then(|| end.into()),
            faults: shapes(faults),
            calls: shapes(calls),
            usage: usage.as_ref().map(Into::into),
            request: request.as_ref().map(Into::into),
            handle: handle.clone(),
        }
    }
}

impl From<AiResponseV1> for DomainResponse {
    fn from(response: AiResponseV1) -> Self {
        let calls = domains(response.calls);
        Self {
            round: response.round,
            attempt: response.attempt,
            message: response.message.into_domain(&calls),
            asks_at_limit: response.asks_at_limit,
            end: response.end.map(Into::into).unwrap_or_default(),
            faults: domains(response.faults),
            calls,
            usage: response.usage.map(Into::into),
            request: response.request.map(Into::into),
            handle: response.handle,
        }
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum ReplyEndV1 = ReplyEnd {
        Done,
        OutputLimit {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            limit: Option<u32>,
        },
        Paused,
        Unknown(reason: String),
    }
}

shape! {
    struct FormatFaultV1 = DomainFault {
        code: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
        text: String,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AiMessageV1 {
    #[serde(default, rename = "pre", skip_serializing_if = "is_default")]
    pre_text: String,
    /// `None` if the commands equal those of the adjacent calls, which is almost always the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commands: Option<CommandsV1>,
    #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
    validation_request: bool,
    #[serde(default, rename = "post", skip_serializing_if = "Option::is_none")]
    post_text: Option<String>,
    #[serde(default, rename = "keep", skip_serializing_if = "is_default")]
    keep_control: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    question: Option<QuestionV1>,
    #[serde(default, skip_serializing_if = "is_default")]
    completed: bool,
    /// `None` if it equals the text before the commands, as in a plain-text reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    original: Option<JsonTextV1>,
    #[serde(default, rename = "turn", skip_serializing_if = "Option::is_none")]
    provider_turn: Option<ProviderTurnV1>,
    #[serde(default, rename = "own", skip_serializing_if = "Vec::is_empty")]
    own_calls: Vec<OwnCallV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    plan: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exit: Option<ExitV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asks: Option<AskPrincipalV1>,
}

shape! {
    pub(super) struct StoppedReplyV1 = StoppedReply {
        round: u32,
        attempt: u32,
        text: String,
        original: String,
    }
}

shape! {
    struct OwnCallV1 = domain::BuiltinToolCall {
        #[serde(rename = "pid")]
        provider_call_id: String,
        name: String,
        #[serde(rename = "args")]
        arguments: RawV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<(String, bool)>,
    }
}

impl AiMessageV1 {
    /// The shape of a message that is stored beside `calls`.
    pub(super) fn of(message: &domain::AiMessage, calls: &[RequestedCall]) -> Self {
        let domain::AiMessage {
            pre_text,
            queries,
            actions,
            validation_request,
            post_text,
            keep_control,
            question,
            completed,
            original,
            provider_turn,
            own_calls,
            plan,
            exit,
            asks,
        } = message;
        let as_called =
            *queries == called(calls, CommandKind::Query) && *actions == called(calls, CommandKind::Action);
        Self {
            pre_text: pre_text.clone(),
            commands: (!as_called).then(|| CommandsV1 { queries: shapes(queries), actions: shapes(actions) }),
            validation_request: *validation_request,
            post_text: post_text.clone(),
            keep_control: *keep_control,
            question: question.as_ref().map(Into::into),
            completed: *completed,
            original: (original != pre_text).then(|| original.into()),
            provider_turn: provider_turn.as_ref().map(Into::into),
            own_calls: shapes(own_calls),
            plan: plan.clone(),
            exit: exit.as_ref().map(Into::into),
            asks: asks.as_ref().map(Into::into),
        }
    }

    pub(super) fn into_domain(self, calls: &[RequestedCall]) -> domain::AiMessage {
        let (queries, actions) = match self.commands {
            Some(CommandsV1 { queries, actions }) => (domains(queries), domains(actions)),
            None => (called(calls, CommandKind::Query), called(calls, CommandKind::Action)),
        };
        domain::AiMessage {
            original: self.original.map_or_else(|| self.pre_text.clone(), |JsonTextV1(text)| text),
            pre_text: self.pre_text,
            queries,
            actions,
            validation_request: self.validation_request,
            post_text: self.post_text,
            keep_control: self.keep_control,
            question: self.question.map(Into::into),
            completed: self.completed,
            provider_turn: self.provider_turn.map(Into::into),
            own_calls: domains(self.own_calls),
            plan: self.plan,
            exit: self.exit.map(Into::into),
            asks: self.asks.map(Into::into),
        }
    }
}

fn called(calls: &[RequestedCall], kind: CommandKind) -> Vec<command::Command> {
    calls.iter().filter(|call| call.kind == kind).map(|call| call.command.clone()).collect()
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandsV1 {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    queries: Vec<CommandV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    actions: Vec<CommandV1>,
}

shape! {
    struct ProviderTurnV1 = domain::ProviderTurn {
        dialect: String,
        bytes: JsonTextV1,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum QuestionV1 = ask::Question {
        MultipleChoice {
            question: String,
            options: Vec<String>,
            #[serde(default, skip_serializing_if = "is_default")]
            allow_other: bool,
        },
        Validation {
            message: String,
        },
        Open {
            question: String,
        },
    }
}
