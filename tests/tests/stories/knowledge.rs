//! Documents, from the file to the text that a model reads, on both databases.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod fixture;
mod untrusted_documents;

use std::sync::Arc;
use std::time::Duration;

use entracte_application::instructions::InstructionScope;
use entracte_application::ports::{
    ChunkQuery, DocumentFormat, UnreadDocumentCondition, UnreadRemovalOutcome,
};
use entracte_application::retention::RetentionTable;
use entracte_application::settings::{KnowledgeSettings, RetentionSettings};
use entracte_application::use_cases::{
    AddDocumentOutcome, HoldRetention, KnowledgeError, ReleaseRetention, RunRetention, SearchKnowledge,
    UseCaseError,
};
use entracte_domain::time::Millis;
use entracte_tests::runtime_fixture::{NOON, TokioClock, retention_settings};
use serde_json::{Value, json};

use self::fixture::{KnowledgeFixture, available_databases};

const GUIDE: &str = "# Travel\n\n## Trains\n\nTickets for trains are second class. Keep the receipt.\n\n\
                     ## Hotels\n\nA night costs 120 € at most, breakfast included.\n";

/// Input: documents in two languages, and a process that ends; expected: the next one finds the same with other
/// inflections of the words, with snippet, source and position.
#[tokio::test(flavor = "multi_thread")]
async fn search_finds_after_restart() {
    for place in available_databases() {
        let scene = KnowledgeFixture::on(&place);
        let french = "Les factures des fournisseurs sont payées à trente jours par la comptabilité, après la \
                      validation de la direction financière.";
        scene.add("guide.md", DocumentFormat::Markdown, GUIDE).await.unwrap();
        scene.add("factures.txt", DocumentFormat::Text, french).await.unwrap();
        drop(scene);
        let scene = KnowledgeFixture::on(&place);
        let found = scene.search("How much may a hotel cost?").await;
        let best = &found.chunks[0];
        assert_eq!(
            (best.document.name.as_str(), best.document.source.as_str()),
            ("guide.md", "/srv/guide.md")
        );
        assert!(best.chunk.text.contains("120 €") && best.snippet.contains("costs 120 €"), "{best:?}");
        assert!(best.score > 0.0);
        let french = scene.search("payer une facture fournisseur").await;
        assert_eq!(french.chunks[0].document.name, "factures.txt");
        assert_eq!(french.chunks[0].document.language, "fr");
        assert!(scene.search("zeppelin").await.chunks.is_empty());
        assert!(scene.search("the of and").await.chunks.is_empty(), "nothing but stop words");
        let read = scene.run("knowledge.read", json!({ "document": "guide.md", "from": 0 })).await.unwrap();
        assert_eq!((&read["text"], &read["more"]), (&json!(GUIDE), &json!(false)));
    }
}

/// Input: the same file twice, another one of its name, one too many, one too large; expected: unchanged, replaced,
/// refused, refused.
#[tokio::test(flavor = "multi_thread")]
async fn file_is_added_once_and_replaced_if_changed() {
    for place in available_databases() {
        let settings =
            KnowledgeSettings { documents: 1, document_bytes: 300, ..KnowledgeSettings::default() };
        let scene = KnowledgeFixture::with(&place, settings);
        let first = scene.add("guide.md", DocumentFormat::Markdown, GUIDE).await.unwrap();
        let AddDocumentOutcome::New(first) = first else { panic!("{first:?}") };
        let same = scene.add("guide.md", DocumentFormat::Markdown, GUIDE).await.unwrap();
        assert_eq!(same, AddDocumentOutcome::Same(first.clone()));
        let changed =
            scene.add("guide.md", DocumentFormat::Markdown, "# Travel\n\nBy bicycle.").await.unwrap();
        let AddDocumentOutcome::Replaced(changed) = changed else { panic!("{changed:?}") };
        assert_eq!((&changed.id, changed.added_at), (&first.id, first.added_at));
        assert!(scene.search("hotel").await.chunks.is_empty());
        let full = scene.add("b.md", DocumentFormat::Markdown, "b").await;
        assert!(matches!(full, Err(KnowledgeError::Full { most: 1 })), "{full:?}");
        let large = scene.add("guide.md", DocumentFormat::Text, &"x".repeat(301)).await;
        assert!(matches!(large, Err(KnowledgeError::TooLarge { bytes: 301, most: 300 })), "{large:?}");
        let empty = scene.add("guide.md", DocumentFormat::Text, " \n\n").await;
        assert!(matches!(empty, Err(KnowledgeError::Empty)), "{empty:?}");
    }
}

/// Input: data of a department as JSON and a table as CSV; expected: records by path and filter, as a model requests
/// them.
#[tokio::test(flavor = "multi_thread")]
async fn documents_are_read_by_path_and_filter() {
    for place in available_databases() {
        let scene = KnowledgeFixture::on(&place);
        let departments = json!({
            "sales": { "head": "Ann", "staff": [
                { "name": "Ann", "city": "Lyon", "pay": 3000.5 },
                { "name": "Bob", "city": "Paris", "pay": 2900 },
            ] },
            "hr": { "head": "Cem", "staff": [] },
        });
        scene.add("departments.json", DocumentFormat::Json, &departments.to_string()).await.unwrap();
        scene
            .add("costs.csv", DocumentFormat::Csv, "day;amount\n2026-01-05;12,50\n2026-02-01;7\n")
            .await
            .unwrap();
        let get = |arguments: Value| scene.run("documents.get", arguments);
        let listed = get(json!({})).await.unwrap();
        assert_eq!(listed["total"], 2);
        assert_eq!(listed["documents"][0]["document"], "costs.csv");
        let path = "departments.json#/sales/staff";
        let filters = json!([{ "field": "city", "op": "eq", "value": "Lyon" }]);
        let lyon = get(json!({ "path": path, "filters": filters, "fields": ["name", "pay"] })).await.unwrap();
        assert_eq!(lyon["items"].to_string(), r#"[{"name":"Ann","pay":3000.5}]"#, "{lyon}");
        assert_eq!((&lyon["total"], &lyon["matched"], &lyon["more"]), (&json!(2), &json!(1), &json!(false)));
        let late = json!([{ "field": "day", "op": "ge", "value": "2026-02-01" }]);
        let late = get(json!({ "path": "costs.csv", "filters": late })).await.unwrap();
        assert_eq!(late["items"], json!([{ "day": "2026-02-01", "amount": 7 }]));
        assert_eq!(get(json!({ "path": "departments.json#/hr/head" })).await.unwrap()["value"], "Cem");
        let astray = get(json!({ "path": "departments.json#/legal" })).await.unwrap_err();
        assert_eq!(astray.code, "NO_PATH");
        assert!(astray.message.contains("hr, sales"), "{}", astray.message);
        assert_eq!(get(json!({ "path": "nothing.json" })).await.unwrap_err().code, "NO_DOCUMENT");
        let found = scene.run("knowledge.search", json!({ "query": "who works in Paris" })).await.unwrap();
        let hit = &found["results"][0];
        assert_eq!(hit["document"], "departments.json");
        let again = get(json!({ "path": hit["path"] })).await.unwrap();
        assert!(again.to_string().contains("Bob"), "the path of a result leads there: {again}");
    }
}

/// Input: documents with words in common, one of which is removed; expected: no row of it remains in any table, index
/// or count, and the others are found.
#[tokio::test(flavor = "multi_thread")]
async fn removed_documents_leave_no_chunk() {
    for place in available_databases() {
        let scene = KnowledgeFixture::on(&place);
        scene.add("a.md", DocumentFormat::Markdown, GUIDE).await.unwrap();
        scene.add("b.md", DocumentFormat::Markdown, "# Trains\n\nNight trains have beds.").await.unwrap();
        let before = scene.database.differences(&scene.database).unwrap();
        assert_eq!(before, Vec::<&str>::new());
        for document in ["a.md", "b.md"] {
            scene.remove(document).await.unwrap();
            assert!(scene.remove(document).await.is_err(), "it is gone");
        }
        let any = ChunkQuery::Any(["train", "hotel", "bed", "ticket"].map(str::to_owned).to_vec());
        assert_eq!(scene.store().search_chunks(&scene.workspace, &any, 50).await.unwrap(), []);
        let library = scene.store().library(&scene.workspace).await.unwrap();
        assert_eq!((library.documents, library.chunks, library.terms), (0, 0, 0));
        assert_eq!(scene.database.check().unwrap(), Vec::<String>::new());
        let empty = place.empty();
        let counts = scene.database.copy_into(&empty).unwrap();
        for table in ["documents", "chunks", "terms"] {
            assert!(counts.contains(&(table, 0)), "{table}: {counts:?}");
        }
    }
}

/// Input: two documents, of which a person finds one, and finds it again an hour later; expected: that is noted once, only
/// the other one goes, nothing does while the workspace is held or by a process with other limits, and the first one goes
/// once nobody has found it for long enough.
#[tokio::test(flavor = "multi_thread")]
async fn unread_documents_go_by_the_policy() {
    for place in available_databases() {
        let scene = KnowledgeFixture::on(&place);
        scene.add("guide.md", DocumentFormat::Markdown, GUIDE).await.unwrap();
        scene.add("old.txt", DocumentFormat::Text, "Xylophones cost 5 €.").await.unwrap();
        let clock = Arc::new(TokioClock::default());
        let life = scene.retaining_life(&clock, "documents=24h").await;
        life.chat(false).await;
        let home = &life.workspace;
        let names = async || {
            let listed = scene.store().documents(home, None, 9).await.unwrap();
            listed.into_iter().map(|document| document.name).collect::<Vec<_>>()
        };
        let find = async || {
            let settings = KnowledgeSettings::default();
            let search = SearchKnowledge::new(scene.store(), clock.clone(), None, settings);
            let found = search.run(home, "hotel", None).await.unwrap();
            assert_eq!(found.chunks[0].document.name, "guide.md");
            scene.store().document(home, "guide.md").await.unwrap().unwrap().last_read_at
        };

        clock.jump(Millis::hours(40));
        let noted = find().await;
        assert!(noted.is_some_and(|at| at > NOON.plus(Millis::hours(39))), "{noted:?}");
        clock.jump(Millis::hours(1));
        assert_eq!(find().await, noted, "it is noted once a day");
        clock.jump(Millis::hours(8));

        let hold = HoldRetention::new(life.mail_sender.clone(), life.services.log.clone());
        let scope = InstructionScope::Workspace;
        hold.run(home, "ann".into(), scope.clone(), "Audit.".into()).await.unwrap();
        assert!(life.retention(200).run(home, &mut |_| {}).await.unwrap().is_empty());
        ReleaseRetention::new(life.mail_sender.clone()).run(home, "ann".into(), scope).await.unwrap();

        let services = &life.services;
        let other = RunRetention::new(
            services.store.clone(),
            services.log.clone(),
            life.mail_sender.clone(),
            services.clock.clone(),
            retention_settings("documents=5s"),
            services.knowledge.clone(),
        );
        let refused = other.run(home, &mut |_| {}).await;
        assert!(matches!(refused, Err(UseCaseError::Conflict(_))), "{refused:?}");

        let would = life.retention(200).preview(home).await.unwrap();
        let count = would.count(RetentionTable::Documents);
        let old = scene.store().document(home, "old.txt").await.unwrap().unwrap();
        assert_eq!((count.rows, count.bytes, would.rows()), (1, old.bytes, 1));
        assert_eq!(names().await, ["guide.md", "old.txt"]);
        assert_eq!(life.retention(200).run(home, &mut |_| {}).await.unwrap(), would);
        assert_eq!(names().await, ["guide.md"]);
        assert_eq!(scene.database.check().unwrap(), Vec::<String>::new());

        clock.jump(Millis::hours(48));
        life.retention(200).run(home, &mut |_| {}).await.unwrap();
        assert_eq!(names().await, Vec::<String>::new());
    }
}

/// Input: a limit for documents alone, and a document that nobody reads; expected: the process that owns the database
/// removes it by itself.
#[tokio::test(flavor = "multi_thread")]
async fn owner_removes_unread_documents_by_itself() {
    for place in available_databases() {
        let scene = KnowledgeFixture::on(&place);
        scene.add("old.txt", DocumentFormat::Text, "Xylophones cost 5 €.").await.unwrap();
        let clock = Arc::new(TokioClock::default());
        clock.jump(Millis::hours(50));
        let settings = RetentionSettings { every: Millis(10), ..retention_settings("documents=24h") };
        let life = scene.life_with(&clock, settings).await;
        life.chat(false).await;
        let is_gone = async {
            while scene.store().document(&life.workspace, "old.txt").await.unwrap().is_some() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), is_gone).await.unwrap();
    }
}

/// Input: a document that is added again unchanged, as a sync does every night; expected: that counts as a use of it, and
/// it does not go.
#[tokio::test(flavor = "multi_thread")]
async fn document_added_again_unchanged_stays() {
    for place in available_databases() {
        let scene = KnowledgeFixture::on(&place);
        let document = async || scene.store().document(&scene.workspace, "guide.md").await.unwrap().unwrap();
        scene.add("guide.md", DocumentFormat::Markdown, GUIDE).await.unwrap();
        assert_eq!(document().await.last_read_at, None);
        let again = scene.add("guide.md", DocumentFormat::Markdown, GUIDE).await.unwrap();
        assert!(matches!(again, AddDocumentOutcome::Same(_)), "{again:?}");
        assert_eq!(document().await.last_read_at, Some(NOON));
    }
}

/// Input: a document that goes, and a hold on its workspace after the row of that was read; expected: the document stays.
#[tokio::test(flavor = "multi_thread")]
async fn document_of_a_workspace_held_meanwhile_stays() {
    for place in available_databases() {
        let scene = KnowledgeFixture::on(&place);
        scene.add("old.txt", DocumentFormat::Text, "Xylophones cost 5 €.").await.unwrap();
        let life = scene.retaining_life(&Arc::new(TokioClock::default()), "documents=24h").await;
        life.chat(false).await;
        let home = &life.workspace;
        let id = scene.store().document(home, "old.txt").await.unwrap().unwrap().id;
        let condition = async || {
            let row = life.services.store.workspace(home).await.unwrap();
            UnreadDocumentCondition { before: NOON.plus(Millis(1)), workspace_seq: row.map(|row| row.seq) }
        };
        let before = condition().await;
        let hold = HoldRetention::new(life.mail_sender.clone(), life.services.log.clone());
        hold.run(home, "ann".into(), InstructionScope::Workspace, "Audit.".into()).await.unwrap();
        let kept = scene.store().remove_unread(home, &id, before).await.unwrap();
        assert_eq!(kept, UnreadRemovalOutcome::WorkspaceChanged);
        let removed = scene.store().remove_unread(home, &id, condition().await).await.unwrap();
        assert_eq!(removed, UnreadRemovalOutcome::Removed);
    }
}
