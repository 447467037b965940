//! Mail, while it lies in the mail store.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{Dialect, SessionKind};
use serde::{Deserialize, Serialize};

use super::automation::{AutomationChange, NewAutomation};
use super::call::Command;
use super::decision::Decision;
use super::instructions::{InstructionsScope, InstructionsSource};
use super::is_default;
use super::leaf::Hash;
use super::message::Segment;
use super::origin::Voice;
use super::restriction::Restriction;
use super::rule::Condition;
use super::shape::{Shape, shape};
use super::task::TaskMail;
use super::words::Word;
use crate::codec::version::V1;
use crate::mail::{MailRequest, NewRule, NewSession};

shape! {
    pub(crate) struct Mail = crate::mail::Mail, as V1 {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        request: Request,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Receipt>,
        /// Absent in mail of before: nothing of it gives a yes.
        #[serde(default, skip_serializing_if = "is_default")]
        may_approve: bool,
    }
}

shape! {
    struct Receipt = crate::mail::Receipt {
        person: String,
        key: String,
        fingerprint: Hash,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum Request = MailRequest {
        StartSession(new: StartSession),
        StartWithMessage {
            new: StartSession,
            author: String,
            message: Vec<Segment>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            client_key: Option<String>,
        },
        SendMessage {
            author: String,
            message: Vec<Segment>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            client_key: Option<String>,
        },
        AskForCall {
            author: String,
            command: Command,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            client_key: Option<String>,
        },
        Decide {
            author: String,
            decisions: Vec<Decision>,
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
            mode: Option<Word<PlanMode>>,
            #[serde(default, rename = "commands", skip_serializing_if = "Option::is_none")]
            restriction: Option<Restriction>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            voice: Option<Voice>,
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
            scope: InstructionsScope,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            text: Option<String>,
            source: InstructionsSource,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            expected: Option<u64>,
        },
        AddRule => stored: AddRule(author, new),
        RevokeRule {
            author: String,
            rule: String,
        },
        CreateAutomation {
            author: String,
            new: NewAutomation,
        },
        EditAutomation {
            author: String,
            automation: String,
            change: AutomationChange,
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
            mail: TaskMail,
        },
    }
}

shape! {
    struct StartSession = NewSession {
        id: String,
        kind: Word<SessionKind>,
        name: String,
        provider: String,
        model: String,
        dialect: Word<Dialect>,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<PlanMode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "Restriction::is_open")]
        restriction: Restriction,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddRule {
    author: String,
    command: String,
    #[serde(default, rename = "args", skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<(String, Condition)>,
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

impl AddRule {
    fn of(author: &str, new: &NewRule) -> Self {
        let NewRule { command, arguments, session, denies, lasts, times, agents, people } = new;
        Self {
            author: author.to_owned(),
            command: command.clone(),
            arguments: Shape::of(arguments),
            session: Shape::of(session),
            denies: denies.clone(),
            lasts: Shape::of(lasts),
            times: *times,
            agents: *agents,
            people: people.clone(),
        }
    }

    fn parts(self) -> (String, NewRule) {
        let Self { author, command, arguments, session, denies, lasts, times, agents, people } = self;
        let (arguments, session, lasts) = (arguments.domain(), session.domain(), lasts.domain());
        (author, NewRule { command, arguments, session, denies, lasts, times, agents, people })
    }
}
