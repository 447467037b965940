//! Reads single keys while a model works, when there is no prompt for a line.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};

use crate::error::{CliError, CliExitCode};
use crate::output::TerminalOutput;
use crate::user_text::message;

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnKeyAction {
    /// Ctrl-C: interrupts the round.
    Interrupts,
    /// Ctrl-D: leaves the session.
    Leaves,
}

/// Holds the terminal in raw mode. Other typed text is buffered for the next prompt.
pub(crate) struct RawKeyboard {
    out: Arc<TerminalOutput>,
    typed: String,
}

impl RawKeyboard {
    /// Switches to raw mode; an error if the terminal cannot. `typed` is earlier text.
    pub(crate) fn listen(out: Arc<TerminalOutput>, typed: String) -> Result<Self, String> {
        match crossterm::terminal::enable_raw_mode() {
            Ok(()) => {
                out.set_raw_mode(true);
                Ok(Self { out, typed })
            }
            Err(error) => {
                tracing::debug!(%error, "the terminal gives whole lines only");
                Err(typed)
            }
        }
    }

    /// The buffered text.
    pub(crate) fn buffered_text(&self) -> &str {
        &self.typed
    }

    /// Reads the keys pressed since the last poll, without waiting.
    pub(crate) fn poll_key_action(&mut self) -> Option<TurnKeyAction> {
        while poll(Duration::ZERO).unwrap_or(false) {
            let Ok(event) = read() else { return None };
            if let Some(pressed) = self.handle_event(event) {
                return Some(pressed);
            }
        }
        None
    }

    fn handle_event(&mut self, event: Event) -> Option<TurnKeyAction> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Paste(text) => {
                self.typed.push_str(&text);
                None
            }
            _ => None,
        }
    }

    fn key(&mut self, key: KeyEvent) -> Option<TurnKeyAction> {
        match (key.code, key.modifiers.contains(KeyModifiers::CONTROL)) {
            (KeyCode::Char('c'), true) => return Some(TurnKeyAction::Interrupts),
            (KeyCode::Char('d'), true) => return Some(TurnKeyAction::Leaves),
            (KeyCode::Char('u'), true) => self.typed.clear(),
            (KeyCode::Char(character), false) => self.typed.push(character),
            (KeyCode::Backspace, _) => {
                self.typed.pop();
            }
            _ => {}
        }
        None
    }

    /// Ends raw mode, and returns the buffered text.
    pub(crate) fn restore_terminal(mut self) -> String {
        std::mem::take(&mut self.typed)
    }
}

impl Drop for RawKeyboard {
    fn drop(&mut self) {
        self.out.set_raw_mode(false);
        if let Err(error) = crossterm::terminal::disable_raw_mode() {
            tracing::warn!(%error, "the terminal gives every key at once still; set it right with: reset");
        }
    }
}

/// A single key press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPress {
    /// A printable character in lower case, but for `A`, which decides more than `a`.
    Key(char),
    /// Arrow down or right.
    Next,
    /// Arrow up or left.
    Back,
    /// Ctrl-C, Ctrl-D or Escape.
    Leaves,
    /// Any other key.
    Other,
}

/// Waits for one key while the prompt is shown. Keys pressed before belonged to something else, and are dropped.
pub(crate) async fn read_key(out: Arc<TerminalOutput>, prompt: Vec<String>) -> Result<KeyPress, CliError> {
    let unreadable = |why: String| CliError::new(CliExitCode::Failure, message!("error-input", why = why));
    let asked = tokio::task::spawn_blocking(move || {
        let _keys =
            RawKeyboard::listen(out.clone(), String::new()).map_err(|_| std::io::Error::other("no keys"))?;
        while poll(Duration::ZERO)? {
            read()?;
        }
        out.draw_transient_lines(&prompt);
        let pressed = loop {
            match read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => break key_press_from_event(key),
                _ => {}
            }
        };
        out.draw_transient_lines(&[]);
        Ok::<_, std::io::Error>(pressed)
    });
    asked.await.map_err(|error| unreadable(error.to_string()))?.map_err(|error| unreadable(error.to_string()))
}

fn key_press_from_event(key: KeyEvent) -> KeyPress {
    match (key.code, key.modifiers.contains(KeyModifiers::CONTROL)) {
        (KeyCode::Char('c' | 'd'), true) | (KeyCode::Esc, _) => KeyPress::Leaves,
        (KeyCode::Char('A'), false) => KeyPress::Key('A'),
        (KeyCode::Char(character), false) => KeyPress::Key(character.to_ascii_lowercase()),
        (KeyCode::Down | KeyCode::Right, _) => KeyPress::Next,
        (KeyCode::Up | KeyCode::Left, _) => KeyPress::Back,
        _ => KeyPress::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_interrupt_leave_or_wait_for_the_prompt() {
        let mut keys = RawKeyboard { out: Arc::new(TerminalOutput::plain()), typed: "a".into() };
        let plain = |code| Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
        let control = |character| Event::Key(KeyEvent::new(KeyCode::Char(character), KeyModifiers::CONTROL));
        for event in
            [plain(KeyCode::Char('b')), plain(KeyCode::Enter), plain(KeyCode::Up), plain(KeyCode::Char('x'))]
        {
            assert_eq!(keys.handle_event(event), None);
        }
        assert_eq!(keys.buffered_text(), "abx", "Enter sends nothing while a model works");
        assert_eq!(keys.handle_event(plain(KeyCode::Backspace)), None);
        assert_eq!(keys.handle_event(Event::Paste("\ncd".into())), None);
        assert_eq!(keys.buffered_text(), "ab\ncd");
        assert_eq!(keys.handle_event(control('c')).unwrap(), TurnKeyAction::Interrupts);
        assert_eq!(keys.handle_event(control('d')).unwrap(), TurnKeyAction::Leaves);
        assert_eq!(keys.handle_event(control('u')), None);
        assert_eq!(keys.buffered_text(), "");
    }
}
