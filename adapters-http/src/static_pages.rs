//! The page that shows the document, the one that a link leads to, and what every page may do. The pages where people
//! decide are the [`console`](crate::console).

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderValue, header};
use std::sync::Arc;

use crate::extractors::JsonResponse;
use crate::openapi::build_openapi;
use crate::server_state::ServerState;

/// What a page may do: load from here, and nothing else; make no HTML of text; and nobody may put it into a frame.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                                 connect-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; \
                                 frame-ancestors 'none'; require-trusted-types-for 'script'; \
                                 trusted-types lit-html";

/// Whether a path is a page: another site may link to it.
pub(crate) fn is_page(path: &str) -> bool {
    ["/a", "/docs"].contains(&path) || crate::console::is_page(path)
}

/// All of them.
pub(crate) fn all() -> Router<Arc<ServerState>> {
    Router::new()
        .route("/v1/openapi.json", get(async || JsonResponse(build_openapi())))
        .route(
            "/docs",
            get(async || page("text/html; charset=utf-8", include_str!("static_pages/docs.html"))),
        )
        .route(
            "/docs.js",
            get(async || page("text/javascript; charset=utf-8", include_str!("static_pages/docs.js"))),
        )
        .route("/a", get(async || page("text/html; charset=utf-8", include_str!("static_pages/a.html"))))
        .route(
            "/a.js",
            get(async || page("text/javascript; charset=utf-8", include_str!("static_pages/a.js"))),
        )
        .route(
            "/pages.css",
            get(async || page("text/css; charset=utf-8", include_str!("static_pages/pages.css"))),
        )
}

fn page(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], text).into_response()
}
