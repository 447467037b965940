//! The prompts of servers: texts that a person fetches and sends as a message. No model asks for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_application::texts::{LocalizedTexts, say};
use rmcp::model::{
    CompletionContext, GetPromptRequestParams, GetPromptResponse, GetPromptResult, PaginatedRequestParams,
    Prompt, Role,
};
use rmcp::service::ServiceError;

use super::McpExecutor;
use super::connection::McpConnection;
use super::content;
use super::error::McpUnavailable;
use super::exact_numbers::to_library_text;
use super::http;
use super::server::McpServer;
use super::text::{line, visible};
use super::tool_lister::PAGES_MAX;

/// A prompt of a server. Its texts are the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPrompt {
    /// The server's name in the configuration.
    pub server: String,
    /// Its name there.
    pub name: String,
    /// What it is for, on one line, if the server says so.
    pub description: Option<String>,
    /// Its arguments, in the server's order.
    pub arguments: Vec<McpPromptArgument>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPromptArgument {
    /// Its name.
    pub name: String,
    /// What it is for, on one line, if the server says so.
    pub description: Option<String>,
    /// Whether the prompt cannot do without it.
    pub required: bool,
}

/// Why a prompt could not be listed or fetched; [`message`](Self::message) renders it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpPromptError {
    /// The server cannot be used.
    Unavailable(McpUnavailable),
    /// The server has no prompt of this name.
    Unknown {
        /// The server's name in the configuration.
        server: String,
        /// The name that was asked for.
        prompt: String,
    },
    /// The prompt has no argument of this name.
    UnknownArgument {
        /// The name that was given.
        argument: String,
        /// The names that it has.
        known: Vec<String>,
    },
    /// A required argument is missing.
    MissingArgument {
        /// Its name.
        argument: String,
        /// Values that the server proposes for it.
        proposed: Vec<String>,
    },
    /// The server answered with an error, or not at all.
    Failed {
        /// The server's name in the configuration.
        server: String,
        /// The error text.
        why: String,
    },
    /// The server wants input before it gives the prompt.
    WantsInput {
        /// The server's name in the configuration.
        server: String,
    },
    /// The server has too many prompts.
    TooMany {
        /// The server's name in the configuration.
        server: String,
        /// The limit.
        most: usize,
    },
    /// The text of the prompt is too long.
    TooLong {
        /// The limit in bytes.
        bytes_max: usize,
    },
}

impl McpPromptError {
    /// Renders the reason for display.
    pub fn message(&self, texts: &LocalizedTexts) -> String {
        match self {
            Self::Unavailable(why) => why.message(texts),
            Self::Unknown { server, prompt } => {
                say!(texts, "tools-mcp-prompt-unknown", server = server, prompt = prompt)
            }
            Self::UnknownArgument { argument, known } if known.is_empty() => {
                say!(texts, "tools-mcp-prompt-no-arguments", argument = argument)
            }
            Self::UnknownArgument { argument, known } => {
                say!(texts, "tools-mcp-prompt-argument", argument = argument, known = known.join(", "))
            }
            Self::MissingArgument { argument, proposed } if proposed.is_empty() => {
                say!(texts, "tools-mcp-prompt-missing", argument = argument)
            }
            Self::MissingArgument { argument, proposed } => say!(
                texts,
                "tools-mcp-prompt-missing-proposed",
                argument = argument,
                proposed = proposed.join(", ")
            ),
            Self::Failed { server, why } => {
                say!(texts, "tools-mcp-prompt-failed", server = server, why = why)
            }
            Self::WantsInput { server } => say!(texts, "tools-mcp-prompt-wants", server = server),
            Self::TooMany { server, most } => {
                say!(texts, "tools-mcp-prompt-many", server = server, most = *most)
            }
            Self::TooLong { bytes_max } => say!(texts, "tools-mcp-prompt-long", most = *bytes_max),
        }
    }
}

impl McpExecutor {
    /// The prompts of a server. Starts the server if need be.
    ///
    /// # Errors
    /// When the server cannot be used or does not list its prompts.
    pub async fn prompts(&self, server: &str) -> Result<Vec<McpPrompt>, McpPromptError> {
        let (server, connection) = self.server_for_person(server).await?;
        let prompts = list(server, &connection).await?;
        Ok(prompts.into_iter().map(|prompt| shown(&server.name, prompt)).collect())
    }

    /// The names of the configured servers.
    pub fn server_names(&self) -> Vec<String> {
        self.servers.keys().cloned().collect()
    }

    /// Fetches a prompt: its text as it may be sent, with invisible characters made visible.
    ///
    /// # Errors
    /// When an argument is missing or unknown, the server cannot be used, or the text is too large.
    pub async fn prompt(
        &self,
        server: &str,
        prompt: &str,
        arguments: &BTreeMap<String, String>,
        texts: &LocalizedTexts,
    ) -> Result<String, McpPromptError> {
        let (server, connection) = self.server_for_person(server).await?;
        let known = list(server, &connection).await?.into_iter().find(|known| known.name == prompt);
        let known = known.ok_or_else(|| McpPromptError::Unknown {
            server: server.name.clone(),
            prompt: line(prompt, LABEL_MAX_CHARS),
        })?;
        check_arguments(&connection, &shown(&server.name, known), arguments).await?;
        let given =
            arguments.iter().map(|(name, value)| (name.clone(), to_library_text(value).into())).collect();
        let params = GetPromptRequestParams::new(prompt).with_arguments(given);
        match within(server, &connection, connection.peer().get_prompt_once(params)).await? {
            GetPromptResponse::Complete(found) => {
                let text = connection.scrubber().scrub_owned(prompt_text(&found, texts));
                if text.len() > PROMPT_MAX_BYTES {
                    return Err(McpPromptError::TooLong { bytes_max: PROMPT_MAX_BYTES });
                }
                Ok(text)
            }
            // A prompt is fetched at once, with nobody to ask.
            _ => Err(McpPromptError::WantsInput { server: server.name.clone() }),
        }
    }

    async fn server_for_person(
        &self,
        server: &str,
    ) -> Result<(&McpServer, Arc<McpConnection>), McpPromptError> {
        let known = self.configured_server(server).map_err(McpPromptError::Unavailable)?;
        let connection = known.connection(None).await.map_err(McpPromptError::Unavailable)?;
        Ok((known, connection))
    }
}

/// The prompts as the server declares them; none if it has no such capability.
async fn list(server: &McpServer, connection: &McpConnection) -> Result<Vec<Prompt>, McpPromptError> {
    let (mut prompts, mut cursor) = (Vec::new(), None);
    if !connection.offers_prompts() {
        return Ok(prompts);
    }
    for _ in 0..PAGES_MAX {
        let page = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let page = within(server, connection, connection.peer().list_prompts(page)).await?;
        prompts.extend(page.prompts);
        match page.next_cursor {
            Some(next) if prompts.len() <= PROMPTS_MAX => cursor = Some(next),
            None if prompts.len() <= PROMPTS_MAX => return Ok(prompts),
            Some(_) | None => break,
        }
    }
    Err(McpPromptError::TooMany { server: server.name.clone(), most: PROMPTS_MAX })
}

/// Checks the arguments; a missing one is named with the values that the server proposes.
async fn check_arguments(
    connection: &McpConnection,
    prompt: &McpPrompt,
    given: &BTreeMap<String, String>,
) -> Result<(), McpPromptError> {
    let names = || prompt.arguments.iter().map(|argument| argument.name.clone());
    if let Some(unknown) = given.keys().find(|name| names().all(|known| known != **name)) {
        let argument = line(unknown, LABEL_MAX_CHARS);
        let known = names().map(|name| line(&name, LABEL_MAX_CHARS)).collect();
        return Err(McpPromptError::UnknownArgument { argument, known });
    }
    let missing = |argument: &&McpPromptArgument| argument.required && !given.contains_key(&argument.name);
    let Some(missing) = prompt.arguments.iter().find(missing) else { return Ok(()) };
    let proposed = proposed_values(connection, &prompt.name, &missing.name, given).await;
    Err(McpPromptError::MissingArgument { argument: line(&missing.name, LABEL_MAX_CHARS), proposed })
}

/// The values that the server proposes for an argument. They only help, so an error is no more than none.
async fn proposed_values(
    connection: &McpConnection,
    prompt: &str,
    argument: &str,
    given: &BTreeMap<String, String>,
) -> Vec<String> {
    if !connection.offers_completions() {
        return Vec::new();
    }
    let given = given.iter().map(|(name, value)| (name.clone(), to_library_text(value)));
    let context = CompletionContext::with_arguments(given.collect());
    let asked = connection.peer().complete_prompt_argument(prompt, argument, "", Some(context));
    match connection.within_limit(asked).await {
        Ok(found) => {
            let values = found.values.iter().take(PROPOSED_MAX);
            values.map(|value| line(value, LABEL_MAX_CHARS)).collect()
        }
        Err(error) => {
            tracing::debug!(target: "entracte::mcp", argument, %error, "no values are proposed for an argument");
            Vec::new()
        }
    }
}

/// Applies the time-out, and words the error.
async fn within<T>(
    server: &McpServer,
    connection: &McpConnection,
    answer: impl Future<Output = Result<T, ServiceError>>,
) -> Result<T, McpPromptError> {
    connection.within_limit(answer).await.map_err(|error| {
        let why = match &error {
            ServiceError::McpError(error) => error.message.to_string(),
            ServiceError::TransportSend(error) => http::transport_error_text(error.error.as_ref()),
            other => other.to_string(),
        };
        let why = line(&connection.scrubber().scrub_owned(why), SAYS_MAX_CHARS);
        McpPromptError::Failed { server: server.name.clone(), why }
    })
}

fn shown(server: &str, prompt: Prompt) -> McpPrompt {
    let said =
        |text: Option<String>| text.map(|text| line(&text, SAYS_MAX_CHARS)).filter(|text| !text.is_empty());
    let arguments = prompt.arguments.unwrap_or_default().into_iter().map(|argument| McpPromptArgument {
        description: said(argument.description.or(argument.title)),
        required: argument.required == Some(true),
        name: argument.name,
    });
    McpPrompt {
        server: server.to_owned(),
        arguments: arguments.collect(),
        description: said(prompt.description.or(prompt.title)),
        name: prompt.name,
    }
}

/// The text of a prompt. Several messages, or one of an assistant, are told apart by their authors.
fn prompt_text(prompt: &GetPromptResult, texts: &LocalizedTexts) -> String {
    let is_plain = matches!(prompt.messages.as_slice(), [only] if only.role == Role::User);
    let parts = prompt.messages.iter().map(|message| {
        let text = content::part(&message.content, texts);
        match (is_plain, &message.role) {
            (true, _) => text,
            (false, Role::User) => format!("user:\n{text}"),
            (false, Role::Assistant) => format!("assistant:\n{text}"),
        }
    });
    visible(&parts.collect::<Vec<String>>().join("\n\n"))
}

/// The most prompts of one server.
const PROMPTS_MAX: usize = 500;
/// The most bytes of a prompt.
const PROMPT_MAX_BYTES: usize = 64 * 1024;
/// The most values that are proposed for an argument.
const PROPOSED_MAX: usize = 20;
/// The most characters of a name or a proposed value.
const LABEL_MAX_CHARS: usize = 100;
/// The most characters of a description or an error text.
const SAYS_MAX_CHARS: usize = 300;
