//! The policy hook of the configuration: a program, an HTTP address, or rules in Rego (feature `rego`). It gets the question
//! as JSON and answers as JSON.
//!
//! It retries nothing and waits for nobody: the runtime bounds its time and asks a person where it gives no answer. Over
//! HTTP it goes through [`crate::egress`] and follows no redirect.

#[cfg(feature = "rego")]
mod rego;
#[cfg(test)]
#[cfg(feature = "rego")]
mod rego_tests;
#[cfg(test)]
mod tests;
mod wire;

#[cfg(feature = "rego")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    PolicyHook, PolicyHookError, PolicyQuestion, PolicyReply, SecretReference, SecretStore,
};
use entracte_application::settings::PolicyHookSettings;
use entracte_application::texts::{LocalizedTexts, say};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};

#[cfg(feature = "rego")]
use self::rego::{RegoFault, RegoPolicy};
use self::wire::{parse_reply, question_text};
use crate::egress::{EgressClient, EgressRequest};
use crate::limited_program::{LimitedProgram, ProgramFault};
use crate::secret;

/// What is asked.
pub enum PolicyHookSource {
    /// A program: the question on standard input, the answer on standard output.
    Program {
        /// This program, which bounds the other one; `None` if this process cannot run programs.
        launcher: Option<PathBuf>,
        /// The program: a path, or a name in the usual folders of programs.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// An address: the question in a POST.
    Http {
        /// The address.
        url: String,
        /// The bearer token, if the address takes one.
        token: Option<SecretReference>,
        /// The client, which reaches the hosts that the configuration allows.
        egress: Arc<EgressClient>,
        /// Reads the token, at each question.
        secrets: Arc<dyn SecretStore>,
    },
    /// Rules in Rego: the question is `input`, the answer is the value of a rule. Without the feature `rego` there is no
    /// answer.
    Rego {
        /// A file with rules, or a folder with such files, and perhaps with `data.json`.
        place: PathBuf,
        /// The rule: `data.entracte.answer`.
        query: String,
    },
}

/// The policy hook of the configuration.
pub struct ConfiguredPolicyHook {
    source: PolicyHookSource,
    settings: PolicyHookSettings,
}

impl ConfiguredPolicyHook {
    /// A hook that asks this source, within the sizes of these settings.
    pub fn new(source: PolicyHookSource, settings: PolicyHookSettings) -> Self {
        Self { source, settings }
    }

    /// Runs the program with this input.
    async fn run(&self, program: LimitedProgram<'_>, input: &str) -> Result<Vec<u8>, ProgramFault> {
        let most = u64::try_from(self.settings.answer_bytes).unwrap_or(u64::MAX);
        program.run(input.as_bytes(), most).await
    }

    /// Evaluates the rule `query`.
    #[cfg(feature = "rego")]
    async fn evaluate(
        &self,
        place: &Path,
        query: &str,
        asked: String,
        texts: &LocalizedTexts,
    ) -> Result<Vec<u8>, String> {
        let policy = RegoPolicy { place: place.to_owned(), query: query.to_owned() };
        let answer = policy.ask(asked, self.settings).await;
        let answer = answer.map_err(|fault| self.rego_fault(fault, query, texts))?;
        if answer.len() > self.settings.answer_bytes {
            return Err(say!(texts, "tools-policy-large", most = self.settings.answer_bytes));
        }
        Ok(answer.into_bytes())
    }

    #[cfg(feature = "rego")]
    fn rego_fault(&self, fault: RegoFault, query: &str, texts: &LocalizedTexts) -> String {
        match fault {
            RegoFault::Unreadable(place, error) => {
                let (place, why) = (place.display().to_string(), error.to_string());
                say!(texts, "tools-policy-rego-unreadable", place = place, why = why)
            }
            RegoFault::TooLarge => say!(texts, "tools-policy-rego-large", most = self.settings.rego_bytes),
            RegoFault::NoRules => say!(texts, "tools-policy-rego-empty"),
            RegoFault::Failed(why) => say!(texts, "tools-policy-rego-failed", why = why),
            RegoFault::Undefined => say!(texts, "tools-policy-rego-undefined", query = query),
        }
    }

    fn program_fault(&self, fault: ProgramFault, texts: &LocalizedTexts) -> String {
        match fault {
            ProgramFault::NotStarted(error) | ProgramFault::Lost(error) => {
                say!(texts, "tools-policy-not-started", why = error.to_string())
            }
            ProgramFault::NoPipes => say!(texts, "tools-policy-not-started", why = "no pipes"),
            ProgramFault::TooLarge => say!(texts, "tools-policy-large", most = self.settings.answer_bytes),
            ProgramFault::Failed { status, complaint } => {
                let status = status.to_string();
                say!(texts, "tools-policy-failed", status = status, complaint = complaint)
            }
        }
    }
}

/// Sends the question to the address; its answer has the status 200.
async fn post(
    egress: &EgressClient,
    url: &str,
    headers: HeaderMap,
    body: String,
    texts: &LocalizedTexts,
) -> Result<Vec<u8>, String> {
    let request = EgressRequest {
        method: Method::POST,
        headers,
        body: Some(body.into_bytes()),
        ..EgressRequest::get(url)
    };
    let answer =
        egress.send_once(request).await.map_err(|error| error.message_for_setting(texts, "policy.allow"))?;
    match answer.status {
        200 => Ok(answer.body),
        status => Err(say!(texts, "tools-policy-status", status = u32::from(status))),
    }
}

/// The headers of a question, with the token if there is one.
fn headers(
    secrets: &dyn SecretStore,
    token: Option<&SecretReference>,
    texts: &LocalizedTexts,
) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    let Some(token) = token else { return Ok(headers) };
    let secret = secrets.secret(token).map_err(|error| secret::secret_error_message(&error, texts))?;
    let value = secret::bearer_header(&secret)
        .ok_or_else(|| say!(texts, "tools-policy-token", place = token.words()))?;
    headers.insert(AUTHORIZATION, value);
    Ok(headers)
}

#[async_trait]
impl PolicyHook for ConfiguredPolicyHook {
    async fn decide(
        &self,
        question: &PolicyQuestion,
        texts: &LocalizedTexts,
    ) -> Result<PolicyReply, PolicyHookError> {
        let asked = question_text(question);
        let answer = match &self.source {
            PolicyHookSource::Program { launcher: None, .. } => Err(say!(texts, "tools-policy-no-launcher")),
            PolicyHookSource::Program { launcher: Some(launcher), program, arguments } => {
                let (memory, cpu_seconds) = (self.settings.memory, self.settings.cpu_seconds());
                let program = LimitedProgram { launcher, program, arguments, memory, cpu_seconds };
                self.run(program, &asked).await.map_err(|fault| self.program_fault(fault, texts))
            }
            PolicyHookSource::Http { url, token, egress, secrets } => {
                match headers(&**secrets, token.as_ref(), texts) {
                    Ok(headers) => post(egress, url, headers, asked, texts).await,
                    Err(why) => Err(why),
                }
            }
            #[cfg(feature = "rego")]
            PolicyHookSource::Rego { place, query } => self.evaluate(place, query, asked, texts).await,
            #[cfg(not(feature = "rego"))]
            PolicyHookSource::Rego { .. } => Err(say!(texts, "tools-policy-no-rego")),
        };
        let answer = answer.map_err(PolicyHookError)?;
        parse_reply(&answer)
            .map_err(|fault| PolicyHookError(say!(texts, "tools-policy-unreadable", fault = fault)))
    }
}
