//! The pages that come with the server: the document to browse, the login, and what a link
//! leads to. They ask for nothing from elsewhere.

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderValue, header};
use std::sync::Arc;

use crate::body::Json;
use crate::document::document;
use crate::house::House;

/// What a page may do: load from here, and nothing else; nobody may put it into a frame.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                 img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Paths that are pages: another site may link to them.
pub(crate) const PAGES: [&str; 3] = ["/a", "/docs", "/login"];

/// All of them.
pub(crate) fn all() -> Router<Arc<House>> {
    Router::new()
        .route("/v1/openapi.json", get(async || Json(document())))
        .route("/docs", get(async || page("text/html; charset=utf-8", include_str!("pages/docs.html"))))
        .route(
            "/docs.js",
            get(async || page("text/javascript; charset=utf-8", include_str!("pages/docs.js"))),
        )
        .route("/a", get(async || page("text/html; charset=utf-8", include_str!("pages/a.html"))))
        .route("/a.js", get(async || page("text/javascript; charset=utf-8", include_str!("pages/a.js"))))
        .route("/login", get(async || page("text/html; charset=utf-8", include_str!("pages/login.html"))))
        .route(
            "/login.js",
            get(async || page("text/javascript; charset=utf-8", include_str!("pages/login.js"))),
        )
        .route("/pages.css", get(async || page("text/css; charset=utf-8", include_str!("pages/pages.css"))))
}

fn page(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], text).into_response()
}
