//! The server over real connections.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// The answer to a GET.
async fn get(address: SocketAddr, path: &str) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    answer
}

/// Input: pages of the host and of the assistant; expected: both are answered, the assistant names its files below its path,
/// lets nobody in without a login, and ends with the server.
#[tokio::test(flavor = "multi_thread")]
async fn own_server_has_both_pages() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").display().to_string();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let (shown, link) = oneshot::channel();
    let show = |link: &str| shown.send(link.to_owned()).unwrap();
    let serving = own_server::serve(listener, &data, show, async {
        let _dropped = stopped.await;
    });
    let visit = async {
        let link = link.await.unwrap();
        assert!(link.starts_with(&format!("http://{address}/assistant/login#")), "{link}");
        let own = get(address, "/").await;
        assert!(own.starts_with("HTTP/1.1 200") && own.contains("your own page"), "{own}");
        let console = get(address, "/assistant").await;
        assert!(console.starts_with("HTTP/1.1 200") && console.contains("/assistant/assets/"), "{console}");
        let closed = get(address, "/assistant/v1/me").await;
        assert!(closed.starts_with("HTTP/1.1 401"), "{closed}");
        drop(stop);
    };
    let (served, ()) = tokio::join!(serving, visit);
    served.unwrap();
}
