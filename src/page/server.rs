//! Hands the page's files out, and nothing else.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::Site;

/// What a browser may load and run for the page: its own files alone.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A request's head is at most so long, in bytes and in header lines.
const LONGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 100;

/// Who has not asked after so long, or does not read for as long, is left alone.
const PATIENCE: Duration = Duration::from_secs(10);

/// So many are answered at once; more are turned away.
const MOST_AT_ONCE: usize = 64;

/// Why the page is not served.
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
    at_once: AtomicUsize,
}

/// What a browser asks for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    method: String,
    /// The path from the page's folder, without what follows `?`.
    path: String,
    /// Whom the request is for, without a port; empty when it does not say.
    host: String,
}

impl Request {
    /// Whether it is for this machine by a name that no other site can give itself.
    fn is_for_loopback(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host.is_empty()
            || self.host.eq_ignore_ascii_case("localhost")
            || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

impl Server {
    /// Listens on an address; port 0 takes any that is free.
    ///
    /// # Errors
    /// When that address is not this machine's or the port is taken.
    pub fn new(site: Site, address: IpAddr, port: u16) -> Result<Server, ServerError> {
        let address = SocketAddr::new(address, port);
        let listener = TcpListener::bind(address).map_err(|error| ServerError { address, error })?;
        Ok(Server { listener, site, at_once: AtomicUsize::new(0) })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until the program ends, each on a connection and a thread of its own.
    pub fn run(&self) {
        thread::scope(|scope| {
            for stream in self.listener.incoming().flatten() {
                if self.at_once.fetch_add(1, Ordering::Relaxed) < MOST_AT_ONCE {
                    scope.spawn(|| {
                        // A browser that has gone away is no failure of ours.
                        let _ = self.answer(stream);
                        self.at_once.fetch_sub(1, Ordering::Relaxed);
                    });
                } else {
                    self.at_once.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
    }

    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = read_request(&mut stream)?;
        // A page of another site whose name leads here is not to read this one: where nobody else is let in, only what is for
        // this machine is answered.
        let is_local = self.address().is_ok_and(|address| address.ip().is_loopback());
        let is_astray = is_local && request.as_ref().is_some_and(|request| !request.is_for_loopback());
        let file = request.as_ref().and_then(|request| self.site.file(&request.path));
        let method = request.as_ref().map_or("", |request| &request.method);
        let (status, media_type, bytes) = match file.as_deref() {
            _ if method.is_empty() => ("400 Bad Request", "text/plain", &b"that is no request\n"[..]),
            _ if is_astray => ("421 Misdirected Request", "text/plain", &b"that is for another host\n"[..]),
            _ if !["GET", "HEAD"].contains(&method) => {
                ("405 Method Not Allowed", "text/plain", &b"only reading is possible here\n"[..])
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

/// A host without the port behind it.
fn without_port(host: &str) -> String {
    match host.trim().rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.into(),
        _ => host.trim().into(),
    }
}

/// The request that a connection begins with; `None` when it is none.
fn read_request(stream: &mut impl Read) -> io::Result<Option<Request>> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    let start = Instant::now();
    while head.len() < LONGEST_HEAD && start.elapsed() < PATIENCE {
        let count = stream.read(&mut part)?;
        if count == 0 {
            break;
        }
        head.extend_from_slice(&part[..count]);
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
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

    /// Gives a text out in pieces, as a network may.
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
    fn requests_are_read_however_they_come() {
        let text = b"GET /bots.json?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let expected = Request { method: "GET".into(), path: "bots.json".into(), host: "localhost".into() };
        for size in [1, 7, 1000] {
            assert_eq!(read_request(&mut Pieces(text, size)).unwrap().as_ref(), Some(&expected));
        }
    }

    #[test]
    fn only_names_of_this_machine_are_its_own() {
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
    fn what_is_no_request_is_none() {
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(2 * LONGEST_HEAD));
        let headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(2 * MOST_HEADERS));
        for text in ["", "GET", "GET / HTTP/1.1\r\n", "\0\0\0\0", "GET index.html HTTP/1.1\r\n\r\n", &long, &headers] {
            assert_eq!(read_request(&mut Pieces(text.as_bytes(), 1000)).unwrap(), None, "{text:.40}");
        }
    }
}
