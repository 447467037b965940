//! The console: the pages where people decide, as files in the program.
//!
//! A page refers to its files below a folder named after the hash of their content (`/assets/<version>/…`), so that a
//! browser caches them forever and never mixes two versions. The page itself is revalidated each time, by its entity
//! tag.
//!
//! The files are in `adapters-http/console`: plain modules that a browser loads as they are (adr 48).
//! `core/` has requests, the feed, pages of what waits, streams, one state with one drawing per frame, JSON that keeps its
//! digits, hidden characters made visible, Markdown without HTML, formulas as MathML. `parts/` are functions of data, as the card of an approval. `views/` are
//! loaded when they are opened. `widget/` is the one file that pages of other sites load (adr 58); it shares nothing with
//! the rest. `texts/` are English and French; `vendor/` is lit-html and the lexer of marked, with their hashes.
//! `core/shapes.d.ts` is made of `docs/openapi.json` by `tests/console/shapes.mjs`.

use std::sync::{Arc, LazyLock, OnceLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use entracte_application::system::sha256;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::compression::ContentCoding;
use crate::problem::Problem;
use crate::server_state::ServerState;

macro_rules! files {
    ($($path:literal)*) => {
        /// All files, by their path in `console/`.
        const FILES: &[(&str, &[u8])] = &[$(($path, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/console/", $path)))),*];
    };
}

include!("console/files.rs");

/// The files compressed with one coding, each compressed on its first request.
type CompressedFiles = [OnceLock<Vec<u8>>; FILES.len()];

static BROTLI_FILES: CompressedFiles = [const { OnceLock::new() }; FILES.len()];
static GZIP_FILES: CompressedFiles = [const { OnceLock::new() }; FILES.len()];

/// The version of all files: the beginning of their hash.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (path, bytes) in FILES {
        all.extend_from_slice(path.as_bytes());
        all.extend_from_slice(bytes);
    }
    sha256(&all).as_str().chars().take(VERSION_LENGTH).collect()
});

/// Hexadecimal characters of a version.
const VERSION_LENGTH: usize = 16;

/// Cache policy of versioned files, which never change.
const FOR_EVER: HeaderValue = HeaderValue::from_static(IMMUTABLE);
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Cache policy of pages, which are revalidated each time.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Whether this server has the routes of zones, tools and entries, without which the pages show none of them.
const HAS_DATA: bool = cfg!(feature = "resources");

/// Paths of the views. Each has further pages below it.
const VIEWS: [&str; 8] =
    ["/inbox", "/sessions", "/automations", "/world", "/library", "/settings", "/login", "/terminal"];

/// The chat widget for pages of other sites: one file without secrets, which any page may load.
pub(crate) const WIDGET: &str = "/widget/entracte-chat.js";

/// The worker that shows push messages. A browser lets it see what lies below its own path, so it is not among the assets.
const PUSH_WORKER: &str = "/push-worker.js";

/// Whether a path is a page of the console, which other sites may link to.
pub(crate) fn is_page(path: &str) -> bool {
    let below =
        |view: &str| path.strip_prefix(view).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    path == "/" || VIEWS.iter().any(|view| below(view))
}

/// Whether these are the headers of a script or style sheet of the console.
pub(crate) fn is_page_part(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    headers.get(header::CACHE_CONTROL).is_some_and(|control| control == IMMUTABLE)
        && (kind.starts_with("text/javascript") || kind.starts_with("text/css"))
}

/// The routes of the pages and files.
pub(crate) fn all() -> Router<Arc<ServerState>> {
    let mut router = Router::new().route("/", get(index)).route("/assets/{version}/{*path}", get(file));
    router = router.route(WIDGET, get(widget)).route(PUSH_WORKER, get(push_worker));
    for view in VIEWS {
        router = router.route(view, get(index)).route(&format!("{view}/{{*rest}}"), get(index));
    }
    router
}

async fn index(State(state): State<Arc<ServerState>>, headers: HeaderMap) -> Response {
    page("index.html", PageValues::of(&state), &headers)
}

async fn push_worker(State(state): State<Arc<ServerState>>, headers: HeaderMap) -> Response {
    page(PUSH_WORKER.trim_start_matches('/'), PageValues::of(&state), &headers)
}

async fn widget(State(state): State<Arc<ServerState>>, headers: HeaderMap) -> Response {
    let mut response = page(WIDGET.trim_start_matches('/'), PageValues::of(&state), &headers);
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
    let mut response = match ContentCoding::accepted_by(&headers) {
        Some(coding) => {
            let files = match coding {
                ContentCoding::Brotli => &BROTLI_FILES,
                ContentCoding::Gzip => &GZIP_FILES,
            };
            let compressed = files[place].get_or_init(|| coding.compress_best(bytes));
            ([(header::CONTENT_ENCODING, coding.header())], compressed.as_slice()).into_response()
        }
        None => (*bytes).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind(path));
    headers.insert(header::CACHE_CONTROL, FOR_EVER);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// What a page says of its server.
#[derive(Clone, Copy, Default)]
struct PageValues<'a> {
    /// Prefix of all paths.
    base_path: &'a str,
    /// The largest file of a conversation, in bytes. A page refuses a larger file before it sends it: a browser that is
    /// still sending when the connection closes does not read the server's refusal.
    file_bytes: u64,
}

impl<'a> PageValues<'a> {
    fn of(state: &'a ServerState) -> Self {
        Self { base_path: &state.terms.base_path, file_bytes: state.terms.runtime.files.max_bytes }
    }
}

/// A page with the paths of its files and what it says of its server filled in.
fn page(name: &str, PageValues { base_path, file_bytes }: PageValues<'_>, headers: &HeaderMap) -> Response {
    let text = FILES.iter().find(|(path, _)| *path == name).map_or(&[][..], |(_, bytes)| *bytes);
    let assets = format!("{base_path}/assets/{}", *VERSION);
    let data = if HAS_DATA { "own" } else { "none" };
    let text = String::from_utf8_lossy(text).replace("{assets}", &assets).replace("{base}", base_path);
    let text = text.replace("{data}", data).replace("{file-bytes}", &file_bytes.to_string());
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
    fn every_console_file_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("console");
        let mut found = BTreeSet::new();
        below(&root, &root, &mut found);
        // Files for people and for the type checker only are not included.
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
    fn only_view_paths_are_pages() {
        for path in ["/", "/inbox", "/inbox/apr_1", "/sessions/ses_1/prompt/mc_1", "/login"] {
            assert!(is_page(path), "{path}");
        }
        for path in ["/inboxes", "/assets/x/main.js", "/v1/me", "/a/b", ""] {
            assert!(!is_page(path), "{path}");
        }
    }

    #[test]
    fn console_has_no_external_urls_or_html_injection() {
        for (path, bytes) in FILES.iter().filter(|(path, _)| !path.starts_with("vendor/")) {
            // A name of XML, and an example of an address in a text.
            let text = String::from_utf8_lossy(bytes)
                .replace("http://www.w3.org/", "")
                .replace("https://shop.example/", "");
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

    /// Collects a file and all its static imports.
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
    fn first_view_stays_below_size_limit() {
        // The files loaded before a person can decide, in French, which loads English too; the design limits them to
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
        let bytes: usize = FILES
            .iter()
            .filter(|(path, _)| needed.contains(*path))
            .map(|(_, bytes)| ContentCoding::Gzip.compress_best(bytes).len())
            .sum();
        assert!(bytes < 92 * 1024, "{bytes} bytes");
    }

    /// Input: the page; expected: it says whether there are zones, tools and entries to show, and how large a file may be.
    #[tokio::test]
    async fn page_says_whether_it_has_data() {
        let values = PageValues { file_bytes: 1234, ..PageValues::default() };
        let answer = page("index.html", values, &HeaderMap::new());
        let bytes = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let data = if HAS_DATA { "own" } else { "none" };
        let told = format!(r#"<meta name="entracte-data" content="{data}">"#);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains(&told));
        assert!(text.contains(r#"<meta name="entracte-file-bytes" content="1234">"#));
    }

    #[test]
    fn files_are_cached_and_pages_are_revalidated() {
        let at = |base_path| PageValues { base_path, ..PageValues::default() };
        let first = page("index.html", at("/deep"), &HeaderMap::new());
        let tag = first.headers()[header::ETAG].clone();
        assert_eq!((first.status(), &first.headers()[header::CACHE_CONTROL]), (StatusCode::OK, &ASK_AGAIN));
        let mut known = HeaderMap::new();
        known.insert(header::IF_NONE_MATCH, tag);
        assert_eq!(page("index.html", at("/deep"), &known).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(
            page("index.html", at("/other"), &known).status(),
            StatusCode::OK,
            "it names other places"
        );
    }
}
