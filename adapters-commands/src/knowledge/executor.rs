use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::knowledge::{
    ColumnNotation, DateOrder, DocumentPathFault, FilterRemark, StructuredResult, TableColumn, gap_remarks,
};
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, KnowledgeDocument, ResourceReader,
    StoreError,
};
use entracte_application::texts::say;
use entracte_application::use_cases::{
    ChunkCitation, KnowledgeError, KnowledgeSearchResult, QueryStructuredDocument, ReadDocuments,
    SearchKnowledge,
};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::value::JsonValue;

use super::specs::{self, PAGE_USUAL, READ_USUAL};
use super::{arguments, error_messages};
use crate::call_outcome::{failure, retryable, succeeded, texts, unknown_command};
use crate::json::{number, object};

/// Runs the commands by which models search and read the documents of their workspace. Read-only.
pub struct KnowledgeExecutor {
    search: SearchKnowledge,
    read: ReadDocuments,
    structured: QueryStructuredDocument,
}

impl KnowledgeExecutor {
    /// An executor over these use cases.
    pub fn new(search: SearchKnowledge, read: ReadDocuments, structured: QueryStructuredDocument) -> Self {
        Self { search, read, structured }
    }

    async fn search(&self, request: &CallRequest) -> Result<JsonValue, KnowledgeError> {
        let given = &request.command.arguments;
        let question = arguments::text(given, "query").unwrap_or_default();
        let limit = arguments::count(given, "limit").and_then(|limit| usize::try_from(limit).ok());
        let found = self.search.run(&request.workspace, question, limit).await?;
        let remarks: Vec<JsonValue> = remarks(&found, request).into_iter().map(JsonValue::from).collect();
        Ok(object([
            ("note", Some(untrusted_content_notice(request))),
            ("remarks", (!remarks.is_empty()).then_some(JsonValue::List(remarks))),
            ("results", Some(JsonValue::List(found.chunks.iter().map(result).collect()))),
        ]))
    }

    async fn read(&self, request: &CallRequest) -> Result<JsonValue, KnowledgeError> {
        let given = &request.command.arguments;
        let which = arguments::text(given, "document").unwrap_or_default();
        let from = arguments::count(given, "from").unwrap_or(0);
        let length = usize::try_from(arguments::count(given, "length").unwrap_or(READ_USUAL));
        let part = self.read.text(&request.workspace, which, from, length.unwrap_or(usize::MAX)).await?;
        let gaps = gap_remarks(&part.document.gaps, texts(request));
        let gaps: Vec<JsonValue> = gaps.into_iter().map(JsonValue::from).collect();
        Ok(object([
            ("note", Some(untrusted_content_notice(request))),
            ("remarks", (!gaps.is_empty()).then_some(JsonValue::List(gaps))),
            ("document", Some(JsonValue::from(part.document.name.as_str()))),
            ("source", Some(JsonValue::from(part.document.source.as_str()))),
            ("title", Some(JsonValue::from(part.document.title.as_str()))),
            ("bytes", Some(number(part.document.bytes))),
            ("from", Some(number(part.from))),
            ("to", Some(number(part.to))),
            ("more", Some(JsonValue::from(part.more))),
            ("text", Some(JsonValue::from(part.text))),
        ]))
    }

    async fn get(&self, request: &CallRequest) -> Result<JsonValue, KnowledgeError> {
        let given = &request.command.arguments;
        let Some(path) = arguments::text(given, "path") else { return self.list(request).await };
        let wanted = arguments::structured_selection(given);
        let offset = wanted.offset;
        let (document, answer) = self.structured.run(&request.workspace, path, wanted).await?;
        let head = [
            ("note", Some(untrusted_content_notice(request))),
            ("document", Some(JsonValue::from(document.name.as_str()))),
            ("source", Some(JsonValue::from(document.source.as_str()))),
        ];
        let body = match answer {
            StructuredResult::One(value) => vec![("value", Some(value))],
            StructuredResult::Many { total, matched, items, remarks, columns } => vec![
                ("remarks", filter_remarks(&remarks, request)),
                ("columns", table_columns(&columns)),
                ("total", Some(count(total))),
                ("matched", Some(count(matched))),
                ("offset", Some(count(offset))),
                ("more", Some(JsonValue::from(offset.saturating_add(items.len()) < matched))),
                ("items", Some(JsonValue::List(items))),
            ],
        };
        let members = head.into_iter().chain(body);
        Ok(JsonValue::Object(members.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()))
    }

    /// A page of the documents, ordered by name.
    async fn list(&self, request: &CallRequest) -> Result<JsonValue, KnowledgeError> {
        let given = &request.command.arguments;
        let offset = arguments::count(given, "offset").unwrap_or(0);
        let limit = arguments::count(given, "limit").unwrap_or(PAGE_USUAL);
        let library = self.read.library(&request.workspace).await?;
        let upto = u32::try_from(offset.saturating_add(limit)).unwrap_or(u32::MAX);
        let documents =
            self.read.list(&request.workspace, None, upto.min(library_most(library.documents))).await?;
        let page = documents.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
        Ok(object([
            ("note", Some(untrusted_content_notice(request))),
            ("total", Some(number(library.documents))),
            ("more", Some(JsonValue::from(u64::from(upto) < library.documents))),
            ("documents", Some(JsonValue::List(page.map(listed).collect()))),
        ]))
    }
}

/// The page size that covers the whole library.
fn library_most(documents: u64) -> u32 {
    u32::try_from(documents).unwrap_or(u32::MAX)
}

/// A notice that the content comes from outside, and must be cited by its source.
fn untrusted_content_notice(request: &CallRequest) -> JsonValue {
    JsonValue::from(say!(texts(request), "knowledge-mark"))
}

/// Remarks on the results for their reader.
fn remarks(found: &KnowledgeSearchResult, request: &CallRequest) -> Vec<String> {
    let texts = texts(request);
    let mut remarks = Vec::new();
    if found.documents == 0 {
        remarks.push(say!(texts, "knowledge-none"));
    } else if found.chunks.is_empty() {
        remarks.push(say!(texts, "knowledge-nothing-found"));
    }
    if let Some(error) = &found.text_only {
        tracing::warn!(%error, "documents could not be searched by meaning");
        remarks.push(say!(texts, "knowledge-text-only"));
    }
    if found.left > 0 {
        remarks.push(say!(texts, "knowledge-left", count = found.left));
    }
    remarks
}

/// What the filters could not compare; `None` if they compared everything.
fn filter_remarks(remarks: &[FilterRemark], request: &CallRequest) -> Option<JsonValue> {
    let texts = texts(request);
    let said = remarks.iter().map(|remark| match remark {
        FilterRemark::Incomparable { field, count } => {
            say!(texts, "knowledge-incomparable", field = field, count = *count)
        }
        FilterRemark::AmbiguousDates { field, count } => {
            say!(texts, "knowledge-ambiguous-dates", field = field, count = *count)
        }
        FilterRemark::NoField { field, known } => {
            say!(texts, "knowledge-no-field", field = field, fields = known.join(", "))
        }
    });
    (!remarks.is_empty()).then(|| JsonValue::List(said.map(JsonValue::from).collect()))
}

/// The columns of a table with their types; `None` for a document that is none.
fn table_columns(columns: &[TableColumn]) -> Option<JsonValue> {
    let column = |column: &TableColumn| {
        let (word, detail) = match &column.notation {
            ColumnNotation::Empty => ("empty", None),
            ColumnNotation::Numbers => ("number", None),
            ColumnNotation::Quantities(Some(unit)) => ("number", Some(("unit", unit.as_str()))),
            ColumnNotation::Quantities(None) => ("number", Some(("unit", "several"))),
            ColumnNotation::Dates(DateOrder::YearFirst) => ("date", None),
            ColumnNotation::Dates(DateOrder::DayFirst) => ("date", Some(("order", "day first"))),
            ColumnNotation::Dates(DateOrder::MonthFirst) => ("date", Some(("order", "month first"))),
            ColumnNotation::AmbiguousDates => ("date", Some(("order", "unknown"))),
            ColumnNotation::Mixed => ("text", None),
        };
        let name = ("name", Some(JsonValue::from(column.name.as_str())));
        let detail = detail.map_or(("unit", None), |(key, value)| (key, Some(JsonValue::from(value))));
        object([name, ("type", Some(JsonValue::from(word))), detail])
    };
    (!columns.is_empty()).then(|| JsonValue::List(columns.iter().map(column).collect()))
}

fn result(found: &ChunkCitation) -> JsonValue {
    let structured = found.document.format.is_structured();
    let heading = || found.chunk.heading.iter().map(|words| JsonValue::from(words.as_str())).collect();
    let pointer = found.chunk.heading.first().map(String::as_str).unwrap_or_default();
    let path = format!("{}#{pointer}", found.document.name);
    object([
        ("document", Some(JsonValue::from(found.document.name.as_str()))),
        ("source", Some(JsonValue::from(found.document.source.as_str()))),
        ("title", Some(JsonValue::from(found.document.title.as_str()))),
        ("heading", (!structured).then(|| JsonValue::List(heading()))),
        ("path", structured.then(|| JsonValue::from(path))),
        ("from", (!structured).then(|| number(found.chunk.start))),
        ("score", Some(JsonValue::Number(format!("{:.4}", found.score)))),
        ("snippet", Some(JsonValue::from(found.snippet.as_str()))),
        ("text", Some(JsonValue::from(found.chunk.text.trim()))),
    ])
}

fn listed(document: &KnowledgeDocument) -> JsonValue {
    let gaps = &document.gaps;
    object([
        ("document", Some(JsonValue::from(document.name.as_str()))),
        ("title", Some(JsonValue::from(document.title.as_str()))),
        ("source", Some(JsonValue::from(document.source.as_str()))),
        ("format", Some(JsonValue::from(document.format.word()))),
        ("structured", Some(JsonValue::from(document.format.is_structured()))),
        ("bytes", Some(number(document.bytes))),
        ("lost_pages", (!gaps.lost.is_empty()).then(|| JsonValue::from(gaps.lost.to_string()))),
        ("hidden_texts", (gaps.hidden_texts > 0).then(|| number(u64::from(gaps.hidden_texts)))),
        (
            "outside_style_sheets",
            (gaps.outside_style_sheets > 0).then(|| number(u64::from(gaps.outside_style_sheets))),
        ),
        (
            "broken_characters",
            (gaps.broken_characters > 0).then(|| number(u64::from(gaps.broken_characters))),
        ),
        ("article_only", gaps.is_article_only.then(|| JsonValue::from(true))),
        ("read_by_ocr", gaps.ocr_program.as_deref().map(JsonValue::from)),
        ("picture_pages", (!gaps.pictures.is_empty()).then(|| JsonValue::from(gaps.pictures.to_string()))),
    ])
}

fn count(count: usize) -> JsonValue {
    number(u64::try_from(count).unwrap_or(u64::MAX))
}

#[async_trait]
impl CommandExecutor for KnowledgeExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        specs::all()
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let answer = match request.command.name.as_str() {
            specs::SEARCH => self.search(&request).await,
            specs::READ => self.read(&request).await,
            specs::GET => self.get(&request).await,
            _ => return CallOutcome::Failed(unknown_command(&request)),
        };
        match answer {
            Ok(value) => succeeded(value.to_json()),
            Err(KnowledgeError::Store(fault)) => {
                tracing::warn!(call = %request.call, %fault, "documents could not be read");
                retryable("STORE_ERROR", say!(texts(&request), "resources-unreadable"))
            }
            Err(error) => CallOutcome::Failed(refused(&request, &error)),
        }
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription { says: request.command.name, ..ActionDescription::default() })
    }
}

/// The failure that the model receives.
fn refused(request: &CallRequest, error: &KnowledgeError) -> CallFailure {
    let texts = texts(request);
    let (code, path) = match error {
        KnowledgeError::Unknown(_) => ("NO_DOCUMENT", None),
        KnowledgeError::NotStructured(_) => ("NOT_STRUCTURED", Some("path")),
        KnowledgeError::Path(DocumentPathFault::Nothing { .. }) => ("NO_PATH", Some("path")),
        KnowledgeError::Path(DocumentPathFault::NoRecords) => ("NO_RECORDS", Some("filters")),
        KnowledgeError::Name { .. }
        | KnowledgeError::TooLarge { .. }
        | KnowledgeError::Empty
        | KnowledgeError::Full { .. }
        | KnowledgeError::Convert(_)
        | KnowledgeError::Stopped(_)
        | KnowledgeError::Store(_) => ("DOCUMENT_ERROR", None),
    };
    CallFailure {
        path: path.map(|name| format!("/{name}")),
        ..failure(code, error_messages::knowledge_error_message(error, request, texts))
    }
}
