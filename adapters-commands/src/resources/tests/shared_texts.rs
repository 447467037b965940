//! Shared texts: proposed, compared, published, and read in every version.

use entracte_application::ports::CommandExecutor as _;
use entracte_application::settings::{Language, WorkspaceLocale};
use serde_json::{Value as Json, json};

use super::ResourcesFixture;
use crate::resources::{ResourcesExecutor, SharedTextLimits};

fn read(said: &str) -> Json {
    serde_json::from_str(said).unwrap_or_else(|_| panic!("{said}"))
}

impl ResourcesFixture {
    /// Proposes a change; returns the id of the proposal.
    async fn proposes(&self, arguments: Json) -> String {
        let said = self.does("shared_texts.propose", arguments).await;
        read(&said)["proposal_id"].as_str().unwrap().to_owned()
    }

    async fn publishes(&self, proposal: &str) -> String {
        self.does("shared_texts.publish", json!({"proposal_id": proposal})).await
    }

    /// A workspace whose text `general` has one published version.
    async fn with_general(text: &str) -> Self {
        let world = Self::empty();
        let first = world.proposes(json!({"key": "general", "version": 0, "text": text})).await;
        world.publishes(&first).await;
        world
    }
}

/// Input: three publications, one of which restores an old text; expected: each version reads as published.
#[tokio::test]
async fn published_text_keeps_its_versions() {
    let world = ResourcesFixture::empty();
    let get = |arguments: Json| world.does("shared_texts.get", arguments);
    assert_eq!(
        get(json!({"key": "general"})).await,
        "NOT_FOUND /key there is no shared text “general”; SHARED_TEXTS lists them"
    );

    let new =
        json!({"key": "general", "version": 0, "text": "We open at 9.\nWe close at 18.\n", "note": "new"});
    let first = world.proposes(new).await;
    let text = read(&get(json!({"key": "general"})).await);
    assert_eq!(
        (&text["version"], &text["text"], &text["last_refresh"]),
        (&json!(0), &json!(""), &Json::Null)
    );
    let published = read(&world.publishes(&first).await);
    assert_eq!((&published["key"], &published["version"]), (&json!("general"), &json!(1)));
    assert_eq!(published["last_refresh"], "2026-11-20T12:00:00Z");

    let edits = json!([{"find": "close at 18", "replace": "close at 17"}]);
    let second = world.proposes(json!({"key": "general", "version": 1, "edits": edits})).await;
    let shown = read(&get(json!({"key": "general", "proposal_id": second})).await);
    assert_eq!(shown["diff"], "@@ -1,2 +1,2 @@\n We open at 9.\n-We close at 18.\n+We close at 17.\n");
    assert_eq!((&shown["base"], &shown["stale"]), (&json!(1), &json!(false)));
    world.publishes(&second).await;
    let third = world.proposes(json!({"key": "general", "version": 2, "restore": 1})).await;
    world.publishes(&third).await;

    let text = read(&get(json!({"key": "general"})).await);
    assert_eq!((&text["version"], &text["text"]), (&json!(3), &json!("We open at 9.\nWe close at 18.\n")));
    assert_eq!(text["proposals"], json!([]));
    let versions: Vec<&Json> =
        text["versions"].as_array().unwrap().iter().map(|one| &one["version"]).collect();
    assert_eq!(versions, [3, 2, 1]);
    let older = read(&get(json!({"key": "general", "version": 2})).await);
    assert_eq!(older["text"], "We open at 9.\nWe close at 17.\n");
    assert_eq!(read(&get(json!({"key": "general", "version": 1})).await)["note"], "new");
    let listed = read(&world.does("shared_texts.list", json!({})).await);
    assert_eq!((&listed["texts"][0]["key"], &listed["texts"][0]["version"]), (&json!("general"), &json!(3)));
}

/// Input: two proposals for the same version; expected: publishing the second is refused with the reason, and a
/// proposal for an outdated version is not even created.
#[tokio::test]
async fn two_proposals_at_once_conflict() {
    let world = ResourcesFixture::with_general("one\ntwo\n").await;
    let change =
        |to: &str| json!({"key": "general", "version": 1, "edits": [{"find": "two", "replace": to}]});
    let (one, other) = (world.proposes(change("2")).await, world.proposes(change("II")).await);
    assert!(world.publishes(&one).await.starts_with('{'));
    let stale = "STALE_PROPOSAL /proposal_id this proposal changes version 1 of the shared text “general”, but version 2 \
                 has been published since; read it and propose the change again";
    assert_eq!(world.publishes(&other).await, stale);
    let waiting = read(&world.does("shared_texts.get", json!({"key": "general"})).await)["proposals"].clone();
    assert_eq!((&waiting[0]["id"], &waiting[0]["stale"]), (&json!(other), &json!(true)));
    assert_eq!(
        world.does("shared_texts.propose", change("deux")).await,
        "STALE_VERSION /version you read version 1 of the shared text “general”, but version 2 is published; read it and \
         propose the change again"
    );
    world.does("shared_texts.discard", json!({"proposal_id": other})).await;
    assert_eq!(
        world.publishes(&other).await,
        format!(
            "NOT_FOUND /proposal_id there is no proposal {other}; it may have been published or discarded"
        )
    );
}

#[tokio::test]
async fn publish_card_shows_difference_and_note() {
    let world = ResourcesFixture::with_general("one\ntwo\nthree\n").await;
    let edits = json!([{"find": "two\n", "replace": ""}, {"find": "three", "replace": "3"}]);
    let change = json!({"key": "general", "version": 1, "edits": edits, "note": "shorter"});
    let proposal = world.proposes(change).await;
    let card = world.describes("shared_texts.publish", json!({"proposal_id": proposal})).await;
    assert_eq!(
        card,
        "Publish version 2 of the shared text “general”\n- line 2: two\nthree\n\n+ line 2: 3\n\n! reason given: shorter"
    );
    let french = world.in_locale(WorkspaceLocale { language: Language::Fr, ..WorkspaceLocale::default() });
    let card = french.describes("shared_texts.publish", json!({"proposal_id": proposal})).await;
    assert!(
        card.starts_with("Publier la version 2 du texte partagé «\u{a0}general\u{a0}»\n- ligne 2: "),
        "{card}"
    );
}

#[tokio::test]
async fn proposal_takes_exactly_one_source() {
    let world = ResourcesFixture::with_general("one\none\n").await;
    let said = |arguments: Json| world.does("shared_texts.propose", arguments);
    let edit = |find: &str| json!([{"find": find, "replace": "x"}]);
    let cases = [
        (
            json!({"key": "general", "version": 1}),
            "INVALID_ARGUMENTS - give exactly one of text, edits and restore",
        ),
        (
            json!({"key": "general", "version": 1, "text": "a", "restore": 1}),
            "INVALID_ARGUMENTS - give exactly one of text, edits and restore",
        ),
        (
            json!({"key": "general", "version": 1, "edits": edit("one")}),
            "NOT_ONCE /edits/0/find “one” occurs 2 times; take a longer piece that occurs once",
        ),
        (
            json!({"key": "general", "version": 1, "edits": edit("two")}),
            "NOT_ONCE /edits/0/find “two” does not occur in the text; copy it exactly",
        ),
        (
            json!({"key": "general", "version": 1, "text": "one\none\n"}),
            "NOTHING_TO_CHANGE - the shared text “general” already says exactly this",
        ),
        (
            json!({"key": "general", "version": 1, "restore": 7}),
            "NOT_FOUND /restore version 7 of the shared text “general” does not exist, or is no longer kept",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(said(arguments).await, expected);
    }
    assert!(said(json!({"key": "../x", "version": 0, "text": "a"})).await.starts_with("SCHEMA /key"));
}

#[tokio::test]
async fn limits_bound_versions_and_proposals() {
    let world = ResourcesFixture::empty();
    let limits = SharedTextLimits { chars: 5, versions: 2, proposals: 1 };
    let executor = ResourcesExecutor::new(world.rows()).with_limits(limits);
    let world = ResourcesFixture { executor, ..world };
    for (version, text) in ["a", "b", "c"].into_iter().enumerate() {
        let proposal = world.proposes(json!({"key": "k", "version": version, "text": text})).await;
        world.publishes(&proposal).await;
    }
    let text = read(&world.does("shared_texts.get", json!({"key": "k"})).await);
    assert_eq!(text["versions"].as_array().unwrap().len(), 2, "{text}");
    let gone = world.does("shared_texts.get", json!({"key": "k", "version": 1})).await;
    assert!(gone.starts_with("NOT_FOUND /version"), "{gone}");
    let long = json!({"key": "k", "version": 3, "edits": [{"find": "c", "replace": "12345"}]});
    world.proposes(long).await;
    let second = world.does("shared_texts.propose", json!({"key": "k", "version": 3, "text": "d"})).await;
    assert!(second.starts_with("TOO_MANY_PROPOSALS"), "{second}");
    let other = json!({"key": "o", "version": 0, "text": "123456"});
    assert!(world.does("shared_texts.propose", other).await.starts_with("SCHEMA /text"));
}

#[tokio::test]
async fn deleted_text_leaves_no_rows() {
    let world = ResourcesFixture::with_general("one\n").await;
    let delete = json!({"key": "general"});
    let bound = async || {
        let request = world.request("shared_texts.delete", &delete);
        world.executor.overwrites(request, world.rows()).await.unwrap()
    };
    let without_proposal = bound().await;
    let proposal = world.proposes(json!({"key": "general", "version": 1, "text": "two\n"})).await;
    assert_ne!(bound().await, without_proposal, "an approval of the deletion is bound to what waits, too");
    let card = world.describes("shared_texts.delete", delete.clone()).await;
    assert_eq!(
        card,
        format!(
            "Delete the shared text “general” with its one version and the proposal that waits\n- text: one\n\n\
             - {proposal}: proposal to change version 1: two\n"
        )
    );
    world.does("shared_texts.delete", json!({"key": "general"})).await;
    assert_eq!(world.rows.len(), 0);
    let first = world.proposes(json!({"key": "new", "version": 0, "text": "a"})).await;
    world.does("shared_texts.discard", json!({"proposal_id": first})).await;
    assert_eq!(world.rows.len(), 0, "a text that was never published goes with its last proposal");
}
