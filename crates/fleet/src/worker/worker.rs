//! A worker: plays parcels of any run whose coordinator uses the same server, until it is told to
//! end.
//!
//! It writes no file. What it has played stays in memory until the server has it, and it takes
//! nothing new while the server takes nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::message::{AckKind, Acker};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Event, ServerError};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep, timeout};

use crate::proof::is_proof;
use crate::protocol::messages::{Hello, Id, Now, Parcel, read, shown, write};
use crate::protocol::orders_store::{FetchError, fetch};
use crate::protocol::subjects;
use crate::worker::canary;
use crate::worker::players::{Assignment, Outcome, Players};
use crate::{ConnectError, MachineKey, Role, connect_with, options, store};
use doublecross_core::net::Isa;
use doublecross_proof::Books;
use doublecross_proof::Question;
use doublecross_selfplay::Session;

/// The time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// The time between two signs that a parcel is being worked on, three of which fit into the time
/// after which the server gives it to another.
const EXTENSION: Duration = Duration::from_secs(8);

/// The longest time between two attempts to hand in.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// The number of sessions that are kept.
const SESSIONS: usize = 3;

/// The settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// The number of threads that play.
    pub threads: usize,
    /// `true` to end with the first run that is announced, even if nothing was left to play.
    pub ends_with_run: bool,
    /// The books of proved positions that games may begin with.
    pub books: Books,
}

/// A report of a worker to whoever started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEvent {
    /// It is connected to the server, for the first time or again, and receives announcements.
    Connected,
    /// It plays for another run.
    Run {
        /// The board.
        board: String,
        /// The instruction set.
        isa: &'static str,
    },
    /// It works on another question of a proof.
    Question {
        /// The question.
        question: Question,
    },
    /// It has handed in so many items in all.
    HandedIn {
        /// The number of items.
        items: u64,
    },
    /// The server does not take or give anything, for this reason.
    Waiting {
        /// The reason.
        reason: String,
    },
}

/// The reason why a worker ends.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// It cannot connect.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The key is of another role.
    #[error("the key of {name} is not a worker's: it is of a machine that {} (give a worker's key)", role.does())]
    Role {
        /// The key's machine.
        name: String,
        /// The key's role.
        role: Role,
    },
    /// It does not play for this run.
    #[error("{0}")]
    Refused(String),
    /// The system has no thread left.
    #[error("cannot start the threads that play: {0}")]
    Threads(#[from] std::io::Error),
}

/// Works until `stop` is set, or until the run has ended if the settings say so. Returns the number
/// of items that were handed in.
///
/// # Errors
/// Returns an error if the server cannot be reached at first, or if this machine cannot play for
/// the run.
pub fn work(
    address: &str,
    key: &MachineKey,
    settings: WorkerSettings,
    stop: &AtomicBool,
    tell: &(dyn Fn(WorkerEvent) + Sync),
) -> Result<u64, WorkerError> {
    check_worker(key)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (changes, mut connection) = unbounded_channel();
        let options = options(key)?.event_callback(move |event| {
            // Without a receiver, the worker has ended.
            let _ = changes.send(event);
            async {}
        });
        let client = connect_with(address, options, key).await?;
        let (outcomes, received) = unbounded_channel();
        let players = Players::start(settings.threads, &outcomes)?;
        let worker = Worker {
            process: Id(crate::random_number()),
            context: jetstream::new(client.clone()),
            client,
            key,
            settings,
            players,
            tell,
            state: Mutex::default(),
        };
        worker.run(received, &mut connection, stop).await
    })
}

/// Checks that a key is not an observer's.
pub(crate) fn check_worker(key: &MachineKey) -> Result<(), WorkerError> {
    match key.role() {
        Role::Observer => Err(WorkerError::Role { name: key.name().to_string(), role: key.role() }),
        Role::Worker | Role::Coordinator => Ok(()),
    }
}

struct Worker<'a> {
    /// The number of this process.
    process: Id,
    client: Client,
    context: Context,
    key: &'a MachineKey,
    settings: WorkerSettings,
    players: Players,
    tell: &'a (dyn Fn(WorkerEvent) + Sync),
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The coordinator's last broadcast.
    now: Option<Now>,
    /// The coordinator whose canary games were played.
    checked: Option<Id>,
    /// The parcels that were taken and not handed in, by their numbers here.
    held: HashMap<u64, Arc<Acker>>,
    taken: u64,
    items: u64,
    refusal: Option<String>,
    has_ended: bool,
}

impl State {
    /// Takes in a broadcast. Returns `true` if it is of another coordinator than the last one, which
    /// has not ended.
    fn hear(&mut self, now: Now, ends_with_run: bool) -> bool {
        if now.has_ended {
            // A run that was not heard of before is another one, which ended as this worker came.
            self.has_ended |= ends_with_run && self.now.is_some();
            self.now = None;
            return false;
        }
        let before = self.now.replace(now.clone());
        before.is_none_or(|before| before.coordinator != now.coordinator)
    }
}

impl Worker<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(
        self,
        mut received: UnboundedReceiver<Outcome>,
        connection: &mut UnboundedReceiver<Event>,
        stop: &AtomicBool,
    ) -> Result<u64, WorkerError> {
        let stopped = async {
            while !stop.load(Ordering::Relaxed) && !self.state().has_ended {
                sleep(Duration::from_millis(50)).await;
            }
            Ok(())
        };
        let ended = tokio::select! {
            ended = stopped => ended,
            refusal = self.take_parcels() => Err(WorkerError::Refused(refusal)),
            refusal = self.wait_for_ban() => Err(WorkerError::Refused(refusal)),
            () = self.hand_in_outcomes(&mut received) => Ok(()),
            () = self.hear_coordinator() => Ok(()),
            () = self.show_signs_of_life() => Ok(()),
            () = self.tell_of_connection(connection) => Ok(()),
        };
        // What is held goes to others at once.
        let held: Vec<Arc<Acker>> = self.state().held.drain().map(|(_, acker)| acker).collect();
        for acker in held {
            let _ = timeout(Duration::from_secs(1), acker.ack_with(AckKind::Nak(None))).await;
        }
        self.say_hello().await;
        let _ = timeout(Duration::from_secs(2), self.client.flush()).await;
        let items = self.state().items;
        ended.map(|()| items)
    }

    /// Takes parcels while there are threads for them. Ends with the reason why this machine does
    /// not play for the run.
    async fn take_parcels(&self) -> String {
        let mut sessions: Vec<Arc<Session>> = Vec::new();
        let most = self.settings.threads + self.settings.threads.div_ceil(4);
        loop {
            if self.state().held.len() >= most || self.state().now.is_none() {
                sleep(Duration::from_millis(20)).await;
                continue;
            }
            let consumer: PullConsumer =
                match self.context.get_consumer_from_stream(subjects::PLAY_CONSUMER, subjects::PLAY).await {
                    Ok(consumer) => consumer,
                    Err(error) => {
                        self.wait(&format!("the server has no games to give ({error})")).await;
                        continue;
                    }
                };
            // The consumer is asked for by name again after an error, as when the server has lost it.
            while self.state().held.len() < most {
                match self.take_parcel(&consumer, &mut sessions).await {
                    Ok(true) => {}
                    Ok(false) => {
                        // The server may have too much to do.
                        sleep(Duration::from_millis(300)).await;
                        break;
                    }
                    Err(refusal) => return self.refuse(refusal).await,
                }
            }
        }
    }

    async fn wait(&self, reason: &str) {
        (self.tell)(WorkerEvent::Waiting { reason: reason.into() });
        sleep(Duration::from_secs(1)).await;
    }

    /// Says why this machine does not play for the run.
    async fn refuse(&self, refusal: String) -> String {
        self.state().refusal = Some(shown(&refusal));
        refusal
    }

    /// Waits for a parcel. Returns `false` if the consumer should be asked for again.
    async fn take_parcel(&self, consumer: &PullConsumer, sessions: &mut Vec<Arc<Session>>) -> Result<bool, String> {
        let batch = consumer.fetch().max_messages(1).expires(Duration::from_secs(2)).messages().await;
        let Ok(mut batch) = batch else { return Ok(false) };
        let message = match timeout(Duration::from_secs(4), batch.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(None) => return Ok(true),
            Ok(Some(Err(_))) | Err(_) => return Ok(false),
        };
        let (message, acker) = message.split();
        let parcel = match read::<Parcel>(&message.payload) {
            Ok(parcel) => parcel,
            // The coordinator misses it in time.
            Err(_) => {
                let _ = acker.ack_with(AckKind::Term).await;
                return Ok(true);
            }
        };
        let session = self.session(parcel.orders, sessions).await;
        if session.is_err() {
            // For others, at once.
            let _ = acker.ack_with(AckKind::Nak(None)).await;
        }
        let Some(session) = session? else {
            let _ = acker.ack_with(AckKind::Nak(Some(Duration::from_millis(500)))).await;
            return Ok(true);
        };
        let parcel = Parcel { items: parcel.items, orders: parcel.orders, generation: session.orders.generation };
        if parcel.items.iter().any(|&item| item >= session.orders.items()) {
            let _ = acker.ack_with(AckKind::Term).await;
            return Ok(true);
        }
        let number = {
            let mut state = self.state();
            state.taken += 1;
            let number = state.taken;
            state.held.insert(number, Arc::new(acker));
            number
        };
        self.players.add(Assignment { number, session, parcel });
        Ok(true)
    }

    /// Returns the session of these orders, or `None` if they cannot be read now.
    async fn session(&self, id: Id, sessions: &mut Vec<Arc<Session>>) -> Result<Option<Arc<Session>>, String> {
        if let Some(session) = sessions.iter().find(|session| session.sealed.id == id.0) {
            return Ok(Some(session.clone()));
        }
        if !self.check_canary().await? {
            return Ok(None);
        }
        let orders = match self.fetch(id).await? {
            Some(orders) => orders,
            None => return Ok(None),
        };
        canary::check_machine(&orders, self.settings.threads)?;
        let session = tokio::task::spawn_blocking(move || Arc::new(Session::new(orders))).await;
        let session = session.map_err(|error| format!("the orders cannot be prepared: {error}"))?;
        if session.sealed.id != id.0 {
            return Err(
                "the run's orders are of another version of the program (install the same version on both machines)"
                    .into(),
            );
        }
        sessions.insert(0, session.clone());
        sessions.truncate(SESSIONS);
        Ok(Some(session))
    }

    async fn fetch(&self, id: Id) -> Result<Option<doublecross_selfplay::Orders>, String> {
        let Ok(stream) = self.context.get_stream_no_info(subjects::ORDERS).await else { return Ok(None) };
        match fetch(&stream, id, &self.settings.books).await {
            Ok(orders) => Ok(Some(orders)),
            Err(FetchError::Absent(_)) => Ok(None),
            Err(FetchError::Refused(reason)) => Err(reason),
        }
    }

    /// Plays the coordinator's canary games, unless they were played. Returns `false` if there are none
    /// yet or they cannot be read now.
    async fn check_canary(&self) -> Result<bool, String> {
        let (now, checked) = {
            let state = self.state();
            (state.now.clone(), state.checked)
        };
        let Some(canary) = now.and_then(|now| now.canary) else { return Ok(false) };
        let id = canary.orders;
        if checked == Some(id) {
            return Ok(true);
        }
        let Some(orders) = self.fetch(id).await? else { return Ok(false) };
        let (board, isa) = (orders.board.to_string(), orders.isa.name());
        let checked = tokio::task::spawn_blocking(move || canary::check(&orders, &canary)).await;
        checked.map_err(|error| format!("the canary games cannot be played: {error}"))??;
        self.state().checked = Some(id);
        (self.tell)(WorkerEvent::Run { board, isa });
        Ok(true)
    }

    /// Waits until the coordinator says that it takes nothing from this worker any more.
    async fn wait_for_ban(&self) -> String {
        let name = self.key.name().as_str();
        while !self.state().now.as_ref().is_some_and(|now| now.banned.iter().any(|banned| banned == name)) {
            sleep(Duration::from_millis(200)).await;
        }
        let refusal = "games of this machine came out otherwise on the coordinator, which takes no more from it (its \
                       processor or memory computes wrongly, or its program was changed)";
        self.refuse(refusal.into()).await
    }

    /// Hands in what the threads have played.
    async fn hand_in_outcomes(&self, received: &mut UnboundedReceiver<Outcome>) {
        while let Some(Outcome { number, parts, items, is_done }) = received.recv().await {
            for part in parts {
                self.hand_in(part).await;
            }
            let (acker, items) = {
                let mut state = self.state();
                state.items += items as u64;
                (state.held.remove(&number), state.items)
            };
            if let Some(acker) = acker {
                let kind = if is_done { AckKind::Ack } else { AckKind::Nak(None) };
                // Without it, the parcel is played twice.
                let _ = acker.ack_with(kind).await;
            }
            (self.tell)(WorkerEvent::HandedIn { items });
        }
    }

    /// Hands in a part, as often as it takes.
    async fn hand_in(&self, part: Vec<u8>) {
        // Without an id: by one that could be guessed, another worker could have it taken for a duplicate.
        let mut pause = Duration::from_millis(250);
        loop {
            let subject = subjects::result(self.key.name());
            let stored = store(&self.context, subject, part.clone()).await;
            let Err(error) = stored else { return };
            (self.tell)(WorkerEvent::Waiting { reason: format!("the server does not take games now ({error})") });
            sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Receives what the coordinator broadcasts.
    async fn hear_coordinator(&self) {
        loop {
            let Ok(mut broadcasts) = self.client.subscribe(subjects::NOW).await else {
                sleep(Duration::from_secs(1)).await;
                continue;
            };
            // Only now, since a run may start as soon as this is received.
            let _ = self.client.flush().await;
            (self.tell)(WorkerEvent::Connected);
            while let Some(message) = broadcasts.next().await {
                let Ok(now) = read::<Now>(&message.payload) else {
                    if is_proof(&message.payload) {
                        let reason = "a proof uses the server (a worker with --prove works on it)".into();
                        (self.tell)(WorkerEvent::Waiting { reason });
                    }
                    continue;
                };
                self.players.set_oldest(now.oldest);
                let is_new = self.state().hear(now, self.settings.ends_with_run);
                if is_new {
                    self.say_hello().await;
                }
            }
        }
    }

    /// Reports when the connection is lost and made again.
    async fn tell_of_connection(&self, connection: &mut UnboundedReceiver<Event>) {
        let mut was_lost = false;
        while let Some(event) = connection.recv().await {
            let reason = match event {
                Event::Connected => {
                    if std::mem::take(&mut was_lost) {
                        (self.tell)(WorkerEvent::Connected);
                    }
                    continue;
                }
                Event::Disconnected => {
                    was_lost = true;
                    "the connection to the server is lost (it is made again when the server answers)".into()
                }
                Event::ServerError(ServerError::AuthorizationViolation) => {
                    "the server does not know this key: it was revoked, or the server has not reloaded".into()
                }
                Event::ServerError(error) => format!("the server says: {error}"),
                _ => continue,
            };
            (self.tell)(WorkerEvent::Waiting { reason });
        }
        std::future::pending().await
    }

    /// Sends heartbeats, and keeps the parcels that are held.
    async fn show_signs_of_life(&self) {
        let mut extended = Instant::now();
        loop {
            self.say_hello().await;
            if extended.elapsed() >= EXTENSION {
                extended = Instant::now();
                let held: Vec<Arc<Acker>> = self.state().held.values().cloned().collect();
                for acker in held {
                    let _ = acker.ack_with(AckKind::Progress).await;
                }
            }
            sleep(HEARTBEAT).await;
        }
    }

    async fn say_hello(&self) {
        let waited = self.players.take_idle().as_secs_f64();
        let hello = {
            let state = self.state();
            Hello {
                process: self.process,
                threads: self.settings.threads as u32,
                program: env!("CARGO_PKG_VERSION").into(),
                isa: Isa::fastest().name().into(),
                items: state.items,
                idle: (waited / (self.settings.threads as f64 * HEARTBEAT.as_secs_f64())).min(1.0),
                refusal: state.refusal.clone(),
            }
        };
        let _ = self.client.publish(subjects::hello(self.key.name()), write(&hello).into()).await;
    }
}

/// The consumer that workers pull parcels from.
pub(crate) fn consumer_config() -> pull::Config {
    pull::Config {
        durable_name: Some(subjects::PLAY_CONSUMER.into()),
        ack_wait: Duration::from_secs(30),
        // Far above the number of parcels that are held (nats-server, number 7680).
        max_ack_pending: 1 << 16,
        // Each idle worker waits for a parcel, and the server turns away more than 512 unless told otherwise.
        max_waiting: 1 << 16,
        ..pull::Config::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(coordinator: u64, has_ended: bool) -> Now {
        Now { coordinator: Id(coordinator), oldest: 0, canary: None, has_ended, banned: Vec::new() }
    }

    #[test]
    fn a_worker_ends_with_the_first_run_that_it_hears_of() {
        let mut state = State::default();
        // The end of a run that it knows nothing of.
        assert!(!state.hear(now(1, true), true) && !state.has_ended);
        assert!(state.hear(now(2, false), true) && !state.hear(now(2, false), true));
        // Nothing was played, not even the canary games.
        assert!(!state.hear(now(2, true), true) && state.has_ended);
        // A coordinator that was started again may have nothing left but the end.
        let mut state = State::default();
        assert!(state.hear(now(2, false), true) && !state.hear(now(3, true), true) && state.has_ended);
        // Other workers wait for the next run.
        let mut state = State::default();
        assert!(state.hear(now(2, false), false) && !state.hear(now(2, true), false) && !state.has_ended);
        assert!(state.hear(now(2, false), false));
    }
}
