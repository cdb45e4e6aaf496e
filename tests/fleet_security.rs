//! What the server of a fleet lets each machine do, by a real server.
#![cfg(all(unix, feature = "nats"))]

mod common;

use common::nats::{NatsServer, block_on};
use doublecross::fleet::connect;

#[test]
fn machines_connect() {
    let Some(server) = NatsServer::start(2) else { return };
    block_on(async {
        for name in ["coordinator", "observer", "worker-1", "worker-2"] {
            let client = connect(&server.address(), &server.key(name)).await.unwrap();
            assert!(client.server_info().jetstream);
        }
    });
}
