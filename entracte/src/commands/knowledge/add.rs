//! `knowledge add`: adds a file, a folder, or standard input.

use std::io::Read;
use std::path::{Path, PathBuf};

use entracte_adapters_commands::knowledge::folder::{self, FileSkipReason, FolderFile, FolderLimits};
use entracte_adapters_http::shapes::document::DocumentShape;
use entracte_application::ports::{DocumentFormat, KnowledgeDocument};
use entracte_application::texts::{Language, LocalizedTexts, say};
use entracte_application::use_cases::{AddDocument, AddDocumentOutcome, DocumentUpload, KnowledgeError};
use serde_json::{Value, json};

use super::embed;
use super::error_text::{document_error, refused_of};
use super::progress_bar::bar;
use super::{HELP, unreadable, usage, warn_of_gaps};
use crate::app_services::AppServices;
use crate::args::FormatName;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

/// The metadata of a document from the command line.
pub(super) struct DocumentMetadataArgs {
    pub(super) name: Option<String>,
    pub(super) source: Option<String>,
    pub(super) format: Option<FormatName>,
}

const fn format_of(name: FormatName) -> DocumentFormat {
    match name {
        FormatName::Markdown => DocumentFormat::Markdown,
        FormatName::Text => DocumentFormat::Text,
        FormatName::Html => DocumentFormat::Html,
        FormatName::Pdf => DocumentFormat::Pdf,
        FormatName::Csv => DocumentFormat::Csv,
        FormatName::Json => DocumentFormat::Json,
    }
}

/// Runs `knowledge add`.
pub(super) async fn run(
    context: &CommandContext,
    path: &Path,
    said: DocumentMetadataArgs,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let texts = context.texts(&services, workspace).await?;
    let stored = services.stored_settings(workspace).await?;
    let language = stored.map_or(context.settings.runtime.language, |settings| settings.language);
    let source = said.source.clone();
    let adding = DocumentImport { context, texts, language, add: services.knowledge.add(), source };
    let added = take_in(adding, &services, path, said).await;
    embed::after_adding(context, &services, texts).await;
    added
}

async fn take_in(
    adding: DocumentImport<'_>,
    services: &AppServices,
    path: &Path,
    said: DocumentMetadataArgs,
) -> Result<CliExitCode, CliError> {
    let most = services.knowledge.settings.document_bytes;
    if path == Path::new("-") {
        let Some(name) = said.name else { return Err(usage(message!("knowledge-error-stdin"))) };
        let mut bytes = Vec::new();
        let read = std::io::stdin().take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(path, &error))?;
        if bytes.len() as u64 > most {
            return Err(usage(message!("knowledge-error-more", path = "-", most = most)));
        }
        let format = said.format.map(format_of).or_else(|| folder::format_of(Path::new(&name)));
        let format = format.unwrap_or(DocumentFormat::Markdown);
        return adding.import_one(name.clone(), format, bytes, name).await;
    }
    if let Ok(false) = path.try_exists() {
        let says = message!("knowledge-error-none", path = path.display().to_string());
        return Err(CliError::with_next(CliExitCode::NotFound, says, HELP));
    }
    if path.is_dir() {
        if said.name.is_some() {
            let folder = path.display().to_string();
            return Err(usage(message!("knowledge-error-named", path = folder)));
        }
        let settings = &services.knowledge.settings;
        let limits = FolderLimits { depth: settings.folder_depth, files: settings.folder_files, bytes: most };
        return adding.import_folder(path, limits, said.format.map(format_of)).await;
    }
    let format = said.format.map(format_of).or_else(|| folder::format_of(path));
    let Some(format) = format else {
        let path = path.display().to_string();
        return Err(usage(message!("knowledge-error-format", path = path)));
    };
    let shown = path.display().to_string();
    if let Some(error) = too_large(path, most) {
        return Err(refused_of(&shown, error));
    }
    let bytes = folder::read_plain(path, most).map_err(|error| unreadable(path, &error))?;
    let file_name = || path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    adding.import_one(said.name.unwrap_or_else(file_name), format, bytes, shown).await
}

/// Refuses a file that is too large. Only its size is read, because no more bytes than the limit are ever read.
fn too_large(path: &Path, most: u64) -> Option<KnowledgeError> {
    let bytes = std::fs::metadata(path).ok().filter(|found| found.is_file())?.len();
    (bytes > most).then_some(KnowledgeError::TooLarge { bytes, most })
}

struct DocumentImport<'a> {
    context: &'a CommandContext,
    texts: &'static LocalizedTexts,
    /// The language of the workspace, in which a text is indexed whose own language is not found.
    language: Language,
    add: AddDocument,
    source: Option<String>,
}

/// The results for the files of a folder.
#[derive(Default)]
struct FolderImportReport {
    new: usize,
    replaced: usize,
    same: usize,
    failed: Vec<(String, String)>,
    added: Vec<Value>,
    incomplete: Vec<KnowledgeDocument>,
}

impl DocumentImport<'_> {
    async fn take(
        &self,
        name: String,
        format: DocumentFormat,
        bytes: Vec<u8>,
        from: String,
    ) -> Result<AddDocumentOutcome, KnowledgeError> {
        let settings = &self.context.settings;
        let source = self.source.clone().unwrap_or(from);
        let (author, language) = (settings.author.clone(), self.language);
        let file = DocumentUpload { name, source, format, bytes, author, language };
        self.add.run(&settings.workspace, file).await
    }

    async fn import_one(
        &self,
        name: String,
        format: DocumentFormat,
        bytes: Vec<u8>,
        from: String,
    ) -> Result<CliExitCode, CliError> {
        let added = self.take(name, format, bytes, from.clone()).await;
        let added = added.map_err(|error| refused_of(&from, error))?;
        self.context.out.write_notice(&self.imported_text(&added));
        warn_of_gaps(self.context, self.texts, &added.document().into());
        if self.context.out.json {
            let mut shown = json!(DocumentShape::from(added.document()));
            shown["schema"] = json!("entracte.document_added/1");
            shown["outcome"] = json!(outcome(&added));
            self.context.out.write_json_line(&shown)?;
        }
        Ok(CliExitCode::Done)
    }

    async fn import_folder(
        &self,
        root: &Path,
        limits: FolderLimits,
        format: Option<DocumentFormat>,
    ) -> Result<CliExitCode, CliError> {
        let looked_at = {
            let root = root.to_owned();
            tokio::task::spawn_blocking(move || folder::scan_folder(&root, limits)).await
        };
        let gathered =
            looked_at.map_err(|error| unreadable(root, &error))?.map_err(|error| unreadable(root, &error))?;
        let out = &self.context.out;
        for (path, why) in gathered.left_out.iter().filter(|(_, why)| *why != FileSkipReason::Hidden) {
            out.progress(&self.left_out(path, *why));
        }
        let mut tally = FolderImportReport::default();
        let count = gathered.files.len();
        for (index, file) in gathered.files.into_iter().enumerate() {
            if out.watched && !out.quiet {
                out.draw_transient_lines(&[bar(index, count, &file.name)]);
            }
            let name = file.name.clone();
            match self.file(root, file, limits.bytes, format).await {
                Ok(added) => {
                    match &added {
                        AddDocumentOutcome::New(_) => tally.new += 1,
                        AddDocumentOutcome::Replaced(_) => tally.replaced += 1,
                        AddDocumentOutcome::Same(_) => tally.same += 1,
                    }
                    let mut shown = json!(DocumentShape::from(added.document()));
                    shown["outcome"] = json!(outcome(&added));
                    tally.added.push(shown);
                    tally
                        .incomplete
                        .extend(Some(added.document().clone()).filter(|one| !one.gaps.is_empty()));
                }
                // The following files use the same database.
                Err(DocumentImportError::Document(
                    error @ (KnowledgeError::Store(_) | KnowledgeError::Full { .. }),
                )) => {
                    out.draw_transient_lines(&[]);
                    return Err(document_error(error));
                }
                Err(DocumentImportError::Document(error)) => {
                    tally.failed.push((name, error.message().render(self.texts)))
                }
                Err(DocumentImportError::File(error)) => tally.failed.push((name, error.to_string())),
            }
        }
        out.draw_transient_lines(&[]);
        self.sum(tally, &gathered.left_out)
    }

    async fn file(
        &self,
        root: &Path,
        file: FolderFile,
        most: u64,
        format: Option<DocumentFormat>,
    ) -> Result<AddDocumentOutcome, DocumentImportError> {
        if let Some(error) = too_large(&file.path, most) {
            return Err(DocumentImportError::Document(error));
        }
        let bytes = folder::read(root, &file.path, most).map_err(DocumentImportError::File)?;
        let from = file.path.display().to_string();
        let added = self.take(file.name, format.unwrap_or(file.format), bytes, from).await;
        added.map_err(DocumentImportError::Document)
    }

    fn sum(
        &self,
        tally: FolderImportReport,
        left_out: &[(PathBuf, FileSkipReason)],
    ) -> Result<CliExitCode, CliError> {
        let out = &self.context.out;
        let failed: Vec<Value> =
            tally.failed.iter().map(|(name, why)| json!({ "name": name, "why": why })).collect();
        for (name, why) in &tally.failed {
            out.write_warning(&say!(
                self.texts,
                "knowledge-error-file",
                path = one_line(name),
                why = one_line(why)
            ));
        }
        for document in &tally.incomplete {
            warn_of_gaps(self.context, self.texts, &document.into());
        }
        if out.json {
            let left: Vec<Value> = left_out
                .iter()
                .map(|(path, why)| json!({ "path": path.display().to_string(), "why": word(*why) }))
                .collect();
            out.write_json_line(&json!({
                "schema": "entracte.documents_added/1",
                "documents": tally.added,
                "failed": failed,
                "left_out": left,
            }))?;
        }
        out.write_notice(&say!(
            self.texts,
            "knowledge-summary",
            new = tally.new,
            replaced = tally.replaced,
            same = tally.same,
            failed = tally.failed.len(),
            left = left_out.len()
        ));
        match tally.failed.len() {
            0 => Ok(CliExitCode::Done),
            count => {
                Err(CliError::new(CliExitCode::Failure, message!("knowledge-error-some", count = count)))
            }
        }
    }

    fn imported_text(&self, added: &AddDocumentOutcome) -> String {
        let document = added.document();
        let name = one_line(&document.name);
        let chunks = document.chunks;
        match added {
            AddDocumentOutcome::New(_) => say!(self.texts, "knowledge-new", name = name, chunks = chunks),
            AddDocumentOutcome::Replaced(_) => {
                say!(self.texts, "knowledge-replaced", name = name, chunks = chunks)
            }
            AddDocumentOutcome::Same(_) => say!(self.texts, "knowledge-same", name = name),
        }
    }

    fn left_out(&self, path: &Path, why: FileSkipReason) -> String {
        let why = self.texts.render(&format!("knowledge-left-{}", word(why)), &[]);
        let path = one_line(&path.display().to_string());
        say!(self.texts, "knowledge-left-out", path = path, why = why)
    }
}

enum DocumentImportError {
    File(std::io::Error),
    Document(KnowledgeError),
}

const fn outcome(added: &AddDocumentOutcome) -> &'static str {
    match added {
        AddDocumentOutcome::New(_) => "added",
        AddDocumentOutcome::Replaced(_) => "replaced",
        AddDocumentOutcome::Same(_) => "unchanged",
    }
}

const fn word(why: FileSkipReason) -> &'static str {
    match why {
        FileSkipReason::Link => "link",
        FileSkipReason::Special => "special",
        FileSkipReason::Format => "format",
        FileSkipReason::Hidden => "hidden",
        FileSkipReason::Depth => "depth",
        FileSkipReason::Number => "number",
        FileSkipReason::Unreadable => "unreadable",
    }
}
