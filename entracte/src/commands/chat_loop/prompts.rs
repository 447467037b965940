//! Prompts of MCP servers in a chat: `/prompts` lists them, `/SERVER:PROMPT` fetches one and sends it if the person says
//! yes.

use std::collections::BTreeMap;

use entracte_application::texts::say;

use super::super::confirmation::is_yes;
use super::super::mcp_prompts::{prompt_error, prompts_of, row};
use super::super::mcp_tools::check_configured;
use super::{ChatLoop, QuestionFollowUp};
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{InputPurpose, LineInput};
use crate::render::text::block;
use crate::user_text::message;

impl ChatLoop<'_> {
    /// Lists the prompts of all servers.
    pub(super) async fn list_prompts(&self) -> Result<QuestionFollowUp, CliError> {
        let Some(here) = self.stage.here() else {
            return Ok(self.report_outcome::<()>(Err(self.prompts_are_there())));
        };
        let prompts = prompts_of(self.stage.context, &here.services, None, self.texts).await?;
        let lines: Vec<String> = prompts
            .iter()
            .map(|prompt| {
                row(prompt).into_iter().filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("  ")
            })
            .collect();
        match lines.is_empty() {
            true => self.screen.print_wrapped(&say!(self.texts, "mcp-prompts-none")),
            false => self.screen.print_wrapped(&lines.join("\n")),
        }
        Ok(QuestionFollowUp::Again)
    }

    /// Fetches a prompt, shows it as the server's, and sends it as the person's message if they say yes.
    pub(super) async fn send_prompt(
        &mut self,
        server: &str,
        prompt: &str,
        written: &str,
    ) -> Result<QuestionFollowUp, CliError> {
        let text = match self.fetch_prompt(server, prompt, written).await {
            Ok(text) => text,
            Err(error) => return Ok(self.report_outcome::<()>(Err(error))),
        };
        if text.trim().is_empty() {
            self.screen.print_wrapped(&say!(self.texts, "talk-prompt-empty"));
            return Ok(QuestionFollowUp::Again);
        }
        self.screen.print_wrapped(&say!(
            self.texts,
            "talk-prompt-of",
            server = server,
            prompt = block(prompt)
        ));
        let quoted: Vec<String> = block(&text).lines().map(|line| format!("│ {line}")).collect();
        self.screen.print_wrapped(&quoted.join("\n"));
        match self.read(InputPurpose::Answer, &say!(self.texts, "talk-prompt-send")).await? {
            Some(LineInput::Line(typed)) if is_yes(&typed) => {
                let sent = self.send(text).await?;
                if matches!(sent, QuestionFollowUp::Again) {
                    // A refused prompt is fetched again, not edited in the line of the next message.
                    self.begun.clear();
                }
                Ok(sent)
            }
            // Something came in between, and the person has not said yes.
            None => {
                self.screen.print_wrapped(&say!(self.texts, "talk-prompt-unsent"));
                Ok(QuestionFollowUp::Works)
            }
            Some(LineInput::Line(_) | LineInput::Interrupted | LineInput::End) => {
                self.screen.print_wrapped(&say!(self.texts, "talk-prompt-unsent"));
                Ok(QuestionFollowUp::Again)
            }
        }
    }

    /// The MCP servers of a server have no prompts over HTTP.
    fn prompts_are_there(&self) -> CliError {
        CliError::new(CliExitCode::Usage, message!("server-not-yet", server = self.stage.api.server_name()))
    }

    async fn fetch_prompt(&self, server: &str, prompt: &str, written: &str) -> Result<String, CliError> {
        let Some(here) = self.stage.here() else { return Err(self.prompts_are_there()) };
        let mcp = here.services.mcp();
        check_configured(&mcp, server, self.texts)?;
        let arguments = prompt_arguments(written)?;
        let fetched = mcp.prompt(server, prompt, &arguments, self.texts).await;
        fetched.map_err(|error| prompt_error(&error, self.texts))
    }
}

/// The arguments `key=value …`. Double quotes keep spaces in a value: `to="Ann and Bob"`.
fn prompt_arguments(written: &str) -> Result<BTreeMap<String, String>, CliError> {
    let mut arguments = BTreeMap::new();
    let mut rest = written.trim_start();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').unwrap_or((rest, ""));
        if name.is_empty() || name.contains(char::is_whitespace) || name.len() == rest.len() {
            return Err(wrong_argument(rest));
        }
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(|| wrong_argument(rest))?,
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        if !(after.is_empty() || after.starts_with(char::is_whitespace)) {
            return Err(wrong_argument(rest));
        }
        if arguments.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(CliError::new(CliExitCode::Usage, message!("talk-prompt-twice", argument = name)));
        }
        rest = after.trim_start();
    }
    Ok(arguments)
}

fn wrong_argument(rest: &str) -> CliError {
    let written: String = rest.chars().take(SHOWN_CHARS).collect();
    CliError::new(CliExitCode::Usage, message!("talk-prompt-arguments", written = written))
}

/// The most characters of a wrong argument that are repeated.
const SHOWN_CHARS: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &str) -> Option<Vec<(String, String)>> {
        prompt_arguments(written).ok().map(|arguments| arguments.into_iter().collect())
    }

    #[test]
    fn arguments_are_names_with_values() {
        let pairs = |pairs: &[(&str, &str)]| {
            Some(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
        };
        assert_eq!(read(""), pairs(&[]));
        assert_eq!(read(" a=1  b=x=y "), pairs(&[("a", "1"), ("b", "x=y")]));
        assert_eq!(
            read(r#"to="Ann and Bob" empty= c=3"#),
            pairs(&[("c", "3"), ("empty", ""), ("to", "Ann and Bob")])
        );
        for wrong in ["a", "a b=1", "=1", r#"a="1"#, r#"a="1"b"#, "a=1 a=2"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
