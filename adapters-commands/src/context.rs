//! User context from an external source: a declared HTTP tool that is not a command. Like every HTTP tool it has
//! secrets by reference, hosts that must be allowed, a time-out, and a bounded answer.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::command_naming::CommandNaming;
use entracte_application::ports::{
    CallRequest, CommandExecutor, PersonSecretStore, SecretStore, UserContextQuery, UserContextSource,
    UserContextUnavailable,
};
use entracte_application::settings::{Language, UserContext, WorkspaceLocale};
use entracte_application::texts::{LocalizedTexts, say, saying};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::Command;
use entracte_domain::id::CallId;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use crate::egress::EgressClient;
use crate::http::{HttpToolConfig, HttpToolExecutor, HttpToolFault};
use crate::secret::DeclaredSecrets;

/// The arguments a context tool may take; each is filled with the id of that name.
const ARGUMENTS: [&str; 3] = ["workspace", "session", "person"];

/// Requests the user context from one address, which answers with a JSON object.
pub struct HttpContext {
    tool: HttpToolExecutor,
    name: String,
    takes: Vec<&'static str>,
}

impl HttpContext {
    /// A context source from this tool declaration.
    ///
    /// # Errors
    /// When the tool is invalid, when it is an action or needs an approval, or when it takes an argument other than
    /// `workspace`, `session` and `person`.
    pub fn new(
        config: HttpToolConfig,
        egress: Arc<EgressClient>,
        secrets: Arc<dyn SecretStore>,
        people: Arc<dyn PersonSecretStore>,
    ) -> Result<Self, HttpToolFault> {
        let name = config.name.clone();
        let declared = config.clone();
        let tool = HttpToolExecutor::new(vec![config], egress, secrets)?.with_people(people);
        let specs = tool.commands();
        let reads = specs.iter().all(|spec| !spec.may_need_approval());
        if !reads {
            return Err(declared.fault(
                "kind",
                saying!("fault-context-acts"),
                saying!("fault-context-reads"),
            ));
        }
        let properties = declared.arguments.get("properties").and_then(serde_json::Value::as_object);
        let named: Vec<&String> = properties.into_iter().flat_map(|all| all.keys()).collect();
        if named.iter().any(|name| !ARGUMENTS.contains(&name.as_str())) {
            let fix = saying!("fault-context-arguments");
            return Err(declared.fault("arguments", saying!("fault-context-unknown"), fix));
        }
        let takes = ARGUMENTS.into_iter().filter(|name| named.iter().any(|given| given == name)).collect();
        Ok(Self { tool, name, takes })
    }

    /// Limits secrets to the hosts they are declared for.
    #[must_use]
    pub fn with_declared(self, declared: Arc<DeclaredSecrets>) -> Self {
        Self { tool: self.tool.with_declared(declared), ..self }
    }

    fn request(&self, of: &UserContextQuery, language: Language) -> CallRequest {
        let value = |name: &str| match name {
            "workspace" => of.workspace.as_str(),
            "session" => of.session.as_str(),
            _ => of.person.as_deref().unwrap_or_default(),
        };
        let arguments =
            self.takes.iter().map(|name| ((*name).to_owned(), JsonValue::Text(value(name).to_owned())));
        CallRequest {
            workspace: of.workspace.clone(),
            session: of.session.clone(),
            call: CallId::new("context"),
            command: Command { name: self.name.clone(), arguments: JsonValue::Object(arguments.collect()) },
            acts_as: of.person.clone(),
            via: Vec::new(),
            key: String::new(),
            task: None,
            attempt: 1,
            now: Timestamp(0),
            reference: Timestamp(0),
            locale: WorkspaceLocale { language, ..WorkspaceLocale::default() },
            naming: CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: entracte_application::ports::CallProgressSink::default(),
        }
    }
}

#[async_trait]
impl UserContextSource for HttpContext {
    async fn read(
        &self,
        of: &UserContextQuery,
        language: Language,
    ) -> Result<UserContext, UserContextUnavailable> {
        let texts = LocalizedTexts::for_language(language);
        match self.tool.run(self.request(of, language)).await {
            CallOutcome::Succeeded { content, .. } => UserContext::read(&content).map_err(|fault| {
                UserContextUnavailable(say!(
                    texts,
                    "context-source-wrong",
                    source = &self.name,
                    why = fault.describe(texts)
                ))
            }),
            CallOutcome::Failed(failure) => {
                let why = failure.message;
                Err(UserContextUnavailable(say!(
                    texts,
                    "context-source-failed",
                    source = &self.name,
                    why = why
                )))
            }
            CallOutcome::Accepted { .. }
            | CallOutcome::TimedOut
            | CallOutcome::Lost { .. }
            | CallOutcome::Probed { .. }
            | CallOutcome::Reported { .. } => {
                Err(UserContextUnavailable(say!(texts, "context-source-silent", source = &self.name)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
