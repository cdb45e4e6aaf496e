//! One connection of the page's server, which never blocks.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::Site;
use super::request::{Parsed, Request};

/// The Content-Security-Policy: the page may load and run its own files alone.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The time for a whole request.
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// The time for a whole response.
const RESPONSE_TIME: Duration = Duration::from_secs(60);

/// The time for the client to close a connection after its response.
const CLOSING_TIME: Duration = Duration::from_secs(2);

/// The most bytes that are written at a time, so that connections take turns.
const MAX_WRITE: usize = 256 << 10;

/// A connection, with one request and its response.
pub(super) struct Connection<'a> {
    pub stream: TcpStream,
    /// The peer, for the limit of connections of each.
    pub peer: IpAddr,
    /// The time by which the state must have changed.
    pub deadline: Instant,
    state: State<'a>,
}

enum State<'a> {
    /// The request has come this far.
    Reading(Vec<u8>),
    /// The number of bytes of the response that are written.
    Writing { response: Response<'a>, written: usize },
    /// The response is written, and what the client still sends is ignored: if a connection is closed with
    /// unread bytes, the client may lose the response.
    Closing,
    /// Nothing is left to do.
    Closed,
}

/// The status line and headers of a response, and its body.
struct Response<'a> {
    head: Vec<u8>,
    body: Cow<'a, [u8]>,
}

impl<'a> Connection<'a> {
    /// A connection that was accepted `now`.
    pub fn new(stream: TcpStream, peer: IpAddr, now: Instant) -> io::Result<Connection<'a>> {
        stream.set_nonblocking(true)?;
        Ok(Connection { stream, peer, deadline: now + REQUEST_TIME, state: State::Reading(Vec::new()) })
    }

    /// Returns `true` if the next step writes.
    pub fn is_writing(&self) -> bool {
        matches!(self.state, State::Writing { .. })
    }

    /// Returns `true` if the connection is of no more use.
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Reads or writes as much as is possible at once. If `is_local`, requests for other hosts are refused.
    pub fn advance(&mut self, site: &'a Site, is_local: bool, now: Instant) {
        match self.step(site, is_local, now) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            // The client has closed the connection.
            Err(_) => self.state = State::Closed,
            Ok(()) => {}
        }
    }

    /// Ends a connection whose deadline has passed.
    pub fn expire(&mut self) {
        if matches!(&self.state, State::Reading(head) if !head.is_empty()) {
            self.send_at_once("408 Request Timeout", b"the request took too long\n");
        }
        self.state = State::Closed;
    }

    /// Ends a connection so that another one can be accepted.
    pub fn evict(mut self) {
        if matches!(self.state, State::Reading(_)) {
            self.send_at_once("503 Service Unavailable", b"there are too many connections\n");
        }
    }

    fn step(&mut self, site: &'a Site, is_local: bool, now: Instant) -> io::Result<()> {
        let mut part = [0; 4096];
        match &mut self.state {
            State::Reading(head) => {
                let count = self.stream.read(&mut part)?;
                head.extend_from_slice(&part[..count]);
                let request = match Request::parse(head) {
                    Parsed::Partial if count > 0 => return Ok(()),
                    // The client sent nothing at all.
                    Parsed::Partial if head.is_empty() => {
                        self.state = State::Closed;
                        return Ok(());
                    }
                    Parsed::Partial | Parsed::Invalid => None,
                    Parsed::Complete(request) => Some(request),
                };
                self.state = State::Writing { response: Response::new(site, request, is_local), written: 0 };
                self.deadline = now + RESPONSE_TIME;
                self.step(site, is_local, now)
            }
            State::Writing { response, written } => {
                *written += self.stream.write(response.rest(*written))?;
                if *written == response.len() {
                    self.stream.shutdown(Shutdown::Write)?;
                    self.state = State::Closing;
                    self.deadline = now + CLOSING_TIME;
                }
                Ok(())
            }
            State::Closing => {
                if self.stream.read(&mut part)? == 0 {
                    self.state = State::Closed;
                }
                Ok(())
            }
            State::Closed => Ok(()),
        }
    }

    /// Sends a short response if the client can take it now.
    fn send_at_once(&mut self, status: &str, reason: &'static [u8]) {
        let response = Response::text(status, reason, false);
        let _ = self.stream.write(&[&response.head, &*response.body].concat());
    }
}

impl<'a> Response<'a> {
    /// The response to a request, or to bytes that are none.
    fn new(site: &'a Site, request: Option<Request>, is_local: bool) -> Response<'a> {
        let Some(request) = request else { return Response::text("400 Bad Request", b"not a request\n", false) };
        let is_head = request.method == "HEAD";
        // Protects a server on loopback against DNS rebinding: a page of another site, whose name
        // resolves to this machine, must not read this page.
        if is_local && !request.is_for_loopback() {
            return Response::text("421 Misdirected Request", b"the request is for another host\n", is_head);
        }
        if !is_head && request.method != "GET" {
            let status = "405 Method Not Allowed\r\nAllow: GET, HEAD";
            return Response::text(status, b"only GET and HEAD are supported\n", false);
        }
        match site.file(&request.path) {
            Ok(None) => Response::text("404 Not Found", b"there is no such file\n", is_head),
            Err(error) => {
                let reason = format!("{error}\n").into_bytes();
                Response::of("500 Internal Server Error", "text/plain", Cow::Owned(reason), is_head)
            }
            Ok(Some(file)) => {
                let media_type = file.media_type();
                let bytes = match file {
                    Cow::Borrowed(file) => Cow::Borrowed(&*file.bytes),
                    Cow::Owned(file) => file.bytes,
                };
                Response::of("200 OK", media_type, bytes, is_head)
            }
        }
    }

    fn text(status: &str, reason: &'static [u8], is_head: bool) -> Response<'a> {
        Response::of(status, "text/plain", Cow::Borrowed(reason), is_head)
    }

    fn of(status: &str, media_type: &str, body: Cow<'a, [u8]>, is_head: bool) -> Response<'a> {
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cache-Control: no-cache\r\n\r\n",
            body.len()
        );
        Response { head: head.into_bytes(), body: if is_head { Cow::Borrowed(&[]) } else { body } }
    }

    fn len(&self) -> usize {
        self.head.len() + self.body.len()
    }

    /// The next bytes to write after the first `written`.
    fn rest(&self, written: usize) -> &[u8] {
        let rest = match written.checked_sub(self.head.len()) {
            None => &self.head[written..],
            Some(written) => &self.body[written..],
        };
        &rest[..rest.len().min(MAX_WRITE)]
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A connection, and the client's end of it.
    fn connected<'a>(now: Instant) -> (Connection<'a>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, peer) = listener.accept().unwrap();
        (Connection::new(stream, peer.ip(), now).unwrap(), client)
    }

    /// Advances the connection until `is_over`.
    fn advance_until(connection: &mut Connection<'_>, now: Instant, is_over: impl Fn(&Connection<'_>) -> bool) {
        let site = Box::leak(Box::new(Site::new(&[], doublecross::built_in::NETWORK_OF_OTHERS, &[]).unwrap()));
        // The lifetime of the leaked site is as long as any.
        let start = Instant::now();
        while !is_over(connection) {
            assert!(start.elapsed() < Duration::from_secs(30));
            connection.advance(site, true, now);
        }
    }

    fn answer(mut client: TcpStream) -> String {
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn each_request_gets_its_status() {
        for (request, status, body) in [
            ("GET /notation.js HTTP/1.1\r\n\r\n", "200 OK\r\n", Some("edgeWords")),
            ("HEAD /notation.js HTTP/1.1\r\n\r\n", "200 OK\r\n", None),
            ("HEAD /nowhere HTTP/1.1\r\n\r\n", "404 Not Found\r\n", None),
            ("GET /nowhere HTTP/1.1\r\n\r\n", "404 Not Found\r\n", Some("no such file")),
            ("POST / HTTP/1.1\r\n\r\n", "405 Method Not Allowed\r\nAllow: GET, HEAD\r\n", Some("only GET")),
            ("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", "421 Misdirected Request\r\n", Some("another host")),
            ("no request\r\n\r\n", "400 Bad Request\r\n", Some("not a request")),
        ] {
            let now = Instant::now();
            let (mut connection, mut client) = connected(now);
            client.write_all(request.as_bytes()).unwrap();
            advance_until(&mut connection, now, |connection| matches!(connection.state, State::Closing));
            drop(connection);
            let answer = answer(client);
            let (head, found) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {head}");
            let length: usize =
                head.split_once("Content-Length: ").unwrap().1.split_once('\r').unwrap().0.parse().unwrap();
            match body {
                Some(part) => assert!(found.contains(part) && found.len() == length, "{request}: {found:.80}"),
                None => assert!(found.is_empty() && length > 0, "{request}: {found:.80}"),
            }
        }
    }

    /// The deadlines are for a whole request and a whole response, however often the client sends or reads a little.
    #[test]
    fn bytes_do_not_move_a_deadline() {
        let now = Instant::now();
        let (mut connection, mut client) = connected(now);
        let later = now + Duration::from_secs(5);
        client.write_all(b"GET /notation.js HTTP/1.1\r\n").unwrap();
        advance_until(
            &mut connection,
            later,
            |connection| matches!(&connection.state, State::Reading(head) if !head.is_empty()),
        );
        assert_eq!(connection.deadline, now + REQUEST_TIME);
        client.write_all(b"\r\n").unwrap();
        advance_until(&mut connection, later, |connection| !matches!(connection.state, State::Reading(_)));
        // A response this short may be written in one step.
        let expected = if connection.is_writing() { RESPONSE_TIME } else { CLOSING_TIME };
        assert_eq!(connection.deadline, later + expected);
    }

    #[test]
    fn late_and_surplus_connections_are_answered() {
        let now = Instant::now();
        let (mut connection, mut client) = connected(now);
        client.write_all(b"GET").unwrap();
        advance_until(
            &mut connection,
            now,
            |connection| matches!(&connection.state, State::Reading(head) if !head.is_empty()),
        );
        connection.expire();
        assert!(connection.is_closed());
        drop(connection);
        assert!(answer(client).starts_with("HTTP/1.1 408 "));
        let (connection, client) = connected(now);
        connection.evict();
        assert!(answer(client).starts_with("HTTP/1.1 503 "));
        // A connection without a request, as browsers open them in advance, gets no answer.
        let (mut connection, client) = connected(now);
        connection.expire();
        drop(connection);
        assert_eq!(answer(client), "");
    }
}
