//! Shows the pictures of conversations on terminals that can. Where the words of a file stand, its picture follows.

use entracte_adapters_http::shapes::file::FileShape;

use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::render::picture::{PictureProtocol, picture_protocol};

/// The pictures on the terminal of a command.
pub(super) struct PictureDisplay {
    /// `None` if none are shown.
    protocol: Option<PictureProtocol>,
    columns: usize,
}

/// The columns of a terminal that does not say how many it has.
const USUAL_COLUMNS: usize = 80;

impl PictureDisplay {
    /// Pictures are shown on a terminal that is known to take them, where colours are.
    pub(super) fn new(context: &CommandContext) -> Self {
        let (around, style) = (&context.environment, context.out.style);
        let is_on = around.stdout_terminal && style.colour && !context.out.json && !context.out.quiet;
        let protocol = is_on.then(|| picture_protocol(|name| around.variable(name))).flatten();
        Self { protocol, columns: style.width.unwrap_or(USUAL_COLUMNS) }
    }

    /// What draws the picture of a file; `None` if the terminal does not show it or its bytes are gone.
    pub(super) async fn draw(&self, api: &ApiClient<'_>, file: &FileShape) -> Option<String> {
        let protocol = self.protocol?;
        let picture = protocol.picture(file, self.columns)?;
        match api.file_bytes(picture.digest).await {
            Ok(bytes) => Some(protocol.draw(&picture, &bytes)),
            Err(error) => {
                tracing::debug!(digest = picture.digest, why = error.exit.word(), "a picture is not shown");
                None
            }
        }
    }
}
