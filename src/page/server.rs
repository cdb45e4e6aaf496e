//! The HTTP server of the page, which serves the page's files and nothing else.
//!
//! One thread serves all connections with poll(2) over httparse: the files are in memory, so that no
//! request takes long, and a library that bounds slow clients as tightly (hyper) brings an async runtime.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use thiserror::Error;

use super::Site;
use super::connection::Connection;

/// The most open connections. Beyond them, a new connection takes the place of the oldest one of the
/// peer that has the most.
const MAX_CONNECTIONS: usize = 256;

/// The most open connections of one peer. Beyond them, a new connection takes the place of the peer's
/// oldest one.
const MAX_PEER_CONNECTIONS: usize = 128;

/// The time between two checks of the flag that ends the server.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The pause after an error of the system that may last, such as a lack of memory.
const PAUSE: Duration = Duration::from_millis(50);

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
}

impl Server {
    /// Listens on a port of an address. Port 0 stands for any free one.
    ///
    /// # Errors
    /// Returns an error if the address is not one of this machine or the port is taken.
    pub fn new(site: Site, address: IpAddr, port: u16) -> Result<Server, ServerError> {
        let address = SocketAddr::new(address, port);
        let listen = || {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        listen().map(|listener| Server { listener, site }).map_err(|error| ServerError { address, error })
    }

    /// The address and port on which the server listens.
    ///
    /// # Errors
    /// Returns an error if the system does not know the address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` is set.
    pub fn run(&self, stop: &AtomicBool) {
        let is_local = self.address().is_ok_and(|address| address.ip().is_loopback());
        let mut connections: Vec<Connection<'_>> = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let ready = self.wait(&connections);
            let now = Instant::now();
            for (connection, is_ready) in connections.iter_mut().zip(ready.connections) {
                if is_ready {
                    connection.advance(&self.site, is_local, now);
                }
                if connection.deadline <= now && !connection.is_closed() {
                    connection.expire();
                }
            }
            connections.retain(|connection| !connection.is_closed());
            if ready.listener {
                self.accept(&mut connections, now);
            }
        }
    }

    /// Waits until a connection can be accepted, read or written, or a deadline has passed.
    fn wait(&self, connections: &[Connection<'_>]) -> Ready {
        let now = Instant::now();
        let nearest = connections.iter().map(|connection| connection.deadline.saturating_duration_since(now)).min();
        let time = nearest.map_or(POLL_INTERVAL, |nearest| nearest.min(POLL_INTERVAL));
        let awaited = |connection: &Connection<'_>| {
            if connection.is_writing() { PollFlags::OUT } else { PollFlags::IN }
        };
        let mut polled = vec![PollFd::new(&self.listener, PollFlags::IN)];
        polled.extend(connections.iter().map(|connection| PollFd::new(&connection.stream, awaited(connection))));
        let time = Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ };
        if let Err(error) = poll(&mut polled, Some(&time))
            && error != rustix::io::Errno::INTR
        {
            sleep(PAUSE);
        }
        let mut ready = polled.iter().map(|polled| !polled.revents().is_empty());
        Ready { listener: ready.next().unwrap_or(false), connections: ready.collect() }
    }

    /// Accepts the connections that wait.
    fn accept(&self, connections: &mut Vec<Connection<'_>>, now: Instant) {
        // Accepting takes turns with answering.
        for _ in 0..MAX_PEER_CONNECTIONS / 4 {
            match self.listener.accept() {
                Ok((stream, address)) => {
                    let peer = peer(address.ip());
                    let surplus =
                        surplus(&connections.iter().map(|connection| connection.peer).collect::<Vec<_>>(), peer);
                    if let Some(surplus) = surplus {
                        connections.remove(surplus).evict();
                    }
                    connections.extend(Connection::new(stream, peer, now));
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock) => return,
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
                // There are no file handles or no memory left.
                Err(_) if connections.is_empty() => return sleep(PAUSE),
                Err(_) => connections.remove(0).evict(),
            }
        }
    }
}

/// The sockets that can be read or written.
struct Ready {
    listener: bool,
    connections: Vec<bool>,
}

/// Returns the address that stands for a peer: of an IPv6 address its first 64 bits, which one peer has
/// to itself.
fn peer(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

/// Returns the index of the connection that gives way to a new one of `peer`, given the peers of all
/// connections from the oldest to the newest.
fn surplus(connections: &[IpAddr], peer: IpAddr) -> Option<usize> {
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    connections.iter().for_each(|&peer| *counts.entry(peer).or_default() += 1);
    let greedy = if counts.get(&peer).is_some_and(|&count| count >= MAX_PEER_CONNECTIONS) {
        peer
    } else if connections.len() >= MAX_CONNECTIONS {
        // Of peers with as many, the one with the oldest connection.
        let most = counts.values().max().copied();
        *connections.iter().find(|peer| counts.get(peer).copied() == most)?
    } else {
        return None;
    };
    connections.iter().position(|&peer| peer == greedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greediest_peer_gives_way() {
        let peers = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map(|text| text.parse::<IpAddr>().unwrap());
        let of = |counts: &[usize]| -> Vec<IpAddr> {
            counts.iter().zip(peers).flat_map(|(&count, peer)| std::iter::repeat_n(peer, count)).collect()
        };
        let half = MAX_PEER_CONNECTIONS;
        assert_eq!(surplus(&[], peers[0]), None);
        assert_eq!(surplus(&of(&[half - 1]), peers[0]), None);
        // A peer that has its share replaces its own oldest one.
        assert_eq!(surplus(&of(&[5, half]), peers[1]), Some(5));
        assert_eq!(surplus(&of(&[5, half]), peers[0]), None);
        // If all are taken, the peer with the most gives way.
        let rest = MAX_CONNECTIONS - half - 10;
        assert_eq!(surplus(&of(&[10, half, rest]), peers[3]), Some(10));
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
