//! The agents of a scenario: their declarations, their model scripts, and who answers the agent that asks.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::agents::{AgentDeclaration, AgentInstructions, AgentLimitSettings};
use entracte_application::ports::{
    Clock, ModelCallLimits, ModelReply, ModelRequest, PromptTurn, Provider, ProviderDescription,
    ProviderFailure, ReplySink, UserTurnPart,
};
use entracte_domain::agent::MissionStatus;
use entracte_domain::session::{Dialect, ModelSelection};

use super::script::{chat, turn};

/// An agent of a scenario.
#[derive(Debug)]
pub struct CrashAgentScript {
    /// Its name, and that of its provider: each plays its own script.
    pub name: &'static str,
    /// The commands it may request.
    pub commands: &'static [&'static str],
    /// The replies of its model.
    pub script: &'static [&'static str],
    /// How often the scenario calls it.
    pub called: usize,
    /// How often it pauses with a question for its caller.
    pub asks: usize,
}

/// The agents of the scenario: one that reads (twice, the second time beside an answer), one that asks its caller, one
/// whose action needs an approval, and one that calls another, which asks the user.
pub const CAST: [CrashAgentScript; 5] = [
    CrashAgentScript {
        name: "Counter",
        commands: &["outside.*", "zones.*"],
        script: &[
            r#"{"pre_text":"I look.","queries":[{"type":"OUTSIDE_READ","params":{}},{"type":"ZONES","params":{}}]}"#,
            EXITS,
        ],
        called: 2,
        asks: 0,
    },
    CrashAgentScript {
        name: "Asker",
        commands: &[],
        script: &[
            r#"{"pre_text":"","ASK_PRINCIPAL_AGENT":{"question":"Which month?","for":"agent"}}"#,
            EXITS,
        ],
        called: 1,
        asks: 1,
    },
    CrashAgentScript {
        name: "Sender",
        commands: &["outside.*"],
        script: &[
            r#"{"pre_text":"I tell the world.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once, by an agent"}}]}"#,
            EXITS,
        ],
        called: 1,
        asks: 0,
    },
    CrashAgentScript {
        name: "Leader",
        commands: &["agents.Below"],
        script: &[
            r#"{"pre_text":"","keep_control":true,"actions":[{"type":"Below","params":{"query":"ask the user"}}]}"#,
            EXITS,
        ],
        called: 1,
        asks: 0,
    },
    CrashAgentScript {
        name: "Below",
        commands: &[],
        script: &[r#"{"pre_text":"","ASK_PRINCIPAL_AGENT":{"question":"May I?","for":"user"}}"#, EXITS],
        called: 1,
        asks: 0,
    },
];

/// The reply by which each of them ends its mission.
pub const EXITS: &str = r#"{"pre_text":"","EXIT_WITH_RESULT":{"reason":"done","result":{"done":true},"conclusion":"It is done."}}"#;

/// Placeholder in the caller's script for the session of the agent that asked first; `{who asked 2}` is the second.
const WHO_ASKED: &str = "{who asked}";

/// The replies of the chat's model: all calls at once, then an answer beside another call.
pub(super) fn script() -> String {
    let answer = format!(
        r#"{{"pre_text":"I answer.","keep_control":true,"actions":[{{"type":"AGENT_CONTINUE","params":{{"child":"{WHO_ASKED}","answer":"October"}}}},{{"type":"Counter","params":{{"query":"count again"}}}}]}}"#
    );
    chat(&[
        r#"{"pre_text":"I ask all.","keep_control":true,"actions":[{"type":"Counter","params":{"query":"count"}},{"type":"Asker","params":{"query":"ask me"}},{"type":"Sender","params":{"query":"send it"}},{"type":"Leader","params":{"query":"let somebody ask"}}]}"#,
        &answer,
    ])
}

/// The declarations of these agents.
pub fn declared(cast: &[CrashAgentScript]) -> Vec<AgentDeclaration> {
    cast.iter().map(CrashAgentScript::declared).collect()
}

/// The providers of these agents.
///
/// # Panics
/// If a reply is no valid script.
pub fn providers(cast: &[CrashAgentScript], clock: &Arc<dyn Clock>) -> Vec<Arc<dyn Provider>> {
    let plays = |cast: &CrashAgentScript| {
        let script: String = cast.script.iter().copied().map(turn).collect();
        let provider = RehearsalProvider::from_script(&script, clock.clone()).expect("the script is right");
        Arc::new(provider.with_name(cast.name, None)) as Arc<dyn Provider>
    };
    cast.iter().map(plays).collect()
}

impl CrashAgentScript {
    /// Only kills are tested here, so no agent runs out of rounds or time.
    fn declared(&self) -> AgentDeclaration {
        let limits = AgentLimitSettings {
            rounds: Some(100),
            call_seconds: Some(600),
            ..AgentLimitSettings::default()
        };
        let declared = AgentDeclaration {
            description: format!("What {} is for.", self.name),
            instructions: AgentInstructions {
                role: format!("You are {}.", self.name),
                ..AgentInstructions::default()
            },
            commands: self.commands.iter().map(|&command| command.to_owned()).collect(),
            limits,
            voice: Some(ModelSelection {
                provider: self.name.to_owned(),
                model: "rehearsal".to_owned(),
                dialect: Dialect::Envelope,
            }),
            ..AgentDeclaration::default()
        };
        declared.with_name(self.name)
    }
}

/// The model of the chat: its script cannot contain the session id of an agent, so it reads it from the report.
pub struct PrincipalModel(pub RehearsalProvider);

#[async_trait]
impl Provider for PrincipalModel {
    fn info(&self) -> ProviderDescription {
        self.0.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.0.encoding()
    }

    fn limits(&self, model: &str) -> ModelCallLimits {
        self.0.limits(model)
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.0.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let asked = who_asked(&request);
        let mut reply = self.0.call(request, sink).await?;
        for (place, session) in asked.iter().enumerate().skip(1) {
            reply.text = reply.text.replace(&format!("{{who asked {}}}", place + 1), session);
        }
        let first = asked.first().map_or("nobody", String::as_str);
        Ok(ModelReply { text: reply.text.replace(WHO_ASKED, first), ..reply })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.0.check().await
    }
}

/// The sessions that reported a question, in the order of the reports.
fn who_asked(request: &ModelRequest) -> Vec<String> {
    let read = request.turns.iter().filter_map(|turn| match turn.as_ref() {
        PromptTurn::User(parts) => Some(parts),
        PromptTurn::Assistant(_) => None,
    });
    let texts = read.flatten().map(|part| match part {
        UserTurnPart::Text(text) | UserTurnPart::System(text) => text,
        UserTurnPart::Result { content, .. } => content,
        UserTurnPart::File(_) => "",
    });
    let is_of_id = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let named = |report: &str| {
        let at = report.find("ses_")?;
        Some(report[at..].chars().take_while(is_of_id).collect::<String>())
    };
    let asks = MissionStatus::TextOutput.word();
    let mut asked: Vec<String> = Vec::new();
    for session in texts.flat_map(|text| text.split(asks).skip(1)).filter_map(named) {
        if !asked.contains(&session) {
            asked.push(session);
        }
    }
    asked
}
