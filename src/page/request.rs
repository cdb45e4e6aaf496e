//! The head of a browser's request.

use std::net::IpAddr;

/// The most bytes of a request's head.
pub(super) const MAX_HEAD: usize = 16 << 10;

/// The most header lines of a request.
const MAX_HEADERS: usize = 100;

/// The request of a browser.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The method, as in `GET`.
    pub method: String,
    /// The path within the page's folder, without the query.
    pub path: String,
    /// The host in the header `Host` without its port, or nothing if there is no such header.
    host: String,
}

/// The bytes of a connection so far.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// The beginning of a request.
    Partial,
    /// No request, or one that is too long.
    Invalid,
    /// A request.
    Complete(Request),
}

impl Request {
    /// Parses the bytes that a connection has sent so far.
    pub fn parse(bytes: &[u8]) -> Parsed {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(bytes) {
            Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD => Parsed::Partial,
            Ok(httparse::Status::Complete(_)) => {
                let target = parsed.path.unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
                let host = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case("host"));
                let host = host.map_or(String::new(), |header| without_port(&String::from_utf8_lossy(header.value)));
                match parsed.method.zip(target.strip_prefix('/')) {
                    Some((method, path)) => {
                        Parsed::Complete(Request { method: method.into(), path: path.into(), host })
                    }
                    None => Parsed::Invalid,
                }
            }
            _ => Parsed::Invalid,
        }
    }

    /// Returns `true` if the host is a name or address of this machine that no other site can have.
    pub fn is_for_loopback(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host.is_empty()
            || self.host.eq_ignore_ascii_case("localhost")
            || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

/// Returns a host without its port.
fn without_port(host: &str) -> String {
    match host.trim().rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.into(),
        _ => host.trim().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_complete_at_their_last_byte() {
        let text = b"GET /bots.json?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let expected = Request { method: "GET".into(), path: "bots.json".into(), host: "localhost".into() };
        assert_eq!(Request::parse(text), Parsed::Complete(expected));
        for length in 0..text.len() {
            assert_eq!(Request::parse(&text[..length]), Parsed::Partial, "{length}");
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
            let Parsed::Complete(request) = Request::parse(text.as_bytes()) else { panic!("{host}") };
            assert_eq!(request.is_for_loopback(), is_own, "{host}");
        }
    }

    #[test]
    fn malformed_requests_are_refused() {
        let long = format!("GET /{}", "a".repeat(2 * MAX_HEAD));
        let headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(2 * MAX_HEADERS));
        for text in ["\0\0\0\0", "GET index.html HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", &long, &headers] {
            assert_eq!(Request::parse(text.as_bytes()), Parsed::Invalid, "{text:.40}");
        }
    }
}
