//! `login`: a link that logs one browser in to the running server. The link is a row of the database, so a process
//! that can write to the database needs no request to the server, on this machine or another one.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::CreateLoginLink;
use secrecy::ExposeSecret;
use serde_json::json;

use super::login_link_file::LoginLinkFile;
use crate::app_services::AppServices;
use crate::colour::paint;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::owner::owner;
use crate::render::qr::{is_of_this_machine, qr};
use crate::runtime_access::SERVE;
use crate::user_text::message;

/// The command to run if no server runs.
const START: &str = "entracte serve";

/// Runs `login`; `needs_code` refuses a link that is not shown as a code for a phone.
pub(crate) async fn run(context: &CommandContext, needs_code: bool) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let url = server_url(&services).await?;
    if needs_code {
        check_code(context, &url)?;
    }
    let login = create_login_link(context, &services, &url).await?;
    // In JSON mode the link is the result, and the caller is responsible for the output.
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.login/1", "url": url, "login": login }))?;
        return Ok(CliExitCode::Done);
    }
    show_login_link(context, context.texts(&services, &context.settings.workspace).await?, &login)?;
    Ok(CliExitCode::Done)
}

/// Refuses to make a link whose code nobody could scan.
fn check_code(context: &CommandContext, url: &str) -> Result<(), CliError> {
    let refused = |text, next| Err(CliError::with_next(CliExitCode::Failure, text, next));
    if is_of_this_machine(url) {
        return refused(message!("login-qr-here-only", url = url), "entracte serve --help");
    }
    // Whoever reads the output of another program would be logged in.
    let width = context.environment.width.filter(|_| context.environment.stderr_terminal);
    match width {
        Some(width) if width >= QR_WIDTH => Ok(()),
        Some(_) => refused(message!("login-qr-narrow", columns = QR_WIDTH.to_string()), "entracte login"),
        None => refused(message!("login-qr-no-terminal"), "entracte login"),
    }
}

/// Columns in which the code of every link fits.
const QR_WIDTH: usize = 80;

/// The URL of the server of this database.
async fn server_url(services: &AppServices) -> Result<String, CliError> {
    let none = || CliError::with_next(CliExitCode::NotFound, message!("login-no-server-runs"), START);
    // Servers that share the database hold no lock.
    if let Some(url) =
        services.store_ownership.worker_process().await?.and_then(|one| one.description.owner.url)
    {
        return Ok(url);
    }
    // Only looked up: a server that starts at this moment finds the lock free.
    if services.store_ownership.is_free().await? {
        return Err(none());
    }
    let Some(holder) = services.ownership().holder().await? else { return Err(none()) };
    match &holder.kind.url {
        Some(url) if holder.kind.kind == SERVE => Ok(url.clone()),
        Some(_) | None => {
            let text = message!("login-owned-elsewhere", owner = owner(&holder));
            Err(CliError::with_next(CliExitCode::NotFound, text, START))
        }
    }
}

/// Creates a login link for the server at this address.
pub(super) async fn create_login_link(
    context: &CommandContext,
    services: &AppServices,
    url: &str,
) -> Result<String, CliError> {
    let offer = CreateLoginLink::new(services.access.clone(), services.clock.clone(), services.ids.clone());
    let made = offer.run(&context.settings.author, context.settings.server.limits.link_lasts).await?;
    Ok(format!("{url}/login#{}", made.secret.expose_secret()))
}

/// Shows the link on a terminal, with a QR code if a phone can open it; without a terminal it is in a file.
pub(super) fn show_login_link(
    context: &CommandContext,
    texts: &LocalizedTexts,
    login: &str,
) -> Result<(), CliError> {
    let minutes = u64::try_from(context.settings.server.limits.link_lasts.0 / 60_000).unwrap_or_default();
    context.out.write_notice(&say!(texts, "serve-login", minutes = minutes));
    if let Some(code) = context.environment.width.and_then(|width| qr(login, width)) {
        for line in code.iter().filter(|_| context.environment.stderr_terminal) {
            // In colours of its own: on a light terminal it would be the inverse, which not every camera reads.
            context.out.write_notice(&paint(line, QR_COLOURS, context.out.message_style.colour));
        }
    }
    match write_link_file(context, login)? {
        None => context.out.write_data_line(login),
        Some(file) => context.out.write_data_line(&say!(texts, "link-in-file", file = file.shown())),
    }
}

/// The file with the link, if standard output is not a terminal.
pub(super) fn write_link_file(
    context: &CommandContext,
    login: &str,
) -> Result<Option<LoginLinkFile>, CliError> {
    if context.environment.stdout_terminal {
        return Ok(None);
    }
    // The link expires by itself, and is used after this command has ended.
    LoginLinkFile::write(&context.settings, LINK, login).map(|file| Some(file.keep()))
}

/// Bright white on black: the drawn parts of a code are its light ones.
const QR_COLOURS: &str = "97;40";

/// The file name of a login link.
const LINK: &str = "login-link";
