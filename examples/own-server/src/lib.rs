//! Your own axum server, with the console, the API and AG-UI of Entracte under `/assistant`: your pages, your layers, your
//! shutdown.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use custom_provider::RuleClerk;
use entracte::Program;
use entracte_domain::session::Dialect;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Serves until `end`; `show` gets the link that logs a browser in.
pub async fn serve(
    listener: TcpListener,
    data: &str,
    show: impl FnOnce(&str),
    end: impl Future<Output = ()>,
) -> Result<(), Box<dyn Error>> {
    let clerk = RuleClerk::new("Dear Ann", &[("open", "we open at nine.")]);
    let program = Program::builder()
        .provider(Arc::new(clerk), Dialect::Envelope)
        .setting("data", data)
        // What browsers use. Behind TLS it is `server.public_url`.
        .setting("server.bind", listener.local_addr()?.to_string())
        .setting("server.base_path", "/assistant")
        .build();
    let program = program.start().await?;
    show(&program.login_link().await?);

    let router = Router::new()
        .route("/", get(async || "your own page; the assistant is at /assistant"))
        .merge(program.router())
        .layer(from_fn(log_request))
        .into_make_service_with_connect_info::<SocketAddr>();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = axum::serve(listener, router).with_graceful_shutdown(async {
        let _dropped = stopped.await;
    });
    // The sessions end first; meanwhile the server still answers.
    let sessions = async {
        let ended = program.run(end).await;
        drop(stop);
        ended
    };
    let (ended, served) = tokio::join!(sessions, async { server.await });
    ended?;
    Ok(served?)
}

/// A layer of your own: it sees every request, also those to the assistant, and could refuse it.
async fn log_request(request: Request, next: Next) -> Response {
    eprintln!("{} {}", request.method(), request.uri().path());
    next.run(request).await
}
