//! Checks the database: whether it opens and is sound, and which process owns it.

use std::collections::BTreeSet;

use entracte_adapters_db::{Database, DatabaseCheckResult, ReplicaStatus, ReplicationStatus};
use entracte_application::ports::{OwnerDescription, WorkerProcessDescription, WorkerProcessRecord};

use super::{DoctorCheck, DoctorExtent, DoctorLook};
use crate::command_context::CommandContext;
use crate::commands::db::counter_list;
use crate::error::{CliError, chain};
use crate::render::owner::owner as words;
use crate::secrets::places;
use crate::user_text::message;

/// The database if it could be opened, and the checks. A missing database is not created.
pub(super) async fn checks(
    context: &CommandContext,
    look: DoctorLook<'_>,
) -> (Option<Database>, Vec<DoctorCheck>) {
    let settings = &context.settings;
    let location = match settings.database.location(&*places(&settings.parts)) {
        Ok(location) => location,
        Err(error) => return (None, vec![failed(error)]),
    };
    if location.file().is_some_and(|file| !file.exists()) {
        let says = message!("doctor-database-none", place = location.to_string());
        return (None, vec![DoctorCheck::ok("database", says)]);
    }
    let options = settings.database_options.clone();
    let opening = Database::open_with_progress(location, options, &|step| look.progress.show_opening(step));
    look.progress.clear();
    match opening {
        Ok(database) => {
            let integrity = sound(database.clone(), look.extent);
            let integrity = look.progress.show_time("doctor-checks-integrity", integrity).await;
            let mut checks = vec![opened(&database), integrity];
            checks.extend(counters(database.clone()).await);
            checks.extend(replication(database.clone()).await);
            checks.push(match servers(&database).await {
                Some(check) => check,
                None => owner(&database).await,
            });
            (Some(database), checks)
        }
        Err(error) => (None, vec![failed(error.into())]),
    }
}

fn failed(error: CliError) -> DoctorCheck {
    DoctorCheck::fail("database", error.to_text(), error.next)
}

fn opened(database: &Database) -> DoctorCheck {
    let applied = database.applied_migrations();
    let place = database.location().to_string();
    match applied {
        [] => DoctorCheck::ok("database", message!("doctor-database-current", place = place)),
        applied => {
            let says = message!("doctor-database-upgraded", place = place, applied = applied.join(", "));
            DoctorCheck::ok("database", says)
        }
    }
}

async fn sound(database: Database, extent: DoctorExtent) -> DoctorCheck {
    let fix = message!("doctor-integrity-fix");
    let check = move || match extent {
        DoctorExtent::Everything => Ok(DatabaseCheckResult { faults: database.check()?, is_sample: false }),
        DoctorExtent::Sample => database.check_sample(),
    };
    match tokio::task::spawn_blocking(check).await {
        Ok(Ok(found)) if found.faults.is_empty() => {
            let says = if found.is_sample {
                message!("doctor-integrity-sample")
            } else {
                message!("doctor-integrity-ok")
            };
            DoctorCheck::ok("integrity", says)
        }
        Ok(Ok(found)) => DoctorCheck::fail("integrity", found.faults.join("; "), fix),
        Ok(Err(error)) => DoctorCheck::fail("integrity", chain(&error), fix),
        Err(error) => DoctorCheck::fail("integrity", chain(&error), fix),
    }
}

/// Checks for tables whose next number is already taken; `None` if there are none.
async fn counters(database: Database) -> Option<DoctorCheck> {
    let behind = tokio::task::spawn_blocking(move || database.lagging_sequences()).await.ok()?.ok()?;
    let says = || message!("doctor-counters-behind", tables = counter_list(&behind));
    (!behind.is_empty()).then(|| DoctorCheck::fail("counters", says(), "entracte db repair"))
}

/// Checks what a failover of the server would lose; `None` for a file.
async fn replication(database: Database) -> Option<DoctorCheck> {
    let is_required = database.requires_sync();
    let found = tokio::task::spawn_blocking(move || database.replication()).await;
    let found = match found {
        Ok(Ok(found)) => found?,
        Ok(Err(error)) => return Some(DoctorCheck::fail("replication", chain(&error), "entracte db check")),
        Err(error) => return Some(DoctorCheck::fail("replication", chain(&error), "entracte db check")),
    };
    Some(judge_replication(&found, is_required))
}

fn judge_replication(found: &ReplicationStatus, is_required: bool) -> DoctorCheck {
    let name = "replication";
    if found.is_standby {
        return DoctorCheck::warn(name, message!("doctor-standby"), message!("doctor-standby-fix"));
    }
    let replicas = replica_list(&found.replicas);
    if found.is_synchronous() {
        return DoctorCheck::ok(name, message!("doctor-replication-sync", replicas = replicas));
    }
    let says = match found.replicas.is_empty() {
        true if !is_required => return DoctorCheck::ok(name, message!("doctor-replication-none")),
        true => message!("doctor-replication-none"),
        false => message!("doctor-replication-async", replicas = replicas),
    };
    let fix = message!("doctor-replication-fix");
    if is_required { DoctorCheck::fail(name, says, fix) } else { DoctorCheck::warn(name, says, fix) }
}

/// The replicas: “paris (async), lyon (quorum)”.
fn replica_list(replicas: &[ReplicaStatus]) -> String {
    let words = |replica: &ReplicaStatus| {
        let name = if replica.name.is_empty() { "?" } else { &replica.name };
        format!("{name} ({})", replica.sync_state.as_deref().unwrap_or("?"))
    };
    replicas.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// Checks the servers that share the database; `None` if none does.
async fn servers(database: &Database) -> Option<DoctorCheck> {
    match database.workspace_ownership().processes().await {
        Ok(found) if found.is_empty() => None,
        Ok(found) => Some(judge_servers(&found)),
        Err(error) => Some(DoctorCheck::fail("owner", chain(&error), message!("doctor-owner-fix"))),
    }
}

fn judge_servers(servers: &[WorkerProcessRecord]) -> DoctorCheck {
    let versions: BTreeSet<&str> = servers.iter().map(|server| server.description.version.as_str()).collect();
    let configurations: BTreeSet<&str> =
        servers.iter().map(|server| server.description.configuration.as_str()).collect();
    let list = server_list(servers);
    if versions.len() <= 1 && configurations.len() <= 1 {
        return DoctorCheck::ok("owner", message!("doctor-servers", servers = list));
    }
    DoctorCheck::warn(
        "owner",
        message!("doctor-servers-differ", servers = list),
        message!("doctor-servers-fix"),
    )
}

/// The servers with their versions and the beginnings of their configuration digests: “http://a (0.1.0, 1f2e3d4c)”.
fn server_list(servers: &[WorkerProcessRecord]) -> String {
    let words = |server: &WorkerProcessRecord| {
        let WorkerProcessDescription { owner, version, configuration, .. } = &server.description;
        let name = owner.url.as_deref().or(owner.host.as_deref()).unwrap_or("?");
        let digest: String = configuration.chars().take(SHOWN_DIGITS).collect();
        format!("{name} ({version}, {digest})")
    };
    servers.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// Digits of a configuration digest that are shown.
const SHOWN_DIGITS: usize = 8;

async fn owner(database: &Database) -> DoctorCheck {
    let lock = match database.lock_holder().await {
        Ok(Some(lock)) => lock,
        Ok(None) => return DoctorCheck::ok("owner", message!("doctor-owner-none")),
        Err(error) => return DoctorCheck::fail("owner", chain(&error), message!("doctor-owner-fix")),
    };
    let holder = match database.ownership_as(OwnerDescription::default()).holder().await {
        Ok(holder) => holder,
        Err(error) => return DoctorCheck::fail("owner", chain(&error), message!("doctor-owner-fix")),
    };
    match (holder, lock.pid) {
        (Some(holder), pid) if pid.is_none() || pid == holder.pid => {
            DoctorCheck::ok("owner", message!("doctor-owner", owner = words(&holder)))
        }
        // The row belongs to a process that has ended, or lost the database.
        (_, Some(pid)) => DoctorCheck::ok("owner", message!("doctor-owner-lock-only", pid = pid.to_string())),
        (_, None) => DoctorCheck::ok("owner", message!("doctor-owner-unknown")),
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::WorkerProcessId;
    use entracte_domain::time::Timestamp;

    use super::*;

    fn server(id: i64, version: &str, configuration: &str) -> WorkerProcessRecord {
        let url = Some(format!("http://server{id}"));
        WorkerProcessRecord {
            id: WorkerProcessId(id),
            description: WorkerProcessDescription {
                owner: OwnerDescription { url, ..OwnerDescription::default() },
                pid: None,
                version: version.to_owned(),
                configuration: configuration.to_owned(),
            },
            since: Timestamp(0),
            beats: 1,
        }
    }

    /// Input: two servers; expected: a warning if their versions or configurations differ, and both are named.
    #[test]
    fn servers_that_differ_are_named() {
        let cases = [
            (
                ["1", "1"],
                ["aaaaaaaaa", "aaaaaaaaa"],
                true,
                "http://server1 (1, aaaaaaaa), http://server2 (1, aaaaaaaa)",
            ),
            (
                ["1", "2"],
                ["aaaaaaaaa", "aaaaaaaaa"],
                false,
                "http://server1 (1, aaaaaaaa), http://server2 (2, aaaaaaaa)",
            ),
            (
                ["1", "1"],
                ["aaaaaaaaa", "baaaaaaaa"],
                false,
                "http://server1 (1, aaaaaaaa), http://server2 (1, baaaaaaa)",
            ),
        ];
        for (versions, configurations, is_ok, list) in cases {
            let servers =
                [server(1, versions[0], configurations[0]), server(2, versions[1], configurations[1])];
            assert_eq!(server_list(&servers), list);
            assert_eq!(judge_servers(&servers).fix.is_none(), is_ok, "{list}");
        }
    }
}
