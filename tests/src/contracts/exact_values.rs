//! Contract of stored values: numbers keep every digit and are ordered as numbers, texts and bodies keep every
//! character and byte.

use entracte_application::instructions::InstructionScope;
use entracte_application::ports::{
    AutomationRow, CallRow, ContentBlob, ResourceChange, ResourceFilter, ResourceRow, TaskFilter, TaskRow,
    WorkspaceCommit,
};
use entracte_domain::id::Digest;
use entracte_domain::task::TaskState;
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::automation_reader::{automation, occurrence};
use super::instructions::version;
use super::rows::{HOME, begun, call, input, key, next, resource, session_id};
use super::store::{commit, conflict};
use super::task_reader::task;

/// The first whole number that a floating-point number cannot hold: 2^53 + 1.
const BEYOND_FLOATS: i64 = 9_007_199_254_740_993;
/// JSON whose numbers have more digits than a floating-point number, and a trailing zero.
const DIGITS: &str = r#"{"count":9007199254740993,"price":72.50,"share":0.1234567890123456789}"#;

/// Instants, versions and the numbers in a body are what was written, to the last digit.
pub async fn numbers_keep_every_digit(stores: StoreFixture) {
    let at = Timestamp(BEYOND_FLOATS);
    let version = BEYOND_FLOATS.unsigned_abs();
    let mut made = begun(HOME, "a");
    made.workspace.created_at = at;
    made.sessions[0].0.created_at = at;
    made.sessions[0].0.last_activity = Timestamp(at.0 + 2);
    made.sessions[0].0.wake_at = Some(Timestamp(at.0 + 4));
    made.log[0].at = at;
    made.calls = vec![CallRow { requested_at: at, finished_at: Some(at), ..call("a", 1, 0) }];
    let exact = ResourceRow {
        at: Some(at),
        version,
        body: DIGITS.to_owned(),
        created_at: at,
        updated_at: at,
        ..resource("zone", "z1")
    };
    made.resources = vec![ResourceChange::Create(exact.clone())];
    let scheduled = AutomationRow { next_at: Some(at), revision: version, ..automation("a", 1) };
    made.automations = vec![(scheduled.clone(), None)];
    commit(&stores, made.clone()).await;

    let (home, a) = (key(HOME), session_id("a"));
    assert_eq!(stores.store.workspace(&home).await.unwrap(), Some(made.workspace));
    assert_eq!(stores.store.session(&home, &a).await.unwrap(), Some(made.sessions[0].0.clone()));
    assert_eq!(stores.log.entries(&home, &a, 0, 9).await.unwrap(), made.log);
    assert_eq!(stores.log.calls(&home, &a).await.unwrap(), made.calls);
    assert_eq!(stores.resources.resource(&home, "zone", "z1").await.unwrap(), Some(exact.clone()));
    assert_eq!(stores.automations.automations(&home).await.unwrap(), [scheduled]);

    // The version before it is the same floating-point number.
    let row = ResourceRow { version: version + 1, ..exact };
    let changed = |expected: u64| WorkspaceCommit {
        resources: vec![ResourceChange::Update { row: row.clone(), expected }],
        ..next(HOME, 1)
    };
    conflict(&stores, changed(version - 1)).await;
    commit(&stores, changed(version)).await;
}

/// 10 comes after 9, in every list.
pub async fn numbers_are_ordered_as_numbers(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    for seq in 1..12 {
        commit(&stores, input(HOME, "a", seq, seq)).await;
    }
    let (home, a) = (key(HOME), session_id("a"));
    let log = &stores.log;
    for (found, expected) in [
        (log.entries(&home, &a, 0, 99).await, 1..=12),
        (log.entries(&home, &a, 9, 99).await, 10..=12),
        (log.entries_since(&home, &a, 0, 99).await, 1..=12),
        (log.entries_since(&home, &a, 9, 99).await, 10..=12),
        (log.entries_of_all(&home, 0, 99).await, 1..=12),
        (log.entries_of_all(&home, 9, 2).await, 10..=11),
    ] {
        let found: Vec<u64> = found.unwrap().iter().map(|row| row.seq).collect();
        assert_eq!(found, expected.collect::<Vec<u64>>());
    }

    let workspace = InstructionScope::Workspace;
    let instants = [9, 10, 100];
    let tasks = instants.map(|at| TaskRow {
        created_at: Timestamp(at),
        ..task(&format!("tsk_{at}"), TaskState::Running, Some(at))
    });
    let entries = instants
        .map(|at| ResourceRow { at: Some(Timestamp(at)), ..resource("entry", &format!("e{at}")) })
        .map(ResourceChange::Create);
    let lists = WorkspaceCommit {
        occurrences: instants.map(|at| occurrence("a", at, None)).to_vec(),
        tasks: tasks.to_vec(),
        resources: entries.to_vec(),
        instructions: (1..=11).map(|number| (version(&workspace, number), 0)).collect(),
        ..next(HOME, 12)
    };
    let id = automation("a", 1).id;
    commit(&stores, lists).await;
    let occurrences = stores.automations.occurrences(&home, &id, None, 9).await.unwrap();
    assert_eq!(occurrences.iter().map(|row| row.at.0).collect::<Vec<_>>(), [100, 10, 9]);
    let tasks = stores.tasks.tasks(&home, TaskFilter::default()).await.unwrap();
    assert_eq!(tasks.iter().map(|row| row.created_at.0).collect::<Vec<_>>(), [100, 10, 9]);
    let due = stores.tasks.due_tasks(&home, Timestamp(100)).await.unwrap();
    assert_eq!(due.iter().filter_map(|row| row.wake_at).map(|at| at.0).collect::<Vec<_>>(), instants);
    assert_eq!(stores.tasks.next_task(&home).await.unwrap(), Some(Timestamp(9)));
    let of_kind = ResourceFilter { kind: "entry".to_owned(), ..ResourceFilter::default() };
    let rows = stores.resources.resources(&home, &of_kind).await.unwrap();
    assert_eq!(rows.iter().filter_map(|row| row.at).map(|at| at.0).collect::<Vec<_>>(), instants);
    let versions = log.versions_of_instructions(&home, &workspace, None, 99).await.unwrap();
    assert!(versions.iter().map(|row| row.version).eq((1..=11_u64).rev()), "{versions:?}");

    let mut posted = Vec::new();
    for number in 1..=11 {
        posted.push(stores.mail.post(&home, vec![number], Timestamp(1)).await.expect("it is posted"));
    }
    let unanswered = stores.mail.unanswered().await.unwrap();
    assert_eq!(unanswered.iter().map(|row| row.id).collect::<Vec<_>>(), posted);
}

/// Spaces at both ends, line ends, quotes and wildcards of SQL, characters beyond 16 bits, combined ones, and some that
/// change the direction of writing.
const CHARACTERS: &str =
    "  Zoë’s \u{1f9ea}\u{200d}\u{1f469} e\u{301} \u{202e}שלום\u{202c}\t\r\n 100%_\\ ' \" ; -- \u{fffd}  ";

/// A text longer than any column that has a limit.
fn long_text() -> String {
    format!("{CHARACTERS}{}{CHARACTERS}", "é".repeat(70_000))
}

/// Bytes of every value, more than two bytes can count.
fn long_bytes() -> Vec<u8> {
    (0..=u8::MAX).cycle().take(1 << 18).collect()
}

/// Names, texts and bodies are neither cut nor normalised, whatever they contain.
pub async fn texts_and_bodies_are_kept_whole(stores: StoreFixture) {
    let (home, a) = (key(HOME), session_id("a"));
    let mut made = begun(HOME, "a");
    made.workspace.body = long_bytes();
    made.sessions[0].0.name = long_text();
    made.sessions[0].0.body = long_bytes();
    made.log[0].client_key = Some(format!("{CHARACTERS}{}", "k".repeat(300)));
    made.log[0].body = long_bytes();
    made.calls = vec![CallRow { body: long_bytes(), ..call("a", 1, 0) }];
    made.blobs = vec![ContentBlob { digest: Digest::new("b1"), bytes: long_bytes() }];
    let body = format!("{{\"text\": \"{}\"}}", "é".repeat(70_000));
    let zone = ResourceRow { name: long_text(), body, ..resource("zone", "z1") };
    made.resources = vec![ResourceChange::Create(zone.clone())];
    let named = AutomationRow { name: long_text(), body: long_bytes(), ..automation("a", 1) };
    made.automations = vec![(named.clone(), None)];
    let mut told = version(&InstructionScope::Workspace, 1);
    told.text = long_text();
    made.instructions = vec![(told.clone(), 0)];
    commit(&stores, made.clone()).await;

    let row = stores.store.workspace(&home).await.unwrap();
    assert!(row == Some(made.workspace), "the row of the workspace is another one");
    let row = stores.store.session(&home, &a).await.unwrap();
    assert!(row.as_ref() == Some(&made.sessions[0].0), "the row of the session is another one");
    assert!(stores.log.entries(&home, &a, 0, 9).await.unwrap() == made.log, "the entry is another one");
    assert!(stores.log.calls(&home, &a).await.unwrap() == made.calls, "the call is another one");
    let blob = stores.log.blob(&home, &a, &made.blobs[0].digest).await.unwrap();
    assert!(blob.as_ref() == Some(&made.blobs[0].bytes), "the blob is another one");
    let row = stores.resources.resource(&home, "zone", "z1").await.unwrap();
    assert!(row == Some(zone), "the resource is another one");
    assert!(stores.automations.automations(&home).await.unwrap() == [named], "the automation is another one");
    let latest = stores.log.instructions(&home, &[InstructionScope::Workspace]).await.unwrap();
    assert!(latest == [told], "the instructions are others");
    let id = stores.mail.post(&home, long_bytes(), Timestamp(1)).await.expect("it is posted");
    assert!(stores.mail.unanswered().await.unwrap()[0].body == long_bytes(), "the mail is another one");
    stores.mail.answer_refused(&home, id, long_bytes()).await.expect("it is answered");
    assert!(stores.mail.answer(&home, id).await.unwrap() == Some(long_bytes()), "the answer is another one");
}

/// Two texts are the same if every byte is: keys and ids that differ by case, a space or their composition are others.
pub async fn texts_differ_by_every_byte(stores: StoreFixture) {
    let alike = ["k", "K", "k ", "\u{e9}", "e\u{301}", "e"];
    for (seq, client_key) in (0_u64..).zip(alike) {
        let mut said = if seq == 0 { begun(HOME, "a") } else { input(HOME, "a", seq, seq) };
        said.log[0].client_key = Some(client_key.to_owned());
        said.resources = vec![ResourceChange::Create(resource("zone", client_key))];
        commit(&stores, said).await;
    }
    for (seq, client_key) in (1_u64..).zip(alike) {
        let found = stores.log.entry_by_client_key(&key(HOME), &session_id("a"), client_key).await.unwrap();
        assert_eq!(found.map(|row| row.seq), Some(seq), "{client_key:?}");
        let found = stores.resources.resource(&key(HOME), "zone", client_key).await.unwrap();
        assert_eq!(found, Some(resource("zone", client_key)));
    }
}
