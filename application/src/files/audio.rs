//! Sound: its kind, by the first bytes. No model reads it; people save it.

/// The media type of a sound; `None` if the bytes begin like none.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let begins = |signature: &[u8]| bytes.starts_with(signature);
    if begins(b"RIFF") && bytes.get(8..12) == Some(b"WAVE") {
        return Some("audio/wav");
    }
    if begins(b"OggS") {
        return Some("audio/ogg");
    }
    if begins(b"fLaC") {
        return Some("audio/flac");
    }
    if bytes.get(4..11) == Some(b"ftypM4A") {
        return Some("audio/mp4");
    }
    // Eleven bits mark a frame of MPEG audio; its layer is in two of those that follow, and 0 is none.
    let is_frame = matches!(bytes, [0xFF, second, ..] if second & 0xE0 == 0xE0 && second & 0x06 != 0);
    (begins(b"ID3") || is_frame).then_some("audio/mpeg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sounds_are_known_by_their_first_bytes() {
        for (bytes, expected) in [
            (&b"RIFF\x04\0\0\0WAVEfmt "[..], Some("audio/wav")),
            (b"RIFF\x04\0\0\0WEBPVP8 ", None),
            (b"OggS\0\x02", Some("audio/ogg")),
            (b"fLaC\0", Some("audio/flac")),
            (b"\0\0\0\x20ftypM4A \0", Some("audio/mp4")),
            (b"ID3\x04", Some("audio/mpeg")),
            (b"\xFF\xFB\x90", Some("audio/mpeg")),
            (b"\xFF\xD8\xFF", None),
            (b"<html>", None),
            (b"", None),
        ] {
            assert_eq!(media_type(bytes), expected, "{bytes:?}");
        }
    }
}
