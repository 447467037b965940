//! Renders a link as a QR code for a phone's camera.

use entracte_application::own_hosts::is_host_of_this_machine;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use url::Url;

/// The lines of the code for a terminal of this width. `None` if it does not fit, or if only this machine can open
/// the link.
pub(crate) fn qr(link: &str, width: usize) -> Option<Vec<String>> {
    if is_of_this_machine(link) {
        return None;
    }
    let code = QrCode::new(link).ok()?;
    // Light on dark, like most terminals; cameras read both, and the quiet zone is part of it.
    let drawn = code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
    let lines: Vec<String> = drawn.lines().map(str::to_owned).collect();
    let fits = lines.first().is_some_and(|line| line.chars().count() <= width);
    fits.then_some(lines)
}

/// Whether only this machine can open an address.
pub(crate) fn is_of_this_machine(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return true };
    url.host_str().is_none_or(is_host_of_this_machine)
}

#[cfg(test)]
mod tests {
    use super::qr;

    const LINK: &str = "https://entracte.example/login#0123456789abcdef0123456789abcdef";

    #[test]
    fn public_link_is_code_that_fits() {
        let lines = qr(LINK, 80).unwrap();
        let width = lines[0].chars().count();
        assert!(lines.iter().all(|line| line.chars().count() == width), "{lines:?}");
        assert!(lines.len() == width.div_ceil(2) && lines.len() > 15, "two rows in a line: {}", lines.len());
        assert_eq!(qr(LINK, width - 1), None, "it would be broken into pieces");
        assert_ne!(qr(&LINK.replace("0123", "3210"), 80), Some(lines), "the secret is in it");
    }

    #[test]
    fn local_link_has_no_code() {
        for host in ["127.0.0.1:8723", "localhost:8723", "[::1]:8723", "0.0.0.0:80"] {
            assert_eq!(qr(&format!("http://{host}/login#secret"), 80), None, "{host}");
        }
    }
}
