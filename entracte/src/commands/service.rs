//! `service`: installs the server as a service of the person, which the system starts, monitors and restarts.

mod install_plan;
mod launchd;
mod manager;
mod systemd;

use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;

pub(crate) use self::install_plan::ServiceGlobalOptions;
use self::install_plan::ServiceInstallPlan;
use self::manager::{ServiceManager, ServiceStatus};
use crate::args::{InstallArgs, ManagerName, ServiceCommand};
use crate::command_context::CommandContext;
use crate::config::{server_base_path, server_bind};
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

const INSTALL: &str = "entracte service install";

/// Runs `service …`.
pub(crate) async fn run(
    context: &CommandContext,
    command: ServiceCommand,
    kept: ServiceGlobalOptions,
) -> Result<CliExitCode, CliError> {
    let texts = context.environment.texts();
    match command {
        ServiceCommand::Install(args) => install(context, texts, &args, kept),
        ServiceCommand::Status => status(context, texts),
        ServiceCommand::Uninstall => uninstall(context, texts),
    }
}

fn install(
    context: &CommandContext,
    texts: &LocalizedTexts,
    args: &InstallArgs,
    kept: ServiceGlobalOptions,
) -> Result<CliExitCode, CliError> {
    let plan = plan(context, args, kept)?;
    if args.print {
        let name = match args.manager {
            Some(name) => name,
            None => ServiceManager::here(&context.environment)?.name(),
        };
        context.out.write_data_fragment(&ServiceManager::text(name, &plan))?;
        return Ok(CliExitCode::Done);
    }
    let manager = ServiceManager::here(&context.environment)?;
    let file = manager.file.display().to_string();
    if manager.is_ours()? == Some(false) && !args.replace {
        let text = message!("service-foreign", file = file);
        return Err(CliError::with_next(CliExitCode::Conflict, text, format!("{INSTALL} --replace")));
    }
    manager.write(&plan)?;
    if manager.name() == ManagerName::Launchd {
        context.out.write_notice(&say!(texts, "service-untried"));
    }
    let keys: Vec<String> = context.settings.key_variables();
    let keys: Vec<&str> =
        keys.iter().map(String::as_str).filter(|key| context.environment.variable(key).is_some()).collect();
    if !keys.is_empty() && !std::path::Path::new(&plan.variables).exists() {
        context.out.write_notice(&say!(
            texts,
            "service-keys",
            keys = keys.join(", "),
            file = &plan.variables
        ));
    }
    match args.no_start {
        true => manager.reload()?,
        false => manager.start()?,
    }
    tell(context, texts, &manager, &manager.status()?)?;
    Ok(CliExitCode::Done)
}

/// The installation plan: this program, with the global options of the command.
fn plan(
    context: &CommandContext,
    args: &InstallArgs,
    kept: ServiceGlobalOptions,
) -> Result<ServiceInstallPlan, CliError> {
    let usage = |fault| CliError::with_next(CliExitCode::Usage, fault, "entracte serve --help");
    args.serve.bind.as_deref().map(|text| server_bind("--bind", text)).transpose().map_err(usage)?;
    let path = args.serve.base_path.as_deref();
    path.map(|text| server_base_path("--base-path", text)).transpose().map_err(usage)?;
    let failed = |error: std::io::Error| CliError::new(CliExitCode::Failure, error.to_string());
    let program = std::env::current_exe().map_err(failed)?;
    let here = std::env::current_dir().map_err(failed)?;
    let variable = |name: &str| context.environment.variable(name);
    let kept = ServiceGlobalOptions {
        config: kept.config.or_else(|| variable("ENTRACTE_CONFIG").map(Into::into)),
        data: kept.data.or_else(|| variable("ENTRACTE_DATA").map(Into::into)),
        workspace: kept.workspace.or_else(|| variable("ENTRACTE_WORKSPACE").map(str::to_owned)),
    };
    let variables = context.environment.config_dir.join("service.env");
    ServiceInstallPlan::for_program(
        &program,
        &here,
        &kept,
        &args.serve,
        &variables,
        context.settings.server.limits.grace,
    )
}

fn status(context: &CommandContext, texts: &LocalizedTexts) -> Result<CliExitCode, CliError> {
    let manager = ServiceManager::here(&context.environment)?;
    if manager.is_ours()?.is_none() {
        return Err(CliError::with_next(CliExitCode::NotFound, message!("service-absent"), INSTALL));
    }
    let stands = manager.status()?;
    tell(context, texts, &manager, &stands)?;
    Ok(if stands.runs { CliExitCode::Done } else { CliExitCode::Failure })
}

fn uninstall(context: &CommandContext, texts: &LocalizedTexts) -> Result<CliExitCode, CliError> {
    let manager = ServiceManager::here(&context.environment)?;
    let file = manager.file.display().to_string();
    match manager.is_ours()? {
        None => Err(CliError::with_next(CliExitCode::NotFound, message!("service-absent"), INSTALL)),
        Some(false) => {
            let text = message!("service-foreign-stays", file = file);
            Err(CliError::with_next(CliExitCode::Conflict, text, "entracte service status"))
        }
        Some(true) => {
            manager.remove()?;
            if context.out.json {
                let object = json!({ "schema": "entracte.service/1", "file": file, "installed": false });
                context.out.write_json_line(&object)?;
            } else {
                context.out.write_data_line(&say!(texts, "service-removed", file = file))?;
            }
            Ok(CliExitCode::Done)
        }
    }
}

/// Reports the status of the service, and the needed steps.
fn tell(
    context: &CommandContext,
    texts: &LocalizedTexts,
    manager: &ServiceManager,
    stands: &ServiceStatus,
) -> Result<(), CliError> {
    let file = manager.file.display().to_string();
    let ServiceStatus { runs, is_enabled, says, lingers } = stands;
    if context.out.json {
        return context.out.write_json_line(&json!({
            "schema": "entracte.service/1",
            "file": file,
            "installed": true,
            "running": runs,
            "enabled": is_enabled,
            "says": says,
            "lingers": lingers,
        }));
    }
    context.out.write_data_line(&say!(texts, "service-installed", file = file))?;
    context.out.write_data_line(&match runs {
        true => say!(texts, "service-runs", says = says),
        false => say!(texts, "service-rests", says = says, command = manager.start_command()),
    })?;
    if *lingers == Some(false) {
        context.out.write_data_line(&say!(texts, "service-no-linger", command = manager.linger_command()))?;
    }
    Ok(())
}
