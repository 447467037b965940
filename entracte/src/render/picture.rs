//! Pictures on terminals: whether a terminal shows them, how large, and what draws one. The bytes go to the terminal as
//! they are stored, in the form that models see where there is one; nothing is decoded here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use entracte_adapters_http::shapes::file::FileShape;
use entracte_domain::file::PixelDimensions;

/// How a terminal takes pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureProtocol {
    /// The graphics protocol of kitty, which takes PNG alone.
    Kitty,
    /// The inline images of iTerm2, in every format that is accepted.
    Iterm2,
}

/// A picture that a terminal can show, and the cells that it has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TerminalPicture<'a> {
    /// The digest of its bytes.
    pub(crate) digest: &'a str,
    columns: u64,
    rows: u64,
}

/// Most columns of a picture.
const MOST_COLUMNS: u64 = 60;
/// Most rows of a picture.
const MOST_ROWS: u64 = 16;
/// The usual width of a cell in pixels; it is twice as high.
const CELL_WIDTH: u64 = 8;
/// Most characters of a part of a picture for kitty.
const KITTY_PART: usize = 4_096;

/// How the terminal with these variables takes pictures; `None` for one that shows none, or is not known to.
pub(crate) fn picture_protocol<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Option<PictureProtocol> {
    let term = variable("TERM").unwrap_or_default();
    // A multiplexer hands on no pictures, whatever the terminal around it shows.
    let is_multiplexed = ["TMUX", "STY", "ZELLIJ"].iter().any(|name| variable(name).is_some())
        || ["tmux", "screen"].iter().any(|name| term.starts_with(name));
    if is_multiplexed {
        return None;
    }
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    match program {
        "iTerm.app" | "WezTerm" => Some(PictureProtocol::Iterm2),
        "ghostty" => Some(PictureProtocol::Kitty),
        _ if term == "xterm-kitty" || term == "xterm-ghostty" => Some(PictureProtocol::Kitty),
        // What iTerm2 says through SSH.
        _ if variable("LC_TERMINAL") == Some("iTerm2") => Some(PictureProtocol::Iterm2),
        _ => None,
    }
}

impl PictureProtocol {
    /// The picture of a file on a terminal with so many columns; `None` if it is none, or the terminal does not take it.
    pub(crate) fn picture(self, file: &FileShape, columns: usize) -> Option<TerminalPicture<'_>> {
        let (digest, media_type, dimensions) = match &file.form {
            Some(form) => (&form.digest, &form.media_type, Some((form.width, form.height))),
            None => (&file.digest, &file.media_type, file.width.zip(file.height)),
        };
        let is_taken = match self {
            Self::Kitty => media_type == "image/png",
            Self::Iterm2 => media_type.starts_with("image/"),
        };
        let (width, height) = dimensions.filter(|_| is_taken)?;
        let (columns, rows) = cells(PixelDimensions { width, height }, columns as u64);
        Some(TerminalPicture { digest, columns, rows })
    }

    /// What draws a picture with these bytes.
    pub(crate) fn draw(self, picture: &TerminalPicture<'_>, bytes: &[u8]) -> String {
        let TerminalPicture { columns, rows, .. } = picture;
        let data = BASE64.encode(bytes);
        match self {
            Self::Iterm2 => format!(
                "\x1b]1337;File=inline=1;size={};width={columns};height={rows}:{data}\x07",
                bytes.len()
            ),
            Self::Kitty => {
                let parts = data.len().div_ceil(KITTY_PART);
                let mut drawn = String::with_capacity(data.len() + parts * 16);
                let mut rest = data.as_str();
                // The terminal answers nothing (`q=2`): a prompt would read it.
                let mut head = format!("a=T,f=100,c={columns},r={rows},");
                for part in 1..=parts {
                    let (now, later) = rest.split_at(rest.len().min(KITTY_PART));
                    let more = u8::from(part < parts);
                    drawn.push_str(&format!("\x1b_G{head}q=2,m={more};{now}\x1b\\"));
                    head.clear();
                    rest = later;
                }
                drawn
            }
        }
    }
}

/// The columns and rows of a picture of so many pixels on a terminal with so many columns: never larger than the picture,
/// with its proportions.
fn cells(pixels: PixelDimensions, columns: u64) -> (u64, u64) {
    let (width, height) = (u64::from(pixels.width).max(1), u64::from(pixels.height).max(1));
    let most = columns.clamp(1, MOST_COLUMNS);
    let wide = width.div_ceil(CELL_WIDTH).min(most);
    let high = (wide * height).div_ceil(2 * width);
    match high > MOST_ROWS {
        true => ((MOST_ROWS * 2 * width / height).clamp(1, wide), MOST_ROWS),
        false => (wide, high),
    }
}

#[cfg(test)]
mod tests {
    use entracte_adapters_http::shapes::file::ModelFormShape;

    use super::*;

    fn file(media_type: &str, width: u32, height: u32) -> FileShape {
        FileShape {
            digest: "d1".to_owned(),
            media_type: media_type.to_owned(),
            name: "shot".to_owned(),
            bytes: 3,
            width: Some(width),
            height: Some(height),
            pages: None,
            form: None,
        }
    }

    fn protocol(variables: &[(&str, &'static str)]) -> Option<PictureProtocol> {
        picture_protocol(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn terminal_says_how_it_takes_pictures() {
        let (kitty, iterm) = (Some(PictureProtocol::Kitty), Some(PictureProtocol::Iterm2));
        assert_eq!(protocol(&[("TERM", "xterm-kitty")]), kitty);
        assert_eq!(protocol(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "ghostty")]), kitty);
        assert_eq!(protocol(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")]), iterm);
        assert_eq!(protocol(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]), iterm);
        assert_eq!(protocol(&[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")]), iterm);
        assert_eq!(protocol(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode")]), None);
        assert_eq!(protocol(&[]), None);
        assert_eq!(protocol(&[("TERM", "screen-256color"), ("TERM_PROGRAM", "iTerm.app")]), None);
        assert_eq!(protocol(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")]), None);
    }

    /// Input: pictures of all proportions on wide and narrow terminals; expected: never more cells than there are or than the
    /// picture has pixels for.
    #[test]
    fn picture_fits_into_terminal() {
        let cells = |width, height, columns| cells(PixelDimensions { width, height }, columns);
        assert_eq!(cells(1280, 720, 80), (56, 16));
        assert_eq!(cells(1280, 720, 40), (40, 12));
        assert_eq!(cells(16, 16, 80), (2, 1));
        assert_eq!(cells(1, 4_000_000_000, 80), (1, 16));
        assert_eq!(cells(4_000_000_000, 1, 80), (60, 1));
        assert_eq!(cells(0, 0, 0), (1, 1));
    }

    #[test]
    fn kitty_takes_png_alone() {
        let (png, jpeg) = (file("image/png", 8, 16), file("image/jpeg", 8, 16));
        assert!(PictureProtocol::Kitty.picture(&png, 80).is_some());
        assert_eq!(PictureProtocol::Kitty.picture(&jpeg, 80), None);
        assert!(PictureProtocol::Iterm2.picture(&jpeg, 80).is_some());
        assert_eq!(PictureProtocol::Iterm2.picture(&file("application/pdf", 8, 16), 80), None);
        let form = ModelFormShape {
            digest: "d2".to_owned(),
            media_type: "image/png".to_owned(),
            bytes: 2,
            width: 8,
            height: 16,
            first_frame: true,
        };
        let party = FileShape { form: Some(form), ..file("image/gif", 800, 600) };
        assert_eq!(PictureProtocol::Kitty.picture(&party, 80).map(|picture| picture.digest), Some("d2"));
    }

    #[test]
    fn drawn_picture_is_one_sequence_of_its_protocol() {
        let shot = file("image/png", 16, 16);
        let draw = |protocol: PictureProtocol, bytes: &[u8]| {
            protocol.draw(&protocol.picture(&shot, 80).unwrap(), bytes)
        };
        let iterm = draw(PictureProtocol::Iterm2, b"png");
        assert_eq!(iterm, "\x1b]1337;File=inline=1;size=3;width=2;height=1:cG5n\x07");
        let kitty = draw(PictureProtocol::Kitty, b"png");
        assert_eq!(kitty, "\x1b_Ga=T,f=100,c=2,r=1,q=2,m=0;cG5n\x1b\\");
        let long = draw(PictureProtocol::Kitty, &[0; 3_100]);
        let parts: Vec<&str> = long.split_inclusive("\x1b\\").collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("\x1b_Ga=T,f=100,c=2,r=1,q=2,m=1;AAAA"));
        assert!(parts[1].starts_with("\x1b_Gq=2,m=0;AAAA"));
    }
}
