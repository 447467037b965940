//! Compression of answers: Brotli or gzip, as `Accept-Encoding` allows.
//!
//! Only whole answers to reads are compressed: no streams, no answers to changes (they may hold a new secret), and nothing
//! of [`SECRET_SEGMENTS`]. The length of a compressed answer tells how much of it repeats, so an answer that holds a secret
//! beside words of a stranger would give the secret away (BREACH); answers to pages of other sites are not compressed for
//! the same reason.
//!
//! A strong entity tag stays as it is: it names the version that was read, which `If-Match` sends back, not the bytes of one
//! encoding, and no answer with a tag is stored by a cache (`no-store`).

use std::io::Write as _;
use std::sync::Arc;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::authentication::is_safe_method;
use crate::server_state::ServerState;

/// Path segments whose answers name secrets or what is made of them. None holds the secret itself once it was shown, and
/// none is large, so nothing is lost by leaving them as they are.
const SECRET_SEGMENTS: [&str; 7] = ["callbacks", "links", "login", "me", "secrets", "targets", "tokens"];

/// Bytes beyond which compression leaves the thread that serves other requests.
const INLINE_BYTES: usize = 32 * 1024;

/// Quality of Brotli, 0 to 11: half a millisecond for a page of a list, and a third smaller than gzip.
const BROTLI_QUALITY: i32 = 5;
/// Quality of Brotli for the files of the console, each of which is compressed once.
const BROTLI_QUALITY_BEST: i32 = 9;
/// Window of Brotli, as a power of two: 1 MiB.
const BROTLI_WINDOW: i32 = 20;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentCoding {
    /// Brotli.
    Brotli,
    /// Gzip.
    Gzip,
}

impl ContentCoding {
    /// The best coding that a client accepts.
    pub(crate) fn accepted_by(headers: &HeaderMap) -> Option<Self> {
        [Self::Brotli, Self::Gzip].into_iter().find(|coding| coding.is_accepted_by(headers))
    }

    /// Whether a client accepts the coding by its name.
    fn is_accepted_by(self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        lines.flat_map(|line| line.split(',')).any(|one| {
            let (coding, quality) = one.split_once(';').unwrap_or((one, ""));
            let quality = quality.trim().strip_prefix("q=").and_then(|quality| quality.parse::<f32>().ok());
            coding.trim().eq_ignore_ascii_case(self.word()) && quality.is_none_or(|quality| quality > 0.0)
        })
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The value of `Content-Encoding`.
    pub(crate) const fn header(self) -> HeaderValue {
        HeaderValue::from_static(self.word())
    }

    /// Compresses an answer.
    fn compress(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Brotli => brotli(bytes, BROTLI_QUALITY),
            Self::Gzip => gzip(bytes, Compression::default()),
        }
    }

    /// Compresses a file that is sent often.
    pub(crate) fn compress_best(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Brotli => brotli(bytes, BROTLI_QUALITY_BEST),
            Self::Gzip => gzip(bytes, Compression::best()),
        }
    }
}

/// Middleware that compresses answers to reads.
pub(crate) async fn compress_answer(
    State(state): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    let coding = coding_of_request(&request);
    let response = next.run(request).await;
    let Some(coding) = coding.filter(|_| is_compressible(&response)) else { return response };
    let limits = &state.terms.limits;
    let bytes = response.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    // The body of a stream has no length.
    let sizes = limits.compressed_min..=limits.compressed_max;
    let Some(length) = bytes.filter(|bytes| sizes.contains(bytes)) else { return response };
    let (mut parts, body) = response.into_parts();
    // A whole body cannot fail.
    let Ok(bytes) = to_bytes(body, length).await else {
        return Response::from_parts(parts, Body::empty());
    };
    let compressed = if length < INLINE_BYTES {
        coding.compress(&bytes)
    } else {
        let shared = bytes.clone();
        match tokio::task::spawn_blocking(move || coding.compress(&shared)).await {
            Ok(compressed) => compressed,
            Err(error) => {
                tracing::warn!(%error, "an answer could not be compressed");
                return Response::from_parts(parts, Body::from(bytes));
            }
        }
    };
    parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, coding.header());
    Response::from_parts(parts, Body::from(compressed))
}

/// The coding of the answer to a request; `None` if it must not be compressed.
fn coding_of_request(request: &Request) -> Option<ContentCoding> {
    // Pages of other sites send their origin with a read, pages of this server do not.
    let is_elsewhere = request.headers().contains_key(header::ORIGIN);
    let names_secret = request
        .extensions()
        .get::<MatchedPath>()
        .is_none_or(|route| route.as_str().split('/').any(|segment| SECRET_SEGMENTS.contains(&segment)));
    if is_elsewhere || names_secret || !is_safe_method(request.method()) {
        return None;
    }
    ContentCoding::accepted_by(request.headers())
}

fn is_compressible(response: &Response) -> bool {
    let headers = response.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = kind.starts_with("text/") || kind.starts_with("application/json");
    response.status() == StatusCode::OK
        && is_text
        && !headers.contains_key(header::CONTENT_ENCODING)
        && !kind.starts_with("text/event-stream")
}

fn brotli(bytes: &[u8], quality: i32) -> Vec<u8> {
    let mut compressed = Vec::new();
    let params = brotli::enc::BrotliEncoderParams {
        quality,
        lgwin: BROTLI_WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    // Reading from and writing to memory cannot fail.
    let _ = brotli::BrotliCompress(&mut &*bytes, &mut compressed, &params);
    compressed
}

fn gzip(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut compressed = GzEncoder::new(Vec::new(), level);
    // Writing to memory cannot fail.
    let _ = compressed.write_all(bytes);
    compressed.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(text: &'static str) -> Option<ContentCoding> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
        ContentCoding::accepted_by(&headers)
    }

    #[test]
    fn best_accepted_coding_is_chosen() {
        for brotli in ["gzip, deflate, br", "br;q=0.1, gzip", "BR"] {
            assert_eq!(accepted(brotli), Some(ContentCoding::Brotli), "{brotli}");
        }
        for gzip in ["gzip", "br;q=0, gzip;q=0.5", "deflate,gzip"] {
            assert_eq!(accepted(gzip), Some(ContentCoding::Gzip), "{gzip}");
        }
        for none in ["", "identity", "gzip;q=0, br;q=0.0", "zstd"] {
            assert_eq!(accepted(none), None, "{none}");
        }
        assert_eq!(ContentCoding::accepted_by(&HeaderMap::new()), None);
    }

    #[test]
    fn compressed_bytes_are_read_back() {
        use std::io::Read as _;
        let text = "approve, reject; ".repeat(400);
        let mut read = String::new();
        let packed = ContentCoding::Gzip.compress(text.as_bytes());
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut read).unwrap();
        assert!(read == text && packed.len() < text.len() / 10);
        let mut bytes = Vec::new();
        let packed = ContentCoding::Brotli.compress(text.as_bytes());
        brotli::BrotliDecompress(&mut packed.as_slice(), &mut bytes).unwrap();
        assert!(bytes == text.as_bytes() && packed.len() < text.len() / 10);
    }
}
