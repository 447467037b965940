use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::command::Command;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::Enrichment;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;
use serde_json::Value as Json;

use super::{ResourceReader, SchemaFault, StoreError};
use crate::calendar::Calendar;
use crate::command_naming::CommandNaming;
use crate::schema::SchemaDocument;
use crate::settings::{Language, WorkspaceLocale, WorkspaceSettings};
use crate::texts::LocalizedTexts;

/// A type of resource that a model may create, with the schemas of its configuration and data.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceTypeSpec {
    /// The name that commands use for it.
    pub name: String,
    /// Its purpose, in a sentence or two.
    pub doc: String,
    /// JSON Schema of the configuration.
    pub config: SchemaDocument,
    /// JSON Schema of the data it contains, independent of the configuration.
    pub data: SchemaDocument,
    /// The names of the commands that take this type. A session that may request none of them need not know the type.
    pub commands: &'static [&'static str],
}

/// A named section of the always-sent data. A prompt repeats only the sections that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSection {
    /// Identifies the section among those of its workspace, such as the id of a row.
    pub name: String,
    /// The text for the model; its first line is a heading.
    pub text: String,
}

/// The input format of enrichments.
#[derive(Clone, Debug, PartialEq)]
pub struct EnrichmentFormat {
    /// JSON Schema of an enrichment as people write it.
    pub schema: Json,
    /// Examples, each an enrichment as people write it.
    pub examples: &'static [&'static str],
}

/// An enrichment that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedEnrichment {
    /// The enrichment as it is stored. Its sentence is still empty.
    pub enrichment: Enrichment,
    /// The queries it stands for, in order, by catalog name. None of them is an action.
    pub queries: Vec<Command>,
}

/// The row that an enrichment refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrichmentRow {
    /// The kind of the row.
    pub kind: &'static str,
    /// The id of the row.
    pub id: String,
    /// The sentence for a person if there is no such row.
    pub missing: String,
}

/// The reader of the sentence that replaces an enrichment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceAudience {
    /// A model: it needs the ids.
    Model,
    /// A person: names are enough.
    Person,
}

/// The model of the resources that an executor keeps in the workspace: what prompts and messages contain of them. The
/// runtime itself knows rows, whatever their kinds.
///
/// Contract: methods without rows are pure; the others depend on the rows and their arguments only.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{DataSection, MockResourceModel, ResourceModel};
/// use entracte_application::settings::WorkspaceSettings;
///
/// // An executor of notes has them in every prompt.
/// let notes = DataSection { name: "note_1".into(), text: "## Shopping\n{\"milk\":2}".into() };
/// let mut model = MockResourceModel::new();
/// let sent = notes.clone();
/// model.expect_sections().returning(move |_, _, _, _| Ok(vec![sent.clone()]));
///
/// let rows = Arc::new(MockResourceReader::new());
/// let sections = model.sections(rows, &samples::workspace(), &WorkspaceSettings::default(), 5).await?;
/// assert_eq!(sections, [notes]);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError`] when rows cannot be read. A [`SchemaFault`] says what is wrong with what a person wrote, and where.
///
/// # Cancel safety
/// Every method only reads: dropping its future leaves nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ResourceModel: Send + Sync {
    /// The kinds of the rows whose ids derive from the ids of the calls that created them.
    fn kinds(&self) -> &'static [&'static str];

    /// The types of resources that commands create, documented in this language.
    fn types(&self, language: Language) -> Vec<ResourceTypeSpec>;

    /// The always-sent data of a workspace, in a fixed order; of rows with a time only the last `most_rows` of each
    /// section.
    async fn sections(
        &self,
        rows: Arc<dyn ResourceReader>,
        workspace: &WorkspaceKey,
        settings: &WorkspaceSettings,
        most_rows: u32,
    ) -> Result<Vec<DataSection>, StoreError>;

    /// The name by which a model knows the section. A heading that is the section's name is written so too.
    fn section_title(&self, section: &str, naming: CommandNaming) -> String;

    /// The input format of enrichments, with an example of each kind.
    fn enrichment_format(&self) -> EnrichmentFormat;

    /// Parses an enrichment as people write it. Its sentence is still empty.
    ///
    /// # Errors
    /// When it does not match the format, or its period is invalid.
    fn read_enrichment(
        &self,
        written: &JsonValue,
        calendar: &Calendar,
        texts: &LocalizedTexts,
    ) -> Result<Enrichment, Vec<SchemaFault>>;

    /// The row that an enrichment refers to; `None` if it refers to none.
    ///
    /// # Errors
    /// When the enrichment does not match the format.
    fn enrichment_row(
        &self,
        enrichment: &Enrichment,
        texts: &LocalizedTexts,
    ) -> Result<Option<EnrichmentRow>, Vec<SchemaFault>>;

    /// The enrichment with its queries. Its period becomes two instants, counted from `at`; `None` leaves it relative.
    ///
    /// # Errors
    /// When the enrichment does not match the format, or its period has no instants.
    fn resolve_enrichment(
        &self,
        enrichment: &Enrichment,
        at: Option<Timestamp>,
        calendar: &Calendar,
        texts: &LocalizedTexts,
    ) -> Result<ResolvedEnrichment, Vec<SchemaFault>>;

    /// The sentence that replaces an enrichment, with the current names of what it refers to, in brackets that show that
    /// it was not typed; `None` if this version cannot read the enrichment.
    async fn enrichment_sentence(
        &self,
        enrichment: &Enrichment,
        rows: Arc<dyn ResourceReader>,
        workspace: &WorkspaceKey,
        locale: &WorkspaceLocale,
        audience: SentenceAudience,
    ) -> Result<Option<String>, StoreError>;
}
