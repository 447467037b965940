//! `mcp`: offers the catalog to an external AI, over standard input and output.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_commands::mcp::catalog_server::{
    McpApprovalReason, McpCallCancellation, McpCommandHandler, McpPendingApproval, McpResultFile,
    McpToolResult, serve,
};
use entracte_application::commands::OWN_SESSION_QUERIES;
use entracte_application::journal::JournalEntry;
use entracte_application::json_value::ExactJson;
use entracte_application::ports::CommandSpec;
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    ApprovalView, ExternalCallOutcome, ExternalCaller, LocalizedReason, ReadFile, RunExternalCall,
    settings_of,
};
use entracte_domain::command::Command;
use entracte_domain::file::{FileKind, FileReference};
use entracte_domain::session::SessionKind;
use tokio::sync::Mutex;

use crate::app_services::AppServices;
use crate::args::McpArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{SessionFollower, SessionWatcher, drain_before_exit};
use crate::raw_keyboard::TurnKeyAction;
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
    // Results are complete, so there is nothing to continue; and an external client has its own history, with its files.
    let catalog = services.catalog();
    let specs: Vec<CommandSpec> = catalog
        .offered_commands(&restriction, rules.rules_for_kind(SessionKind::Chat).mode)
        .map(|known| known.spec.clone())
        .filter(|spec| !OWN_SESSION_QUERIES.contains(&spec.name.as_str()))
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

/// Shows nothing, because standard output belongs to the client; interrupts the call when the client cancels it.
struct CancellationWatcher {
    cancellation: McpCallCancellation,
    is_interrupted: bool,
}

impl SessionWatcher for CancellationWatcher {
    fn on_entry(&mut self, _entry: &JournalEntry) -> Result<(), CliError> {
        Ok(())
    }

    fn poll_key(&mut self) -> Option<TurnKeyAction> {
        if self.is_interrupted || !self.cancellation.is_requested() {
            return None;
        }
        self.is_interrupted = true;
        Some(TurnKeyAction::Interrupts)
    }
}

impl McpCatalogHandler {
    async fn answer(
        &self,
        command: &Command,
        cancellation: McpCallCancellation,
    ) -> Result<ExternalCallOutcome, CliError> {
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
        let mut watcher = CancellationWatcher { cancellation, is_interrupted: false };
        let ended = follower.until_rest(taken.after, &mut watcher).await?;
        Ok(self.calls.answer(&self.who, &taken, &ended.turn).await?)
    }

    /// The files of a result for the external AI: images with their bytes, in the form for models.
    async fn shown_files(&self, files: &[FileReference]) -> Vec<McpResultFile> {
        let read = ReadFile::new(self.services.file_store());
        let mut shown = Vec::with_capacity(files.len());
        for file in files {
            let image = match file.kind() {
                FileKind::Image => read.run(&self.who.workspace, file.model_view().digest).await,
                FileKind::Pdf | FileKind::Other => {
                    shown.push(McpResultFile { line: file.line(), ..McpResultFile::default() });
                    continue;
                }
            };
            if let Err(error) = &image {
                tracing::warn!(target: "entracte::mcp", digest = file.digest.as_str(), %error, "an image of a result cannot be read");
            }
            let image = image.ok().map(|found| found.bytes);
            let media_type = file.model_view().media_type.to_owned();
            shown.push(McpResultFile { line: file.line(), media_type, image });
        }
        shown
    }
}

#[async_trait]
impl McpCommandHandler for McpCatalogHandler {
    async fn call(&self, command: Command, cancellation: McpCallCancellation) -> McpToolResult {
        match self.answer(&command, cancellation).await {
            Ok(ExternalCallOutcome::Result { call, state, code, content, files, is_error }) => {
                let next = match code.as_deref() {
                    Some("OUTCOME_UNKNOWN") => {
                        Some(say!(self.texts, "tools-serve-next-unknown", call = call.as_str()))
                    }
                    Some(_) | None => None,
                };
                let (result, message) = match is_error {
                    true => (ExactJson::default(), Some(content)),
                    false => (McpToolResult::data(&content), None),
                };
                let (status, call, files) = (state, Some(call.to_string()), self.shown_files(&files).await);
                McpToolResult { status, result, code, call, message, next, approval: None, is_error, files }
            }
            Ok(ExternalCallOutcome::WaitsForApproval(approval)) => waits(&approval, self.texts),
            Ok(ExternalCallOutcome::Failed(why)) => McpToolResult::failed(None, why),
            Err(error) => McpToolResult::failed(None, error.localized(self.texts).message),
        }
    }
}

/// The result while a call waits for approval: nothing was done yet.
fn waits(approval: &ApprovalView, texts: &LocalizedTexts) -> McpToolResult {
    let reason = |reason: &LocalizedReason| McpApprovalReason {
        level: reason.level.word().to_owned(),
        text: reason.text.clone(),
    };
    let (says, id) = (&approval.description.says, approval.id.as_str());
    McpToolResult {
        status: "waiting_for_approval".to_owned(),
        call: Some(approval.call.id.to_string()),
        message: Some(say!(texts, "tools-serve-waits", says = says, id = id)),
        next: Some(say!(texts, "tools-serve-next-waits", id = id)),
        approval: Some(McpPendingApproval {
            inbox: id.to_owned(),
            says: says.clone(),
            reasons: approval.reasons.iter().map(reason).collect(),
            expires_at: iso(approval.expires_at),
        }),
        ..McpToolResult::default()
    }
}
