//! The requests of browsers, and the responses to them.

use std::io::{self, ErrorKind, Read, Write};
use std::net::IpAddr;

use super::Site;

/// The most bytes, and the most header lines, of a request's head.
const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 100;

/// The headers of every response. By the policy, the page may load and run its own files alone.
const HEADERS: &str = "Connection: close\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
    style-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";

/// The head of a request.
#[derive(Debug)]
pub struct Request {
    method: String,
    /// The path within the page's folder, without the query.
    path: String,
    /// `true` if the host is a name or address of this machine that no other site can have.
    is_loopback: bool,
    accepts_gzip: bool,
    /// The validators of the bodies that the client has.
    validators: String,
}

impl Request {
    /// Reads a request. The error is `InvalidData` for bytes that are no request or too long a one, `UnexpectedEof`
    /// for none, as from browsers that connect in advance, or that of `input`.
    pub fn read(mut input: impl Read) -> io::Result<Request> {
        let (mut head, mut part) = (Vec::new(), [0; 4096]);
        while head.len() < MAX_HEAD {
            match input.read(&mut part) {
                Ok(count @ 1..) => head.extend_from_slice(&part[..count]),
                _ if head.is_empty() => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => break,
                Err(error) => return Err(error),
            }
            if let Some(request) = Request::parse(&head)? {
                return Ok(request);
            }
        }
        Err(ErrorKind::InvalidData.into())
    }

    /// Parses the bytes that a connection has sent so far. Returns `None` if more has to come.
    fn parse(bytes: &[u8]) -> io::Result<Option<Request>> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        if parsed.parse(bytes).map_err(|_| ErrorKind::InvalidData)?.is_partial() {
            return Ok(None);
        }
        let header = |name: &str| {
            let named = parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            named.map(|header| String::from_utf8_lossy(header.value)).collect::<Vec<_>>().join(",")
        };
        let target = parsed.path.unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
        Ok(Some(Request {
            method: parsed.method.unwrap_or_default().into(),
            path: target.strip_prefix('/').ok_or(ErrorKind::InvalidData)?.into(),
            is_loopback: names_loopback(&header("host").to_ascii_lowercase()),
            accepts_gzip: header("accept-encoding").split(',').any(|name| name.trim() == "gzip"),
            validators: header("if-none-match"),
        }))
    }
}

/// Returns `true` if a host, perhaps with a port, can only be this machine.
fn names_loopback(host: &str) -> bool {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let host = host.rsplit_once(':').filter(|(_, end)| is_port(end)).map_or(host, |(name, _)| name);
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    matches!(host, "" | "localhost") || address.is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Writes the response to a request, or to the error in place of one. If `is_local`, requests for other hosts are
/// refused: a page of another site, whose name resolves to this machine, must not read this page (DNS rebinding).
pub fn respond(request: io::Result<Request>, site: &Site, is_local: bool, mut output: impl Write) -> io::Result<()> {
    let is_head = request.as_ref().is_ok_and(|request| request.method == "HEAD");
    let mut send = |status: &str, headers: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{HEADERS}{headers}\r\n", body.len());
        output.write_all(head.as_bytes())?;
        if is_head { Ok(()) } else { output.write_all(body) }
    };
    let mut text =
        |status: &str, why: &str| send(status, "Content-Type: text/plain\r\n", format!("{why}\n").as_bytes());
    let request = match request.map_err(|error| (error.kind(), error)) {
        Err((ErrorKind::InvalidData, _)) => return text("400 Bad Request", "not a request"),
        Err((ErrorKind::WouldBlock | ErrorKind::TimedOut, _)) => return text("408 Request Timeout", "too slow"),
        Err((ErrorKind::ResourceBusy, _)) => return text("503 Service Unavailable", "too many connections"),
        Err((_, error)) => return Err(error),
        Ok(request) if is_local && !request.is_loopback => return text("421 Misdirected Request", "another host"),
        Ok(request) => request,
    };
    if !is_head && request.method != "GET" {
        return text("405 Method Not Allowed\r\nAllow: GET, HEAD", "only GET and HEAD are supported");
    }
    let file = match site.file(&request.path) {
        Ok(Some(file)) => file,
        Ok(None) => return text("404 Not Found", "there is no such file"),
        Err(error) => return text("500 Internal Server Error", &error.to_string()),
    };
    let is_compressed = request.accepts_gzip && file.is_compressible();
    let (suffix, encoding) = if is_compressed { ("-gzip", "Content-Encoding: gzip\r\n") } else { ("", "") };
    let validator = format!("\"{:016x}{suffix}\"", file.checksum());
    let caching = format!("Cache-Control: no-cache\r\nVary: Accept-Encoding\r\nETag: {validator}\r\n");
    if request.validators.contains(&validator) {
        let head = format!("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n{caching}\r\n");
        return output.write_all(head.as_bytes());
    }
    let headers = format!("Content-Type: {}\r\n{encoding}{caching}", file.media_type());
    send("200 OK", &headers, if is_compressed { file.gzip() } else { &file.bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(headers: &str) -> Request {
        Request::read(format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes()).unwrap()
    }

    #[test]
    fn requests_are_complete_at_their_last_byte() {
        let text = b"GET /bots.json?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let request = Request::read(&text[..]).unwrap();
        assert_eq!((&*request.method, &*request.path, request.is_loopback), ("GET", "bots.json", true));
        for length in 0..text.len() {
            let expected = if length == 0 { ErrorKind::UnexpectedEof } else { ErrorKind::InvalidData };
            assert!(Request::parse(&text[..length]).unwrap().is_none(), "{length}");
            assert_eq!(Request::read(&text[..length]).unwrap_err().kind(), expected, "{length}");
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
            ("localhost\r\nHost: example.com", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(with(&format!("Host: {host}")).is_loopback, is_own, "{host}");
        }
    }

    #[test]
    fn malformed_requests_are_refused() {
        let long = format!("GET /{}", "a".repeat(2 * MAX_HEAD));
        let headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(2 * MAX_HEADERS));
        for text in ["\0\0\0\0", "GET index.html HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", &long, &headers] {
            assert_eq!(Request::read(text.as_bytes()).unwrap_err().kind(), ErrorKind::InvalidData, "{text:.40}");
        }
    }

    #[test]
    fn encodings_are_a_list() {
        for (encodings, is_accepted) in
            [("gzip", true), ("br, gzip", true), ("gzip;q=0, br", false), ("identity", false), ("", false)]
        {
            assert_eq!(with(&format!("Accept-Encoding: {encodings}")).accepts_gzip, is_accepted, "{encodings}");
        }
    }

    fn response(request: &str) -> String {
        let site = Site::new(&[], &[], doublecross::built_in::NETWORK_OF_OTHERS, &[]).unwrap();
        let mut bytes = Vec::new();
        respond(Request::read(format!("{request}\r\n\r\n").as_bytes()), &site, true, &mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn header<'a>(response: &'a str, name: &str) -> &'a str {
        response.split_once(&format!("\r\n{name}: ")).unwrap().1.split_once('\r').unwrap().0
    }

    #[test]
    fn each_request_gets_its_status() {
        for (request, status, expected) in [
            ("GET /share/notation.js HTTP/1.1", "200 OK\r\n", Some("edgeWords")),
            ("HEAD /share/notation.js HTTP/1.1", "200 OK\r\n", None),
            ("HEAD /nowhere HTTP/1.1", "404 Not Found\r\n", None),
            ("GET /nowhere HTTP/1.1", "404 Not Found\r\n", Some("no such file")),
            ("POST / HTTP/1.1", "405 Method Not Allowed\r\nAllow: GET, HEAD\r\n", Some("only GET")),
            ("GET / HTTP/1.1\r\nHost: example.com", "421 Misdirected Request\r\n", Some("another host")),
            ("no request", "400 Bad Request\r\n", Some("not a request")),
        ] {
            let response = response(request);
            let body = response.split_once("\r\n\r\n").unwrap().1;
            assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {response:.80}");
            let length: usize = header(&response, "Content-Length").parse().unwrap();
            match expected {
                Some(part) => assert!(body.contains(part) && body.len() == length, "{request}: {body:.80}"),
                None => assert!(body.is_empty() && length > 0, "{request}: {body:.80}"),
            }
        }
    }

    #[test]
    fn a_known_body_is_not_sent_again() {
        let plain = response("GET /main.js HTTP/1.1");
        let gzipped = response("GET /main.js HTTP/1.1\r\nAccept-Encoding: gzip");
        let length = |response| header(response, "Content-Length").parse::<usize>().unwrap();
        assert!(header(&gzipped, "Content-Encoding") == "gzip" && length(&gzipped) < length(&plain) / 2);
        for (other, this) in [(&plain, &gzipped), (&gzipped, &plain)] {
            assert_eq!(header(this, "Vary"), "Accept-Encoding");
            assert_ne!(header(other, "ETag"), header(this, "ETag"));
        }
        let again = |validator: &str| {
            response(&format!("GET /main.js HTTP/1.1\r\nIf-None-Match: \"x\", {validator}\r\nAccept-Encoding: gzip"))
        };
        let unchanged = again(header(&gzipped, "ETag"));
        assert!(unchanged.starts_with("HTTP/1.1 304 ") && unchanged.ends_with("\r\n\r\n"), "{unchanged}");
        assert_eq!(header(&unchanged, "ETag"), header(&gzipped, "ETag"));
        assert!(again(header(&plain, "ETag")).starts_with("HTTP/1.1 200 "));
        // A file of a few bytes is not worth it.
        assert!(!response("GET /icon.svg HTTP/1.1\r\nAccept-Encoding: gzip").contains("gzip"));
    }
}
