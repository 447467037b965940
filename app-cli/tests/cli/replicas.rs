//! A database with a replica: its reports, its refusals, and the work after the replica takes over.

use crate::postgres_servers::{PRIMARY, PostgresCluster, REPLICA, doctor_check, stage_at, until};

/// Waits until `doctor` reports this about the replication; returns its grade and message.
fn doctor_until(stage: &crate::cli_fixture::CliFixture, words: &str) -> (String, String) {
    let mut found = (String::new(), String::new());
    until(|| {
        found = doctor_check(&stage.run(&["--json", "doctor"]), "replication");
        found.1.contains(words)
    });
    found
}

/// Input: a server with an asynchronous replica, then with a synchronous one; expected: doctor names the mode, and the
/// remedy.
#[test]
fn doctor_reports_async_replication() {
    let Some(cluster) = PostgresCluster::start() else { return };
    let stage = stage_at(&cluster.url(PRIMARY), "");
    stage.send_in_new_session("Hi", 0);
    let (grade, says) = doctor_until(&stage, "asynchronous: paris (async)");
    assert_eq!(grade, "warn", "{says}");
    assert!(says.contains("database.require_sync = true"), "{says}");
    cluster.set_synchronous_standbys("paris");
    let (grade, says) = doctor_until(&stage, "paris (sync)");
    assert_eq!(grade, "ok", "{says}");
    stage.send_in_new_session("Hi", 0);
}

/// Input: a database that may be owned only with a synchronous replica; expected: without one no process acquires it,
/// with one the work continues.
#[test]
fn require_sync_refuses() {
    let Some(cluster) = PostgresCluster::start() else { return };
    let stage = stage_at(&cluster.url(PRIMARY), "require_sync = true\n");
    for arguments in [&["chat", "--message", "Hi"][..], &["serve", "--bind", "127.0.0.1:0"]] {
        let refused = stage.run(arguments);
        assert_ne!(refused.code, 0, "{}", refused.err);
        assert!(refused.err.contains("set synchronous_standby_names on the server"), "{}", refused.err);
    }
    assert_eq!(doctor_until(&stage, "asynchronous").0, "fail");
    cluster.set_synchronous_standbys("paris");
    assert_eq!(doctor_until(&stage, "paris (sync)").0, "ok");
    stage.send_in_new_session("Hi", 0);
    // A COMMIT would wait for ever.
    cluster.control(REPLICA, "stop");
    doctor_until(&stage, "no replica is connected");
    let refused = stage.run(&["chat", "--message", "Hi"]);
    assert!(refused.err.contains("no synchronous replica is connected"), "{}", refused.err);
}

/// Input: commands on a replica; expected: read commands work, and write commands report that the server is a replica.
#[test]
fn standby_is_called_a_read_only_replica() {
    let Some(cluster) = PostgresCluster::start() else { return };
    let session = stage_at(&cluster.url(PRIMARY), "").send_in_new_session("Hi", 0);
    let stage = stage_at(&cluster.url(REPLICA), "");
    until(|| stage.run(&["session", "list"]).out.contains(&session));
    for arguments in [
        &["session", "show", &session][..],
        &["session", "verify", "--all"],
        &["inbox"],
        &["cost", "report"],
        &["db", "check"],
        &["db", "backup", "copy.db"],
    ] {
        stage.run(arguments).expect(0);
    }
    let (grade, says) = doctor_check(&stage.run(&["--json", "doctor"]), "replication");
    assert_eq!(grade, "warn");
    assert!(says.contains("read-only replica") && says.contains("target_session_attrs=read-write"), "{says}");
    for arguments in [
        &["chat", "--message", "Hi"][..],
        &["zone", "add", "Health"],
        &["serve", "--bind", "127.0.0.1:0"],
        &["db", "repair"],
    ] {
        let refused = stage.run(arguments);
        assert_ne!(refused.code, 0, "{arguments:?}");
        assert!(
            refused.err.contains("This server is a read-only replica (a standby)"),
            "{arguments:?}: {}",
            refused.err
        );
        assert!(refused.err.contains("db backup"), "{}", refused.err);
    }
}

/// Input: a replica that takes over; expected: the next process reports the changed timeline, waits one lease and
/// works; the one after it need not wait.
#[test]
#[expect(clippy::disallowed_methods, reason = "how long another process waits is what is tested")]
fn failover_is_logged_and_waits_one_lease() {
    let Some(cluster) = PostgresCluster::start() else { return };
    let stage = stage_at(&cluster.url_of_both(), "[runtime]\nlease = \"2s\"\nlease_margin = \"500ms\"\n");
    cluster.set_synchronous_standbys("paris");
    let session = stage.send_in_new_session("Hi", 0);
    cluster.control(PRIMARY, "stop");
    cluster.control(REPLICA, "promote");
    // The setting was copied with the data: no replica is left to wait for.
    cluster.run(REPLICA, "ALTER SYSTEM SET synchronous_standby_names = ''");
    cluster.run(REPLICA, "SELECT pg_reload_conf()");
    let began = std::time::Instant::now();
    let after = stage.run(&["chat", "--session", &session, "--message", "And now?"]).expect(0);
    assert_eq!(after.out, "So it is.\n");
    assert!(after.err.contains("its timeline changed"), "{}", after.err);
    assert!(began.elapsed() >= std::time::Duration::from_secs(2), "{:?}", began.elapsed());
    let next = stage.run(&["chat", "--session", &session, "--message", "And then?"]).expect(0);
    assert!(!next.err.contains("its timeline changed"), "{}", next.err);
    stage.run(&["session", "verify", "--all"]).expect(0);
}
