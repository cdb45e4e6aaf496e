//! The connection of a machine to its fleet's server.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use async_nats::rustls::{self, CertificateError, ClientConfig, crypto};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};

use crate::access::key::roots;
use crate::protocol::subjects;
use crate::{MachineKey, MachineName};
use doublecross_core::mix::split_mix;
use doublecross_core::shell::shell_word;

/// The time that connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time that an answer may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between signs of life. After two without an answer the connection is made anew.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// The longest pause between two attempts to connect again.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// The reason why a machine cannot connect to a server.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The address is not one.
    #[error(
        "{} is not the address of a server: addresses are HOST, HOST:PORT and nats://HOST:PORT",
        shell_word(address)
    )]
    Address {
        /// The text that was given.
        address: String,
    },
    /// The key cannot be used.
    #[error("the key of {name} cannot be used: {reason}")]
    Key {
        /// The key's machine.
        name: MachineName,
        /// The reason.
        reason: String,
    },
    /// The host's name has no address.
    #[error("cannot find {address}: {reason}")]
    Unknown {
        /// The server's address.
        address: String,
        /// The reason.
        reason: String,
    },
    /// Nothing listens there.
    #[error("nothing listens on {address} (start the server: nats-server -c DIR/nats.conf)")]
    Refused {
        /// The server's address.
        address: String,
    },
    /// There is no answer in time.
    #[error("no NATS server answers from {address} within {} s", CONNECT_TIMEOUT.as_secs())]
    TimedOut {
        /// The server's address.
        address: String,
    },
    /// Something else answers.
    #[error("what listens on {address} is not a NATS server")]
    NotNats {
        /// The server's address.
        address: String,
    },
    /// A NATS server that was not started from a fleet's folder.
    #[error("the server on {address} does not speak TLS (start it with the nats.conf of a fleet)")]
    NoTls {
        /// The server's address.
        address: String,
    },
    /// The server has another fleet's certificate.
    #[error("the server on {address} is not that of this key's fleet: its certificate is of another fleet")]
    OtherFleet {
        /// The server's address.
        address: String,
    },
    /// The server's certificate is for other names.
    #[error(
        "the server on {address} has no certificate for this name (use one that was given to fleet init with --host)"
    )]
    OtherName {
        /// The server's address.
        address: String,
    },
    /// The server's certificate is refused for another reason.
    #[error("the certificate of the server on {address} is refused: {reason}")]
    Certificate {
        /// The server's address.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The server does not know the key.
    #[error(
        "the server on {address} does not know the key of {name}: it was revoked, or is new (nats-server --signal reload)"
    )]
    NotLetIn {
        /// The server's address.
        address: String,
        /// The key's machine.
        name: MachineName,
    },
    /// Another error.
    #[error("cannot connect to {address}: {reason}")]
    Other {
        /// The server's address.
        address: String,
        /// The reason.
        reason: String,
    },
}

/// Connects a machine to its fleet's server.
///
/// The first attempt decides; a connection that is lost later is made again for as long as it
/// takes.
///
/// # Errors
/// Returns an error if the server cannot be reached, is not that of the key's fleet, or does not
/// know the key.
pub async fn connect(address: &str, key: &MachineKey) -> Result<Client, ConnectError> {
    connect_with(address, options(key)?, key).await
}

/// Connects a machine as [`connect`] does, with these options.
pub(crate) async fn connect_with(
    address: &str,
    options: ConnectOptions,
    key: &MachineKey,
) -> Result<Client, ConnectError> {
    let server = server_address(address)?;
    let connected = options.connect(server.clone()).await;
    connected.map_err(|error| connect_error(&error, &server, key))
}

/// Returns the options of a machine's connection, to which a caller may add its own, as for events.
///
/// # Errors
/// Returns an error if the key cannot be used.
pub fn options(key: &MachineKey) -> Result<ConnectOptions, ConnectError> {
    let invalid = |reason: String| ConnectError::Key { name: key.name().clone(), reason };
    let provider = Arc::new(crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let tls = tls.map_err(|error| invalid(error.to_string()))?;
    // The fleet's own authority, and none of those that this machine trusts otherwise.
    let tls = tls.with_root_certificates(roots(key.authority()).map_err(invalid)?).with_no_client_auth();
    let salt = key.name().as_str().bytes().fold(0, |mixed, byte| split_mix(mixed ^ u64::from(byte)));
    Ok(ConnectOptions::with_nkey(key.seed().into())
        .name(key.name())
        .require_tls(true)
        .tls_client_config(tls)
        .custom_inbox_prefix(subjects::inbox(key.name()))
        .connection_timeout(CONNECT_TIMEOUT)
        .request_timeout(Some(REQUEST_TIMEOUT))
        .ping_interval(PING_INTERVAL)
        .max_reconnects(None)
        .reconnect_delay_callback(move |attempt| pause(attempt, salt))
        .ignore_discovered_servers())
}

/// The pause before an attempt to connect, of which the first has none. Pauses grow, and differ
/// between machines, so that a server that starts again is not met by all at once.
fn pause(attempt: usize, salt: u64) -> Duration {
    if attempt <= 1 {
        return Duration::ZERO;
    }
    let full = Duration::from_millis(200 << (attempt - 2).min(10)).min(LONGEST_PAUSE);
    let random = split_mix(salt ^ attempt as u64) % 1024;
    full / 2 + full.mul_f64(random as f64 / 2048.0)
}

/// Returns the address of a server, whose port is 4222 unless it says another.
///
/// # Errors
/// Returns an error for what is no such address, or has a user or a path in it.
pub fn server_address(text: &str) -> Result<ServerAddr, ConnectError> {
    let invalid = || ConnectError::Address { address: text.into() };
    let server: ServerAddr = text.parse().map_err(|_| invalid())?;
    let is_plain = !server.is_websocket() && !server.has_user_pass() && server.password().is_none();
    // An address without a host has a path.
    let rest = server.as_url_str().split_once("://").map_or("", |(_, rest)| rest);
    let is_host = !server.host().is_empty() && !rest.trim_end_matches('/').contains(['/', '?', '#']);
    if is_plain && is_host && server.port() != 0 { Ok(server) } else { Err(invalid()) }
}

/// Finds out what went wrong, from the errors behind an error.
fn connect_error(error: &async_nats::ConnectError, server: &ServerAddr, key: &MachineKey) -> ConnectError {
    let address = format!("{}:{}", server.host(), server.port());
    let reason = error.to_string();
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation => {
            return ConnectError::NotLetIn { address, name: key.name().clone() };
        }
        ConnectErrorKind::Dns => return ConnectError::Unknown { address, reason },
        ConnectErrorKind::TimedOut => return ConnectError::TimedOut { address },
        _ => {}
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return tls_error(error, address);
        }
        let io = error.downcast_ref::<io::Error>();
        // The source of such an error is that of what it wraps, which is passed over.
        if let Some(error) = io.and_then(|error| error.get_ref()).and_then(|error| error.downcast_ref()) {
            return tls_error(error, address);
        }
        match io.map(io::Error::kind) {
            Some(ErrorKind::ConnectionRefused) => return ConnectError::Refused { address },
            Some(ErrorKind::TimedOut) => return ConnectError::TimedOut { address },
            Some(ErrorKind::InvalidInput | ErrorKind::InvalidData) => return ConnectError::NotNats { address },
            _ => cause = error.source(),
        }
    }
    if reason.contains("expected INFO") {
        ConnectError::NotNats { address }
    } else {
        ConnectError::Other { address, reason }
    }
}

fn tls_error(error: &rustls::Error, address: String) -> ConnectError {
    use CertificateError::{BadSignature, NotValidForName, NotValidForNameContext, UnknownIssuer};
    match error {
        rustls::Error::InvalidCertificate(UnknownIssuer | BadSignature) => ConnectError::OtherFleet { address },
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            ConnectError::OtherName { address }
        }
        rustls::Error::InvalidMessage(_) => ConnectError::NoTls { address },
        other => ConnectError::Certificate { address, reason: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_differ() {
        for salt in 0..100 {
            assert_eq!(pause(1, salt), Duration::ZERO);
            for attempt in 2..100 {
                let full = (200u64 << (attempt - 2).min(10)).min(8000);
                let pause = pause(attempt, salt).as_millis() as u64;
                assert!((full / 2..=full).contains(&pause), "{attempt}: {pause}");
            }
        }
        assert_ne!(pause(5, 1), pause(5, 2));
        assert!(pause(usize::MAX, 1) <= LONGEST_PAUSE);
    }

    #[test]
    fn addresses_are_hosts_and_ports() {
        for (text, host, port) in [
            ("games.example.org", "games.example.org", 4222),
            ("10.0.0.7:4333", "10.0.0.7", 4333),
            ("nats://host", "host", 4222),
            ("tls://host:1/", "host", 1),
            ("[::1]:4222", "::1", 4222),
        ] {
            let server = server_address(text).unwrap();
            assert_eq!((server.host(), server.port()), (host, port), "{text}");
        }
    }
}
