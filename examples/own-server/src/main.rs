//! Listens until Ctrl-C: `own-server 127.0.0.1:8080 own-server-data`, then open the printed link.

use std::error::Error;

use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let data = arguments.next().unwrap_or_else(|| "own-server-data".to_owned());
    let listener = TcpListener::bind(address).await?;
    let end = async {
        let _heard = tokio::signal::ctrl_c().await;
    };
    own_server::serve(listener, &data, |link| println!("{link}"), end).await
}
