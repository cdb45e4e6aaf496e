//! The HTTP server of the page, which serves the page's files and nothing else.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::Site;

/// The Content-Security-Policy: the page may load and run its own files alone.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The most bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;

/// The most header lines of a request.
const MAX_HEADERS: usize = 100;

/// The time after which a connection is closed that has not sent a request or does not read.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The most requests that are answered at once. Further connections are closed.
const MAX_CONNECTIONS: usize = 64;

/// An error in listening on an address.
#[derive(Debug, Error)]
#[error("cannot listen on {address}: {error}")]
pub struct ServerError {
    address: SocketAddr,
    error: io::Error,
}

/// A server of the page.
pub struct Server {
    listener: TcpListener,
    site: Site,
    /// The number of open connections.
    connections: AtomicUsize,
}

/// The request of a browser.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    method: String,
    /// The path within the page's folder, without the query.
    path: String,
    /// The host in the header `Host` without its port, or nothing if there is no such header.
    host: String,
}

impl Request {
    /// Returns `true` if the host is a name or address of this machine that no other site can have.
    fn is_for_loopback(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host.is_empty()
            || self.host.eq_ignore_ascii_case("localhost")
            || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

impl Server {
    /// Listens on a port of an address. Port 0 stands for any free one.
    ///
    /// # Errors
    /// Returns an error if the address is not one of this machine or the port is taken.
    pub fn new(site: Site, address: IpAddr, port: u16) -> Result<Server, ServerError> {
        let address = SocketAddr::new(address, port);
        let listener = TcpListener::bind(address).map_err(|error| ServerError { address, error })?;
        Ok(Server { listener, site, connections: AtomicUsize::new(0) })
    }

    /// The address and port on which the server listens.
    ///
    /// # Errors
    /// Returns an error if the system does not know the address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until the program ends, each on a connection and a thread of its own.
    pub fn run(&self) {
        thread::scope(|scope| {
            for stream in self.listener.incoming().flatten() {
                if self.connections.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS {
                    scope.spawn(|| {
                        // An error means that the browser has closed the connection.
                        let _ = self.answer(stream);
                        self.connections.fetch_sub(1, Ordering::Relaxed);
                    });
                } else {
                    self.connections.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
    }

    /// Answers the request of a connection.
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let request = read_request(&mut stream)?;
        // Protects a server on loopback against DNS rebinding: a page of another site, whose name
        // resolves to this machine, must not read this page.
        let is_local = self.address().is_ok_and(|address| address.ip().is_loopback());
        let is_misdirected = is_local && request.as_ref().is_some_and(|request| !request.is_for_loopback());
        let file = request.as_ref().and_then(|request| self.site.file(&request.path));
        let method = request.as_ref().map_or("", |request| &request.method);
        let (status, media_type, bytes) = match file.as_deref() {
            _ if method.is_empty() => ("400 Bad Request", "text/plain", &b"not a request\n"[..]),
            _ if is_misdirected => ("421 Misdirected Request", "text/plain", &b"the request is for another host\n"[..]),
            _ if !["GET", "HEAD"].contains(&method) => {
                ("405 Method Not Allowed", "text/plain", &b"only GET and HEAD are supported\n"[..])
            }
            Some(file) => ("200 OK", file.media_type(), &*file.bytes),
            None => ("404 Not Found", "text/plain", &b"there is no such file\n"[..]),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cache-Control: no-cache\r\n\r\n",
            bytes.len()
        );
        let body = if method == "HEAD" { &[] } else { bytes };
        stream.write_all(&[head.as_bytes(), body].concat())
    }
}

/// Returns a host without its port.
fn without_port(host: &str) -> String {
    match host.trim().rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.into(),
        _ => host.trim().into(),
    }
}

/// Reads the request at the beginning of a connection, or returns `None` if it is not valid, too
/// long or too late.
fn read_request(stream: &mut impl Read) -> io::Result<Option<Request>> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    let start = Instant::now();
    while head.len() < MAX_HEAD && start.elapsed() < TIMEOUT {
        let count = stream.read(&mut part)?;
        if count == 0 {
            break;
        }
        head.extend_from_slice(&part[..count]);
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(&head) {
            Ok(httparse::Status::Partial) => {}
            Ok(httparse::Status::Complete(_)) => {
                let target = parsed.path.unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
                let path = target.strip_prefix('/').map(String::from);
                let host = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case("host"));
                let host = host.map_or(String::new(), |header| without_port(&String::from_utf8_lossy(header.value)));
                return Ok(parsed.method.zip(path).map(|(method, path)| Request { method: method.into(), path, host }));
            }
            Err(_) => break,
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that is read in pieces of at most so many bytes, as from a network.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    #[test]
    fn requests_are_read_in_pieces_of_any_size() {
        let text = b"GET /bots.json?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let expected = Request { method: "GET".into(), path: "bots.json".into(), host: "localhost".into() };
        for size in [1, 7, 1000] {
            assert_eq!(read_request(&mut Pieces(text, size)).unwrap().as_ref(), Some(&expected));
        }
    }

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for (host, is_own) in [
            ("localhost:8473", true),
            ("LOCALHOST", true),
            ("127.0.0.1:1", true),
            ("[::1]:8473", true),
            ("", true),
            ("example.com:8473", false),
            ("localhost.example.com", false),
            ("10.0.0.1", false),
        ] {
            let text = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            let request = read_request(&mut Pieces(text.as_bytes(), 1000)).unwrap().unwrap();
            assert_eq!(request.is_for_loopback(), is_own, "{host}");
        }
    }

    #[test]
    fn malformed_requests_are_refused() {
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(2 * MAX_HEAD));
        let headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(2 * MAX_HEADERS));
        for text in ["", "GET", "GET / HTTP/1.1\r\n", "\0\0\0\0", "GET index.html HTTP/1.1\r\n\r\n", &long, &headers] {
            assert_eq!(read_request(&mut Pieces(text.as_bytes(), 1000)).unwrap(), None, "{text:.40}");
        }
    }
}
