//! An answer of an HTTP tool that is an image or a PDF.

use entracte_application::files::{AcceptedFile, accept_file};
use entracte_application::settings::FileSettings;
use entracte_application::texts::LocalizedTexts;

use super::request_secrets::RequestSecrets;
use super::response_outcome::{is_encoded, is_text};
use super::tool::HttpTool;
use crate::display_text::one_line;
use crate::egress::EgressResponse;
use crate::result_files::{ResultFileCandidate, visible_file};

/// The body of an answer as a file, which is named after the path of its address.
pub(super) struct AnswerFile<'a> {
    name: String,
    body: &'a [u8],
}

impl<'a> AnswerFile<'a> {
    /// The file of an answer; `None` for an error, a text, and the answer of a tool that declares which JSON it gives.
    pub(super) fn from_answer(
        tool: &HttpTool,
        answer: &'a EgressResponse,
        secrets: &RequestSecrets,
    ) -> Option<Self> {
        let media = answer.header("content-type").unwrap_or_default();
        let is_file = (200..300).contains(&answer.status) && !is_text(media) && !is_encoded(answer);
        // The query of an address may hold a signature or a token.
        let name = one_line(&secrets.scrubbed(answer.url.path().to_owned()));
        (is_file && tool.result.is_none()).then_some(Self { name, body: &answer.body })
    }
}

impl ResultFileCandidate for AnswerFile<'_> {
    fn accept(&self, limits: &FileSettings, texts: &LocalizedTexts) -> Result<Option<AcceptedFile>, String> {
        visible_file(&self.name, accept_file(&self.name, self.body.to_vec(), limits), texts)
    }
}
