//! Hands the page's files out, and nothing else.

use std::net::{IpAddr, SocketAddr};

use thiserror::Error;
use tiny_http::{Header, Method, Request, Response};

use super::Site;

/// What a browser may load and run for the page: its own files alone.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
                      img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Why the page is not served.
#[derive(Debug, Error)]
#[error("cannot listen on {address}: {reason}")]
pub struct ServerError {
    address: SocketAddr,
    reason: String,
}

/// A server of the page.
pub struct Server {
    server: tiny_http::Server,
    site: Site,
}

impl Server {
    /// Listens on an address; port 0 takes any that is free.
    ///
    /// # Errors
    /// When that address is not this machine's or the port is taken.
    pub fn new(site: Site, address: IpAddr, port: u16) -> Result<Server, ServerError> {
        let address = SocketAddr::new(address, port);
        let server = tiny_http::Server::http(address);
        let server = server.map_err(|error| ServerError { address, reason: error.to_string() })?;
        Ok(Server { server, site })
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.server.server_addr().to_ip()
    }

    /// Answers requests until the program ends.
    pub fn run(&self) {
        for request in self.server.incoming_requests() {
            self.answer(request);
        }
    }

    fn answer(&self, request: Request) {
        let path = request.url().split(['?', '#']).next().unwrap_or_default();
        let file = path.strip_prefix('/').and_then(|path| self.site.file(path));
        let is_read = matches!(request.method(), Method::Get | Method::Head);
        let (status, media_type, bytes) = match file.as_deref() {
            _ if !is_read => (405, "text/plain", &b"only reading is possible here\n"[..]),
            Some(file) => (200, file.media_type(), &*file.bytes),
            None => (404, "text/plain", &b"there is no such file\n"[..]),
        };
        let headers = [
            ("Content-Type", media_type),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-cache"),
        ];
        // The whole length is known: a browser can show how far it is.
        let mut response = Response::from_data(bytes).with_status_code(status).with_chunked_threshold(usize::MAX);
        for header in headers.into_iter().filter_map(|(name, value)| Header::from_bytes(name, value).ok()) {
            response.add_header(header);
        }
        // A browser that has gone away is no failure of ours.
        let _ = request.respond(response);
    }
}
