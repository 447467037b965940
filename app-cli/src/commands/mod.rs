//! One file per command: parse what is special to it, call one use case, print.

mod accept;
mod agent;
mod attached;
mod automation;
mod began;
mod by_hand;
mod chat;
mod command;
mod complete;
mod completions;
mod config;
mod copies;
mod cost;
mod db;
mod decide;
mod deleted;
mod doctor;
mod enrich;
mod inbox;
mod instructions;
mod knowledge;
mod link_file;
mod login;
mod man;
mod marks;
mod mcp;
mod notify;
mod onlooker;
mod open;
mod own;
mod prompt;
mod provider;
mod recent;
mod rule;
mod secret;
mod seen;
mod serve;
mod service;
mod session;
mod steer;
mod sure;
mod talk;
mod task;
mod token;
mod trust;
mod turn;
mod voice;
mod web_login;
mod workspace;

pub(crate) use self::trust::{run as trust, warn_restricted_keys};
use entracte_application::ports::SecretReference;

use crate::args::{Cli, CliCommand};
use crate::config::{ConfigFault, DatabaseSource, expect_database};
use crate::demo;
use crate::desk::CommandContext;
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::output::TerminalOutput;
use crate::secrets::places;

/// Does what needs no settings; none when the command needs them.
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

/// Does what was asked.
pub(crate) async fn run(cli: Cli, desk: &CommandContext) -> Result<CliExitCode, CliError> {
    // The place that a database has by itself is made by whoever comes first; one that is named may be written wrong.
    // A URL that is kept in a file is a server's, and from a pipe it can be read once.
    let is_in_a_file = matches!(&desk.settings.database, DatabaseSource::Kept(SecretReference::File(_)));
    if desk.settings.names_place() && !is_in_a_file && !cli.command.may_be_first() {
        let location = desk.settings.database.location(&*places())?;
        expect_database(&location).map_err(|none| none.or_next("entracte config show --origin"))?;
    }
    match cli.command {
        CliCommand::Demo { auto } => demo::run(&desk.out, auto, desk.environment.texts()).await,
        CliCommand::DemoChild { folder, hang } => {
            demo::child(&folder, hang, desk.environment.texts()).await.map(|()| CliExitCode::Done)
        }
        CliCommand::Chat(args) => chat::run(desk, args).await,
        CliCommand::Inbox { command, list } => inbox::run(desk, command, list).await,
        CliCommand::Approve(args) => decide::approve(desk, args).await,
        CliCommand::Reject(args) => decide::reject(desk, args).await,
        CliCommand::Answer { session, text, no_wait } => decide::answer(desk, &session, text, no_wait).await,
        CliCommand::Settle { call, found, note, no_wait } => {
            decide::settle(desk, &call, found, note, no_wait).await
        }
        CliCommand::Session(command) => session::run(desk, command, cli.workspace.is_some()).await,
        CliCommand::Automation(command) => automation::run(desk, command).await,
        CliCommand::Catalog(command) => command::run(desk, command).await,
        CliCommand::Zone(command) => own::zone::run(desk, command).await,
        CliCommand::Tool(command) => own::tool::run(desk, command).await,
        CliCommand::Entry(command) => own::entry::run(desk, command).await,
        CliCommand::Agent(command) => agent::run(desk, command).await,
        CliCommand::Text(command) => own::shared::run(desk, command).await,
        CliCommand::Rule(command) => rule::run(desk, command).await,
        CliCommand::Task(command) => task::run(desk, command).await,
        CliCommand::Cost(command) => cost::run(desk, command).await,
        CliCommand::Space(command) => workspace::run(desk, command).await,
        CliCommand::Provider(command) => provider::run(desk, cli.config.as_deref(), command).await,
        CliCommand::Mcp(args) => match args.command {
            None => mcp::run(desk, args).await,
            Some(command) => login::run(desk, command).await,
        },
        CliCommand::Serve(args) => serve::run(desk, cli.config.as_deref(), args).await,
        CliCommand::Service(command) => {
            let kept = service::ServiceGlobalOptions {
                config: cli.config,
                data: cli.data,
                workspace: cli.workspace,
            };
            service::run(desk, command, kept).await
        }
        CliCommand::Knowledge(command) => knowledge::run(desk, command).await,
        CliCommand::Login => web_login::run(desk).await,
        CliCommand::Token(command) => token::run(desk, command).await,
        CliCommand::Secret(command) => secret::run(desk, &command).await,
        CliCommand::Notify(command) => notify::run(desk, command).await,
        CliCommand::Db(command) => db::run(desk, command).await,
        CliCommand::Config(command) => config::run(desk, &command),
        CliCommand::Trust(args) => trust::run(&desk.out, &desk.environment, &args).await,
        CliCommand::Doctor(args) => doctor::run(desk, &args, cli.config.as_deref()).await,
        CliCommand::UpgradeView { folder } => doctor::print_view(desk, &folder).await,
        CliCommand::Complete { described, words } => complete::run(desk, described, &words).await,
        CliCommand::Completions { shell } => completions::run(&desk.out, desk.environment.texts(), shell),
        CliCommand::Man { to } => man::run(&desk.out, desk.environment.texts(), to.as_deref()),
    }
}
