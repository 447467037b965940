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

pub(crate) use self::trust::{notice, run as trust};
use entracte_application::ports::SecretReference;

use crate::args::{Cli, Command};
use crate::config::{ConfigFault, DatabasePlace, expect_database};
use crate::demo;
use crate::desk::Desk;
use crate::environment::Environment;
use crate::error::{CliError, Exit};
use crate::output::Output;
use crate::secrets::places;

/// Does what needs no settings; none when the command needs them.
pub(crate) fn run_without_settings(
    cli: &Cli,
    environment: &Environment,
    fault: &ConfigFault,
    out: &Output,
) -> Option<Result<Exit, CliError>> {
    match &cli.command {
        Command::Doctor(_) => Some(doctor::without_settings(out, environment, fault)),
        Command::Completions { shell } => Some(completions::run(out, environment.texts(), *shell)),
        Command::Man { to } => Some(man::run(out, environment.texts(), to.as_deref())),
        _ => None,
    }
}

/// Does what was asked.
pub(crate) async fn run(cli: Cli, desk: &Desk) -> Result<Exit, CliError> {
    // The place that a database has by itself is made by whoever comes first; one that is named may be written wrong.
    // A URL that is kept in a file is a server's, and from a pipe it can be read once.
    let is_in_a_file = matches!(&desk.settings.database, DatabasePlace::Kept(SecretReference::File(_)));
    if desk.settings.names_place() && !is_in_a_file && !cli.command.may_be_first() {
        let location = desk.settings.database.location(&*places())?;
        expect_database(&location).map_err(|none| none.or_next("entracte config show --origin"))?;
    }
    match cli.command {
        Command::Demo { auto } => demo::run(&desk.out, auto, desk.environment.texts()).await,
        Command::DemoChild { folder, hang } => {
            demo::child(&folder, hang, desk.environment.texts()).await.map(|()| Exit::Done)
        }
        Command::Chat(args) => chat::run(desk, args).await,
        Command::Inbox { command, list } => inbox::run(desk, command, list).await,
        Command::Approve(args) => decide::approve(desk, args).await,
        Command::Reject(args) => decide::reject(desk, args).await,
        Command::Answer { session, text, no_wait } => decide::answer(desk, &session, text, no_wait).await,
        Command::Settle { call, found, note, no_wait } => {
            decide::settle(desk, &call, found, note, no_wait).await
        }
        Command::Session(command) => session::run(desk, command, cli.workspace.is_some()).await,
        Command::Automation(command) => automation::run(desk, command).await,
        Command::Catalog(command) => command::run(desk, command).await,
        Command::Zone(command) => own::zone::run(desk, command).await,
        Command::Tool(command) => own::tool::run(desk, command).await,
        Command::Entry(command) => own::entry::run(desk, command).await,
        Command::Agent(command) => agent::run(desk, command).await,
        Command::Text(command) => own::shared::run(desk, command).await,
        Command::Rule(command) => rule::run(desk, command).await,
        Command::Task(command) => task::run(desk, command).await,
        Command::Cost(command) => cost::run(desk, command).await,
        Command::Space(command) => workspace::run(desk, command).await,
        Command::Provider(command) => provider::run(desk, cli.config.as_deref(), command).await,
        Command::Mcp(args) => match args.command {
            None => mcp::run(desk, args).await,
            Some(command) => login::run(desk, command).await,
        },
        Command::Serve(args) => serve::run(desk, cli.config.as_deref(), args).await,
        Command::Service(command) => {
            let kept = service::Kept { config: cli.config, data: cli.data, workspace: cli.workspace };
            service::run(desk, command, kept).await
        }
        Command::Knowledge(command) => knowledge::run(desk, command).await,
        Command::Login => web_login::run(desk).await,
        Command::Token(command) => token::run(desk, command).await,
        Command::Secret(command) => secret::run(desk, &command).await,
        Command::Notify(command) => notify::run(desk, command).await,
        Command::Db(command) => db::run(desk, command).await,
        Command::Config(command) => config::run(desk, &command),
        Command::Trust(args) => trust::run(&desk.out, &desk.environment, &args).await,
        Command::Doctor(args) => doctor::run(desk, &args, cli.config.as_deref()).await,
        Command::UpgradeView { folder } => doctor::print_view(desk, &folder).await,
        Command::Complete { described, words } => complete::run(desk, described, &words).await,
        Command::Completions { shell } => completions::run(&desk.out, desk.environment.texts(), shell),
        Command::Man { to } => man::run(&desk.out, desk.environment.texts(), to.as_deref()),
    }
}
