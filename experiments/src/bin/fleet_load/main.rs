//! The number of workers that one server of a fleet can feed.
//!
//! `cargo run --release -p doublecross-experiments --bin fleet_load -- NATS_SERVER DIR WORKERS [PARCEL_SECONDS] [SECONDS]
//! [WAITING] [AT_ONCE]` makes a fleet in the new folder DIR, starts its server, and connects a coordinator and so many workers of one thread, each
//! with a key of its own. They use the streams, subjects, acknowledgements and sizes of `crates/fleet`; a worker sleeps
//! where it would play. The coordinator reads the parts, takes the digest of each item, saves them with one sync to disk for
//! each batch, and acknowledges. SECONDS are measured, once all are connected and at work. The server lets WAITING workers wait for a parcel, and the coordinator
//! offers AT_ONCE parcels before it waits until the server has them.

mod clock;
mod coordinator;
mod part;
mod simulated_worker;

use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clock::{cpu_seconds, memory_mb};
use coordinator::Coordinator;
use doublecross::fleet::{Fleet, FleetSettings};
use part::item_bytes;
use simulated_worker::{Shared, run_workers};

/// The items of a parcel.
pub const ITEMS: usize = 64;

/// The time from the last connection to the start of what is measured.
const WARM_UP: Duration = Duration::from_secs(8);

/// The server's process, which ends with this value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, folder, workers, rest @ ..] = &arguments[..] else {
        panic!("NATS_SERVER DIR WORKERS [PARCEL_SECONDS] [SECONDS] [WAITING] [AT_ONCE]")
    };
    let workers: usize = workers.parse().expect("a number of workers");
    let number = |at: usize, or: f64| rest.get(at).map_or(or, |text: &String| text.parse().expect("a number"));
    let (parcel_seconds, seconds) = (number(0, 4.0), number(1, 60.0));
    let (waiting, at_once) = (number(2, 512.0) as i64, number(3, 1.0) as usize);
    let bind = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let port = TcpListener::bind((bind, 0)).expect("a port").local_addr().expect("a port").port();
    let settings = FleetSettings { workers, bind, port, ..FleetSettings::default() };
    let fleet = Fleet::create(Path::new(folder), &settings).expect("a fleet");
    let server =
        Command::new(program).arg("-c").arg(fleet.config_path()).stdin(Stdio::null()).stderr(Stdio::null()).spawn();
    let server = Server(server.expect("the server starts"));
    while TcpStream::connect((bind, port)).is_err() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = server.0.id();
    let address = format!("127.0.0.1:{port}");
    let shared = Arc::new(Shared::new(workers, parcel_seconds));
    let coordinator = Coordinator::start(&address, &fleet, shared.clone(), waiting, at_once);
    let start = Instant::now();
    let players = run_workers(&address, &fleet, workers, shared.clone());
    while shared.connected.load(Ordering::Relaxed) < workers {
        std::thread::sleep(Duration::from_millis(50));
    }
    let connecting = start.elapsed().as_secs_f64();
    let connecting_cpu = cpu_seconds(pid, None);
    std::thread::sleep(WARM_UP.max(Duration::from_secs_f64(2.0 * parcel_seconds)));

    let look = || {
        let threads = [pid, std::process::id(), std::process::id()].into_iter().zip([
            None,
            Some(coordinator.thread_id),
            Some(players.thread_id),
        ]);
        let cpu: Vec<f64> = threads.map(|(process, thread)| cpu_seconds(process, thread)).collect();
        (Instant::now(), cpu, shared.take_figures())
    };
    let (since, before, _) = look();
    std::thread::sleep(Duration::from_secs_f64(seconds));
    let (until, after, figures) = look();
    let elapsed = (until - since).as_secs_f64();
    let parcels = figures.saved.len() as f64;
    let items = parcels * ITEMS as f64;
    let per_item = |at: usize| 1e6 * (after[at] - before[at]) / items;
    println!(
        "{workers} workers, parcels of {ITEMS} items that take {parcel_seconds} s, {:.0} bytes an item",
        item_bytes()
    );
    println!("  {waiting} may wait, {at_once} parcels offered at once");
    println!("  connected within {connecting:.1} s, which cost the server {connecting_cpu:.1} s");
    println!("  {:.0} parcels a second, {:.0} items a second", parcels / elapsed, items / elapsed);
    println!("  idle share of the workers' threads {:.3}", figures.idle / (elapsed * workers as f64));
    println!(
        "  microseconds an item: server {:.1}, coordinator {:.1}, workers {:.1}",
        per_item(0),
        per_item(1),
        per_item(2)
    );
    println!(
        "  server seconds for 1,000 items {:.4}; cores {:.2}",
        per_item(0) / 1e3,
        (after[0] - before[0]) / elapsed
    );
    println!("  from the end of a parcel to its receipt: {}", figures.shown_handed_in());
    println!("  from the end of a parcel to its save: {}", figures.shown_saved());
    println!(
        "  redelivered: {} parcels, {} results; refused for want of room: {}",
        figures.again_play, figures.again_results, figures.refused
    );
    println!("  requests for parcels that were turned away: {}", figures.turned_away);
    println!("  memory of the server: {:.0} MB, at most {:.0} MB", memory_mb(pid, "VmRSS"), memory_mb(pid, "VmHWM"));
}
