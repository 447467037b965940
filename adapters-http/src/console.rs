//! The console: the pages where people decide, as files in the program.
//!
//! A page names its files below a folder that is called by what is in them (`/assets/<version>/…`), so a browser keeps them
//! for ever and never mixes two versions. The page itself is asked for again each time, by its tag.

use std::io::Write as _;
use std::sync::{Arc, LazyLock, OnceLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use entracte_application::system::sha256;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::problem::Problem;
use crate::server_state::ServerState;

macro_rules! files {
    ($($path:literal)*) => {
        /// Every file, by its place in `console/`.
        const FILES: &[(&str, &[u8])] = &[$(($path, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/console/", $path)))),*];
    };
}

include!("console/files.rs");

/// The same, compressed the first time that somebody asks.
static ZIPPED: [OnceLock<Vec<u8>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// What the files are called together: the beginning of their hash.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (path, bytes) in FILES {
        all.extend_from_slice(path.as_bytes());
        all.extend_from_slice(bytes);
    }
    sha256(&all).as_str().chars().take(VERSION_LENGTH).collect()
});

/// Characters of a version.
const VERSION_LENGTH: usize = 16;

/// A file of a version never changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A page is asked for again each time.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Where the views are. Each has further pages below it.
const VIEWS: [&str; 7] = ["/inbox", "/sessions", "/automations", "/world", "/library", "/settings", "/login"];

/// The chat for pages of other sites: one file, which is nobody's secret and is loaded by any page.
pub(crate) const WIDGET: &str = "/widget/entracte-chat.js";

/// Whether a path is a page of the console.
pub(crate) fn is_page(path: &str) -> bool {
    let below =
        |view: &str| path.strip_prefix(view).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    path == "/" || VIEWS.iter().any(|view| below(view))
}

/// Its pages and files.
pub(crate) fn all() -> Router<Arc<ServerState>> {
    let mut router = Router::new().route("/", get(index)).route("/assets/{version}/{*path}", get(file));
    router = router.route(WIDGET, get(widget));
    for view in VIEWS {
        router = router.route(view, get(index)).route(&format!("{view}/{{*rest}}"), get(index));
    }
    router
}

async fn index(State(house): State<Arc<ServerState>>, headers: HeaderMap) -> Response {
    page("index.html", &house.terms.base_path, &headers)
}

async fn widget(State(house): State<Arc<ServerState>>, headers: HeaderMap) -> Response {
    let mut response = page(WIDGET.trim_start_matches('/'), &house.terms.base_path, &headers);
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(policy, HeaderValue::from_static("cross-origin"));
    response
}

async fn file(Path((_version, path)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some((place, (path, bytes))) = FILES.iter().enumerate().find(|(_, (known, _))| *known == path) else {
        return Problem::from_status(StatusCode::NOT_FOUND).into_response();
    };
    let mut response = if takes_gzip(&headers) {
        let zipped = ZIPPED[place].get_or_init(|| zip(bytes));
        ([(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))], zipped.as_slice()).into_response()
    } else {
        (*bytes).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind(path));
    headers.insert(header::CACHE_CONTROL, FOR_EVER);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// A page with the places of its files in it.
fn page(name: &str, base_path: &str, headers: &HeaderMap) -> Response {
    let text = FILES.iter().find(|(path, _)| *path == name).map_or(&[][..], |(_, bytes)| *bytes);
    let assets = format!("{base_path}/assets/{}", *VERSION);
    let text = String::from_utf8_lossy(text).replace("{assets}", &assets).replace("{base}", base_path);
    let tag = format!("\"{}\"", sha256(text.as_bytes()).as_str());
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if known { StatusCode::NOT_MODIFIED.into_response() } else { text.into_response() };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind(name));
    headers.insert(header::CACHE_CONTROL, ASK_AGAIN);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn kind(path: &str) -> HeaderValue {
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "webmanifest" => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    };
    HeaderValue::from_static(kind)
}

/// Whether a client takes it.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| {
        let (coding, quality) = one.split_once(';').unwrap_or((one, ""));
        coding.trim() == "gzip" && quality.trim() != "q=0"
    })
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut zipped = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = zipped.write_all(bytes);
    zipped.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn below(folder: &Path, root: &Path, all: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, root, all);
            } else {
                all.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn every_file_that_a_browser_asks_for_is_in_the_program() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("console");
        let mut found = BTreeSet::new();
        below(&root, &root, &mut found);
        // What only a person or the checker of types reads stays outside.
        found.retain(|path| {
            !path.ends_with(".md")
                && !path.ends_with("LICENSE")
                && !path.ends_with(".json")
                && !path.ends_with(".d.ts")
        });
        let listed: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(listed, found);
    }

    #[test]
    fn a_page_of_a_view_may_be_linked_to_and_nothing_beside_it() {
        for path in ["/", "/inbox", "/inbox/apr_1", "/sessions/ses_1/prompt/mc_1", "/login"] {
            assert!(is_page(path), "{path}");
        }
        for path in ["/inboxes", "/assets/x/main.js", "/v1/me", "/a/b", ""] {
            assert!(!is_page(path), "{path}");
        }
    }

    #[test]
    fn nothing_is_asked_for_from_elsewhere_and_nothing_makes_html_of_text() {
        for (path, bytes) in FILES.iter().filter(|(path, _)| !path.starts_with("vendor/")) {
            let text = String::from_utf8_lossy(bytes).replace("http://www.w3.org/", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{path}");
            for word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "unsafeHTML",
                "eval(",
                "new Function",
            ] {
                assert!(!text.contains(word), "{path} has {word}");
            }
        }
    }

    /// A file, and all that it imports before anything of it runs.
    fn with_imports(path: &str, all: &mut BTreeSet<String>) {
        if !all.insert(path.to_owned()) {
            return;
        }
        let (_, bytes) = FILES.iter().find(|(known, _)| *known == path).unwrap();
        let text = String::from_utf8_lossy(bytes);
        let named =
            text.split(" from \"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name);
        for name in named.filter(|name| name.starts_with('.')) {
            let mut parts: Vec<&str> = path.split('/').collect();
            parts.pop();
            for part in name.split('/').filter(|part| *part != ".") {
                if part == ".." {
                    parts.pop();
                } else {
                    parts.push(part);
                }
            }
            with_imports(&parts.join("/"), all);
        }
    }

    #[test]
    fn the_first_view_is_small() {
        // What it asks for before anything can be decided, in French, which has English beside it; the bar of the design is
        // 100 KB.
        let mut needed = BTreeSet::from(["index.html", "icon.svg", "theme.js"].map(str::to_owned));
        for path in ["main.js", "views/inbox.js", "texts/fr.js"] {
            with_imports(path, &mut needed);
        }
        needed.extend(
            FILES.iter().filter(|(path, _)| path.starts_with("styles/")).map(|(path, _)| (*path).to_owned()),
        );
        assert!(
            needed.contains("vendor/lit-html/lit-html.js") && !needed.contains("views/world.js"),
            "{needed:?}"
        );
        let bytes: usize =
            FILES.iter().filter(|(path, _)| needed.contains(*path)).map(|(_, bytes)| zip(bytes).len()).sum();
        assert!(bytes < 72 * 1024, "{bytes} bytes");
    }

    #[test]
    fn a_file_is_kept_for_ever_and_a_page_is_asked_for_again() {
        let first = page("index.html", "/deep", &HeaderMap::new());
        let tag = first.headers()[header::ETAG].clone();
        assert_eq!((first.status(), &first.headers()[header::CACHE_CONTROL]), (StatusCode::OK, &ASK_AGAIN));
        let mut known = HeaderMap::new();
        known.insert(header::IF_NONE_MATCH, tag);
        assert_eq!(page("index.html", "/deep", &known).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(page("index.html", "/other", &known).status(), StatusCode::OK, "it names other places");
        let heard = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            takes_gzip(&headers)
        };
        assert!(heard("gzip, deflate, br") && heard("br, gzip;q=0.5"));
        assert!(!heard("br") && !heard("gzip;q=0"));
    }
}
