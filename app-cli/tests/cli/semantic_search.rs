//! Semantic search of documents, if the configuration names an embeddings provider.

use crate::cli_fixture::CliFixture;

/// A fixture whose rehearsal creates vectors: words with similar spelling are near.
fn stage() -> CliFixture {
    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    let embeddings = "[embeddings]\nprovider = \"stage\"\nmodel = \"pieces\"\ndims = 256\n";
    let stage = CliFixture::with_config(&format!("{provider}{embeddings}"));
    stage.write("story.toml", "[[turn]]\ntext = \"Nothing.\"\n");
    stage
}

fn add(stage: &CliFixture, name: &str, text: &str) {
    let done = stage.run_with(&["knowledge", "add", "-", "--name", name], text).expect(0);
    assert!(done.err.contains("made."), "{}", done.err);
}

/// Input: documents that are added, and a misspelled word; expected: the vectors are created with the documents, the
/// word is found, and no vector is missing.
#[test]
fn added_document_is_found_semantically() {
    let stage = stage();
    add(&stage, "billing.md", "# Billing\n\nInvoices are sent on the first of each month.\n");
    add(&stage, "zoo.md", "# Zoo\n\nThe zebra eats.\n");
    let found = stage.run(&["knowledge", "search", "invoyces"]).expect(0);
    let first = found.out.lines().next().unwrap_or_default();
    assert!(first.contains("billing.md"), "{}", found.out);
    let again = stage.run(&["--json", "knowledge", "embed"]).expect(0).json();
    assert_eq!((&again["made"], &again["refused"]), (&0.into(), &0.into()));
}

/// Input: no [embeddings]; expected: the setting to add.
#[test]
fn missing_embeddings_setting_is_reported() {
    let off = CliFixture::with_script("[[turn]]\ntext = \"Nothing.\"\n");
    let said = off.run(&["knowledge", "embed"]).expect(2).err;
    assert!(said.contains("embeddings.provider"), "{said}");
}
