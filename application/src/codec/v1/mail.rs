//! Mail in the mail store.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{Dialect, SessionKind};
use serde::{Deserialize, Serialize};

use super::automation::{AutomationChangeV1, NewAutomationV1};
use super::call::CommandV1;
use super::decision::DecisionV1;
use super::instructions::{InstructionsScopeV1, InstructionsSourceV1};
use super::is_default;
use super::leaf::HashV1;
use super::message::SegmentV1;
use super::origin::VoiceV1;
use super::restriction::RestrictionV1;
use super::rule::ConditionV1;
use super::shape::{ShapeV1, shape};
use super::task::TaskMailV1;
use super::words::WordV1;
use crate::codec::format_version::FormatVersion1;
use crate::mail::{MailRequest, NewRuleRequest, NewSessionRequest};

shape! {
    pub(crate) struct MailV1 = crate::mail::Mail, as FormatVersion1 {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        request: RequestV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<ReceiptV1>,
        /// Absent in mail of earlier versions, which can therefore give no approval.
        #[serde(default, skip_serializing_if = "is_default")]
        may_approve: bool,
    }
}

shape! {
    struct ReceiptV1 = crate::mail::Receipt {
        person: String,
        key: String,
        fingerprint: HashV1,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum RequestV1 = MailRequest {
        StartSession(new: StartSessionV1),
        StartWithMessage {
            new: StartSessionV1,
            author: String,
            message: Vec<SegmentV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            client_key: Option<String>,
        },
        SendMessage {
            author: String,
            message: Vec<SegmentV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            client_key: Option<String>,
        },
        AskForCall {
            author: String,
            command: CommandV1,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            client_key: Option<String>,
        },
        Decide {
            author: String,
            decisions: Vec<DecisionV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            link: Option<String>,
        },
        Answer {
            author: String,
            text: String,
        },
        Compact {
            author: String,
        },
        Interrupt {
            author: String,
        },
        Stop {
            author: String,
            end: bool,
        },
        Resume {
            author: String,
        },
        Settle {
            author: String,
            call: String,
            happened: bool,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            note: Option<String>,
        },
        ConfirmCompletion {
            author: String,
        },
        RejectCompletion {
            author: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reason: Option<String>,
        },
        ChangeSession {
            author: String,
            #[serde(default, rename = "validate", skip_serializing_if = "Option::is_none")]
            require_validation: Option<bool>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            mode: Option<WordV1<PlanMode>>,
            #[serde(default, rename = "commands", skip_serializing_if = "Option::is_none")]
            restriction: Option<RestrictionV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            voice: Option<VoiceV1>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            name: Option<String>,
        },
        MarkRead {
            reader: String,
            sequence: u64,
        },
        Withdraw {
            author: String,
            message: String,
        },
        MarkSeen {
            author: String,
        },
        Open {
            author: String,
            attachment: String,
            #[serde(default, skip_serializing_if = "is_default")]
            asks_slot: bool,
        },
        Leave {
            author: String,
            attachment: String,
        },
        Fork {
            author: String,
            id: String,
            name: String,
            at: u64,
        },
        Import {
            author: String,
            id: String,
            document: String,
        },
        Delete {
            author: String,
        },
        ChangeSettings {
            author: String,
            changes: Vec<(String, Option<String>)>,
        },
        SetInstructions {
            author: String,
            scope: InstructionsScopeV1,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            text: Option<String>,
            source: InstructionsSourceV1,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            expected: Option<u64>,
        },
        AddRule => stored: AddRuleV1(author, new),
        RevokeRule {
            author: String,
            rule: String,
        },
        CreateAutomation {
            author: String,
            new: NewAutomationV1,
        },
        EditAutomation {
            author: String,
            automation: String,
            change: AutomationChangeV1,
        },
        DeleteAutomation {
            author: String,
            automation: String,
        },
        RunAutomation {
            author: String,
            automation: String,
            session: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            event: Option<String>,
        },
        Task {
            task: String,
            mail: TaskMailV1,
        },
    }
}

shape! {
    struct StartSessionV1 = NewSessionRequest {
        id: String,
        kind: WordV1<SessionKind>,
        name: String,
        provider: String,
        model: String,
        dialect: WordV1<Dialect>,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<WordV1<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "RestrictionV1::is_open")]
        restriction: RestrictionV1,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddRuleV1 {
    author: String,
    command: String,
    #[serde(default, rename = "args", skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<(String, ConditionV1)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denies: Option<String>,
    #[serde(default, rename = "lasts_ms", skip_serializing_if = "Option::is_none")]
    lasts: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    agents: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    people: Vec<String>,
}

impl AddRuleV1 {
    fn of(author: &str, new: &NewRuleRequest) -> Self {
        let NewRuleRequest { command, arguments, session, denies, lasts, times, agents, people } = new;
        Self {
            author: author.to_owned(),
            command: command.clone(),
            arguments: ShapeV1::of(arguments),
            session: ShapeV1::of(session),
            denies: denies.clone(),
            lasts: ShapeV1::of(lasts),
            times: *times,
            agents: *agents,
            people: people.clone(),
        }
    }

    fn parts(self) -> (String, NewRuleRequest) {
        let Self { author, command, arguments, session, denies, lasts, times, agents, people } = self;
        let (arguments, session, lasts) = (arguments.domain(), session.domain(), lasts.domain());
        (author, NewRuleRequest { command, arguments, session, denies, lasts, times, agents, people })
    }
}
