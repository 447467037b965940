//! Files of the next message in a chat: `/attach FILE…`, and files that are dropped on the terminal or pasted as paths.

use std::path::{Path, PathBuf};

use entracte_adapters_http::shapes::file::FileShape;
use entracte_application::texts::say;

use super::super::attachment::upload;
use super::super::picture_display::PictureDisplay;
use super::super::written_paths::{dropped_paths, written_paths};
use super::{ChatLoop, QuestionFollowUp};
use crate::render::file::file_words;

impl ChatLoop<'_> {
    /// The files that a line consists of: a terminal writes the paths of files that are dropped on it. A line that begins
    /// with a space is a message, and so is every line that no terminal wrote.
    pub(super) fn dropped_files(&self, line: &str) -> Option<Vec<PathBuf>> {
        if !self.stage.context.environment.stdin_terminal {
            return None;
        }
        let paths = dropped_paths(line, self.home())?;
        paths.iter().all(|path| path.is_file()).then_some(paths)
    }

    /// Attaches the files of `/attach`. Without any, those that wait for the next message are taken back.
    pub(super) async fn attach_written(&mut self, written: &str) -> QuestionFollowUp {
        let written = written.trim();
        if written.is_empty() {
            return self.take_back_files();
        }
        // A path with spaces that nobody quoted.
        let whole = Path::new(written);
        let paths =
            if whole.is_file() { vec![whole.to_owned()] } else { written_paths(written, self.home()) };
        self.attach_files(&paths).await
    }

    /// Stores files for the next message, up to the first that is refused.
    pub(super) async fn attach_files(&mut self, paths: &[PathBuf]) -> QuestionFollowUp {
        for path in paths {
            match upload(self.stage.context, self.stage.api, path).await {
                Ok(file) => {
                    let words = file_words(&file, self.texts);
                    self.screen.print_wrapped(&say!(self.texts, "talk-attached", file = words));
                    self.show_picture(&file).await;
                    self.files.push(file);
                }
                Err(error) => return self.report_outcome::<()>(Err(error)),
            }
        }
        QuestionFollowUp::Again
    }

    /// Shows the picture of a file below its words, where the terminal can.
    async fn show_picture(&self, file: &FileShape) {
        let stage = self.stage;
        if !self.screen.is_terminal {
            return;
        }
        if let Some(picture) = PictureDisplay::new(stage.context).draw(stage.api, file).await {
            stage.context.out.write_warning(&picture);
        }
    }

    fn take_back_files(&mut self) -> QuestionFollowUp {
        let names: Vec<String> = self.files.drain(..).map(|file| file_words(&file, self.texts)).collect();
        let told = match names.is_empty() {
            true => say!(self.texts, "talk-attach-none"),
            false => say!(self.texts, "talk-attach-back", files = names.join(", ")),
        };
        self.screen.print_wrapped(&told);
        QuestionFollowUp::Again
    }

    fn home(&self) -> Option<&str> {
        self.stage.context.environment.variable("HOME")
    }
}
