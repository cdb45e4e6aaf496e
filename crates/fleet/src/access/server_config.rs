//! The configuration of the server, with the least permissions for each machine.

use std::net::IpAddr;
use std::path::Path;

use crate::protocol::subjects;
use crate::protocol::subjects::{NOW, ORDERS, PLAY, PLAY_CONSUMER, STATUS};
use crate::{Machine, Role};

/// The configuration file of a server, as text.
///
/// `folder` is absolute, since the server looks for relative paths where it was started. It is the
/// caller's to check that it has no control characters.
pub(crate) fn server_config(folder: &str, bind: IpAddr, port: u16, machines: &[Machine]) -> String {
    let path = |name: &str| quoted(&Path::new(folder).join(name).to_string_lossy());
    let listen = std::net::SocketAddr::new(bind, port);
    let users: String = machines.iter().map(user).collect();
    format!(
        "\
# The server of a doublecross fleet. `doublecross fleet key` and `doublecross fleet revoke` write
# this file anew, from fleet.toml.
listen: {listen}
max_payload: 1MB
ping_interval: \"20s\"

jetstream {{
  store_dir: {store}
  max_memory_store: 64MB
  max_file_store: 4GB
}}

# Proves the server to the machines. They prove themselves by their keys.
tls {{
  cert_file: {certificate}
  key_file: {key}
  timeout: 5
}}

authorization {{
  timeout: 10
  users: [
{users}  ]
}}
",
        store = path("jetstream"),
        certificate = path("tls/server.pem"),
        key = path("tls/server.key"),
    )
}

/// The entry of a machine.
fn user(machine: &Machine) -> String {
    let Machine { name, role, public_key } = machine;
    let Some((publish, subscribe)) = permissions(machine) else {
        return format!("    # {name}, {role}: everything\n    {{ nkey: {public_key} }}\n");
    };
    let list = |subjects: Vec<String>| subjects.iter().map(|subject| quoted(subject)).collect::<Vec<_>>().join(", ");
    format!(
        "    # {name}, {role}\n    {{ nkey: {public_key}, permissions: {{\n      publish: {{ allow: [{}] }}\n      \
         subscribe: {{ allow: [{}] }}\n    }} }}\n",
        list(publish),
        list(subscribe)
    )
}

/// The subjects that a machine may publish on, and those that it may subscribe to; `None` for all.
fn permissions(machine: &Machine) -> Option<(Vec<String>, Vec<String>)> {
    let publish = match machine.role {
        Role::Coordinator => return None,
        Role::Worker => vec![
            format!("$JS.API.CONSUMER.MSG.NEXT.{PLAY}.{PLAY_CONSUMER}"),
            format!("$JS.API.CONSUMER.INFO.{PLAY}.{PLAY_CONSUMER}"),
            format!("$JS.ACK.{PLAY}.{PLAY_CONSUMER}.>"),
            format!("$JS.API.DIRECT.GET.{ORDERS}"),
            format!("$JS.API.DIRECT.GET.{ORDERS}.>"),
            subjects::result(&machine.name),
            subjects::hello(&machine.name),
        ],
        Role::Observer => vec![STATUS.into()],
    };
    Some((publish, vec![format!("{}.>", subjects::inbox(&machine.name)), NOW.into()]))
}

/// A text between quotation marks, as the server reads it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
