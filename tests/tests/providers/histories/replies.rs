//! Model replies on the wire: plain text, reasoning, valid and invalid calls, in every form that a server may use.

use entracte_adapters_providers::answer_decoding;
use entracte_application::commands::CommandInvocation;
use entracte_application::ports::{ModelReply, ReplyEnd};
use entracte_application::protocol::{envelope, tools};
use entracte_application::settings::Language;
use entracte_application::system::sha256;
use entracte_domain::call::CallStatus;
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::message::AiMessage;
use entracte_domain::session::{CallLookup, Dialect, FormatFault, RequestedCall};
use entracte_domain::validation::{ApprovalReason, ValidationLevel};
use entracte_tests::strict::{StrictApi, StrictApiPeer, StrictReplyPart};
use serde_json::json;

use super::servers::{CATALOG, SERVERS};

/// The shape of a reply; every bit selects a feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyShapeBits {
    pub(crate) bits: u32,
    pub(crate) number: usize,
}

impl ReplyShapeBits {
    fn has(self, bit: u32) -> bool {
        self.bits >> bit & 1 == 1
    }

    fn pick(self, from: u32, of: usize) -> usize {
        (self.bits >> from) as usize % of
    }
}

/// The parts of a reply, for this server and dialect.
fn said(shape: ReplyShapeBits, api: StrictApi, dialect: Dialect) -> Vec<StrictReplyPart> {
    let number = shape.number;
    let mut said = Vec::new();
    if shape.has(0) {
        said.push(StrictReplyPart::Thinks(if shape.has(1) {
            format!("thought {number}")
        } else {
            String::new()
        }));
    }
    match dialect {
        Dialect::Envelope => said.push(StrictReplyPart::Says(enveloped(shape))),
        Dialect::Tools => {
            if !shape.has(2) {
                said.push(StrictReplyPart::Says(format!("text {number}")));
            }
            for place in 0..[0, 1, 2, 3][shape.pick(3, 4)] {
                if place > 0 && shape.has(0) {
                    said.push(StrictReplyPart::Thinks(format!("between {place}")));
                }
                said.push(call(shape, api, place));
            }
        }
    }
    if let [.., StrictReplyPart::Thinks(_)] = said.as_slice() {
        said.push(StrictReplyPart::Says("so".into()));
    }
    said
}

fn enveloped(shape: ReplyShapeBits) -> String {
    let commands = |word: &str| json!([{ "type": word, "params": { "of": shape.pick(9, 2) } }]);
    match shape.pick(3, 8) {
        0 | 1 => json!({ "pre_text": "I look", "queries": commands("LOOK") }).to_string(),
        2 | 3 => json!({ "pre_text": "I act", "actions": commands("SEND") }).to_string(),
        4 => "no envelope".to_owned(),
        5 => json!({ "pre_text": "done", "completed": true }).to_string(),
        6 => String::new(),
        _ => json!({ "pre_text": "text" }).to_string(),
    }
}

/// Claude and OpenAI create unique ids; other servers repeat them, leave them out, or use any text.
fn call(shape: ReplyShapeBits, api: StrictApi, place: usize) -> StrictReplyPart {
    let number = shape.number;
    let wild = api == StrictApi::Chat;
    let id = match shape.pick(5 + place as u32, 5) {
        0 if wild => format!("call_{place}"),
        1 if wild => "call_0".to_owned(),
        2 if wild => String::new(),
        3 if wild => format!("functions.look:{place} é"),
        _ => format!("call_{number}_{place}"),
    };
    let name = match shape.pick(9 + place as u32, 10) {
        0 | 1 => "outside_send",
        2 => "ask_user",
        3 => "plan",
        4 => "complete",
        5 if wild => "functions.outside look",
        5 => "nowhere",
        _ => "outside_look",
    };
    let arguments = match (name, shape.pick(13 + place as u32, 6)) {
        ("ask_user", 0) => json!({}).to_string(),
        ("ask_user", _) => json!({ "question": "Which?", "options": ["a", "b"] }).to_string(),
        ("plan", _) => json!({ "steps": ["read", "write"] }).to_string(),
        (_, 0) if wild => "{\"of\":".to_owned(),
        (_, 1) if wild => "[1]".to_owned(),
        (_, 2) => "{}".to_owned(),
        (_, other) => json!({ "of": other, "note": "</entracte>" }).to_string(),
    };
    StrictReplyPart::Calls { id, name: name.to_owned(), arguments }
}

/// The reply that the real adapter reads from the server's response.
pub(crate) fn reply(
    shape: ReplyShapeBits,
    server: usize,
    dialect: Dialect,
    peer: &StrictApiPeer,
) -> ModelReply {
    let Some(server) = SERVERS.get(server) else { panic!("server {server}") };
    let said = said(shape, server.api, dialect);
    let mut reply = answer_decoding::decode_whole_answer(&server.entry, &peer.answer(&said)).unwrap();
    if shape.bits >> 20 & 15 == 0 {
        reply.end = ReplyEnd::OutputLimit { limit: None };
        reply.raw = None;
    }
    reply
}

/// The reply as the runtime applies it.
pub(crate) fn taken(
    reply: &ModelReply,
    dialect: Dialect,
    guarded: bool,
) -> (AiMessage, Vec<FormatFault>, Vec<RequestedCall>) {
    let (mut message, faults, mut asked) = read(reply, dialect);
    if faults.is_empty() || dialect == Dialect::Envelope {
        message.provider_turn = reply.raw.clone();
    }
    if !faults.is_empty() {
        asked.clear();
        if dialect == Dialect::Tools {
            message.own_calls.clear();
        }
    }
    (message, faults, asked.into_iter().map(|asked| looked_up(asked, guarded)).collect())
}

fn read(reply: &ModelReply, dialect: Dialect) -> (AiMessage, Vec<FormatFault>, Vec<CommandInvocation>) {
    if !reply.end.is_intended() {
        let message = AiMessage { original: reply.text.clone(), ..AiMessage::default() };
        return (message, Vec::new(), Vec::new());
    }
    match dialect {
        Dialect::Tools => {
            let reading = tools::parse_tool_reply(&CATALOG, reply, Language::En);
            (reading.message, reading.faults, reading.asked)
        }
        Dialect::Envelope => {
            let reading = envelope::parse_reply(&reply.text, Language::En);
            let listed = reading.message.queries.iter().chain(&reading.message.actions);
            let asked = listed.map(|command| CommandInvocation {
                provider_call_id: None,
                command: command.clone(),
                listed_as: None,
                wishes_approval: false,
            });
            let asked = asked.collect();
            (reading.message, reading.faults, asked)
        }
    }
}

fn looked_up(asked: CommandInvocation, guarded: bool) -> RequestedCall {
    let known = CATALOG.find(&asked.command.name);
    let name = known.map_or_else(|| asked.command.name.clone(), |known| known.spec.name.clone());
    let command = Command { name, arguments: asked.command.arguments };
    let lookup = match known {
        Some(known) if known.faults(&command.arguments).is_empty() => CallLookup::Known {
            terms: known.terms(),
            reasons: if guarded && known.spec.kind == CommandKind::Action {
                vec![ApprovalReason {
                    level: ValidationLevel::App,
                    about: None,
                    text: "so".into(),
                    approvers: None,
                }]
            } else {
                Vec::new()
            },
            twin: None,
            rule: None,
            card: None,
            policy: false,
        },
        _ => CallLookup::Refused {
            status: if known.is_some() { CallStatus::InvalidArguments } else { CallStatus::UnknownCommand },
            message: "it cannot be run".into(),
            path: None,
            shows: None,
        },
    };
    RequestedCall {
        provider_call_id: asked.provider_call_id,
        command_id: sha256(command.canonical_bytes().as_bytes()),
        kind: known.map_or(CommandKind::Action, |known| known.spec.kind),
        command,
        lookup,
    }
}
