//! The page of the OpenAPI document, the page that links lead to, and the security policy of every page. The pages
//! where people decide are in [`console`](crate::console).

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderValue, header};
use std::sync::Arc;

use crate::extractors::JsonResponse;
use crate::openapi::{build_openapi, build_openapi_3_0};
use crate::server_state::ServerState;

/// Content security policy: pages load only from this server, create no HTML from text, and cannot be framed. Images of
/// conversations are fetched with the proof of the login, which a browser sends for no image: `blob:` shows them.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                                 connect-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; \
                                 frame-ancestors 'none'; require-trusted-types-for 'script'; \
                                 trusted-types lit-html entracte-push";

/// The policy of answers that are no page: should a browser show one, it loads nothing and is in no frame.
pub(crate) const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Whether a path is a page, to which other sites may link.
pub(crate) fn is_page(path: &str) -> bool {
    ["/a", "/docs"].contains(&path) || crate::console::is_page(path)
}

/// The routes of the pages.
pub(crate) fn all() -> Router<Arc<ServerState>> {
    Router::new()
        .route("/v1/openapi.json", get(async || JsonResponse(build_openapi())))
        .route("/v1/openapi-3.0.json", get(async || JsonResponse(build_openapi_3_0())))
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
