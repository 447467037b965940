//! `mcp`: offers the catalog to an external AI, over standard input and output.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_commands::mcp::catalog_server::{McpCommandHandler, McpToolResult, serve};
use entracte_application::commands::{HistoryExecutor, ResultsExecutor};
use entracte_application::journal::JournalEntry;
use entracte_application::ports::CommandSpec;
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    ApprovalView, ExternalCallOutcome, ExternalCaller, LocalizedReason, RunExternalCall, settings_of,
};
use entracte_domain::command::Command;
use entracte_domain::session::SessionKind;
use serde_json::json;
use tokio::sync::Mutex;

use crate::app_services::AppServices;
use crate::args::McpArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{SessionFollower, SessionWatcher, drain_before_exit};
use crate::render::time::iso;
use crate::runtime_access::RuntimeAccess;
use crate::tools::SERVER_FOLDERS;
use crate::user_text::message;

/// Serves until the client disconnects.
pub(crate) async fn run(context: &CommandContext, args: McpArgs) -> Result<CliExitCode, CliError> {
    let restriction = args
        .commands
        .as_deref()
        .map(crate::command_restriction::restriction)
        .transpose()?
        .unwrap_or_default();
    let services = context.open_services()?;
    let workspace = context.settings.workspace.clone();
    let set = settings_of(&*services.store, &workspace).await?;
    let (language, rules) = (set.language, context.settings.rules.for_workspace(&set));
    let runtime = RuntimeAccess::open(services.clone()).await?;
    // Results are complete, so there is no stream to continue; and an external client has its own history.
    let catalog = services.catalog();
    let specs: Vec<CommandSpec> = catalog
        .offered_commands(&restriction, rules.rules_for_kind(SessionKind::Chat).mode)
        .map(|known| known.spec.clone())
        .filter(|spec| ![ResultsExecutor::NAME, HistoryExecutor::NAME].contains(&spec.name.as_str()))
        .collect();
    if specs.is_empty() {
        let text = message!("mcp-nothing");
        return Err(CliError::new(CliExitCode::Usage, text).or_next("entracte command list"));
    }
    let (seat, _held) = seat(&context.settings.data, &format!("{workspace}\n{}", args.name))?;
    let who = ExternalCaller { workspace, name: args.name, seat, restriction };
    let calls = RunExternalCall::new(runtime.clone(), services.store.clone(), services.log.clone());
    let texts = LocalizedTexts::for_language(language);
    let offered = McpCatalogHandler {
        services: services.clone(),
        runtime: runtime.clone(),
        who,
        calls,
        texts,
        taking: Mutex::default(),
    };
    let offered = Arc::new(offered);
    let served = serve(tokio::io::stdin(), tokio::io::stdout(), &specs, language, offered).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    served.map_err(|error| CliError::new(CliExitCode::Failure, error.to_string()))?;
    Ok(CliExitCode::Done)
}

/// The first free seat of this name, and its lock. A client that returns alone finds its calls; two clients at the
/// same time do not mix theirs.
fn seat(data: &Path, name: &str) -> Result<(u32, File), CliError> {
    let folder = data.join(SERVER_FOLDERS);
    let failed = |error: std::io::Error| {
        CliError::new(CliExitCode::Failure, format!("{}: {error}", folder.display()))
            .or_next("entracte doctor")
    };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let hash = sha256(name.as_bytes());
    for seat in 1..=SEATS_MAX {
        let lock = File::create(folder.join(format!("{hash}-{seat}.lock"))).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => return Ok((seat, lock)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    let text = message!("mcp-full", count = u64::from(SEATS_MAX));
    Err(CliError::new(CliExitCode::Conflict, text))
}

/// The most clients of one name at the same time.
const SEATS_MAX: u32 = 16;

struct McpCatalogHandler {
    services: Arc<AppServices>,
    runtime: Arc<RuntimeAccess>,
    who: ExternalCaller,
    calls: RunExternalCall,
    texts: &'static LocalizedTexts,
    /// Held while a call is accepted.
    taking: Mutex<()>,
}

/// Shows nothing: standard output belongs to the client.
struct NullWatcher;

impl SessionWatcher for NullWatcher {
    fn on_entry(&mut self, _entry: &JournalEntry) -> Result<(), CliError> {
        Ok(())
    }
}

impl McpCatalogHandler {
    async fn answer(&self, command: &Command) -> Result<ExternalCallOutcome, CliError> {
        let taken = {
            let _taking = self.taking.lock().await;
            self.calls.accept_call(&self.who, command).await?
        };
        let follower = SessionFollower {
            services: &self.services,
            runtime: &self.runtime,
            author: &self.who.name,
            workspace: &self.who.workspace,
            session: &taken.session,
        };
        let ended = follower.until_rest(taken.after, &mut NullWatcher).await?;
        Ok(self.calls.answer(&self.who, &taken, &ended.turn).await?)
    }
}

#[async_trait]
impl McpCommandHandler for McpCatalogHandler {
    async fn call(&self, command: Command) -> McpToolResult {
        match self.answer(&command).await {
            Ok(ExternalCallOutcome::Result { call, state, code, content, is_error }) => {
                let text = code.as_ref().map_or_else(|| content.clone(), |code| format!("{code}: {content}"));
                let status = json!({ "status": state, "code": code, "call": call.as_str() });
                McpToolResult {
                    text: if is_error { text } else { content },
                    structured: Some(status),
                    is_error,
                }
            }
            Ok(ExternalCallOutcome::WaitsForApproval(approval)) => waits(&approval, self.texts),
            Ok(ExternalCallOutcome::Failed(why)) => failed(why),
            Err(error) => failed(error.localized(self.texts).message),
        }
    }
}

fn failed(why: String) -> McpToolResult {
    McpToolResult { text: why, structured: Some(json!({ "status": "failed" })), is_error: true }
}

/// The result while a call waits for approval: nothing was done yet.
fn waits(approval: &ApprovalView, texts: &LocalizedTexts) -> McpToolResult {
    let reason = |reason: &LocalizedReason| json!({ "level": reason.level.word(), "text": reason.text });
    let status = json!({
        "status": "waiting_for_approval",
        "inbox": approval.id.as_str(),
        "call": approval.call.id.as_str(),
        "says": approval.description.says,
        "reasons": approval.reasons.iter().map(reason).collect::<Vec<_>>(),
        "expires_at": iso(approval.expires_at),
    });
    let (says, id) = (&approval.description.says, approval.id.as_str());
    let text = say!(texts, "tools-serve-waits", says = says, id = id);
    McpToolResult { text, structured: Some(status), is_error: false }
}
