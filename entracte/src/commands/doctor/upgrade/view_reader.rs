//! Reads the JSON text of a view session by session: a database may have a hundred thousand open sessions.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::view::{UpgradeSessionView, UpgradeViewHead};

/// Reads a view and gives each of its sessions to `take`.
///
/// # Errors
/// When the text is no view. Some of its sessions may have been taken then.
pub(super) fn read_view(
    text: impl Read,
    take: &mut dyn FnMut(UpgradeSessionView),
) -> Result<UpgradeViewHead, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_reader(text);
    let head = reader.deserialize_map(ViewVisitor { take })?;
    reader.end()?;
    Ok(head)
}

/// Reads the object of a view.
struct ViewVisitor<'t> {
    take: &'t mut dyn FnMut(UpgradeSessionView),
}

impl<'de> Visitor<'de> for ViewVisitor<'_> {
    type Value = UpgradeViewHead;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a view of open sessions")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UpgradeViewHead, A::Error> {
        let (mut schema, mut version, mut commands, mut has_sessions) = (None, None, None, false);
        while let Some(member) = map.next_key::<String>()? {
            match member.as_str() {
                "schema" => schema = Some(map.next_value()?),
                "version" => version = Some(map.next_value()?),
                "commands" => commands = Some(map.next_value()?),
                "sessions" => {
                    map.next_value_seed(SessionList { take: &mut *self.take })?;
                    has_sessions = true;
                }
                // Of a newer program.
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if !has_sessions {
            return Err(A::Error::missing_field("sessions"));
        }
        Ok(UpgradeViewHead {
            schema: schema.ok_or_else(|| A::Error::missing_field("schema"))?,
            version: version.ok_or_else(|| A::Error::missing_field("version"))?,
            commands: commands.unwrap_or_default(),
        })
    }
}

/// Reads the list of sessions.
struct SessionList<'t> {
    take: &'t mut dyn FnMut(UpgradeSessionView),
}

impl<'de> DeserializeSeed<'de> for SessionList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, list: D) -> Result<(), D::Error> {
        list.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SessionList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of sessions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(session) = list.next_element::<UpgradeSessionView>()? {
            (self.take)(session);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{BufReader, Cursor};

    use super::super::view::{VIEW_END, begin_view};
    use super::*;

    /// A text that notes how much of it was read.
    struct WatchedText<'a> {
        text: Cursor<&'a [u8]>,
        read: &'a Cell<usize>,
    }

    impl Read for WatchedText<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let bytes = self.text.read(buffer)?;
            self.read.set(self.read.get() + bytes);
            Ok(bytes)
        }
    }

    fn view_of(sessions: usize) -> String {
        let head =
            UpgradeViewHead { schema: "s/1".into(), version: "1".into(), ..UpgradeViewHead::default() };
        let session = |number: usize| {
            let id = format!("ses_{number}");
            serde_json::to_string(&UpgradeSessionView { id, ..UpgradeSessionView::default() }).unwrap()
        };
        let sessions: Vec<String> = (0..sessions).map(session).collect();
        format!("{}{}{VIEW_END}\n", begin_view(&head), sessions.join(","))
    }

    /// Input: the view of ten thousand sessions; expected: each is taken before the text of those after it is read, and what
    /// was written is read.
    #[test]
    fn sessions_are_taken_while_the_view_is_read() {
        const BUFFER: usize = 4096;
        let (text, read) = (view_of(10_000), Cell::new(0));
        let watched = WatchedText { text: Cursor::new(text.as_bytes()), read: &read };
        let mut taken = 0;
        let head = read_view(BufReader::with_capacity(BUFFER, watched), &mut |session| {
            assert_eq!(session.id, format!("ses_{taken}"));
            assert!(taken > 0 || read.get() <= 2 * BUFFER, "{} bytes were read", read.get());
            taken += 1;
        });
        assert_eq!(head.unwrap().schema, "s/1");
        assert_eq!(taken, 10_000);
        assert!(text.len() > 100 * BUFFER);
        assert_eq!(read.get(), text.len());
    }

    #[test]
    fn what_is_no_view_is_refused() {
        let refused = |text: &str| read_view(text.as_bytes(), &mut |_| {}).unwrap_err().to_string();
        let whole = view_of(2);
        assert!(refused("error: unrecognized subcommand").contains("expected"));
        assert!(refused(&whole[..whole.len() / 2]).contains("EOF"));
        assert!(refused(&format!("{whole} more")).contains("trailing"));
        assert!(refused(r#"{"schema":"s/1","version":"1"}"#).contains("sessions"));
        assert!(refused(r#"{"version":"1","sessions":[]}"#).contains("schema"));
        let newer = r#"{"of_a_newer_program":{"a":[1]},"schema":"s/1","version":"9","sessions":[]}"#;
        assert!(read_view(newer.as_bytes(), &mut |_| {}).is_ok());
    }
}
