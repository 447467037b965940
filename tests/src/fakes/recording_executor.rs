//! An executor of external actions that records each effect with its exact bytes.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, StoreError,
};
use entracte_application::system::sha256;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::file::FileReference;
use entracte_domain::id::CallId;
use entracte_domain::time::Millis;

/// One external effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEffect {
    /// The command.
    pub command: String,
    /// Its arguments as canonical bytes.
    pub arguments: String,
    /// The idempotency key of its request.
    pub key: String,
    /// The call that caused it.
    pub call: CallId,
    /// The configuration of its command in the process that performed it.
    pub configured: ActionConfigVersion,
}

/// The configuration of the action: its address, its program and its schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionConfigVersion {
    /// Number of the address.
    pub address: u8,
    /// Number of the program; 0 for none.
    pub program: u8,
    /// Number of the schema; [`ActionConfigVersion::REFUSES`] refuses every call.
    pub schema: u8,
}

impl ActionConfigVersion {
    /// A schema that no arguments satisfy.
    pub const REFUSES: u8 = 2;

    fn target(self) -> serde_json::Value {
        match self {
            Self { address: 0, program: 0, .. } => serde_json::Value::Null,
            Self { address, program, .. } => serde_json::json!({ "address": address, "program": program }),
        }
    }

    fn schema(self) -> serde_json::Value {
        match self.schema {
            0 => serde_json::json!({ "type": "object" }),
            Self::REFUSES => serde_json::json!({ "type": "object", "required": ["nobody says this"] }),
            more => serde_json::json!({ "type": "object", "maxProperties": 100 + u32::from(more) }),
        }
    }
}

/// An executor that records its effects in memory: `outside.send` (`once`, word `SEND`), and `outside.look` (`read`,
/// word `LOOK`).
#[derive(Default)]
pub struct RecordingExecutor {
    /// The recorded effects, in order.
    pub effects: Arc<Mutex<Vec<RecordedEffect>>>,
    /// The configuration of the action.
    pub configured: ActionConfigVersion,
    /// Effects are not recorded, for measurements of memory.
    pub forgets: bool,
    /// An action performs its effect and then never answers.
    pub hangs: std::sync::atomic::AtomicBool,
    /// A query never answers.
    pub queries_hang: std::sync::atomic::AtomicBool,
    /// The files of each result.
    pub files: Vec<FileReference>,
}

impl RecordingExecutor {
    /// Shares the effects with a process that has another configuration.
    pub fn with_config(&self, configured: ActionConfigVersion) -> Self {
        Self { effects: self.effects.clone(), configured, ..Self::default() }
    }

    /// The effects recorded so far.
    pub fn recorded_effects(&self) -> Vec<RecordedEffect> {
        self.effects.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl CommandExecutor for RecordingExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let spec = |word: &str, name: &str, kind, effect| CommandSpec {
            word: word.into(),
            name: name.into(),
            kind,
            effect,
            schema: serde_json::json!({ "type": "object" }).into(),
            cacheable: true,
            independent: false,
            state_scopes: Vec::new(),
            destructive: false,
            egress: false,
            asks: false,
            four_eyes: false,
            approvers: None,
            server: None,
            agent: None,
            target: serde_json::Value::Null,
            timeout: None,
            settle: Millis(0),
            key_lifetime: Millis::hours(1),
            task: None,
            doc: String::new(),
            example: None,
        };
        let send = CommandSpec {
            schema: self.configured.schema().into(),
            target: self.configured.target(),
            ..spec("SEND", "outside.send", CommandKind::Action, EffectClass::Once)
        };
        vec![send, spec("LOOK", "outside.look", CommandKind::Query, EffectClass::Read)]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let effect = RecordedEffect {
            command: request.command.name.clone(),
            arguments: request.command.arguments.canonical(),
            key: request.key,
            call: request.call,
            configured: self.configured,
        };
        if !self.forgets {
            self.effects.lock().unwrap_or_else(PoisonError::into_inner).push(effect);
        }
        let hangs = match request.command.name.as_str() {
            "outside.send" => &self.hangs,
            _ => &self.queries_hang,
        };
        if hangs.load(std::sync::atomic::Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let content = "done".to_owned();
        CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content, files: self.files.clone() }
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription { says: format!("Do {}", request.command.name), ..ActionDescription::default() })
    }
}
