//! One file per command: each parses its arguments, calls one use case, and prints the result.

mod agent;
mod attachment;
mod automation;
mod browser;
mod card_decisions;
mod chat;
mod chat_attachment;
mod chat_loop;
mod chat_on_server;
mod chat_stage;
mod command;
mod command_accept;
mod command_run;
mod command_sizes;
mod complete;
mod completions;
mod config;
mod confirmation;
mod cost;
mod db;
mod decisions;
mod doctor;
mod enrichment;
mod filtered_decisions;
mod inbox;
pub(crate) mod init;
mod instructions;
mod knowledge;
mod local_api;
mod login_link_file;
mod logs;
mod man;
mod mcp;
mod mcp_decision;
mod mcp_login;
mod mcp_prompts;
mod mcp_tools;
mod mcp_waiting;
mod model_selection;
mod model_setup;
mod notify;
mod picture_display;
mod prompt;
mod provider;
mod recent_chats;
mod request_follow_up;
mod resources;
mod retention;
mod reviewed_cards;
mod rule;
mod rule_conditions;
mod secret;
mod serve;
mod server_login;
mod server_logout;
mod service;
mod session;
mod session_control;
mod session_copy;
mod session_deleted;
mod session_follow;
mod session_messages;
mod session_open;
mod session_verify;
mod settle_again;
mod task;
mod token;
mod trust;
mod turn;
mod web_login;
mod workspace;
mod written_paths;

pub(crate) use self::local_api::local_api;
pub(crate) use self::serve::RunningServer;
pub(crate) use self::trust::{left_out_text, run as trust, warn_restricted_keys};
use entracte_application::ports::SecretReference;

use crate::args::{Cli, CliCommand, DbCommand};
use crate::command_context::CommandContext;
use crate::config::{ConfigFault, DatabaseSource, expect_database};
#[cfg(feature = "resources")]
use crate::demo;
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::output::TerminalOutput;
use crate::secrets::places;

/// Runs a command that needs no settings; `None` if the command needs them.
pub(crate) fn run_without_settings(
    cli: &Cli,
    environment: &ProcessEnvironment,
    fault: &ConfigFault,
    out: &TerminalOutput,
) -> Option<Result<CliExitCode, CliError>> {
    match &cli.command {
        CliCommand::Doctor(_) => Some(doctor::without_settings(out, environment, fault)),
        CliCommand::Completions { shell } => Some(completions::run(out, environment.texts(), *shell)),
        CliCommand::Man { to } => Some(man::run(out, environment.texts(), to.as_deref())),
        _ => None,
    }
}

/// Whether a person begins a chat at a terminal while no provider can be used.
pub(crate) fn lacks_model(cli: &Cli, context: &CommandContext) -> bool {
    let CliCommand::Chat(args) = &cli.command else { return false };
    let is_new = args.session.is_none() && !args.go_on;
    let names_none = args.provider.is_none() && args.script.is_none() && args.message.is_none();
    let environment = &context.environment;
    is_new
        && names_none
        && context.settings.default_provider.is_none()
        && environment.stdin_terminal
        && environment.stdout_terminal
        && !context.out.json
}

/// Runs the command.
pub(crate) async fn run(cli: Cli, context: &CommandContext) -> Result<CliExitCode, CliError> {
    // The default location is created by the first command; a named location may be a typing error. A URL in a file
    // is a server's, and a pipe can be read only once. A command on a server needs no database here.
    let is_in_a_file = matches!(&context.settings.database, DatabaseSource::Kept(SecretReference::File(_)));
    let is_here = context.server.is_none();
    if is_here && context.settings.names_place() && !is_in_a_file && !cli.command.may_be_first() {
        let location = context.settings.database.location(&*places(&context.settings.parts))?;
        expect_database(&location).map_err(|none| none.or_next("entracte config show --origin"))?;
    }
    match cli.command {
        #[cfg(feature = "resources")]
        CliCommand::Demo { auto } => demo::run(&context.out, auto, context.environment.texts()).await,
        #[cfg(feature = "resources")]
        CliCommand::DemoChild { folder, hang } => {
            demo::child(&folder, hang, context.environment.texts()).await.map(|()| CliExitCode::Done)
        }
        CliCommand::Chat(args) => chat::run(context, args).await,
        CliCommand::Inbox { command, list } => inbox::run(context, command, list).await,
        CliCommand::Approve(args) => decisions::approve(context, args).await,
        CliCommand::Reject(args) => decisions::reject(context, args).await,
        CliCommand::Answer { session, text, no_wait } => {
            decisions::answer(context, &session, text, no_wait).await
        }
        CliCommand::Settle { call, found, note, no_wait } => {
            decisions::settle(context, &call, found, note, no_wait).await
        }
        CliCommand::Session(command) => session::run(context, command, cli.workspace.is_some()).await,
        CliCommand::Automation(command) => automation::run(context, command).await,
        CliCommand::Catalog(command) => command::run(context, command).await,
        #[cfg(feature = "resources")]
        CliCommand::Zone(command) => resources::zone::run(context, command).await,
        #[cfg(feature = "resources")]
        CliCommand::Tool(command) => resources::tool::run(context, command).await,
        #[cfg(feature = "resources")]
        CliCommand::Entry(command) => resources::entry::run(context, command).await,
        CliCommand::Agent(command) => agent::run(context, command).await,
        CliCommand::Text(command) => resources::shared_text::run(context, command).await,
        CliCommand::Rule(command) => rule::run(context, command).await,
        CliCommand::Task(command) => task::run(context, command).await,
        CliCommand::Cost(command) => cost::run(context, command).await,
        CliCommand::Retention(command) => retention::run(context, command).await,
        CliCommand::Space(command) => workspace::run(context, command).await,
        CliCommand::Init(args) => init::run(context, args).await,
        CliCommand::Provider(command) => provider::run(context, command).await,
        CliCommand::Mcp(args) => match args.command {
            None => mcp::run(context, args).await,
            Some(command) => mcp_login::run(context, command).await,
        },
        CliCommand::Serve(args) => serve::run(context, args).await,
        CliCommand::Service(command) => {
            let kept = service::ServiceGlobalOptions {
                config: cli.config,
                data: cli.data,
                workspace: cli.workspace,
            };
            service::run(context, command, kept).await
        }
        CliCommand::Knowledge(command) => knowledge::run(context, command).await,
        CliCommand::Login(args) => server_login::run(context, &args).await,
        CliCommand::Logout(args) => server_logout::run(context, &args).await,
        CliCommand::Token(command) => token::run(context, command).await,
        CliCommand::Secret(command) => secret::run(context, &command).await,
        CliCommand::Notify(command) => notify::run(context, command).await,
        CliCommand::Db(command) => db::run(context, command).await,
        CliCommand::Backup { file } => db::run(context, DbCommand::Backup { file }).await,
        CliCommand::Logs { lines } => logs::run(context, lines),
        CliCommand::Config(command) => config::run(context, &command),
        CliCommand::Trust(args) => trust::run(&context.out, &context.environment, &args).await,
        CliCommand::Doctor(args) => doctor::run(context, &args, cli.config.as_deref()).await,
        CliCommand::UpgradeView { folder } => doctor::print_view(context, &folder).await,
        CliCommand::Complete { described, words } => complete::run(context, described, &words).await,
        CliCommand::Completions { shell } => {
            completions::run(&context.out, context.environment.texts(), shell)
        }
        CliCommand::Man { to } => man::run(&context.out, context.environment.texts(), to.as_deref()),
    }
}
