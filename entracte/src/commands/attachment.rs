//! Files of a message: stored before the message that names them.

use std::io::Read;
use std::path::Path;

use entracte_adapters_http::api_transport::ApiRequest;
use entracte_adapters_http::shapes::file::FileShape;
use entracte_adapters_http::shapes::message::MessageShape;
use http::Method;

use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// Stores the files, and returns their digests in order. A refused file refuses the message.
pub(super) async fn upload_all<P: AsRef<Path>>(
    context: &CommandContext,
    api: &ApiClient<'_>,
    paths: &[P],
) -> Result<Vec<String>, CliError> {
    let mut digests = Vec::with_capacity(paths.len());
    for path in paths {
        digests.push(upload(context, api, path.as_ref()).await?.digest);
    }
    Ok(digests)
}

/// Stores a file, and returns what it is.
pub(super) async fn upload(
    context: &CommandContext,
    api: &ApiClient<'_>,
    path: &Path,
) -> Result<FileShape, CliError> {
    let bytes = read(path, context.settings.runtime.files.max_bytes)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let target = api.path(&["files"]).with("name", &name).target();
    api.read_by(ApiRequest::new(Method::POST, target).with_file(bytes)).await
}

/// What is told beside a message that was just sent: that the model in use does not read its files. Without its id it is the
/// only message of a person. The message is sent, so a failure to read this is none; the list of messages tells it, too.
pub(super) async fn unread_files_notice(
    api: &ApiClient<'_>,
    session: &str,
    message: Option<&str>,
) -> Option<String> {
    let path = api.path(&["sessions", session, "messages"]);
    let latest = api.list_first::<MessageShape>(&path, LATEST_MESSAGES).await.ok()?;
    let mut sent = latest.into_iter().filter(|said| match message {
        Some(id) => said.id == id,
        None => said.role == "user",
    });
    sent.find_map(|said| said.notice)
}

/// How many of the latest messages are read to find one that was just sent.
const LATEST_MESSAGES: usize = 20;

/// The bytes of a file, one more than the limit at most: enough for the refusal, and never more memory than that.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let unreadable = |error: std::io::Error| {
        let (file, why) = (path.display().to_string(), error.to_string());
        CliError::new(CliExitCode::Usage, message!("cannot-be-read", file = file, why = why))
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > most {
        let name = path.display().to_string();
        let text = message!("file-large", name = name, bytes = size, most = most);
        return Err(CliError::new(CliExitCode::Usage, text));
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
