//! The HTTP server of the page, with a thread for each connection. A library that bounds slow clients as tightly
//! (hyper) brings an async runtime.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv6Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Site;
use super::http::{Request, respond};

/// The most open connections.
const MAX_CONNECTIONS: usize = 128;

/// The times for a request, its response and the client's closing, and their divisor where no thread can be started.
const REQUEST_TIME: Duration = Duration::from_secs(10);
const RESPONSE_TIME: Duration = Duration::from_secs(60);
const CLOSING_TIME: Duration = Duration::from_secs(2);
const HASTE: u32 = 200;

/// Serves the site until `stop` is set, and half a second at most beyond that.
pub fn serve(site: Site, listener: &TcpListener, stop: &AtomicBool) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let is_local = listener.local_addr()?.ip().is_loopback();
    let site = Arc::new(site);
    let mut open: Vec<(IpAddr, Weak<Connection>)> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let _ = poll(&mut [PollFd::new(listener, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 500_000_000 }));
        open.retain(|(_, connection)| connection.strong_count() > 0);
        let accepted = listener.accept();
        // After another error there may be no file handles or no memory left.
        let is_short = accepted.as_ref().is_err_and(|error| error.kind() != ErrorKind::WouldBlock);
        if is_short || (accepted.is_ok() && open.len() >= MAX_CONNECTIONS) {
            evict(&mut open);
            // The connection takes a moment to close.
            thread::sleep(Duration::from_millis(2));
        }
        let Ok((stream, address)) = accepted else { continue };
        let connection = Arc::new(Connection { stream, is_busy: AtomicBool::new(false) });
        open.push((peer(address.ip()), Arc::downgrade(&connection)));
        let (own, site_of_own) = (connection.clone(), site.clone());
        if thread::Builder::new().spawn(move || own.serve(&site_of_own, is_local, 1)).is_err() {
            let _ = connection.serve(&site, is_local, HASTE);
        }
    }
    Ok(())
}

/// Returns the address that stands for a peer: of an IPv6 address its first 64 bits, which one peer has to itself.
fn peer(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

/// Ends the oldest connection of the peer with the most, given the connections from the oldest to the newest.
fn evict(open: &mut Vec<(IpAddr, Weak<Connection>)>) {
    let count = |&index: &usize| open.iter().filter(|(peer, _)| *peer == open[index].0).count();
    // Of equals, the last one is taken.
    let Some(surplus) = (0..open.len()).rev().max_by_key(count) else { return };
    if let Some(connection) = open.remove(surplus).1.upgrade() {
        // A client that is not answered yet learns why.
        let is_busy = connection.is_busy.swap(true, Ordering::SeqCst);
        let _ = connection.stream.shutdown(if is_busy { Shutdown::Both } else { Shutdown::Read });
    }
}

/// A client's connection.
struct Connection {
    stream: TcpStream,
    /// `true` from the end of the request, or once the connection is evicted.
    is_busy: AtomicBool,
}

impl Connection {
    /// Answers the client's request, with its times divided by `haste`.
    fn serve(&self, site: &Site, is_local: bool, haste: u32) -> io::Result<()> {
        let until = |time: Duration| Timed { stream: &self.stream, deadline: Instant::now() + time / haste };
        self.stream.set_nonblocking(false)?;
        let request = Request::read(until(REQUEST_TIME));
        let is_evicted = self.is_busy.swap(true, Ordering::SeqCst);
        let request = if is_evicted { Err(ErrorKind::ResourceBusy.into()) } else { request };
        respond(request, site, is_local, until(RESPONSE_TIME))?;
        // If a connection is closed with unread bytes, the client may lose the response.
        self.stream.shutdown(Shutdown::Write)?;
        io::copy(&mut until(CLOSING_TIME), &mut io::sink()).map(|_| ())
    }
}

/// A stream with a deadline for everything that is read or written.
struct Timed<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection, and the client's end of it.
    fn connected() -> (Arc<Connection>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        (Arc::new(Connection { stream, is_busy: AtomicBool::new(false) }), client)
    }

    /// Serves a connection in a thread.
    fn serve(connection: Arc<Connection>, haste: u32) -> thread::JoinHandle<io::Result<()>> {
        let site = Site::new(&[], &[], doublecross::built_in::NETWORK_OF_OTHERS, &[]).unwrap();
        thread::spawn(move || connection.serve(&site, true, haste))
    }

    fn answer(mut client: TcpStream) -> String {
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The deadline is for a whole request, however often the client sends a little.
    #[test]
    fn bytes_do_not_move_a_deadline() {
        let (connection, mut client) = connected();
        let served = serve(connection, 20);
        let start = Instant::now();
        while !served.is_finished() {
            assert!(start.elapsed() < Duration::from_secs(30));
            let _ = client.write_all(b"G");
            thread::sleep(Duration::from_millis(20));
        }
        assert!(start.elapsed() >= REQUEST_TIME / 20);
        let mut status = [0; 12];
        client.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 408");
    }

    /// The deadline is for a whole response, however often the client reads a little.
    #[test]
    fn a_client_that_reads_slowly_is_left() {
        let (connection, mut client) = connected();
        let mut output = Timed { stream: &connection.stream, deadline: Instant::now() + Duration::from_millis(300) };
        let reading = thread::spawn(move || while client.read(&mut [0; 1]).is_ok_and(|count| count > 0) {});
        let error = output.write_all(&vec![0; 1 << 28]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
        drop(connection);
        reading.join().unwrap();
    }

    #[test]
    fn surplus_connections_are_answered_and_silent_ones_are_not() {
        let (connection, client) = connected();
        let mut open = vec![(IpAddr::from([127, 0, 0, 1]), Arc::downgrade(&connection))];
        let served = serve(connection, 1);
        thread::sleep(Duration::from_millis(50));
        evict(&mut open);
        assert!(open.is_empty() && answer(client).starts_with("HTTP/1.1 503 "));
        served.join().unwrap().unwrap();
        // As browsers open them in advance.
        let (connection, client) = connected();
        serve(connection, 200);
        assert_eq!(answer(client), "");
    }

    #[test]
    fn the_greediest_peer_gives_way() {
        let peers = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|text| text.parse::<IpAddr>().unwrap());
        let left = |order: &[usize]| {
            let mut open: Vec<_> = order.iter().map(|&peer| (peers[peer], Weak::new())).collect();
            evict(&mut open);
            open.iter().map(|(peer, _)| peers.iter().position(|other| other == peer).unwrap()).collect::<Vec<_>>()
        };
        assert!(left(&[]).is_empty());
        assert_eq!(left(&[0, 1, 2, 1]), [0, 2, 1]);
        // Of peers with as many, the one with the oldest connection.
        assert_eq!(left(&[2, 0, 1, 0, 1]), [2, 1, 0, 1]);
    }

    #[test]
    fn the_addresses_of_a_peer_are_one() {
        let peer = |text: &str| peer(text.parse().unwrap());
        assert_eq!(peer("2001:db8:1:2:3::4"), peer("2001:db8:1:2:ffff::"));
        assert_ne!(peer("2001:db8:1:2::"), peer("2001:db8:1:3::"));
        assert_eq!(peer("::ffff:10.0.0.1"), peer("10.0.0.1"));
        assert_ne!(peer("10.0.0.2"), peer("10.0.0.1"));
    }
}
