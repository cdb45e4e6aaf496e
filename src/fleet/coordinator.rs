//! The coordinator's side: lends the exchange's items to workers by way of the server, and hands in
//! what comes back.
//!
//! The run's folder is the only truth. Everything on the server can be lost at any time: orders are
//! put there again, and items that do not come back are lent anew or played here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::message::AckKind;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Event};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::MissedTickBehavior;

use super::audit::{Auditor, Claim, Trust};
use super::messages::{CanaryGames, Hello, Id, MAX_ITEMS, Now, Parcel, read, write};
use super::replayer::{Replayer, Verdict};
use super::roster::Roster;
use super::status::{AuditStatus, FleetStatus, GenerationStatus, WorkerStatus};
use super::{ConnectError, Key, Role, canary, options, orders_store, subjects, worker};
use crate::random::{Purpose, stream};
use crate::train::{Exchange, Origin, Part, Receipt, SealedOrders, Session};

/// The time between two looks at what there is to do.
const TICK: Duration = Duration::from_millis(100);

/// The time between two broadcasts.
const BROADCAST: Duration = Duration::from_secs(1);

/// The time after which what a worker has is given to others as well.
const LOAN: Duration = Duration::from_secs(120);

/// The time that a parcel should take one thread.
const PARCEL_SECONDS: f64 = 4.0;

/// The number of items of a parcel while it is not known how long they take.
const FIRST_ITEMS: usize = 2;

/// The bytes that the results on the server may have. What workers have beyond that they keep.
const RESULTS_BYTES: i64 = 256 << 20;

/// The time that another coordinator on the same server is listened for.
const LISTEN: Duration = Duration::from_millis(2500);

/// The reason why a run cannot use a server.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// It cannot connect.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The key is of another role.
    #[error("the key of {name} is a {role}'s; expected the coordinator's")]
    Role {
        /// The key's machine.
        name: String,
        /// The key's role.
        role: Role,
    },
    /// Another run uses the server.
    #[error("another run uses the server; one server serves one run at a time: end that one first, or start another server")]
    Busy,
    /// The server does not do what it is asked to.
    #[error("the server does not serve: {0}")]
    Server(String),
    /// The system has no thread left.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The link between a run's exchange and the server. [`Coordinator::finish`] ends it.
pub struct Coordinator {
    ends: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// What the coordinator knows of the run beside its exchange.
#[derive(Clone, Debug)]
pub struct RunFacts {
    /// The run's folder.
    pub folder: PathBuf,
    /// The number of generations of the run.
    pub generations: u64,
    /// The number of generations by which self-play is ahead of learning.
    pub lag: u64,
}

impl Coordinator {
    /// Connects to a server and offers there what the exchange opens.
    ///
    /// # Errors
    /// Returns an error if the server cannot be used.
    pub fn start(
        address: &str,
        key: &Key,
        exchange: Arc<Exchange>,
        facts: RunFacts,
    ) -> Result<Coordinator, CoordinatorError> {
        if key.role() != Role::Coordinator {
            return Err(CoordinatorError::Role { name: key.name().to_string(), role: key.role() });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (reconnected, events) = unbounded_channel();
        let connected = runtime.block_on(async {
            let options = options(key)?.event_callback(move |event| {
                if matches!(event, Event::Connected) {
                    let _ = reconnected.send(());
                }
                async {}
            });
            let client = super::connect_with(address, options, key).await?;
            Ok::<_, CoordinatorError>((jetstream::new(client.clone()), client))
        });
        let (context, client) = connected?;
        let replayer = Replayer::start(facts.folder.clone(), exchange.clone())?;
        let id = Id(rand_seed());
        let random = stream(rand_seed(), rand_seed(), 0, Purpose::Verifying);
        let mut link = Link::new(client, context, exchange, facts, id, Auditor::new(random), replayer);
        runtime.block_on(link.claim())?;
        let ends = Arc::new(AtomicBool::new(false));
        let ended = ends.clone();
        let builder = std::thread::Builder::new().name("coordinator".into());
        let thread = builder.spawn(move || runtime.block_on(link.serve(events, &ended)))?;
        Ok(Coordinator { ends, thread })
    }

    /// Tells the workers that the run has ended, and settles all audits. A fake that is found taints
    /// its generation.
    pub fn finish(self) {
        self.ends.store(true, Ordering::Relaxed);
        // If it panicked, there is nothing to settle.
        let _ = self.thread.join();
    }
}

/// A number that nobody can know beforehand.
fn rand_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds these with the operating system's random numbers.
    RandomState::new().hash_one(Instant::now().elapsed().as_nanos())
}

/// A parcel that was offered.
struct Offer {
    items: HashSet<u32>,
    since: Instant,
}

/// The mean time and size of an item.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    seconds: f64,
    bytes: f64,
    count: f64,
}

struct Link {
    client: Client,
    context: Context,
    exchange: Arc<Exchange>,
    facts: RunFacts,
    id: Id,
    auditor: Auditor,
    replayer: Replayer,
    roster: Roster,
    /// Sessions of open generations, and of those with checks that are not settled.
    sessions: BTreeMap<u64, Arc<Session>>,
    /// The generations whose orders are on the server.
    published: HashSet<u64>,
    canary: Option<CanaryGames>,
    /// The parcels that were offered and not handed in, by generation and number.
    offers: HashMap<u64, HashMap<u64, Offer>>,
    /// The parcel that an item was offered in.
    offered_in: HashMap<(u64, u32), u64>,
    count: u64,
    mean: Mean,
    faults: u64,
    replays: u64,
    started: Instant,
    oldest: u64,
    last_broadcast: Option<Instant>,
    last_saved: Instant,
}

impl Link {
    fn new(
        client: Client,
        context: Context,
        exchange: Arc<Exchange>,
        facts: RunFacts,
        id: Id,
        mut auditor: Auditor,
        replayer: Replayer,
    ) -> Link {
        let roster = Roster::open(&facts.folder);
        for (name, worker) in roster.all() {
            if let Some(probation) = worker.account.probation {
                auditor.restore(name, Trust { probation, checked: worker.account.checked });
            }
        }
        Link {
            client,
            context,
            exchange,
            facts,
            id,
            auditor,
            replayer,
            roster,
            sessions: BTreeMap::new(),
            published: HashSet::new(),
            canary: None,
            offers: HashMap::new(),
            offered_in: HashMap::new(),
            count: 0,
            mean: Mean::default(),
            faults: 0,
            replays: 0,
            started: Instant::now(),
            oldest: 0,
            last_broadcast: None,
            last_saved: Instant::now(),
        }
    }

    /// Makes sure that no other run uses the server, and prepares its streams.
    async fn claim(&mut self) -> Result<(), CoordinatorError> {
        let failed = |error: &dyn std::fmt::Display| CoordinatorError::Server(error.to_string());
        let mut broadcasts = self.client.subscribe(subjects::NOW).await.map_err(|error| failed(&error))?;
        let start = Instant::now();
        while let Some(left) = LISTEN.checked_sub(start.elapsed()) {
            let Ok(Some(message)) = tokio::time::timeout(left, broadcasts.next()).await else { break };
            if read::<Now>(&message.payload).is_ok_and(|now| !now.has_ended) {
                return Err(CoordinatorError::Busy);
            }
        }
        self.set_up().await.map_err(CoordinatorError::Server)
    }

    /// Makes the streams and consumers that are missing, and takes back what was offered.
    async fn set_up(&mut self) -> Result<(), String> {
        let play = self.streams().await.map_err(|error| error.to_string())?;
        play.purge().await.map_err(|error| error.to_string())?;
        self.published.clear();
        self.take_back();
        Ok(())
    }

    async fn streams(&self) -> Result<Stream, async_nats::Error> {
        let orders = stream::Config {
            name: subjects::ORDERS.into(),
            subjects: vec![subjects::ORDERS_SUBJECTS.into()],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            allow_direct: true,
            ..stream::Config::default()
        };
        let play = stream::Config {
            name: subjects::PLAY.into(),
            subjects: vec![subjects::PLAY_SUBJECTS.into()],
            retention: RetentionPolicy::WorkQueue,
            ..stream::Config::default()
        };
        let results = stream::Config {
            name: subjects::RESULTS.into(),
            subjects: vec![subjects::RESULTS_SUBJECTS.into()],
            retention: RetentionPolicy::WorkQueue,
            max_bytes: RESULTS_BYTES,
            discard: DiscardPolicy::New,
            ..stream::Config::default()
        };
        self.context.get_or_create_stream(orders).await?;
        let play = self.context.get_or_create_stream(play).await?;
        play.get_or_create_consumer(subjects::PLAY_CONSUMER, worker::consumer_config()).await?;
        let results = self.context.get_or_create_stream(results).await?;
        let config = pull::Config {
            durable_name: Some(subjects::RESULTS_CONSUMER.into()),
            ack_wait: Duration::from_secs(60),
            max_ack_pending: 1 << 16,
            ..pull::Config::default()
        };
        results.get_or_create_consumer(subjects::RESULTS_CONSUMER, config).await?;
        Ok(play)
    }

    /// Serves until the run ends.
    async fn serve(&mut self, mut reconnected: UnboundedReceiver<()>, ends: &AtomicBool) {
        let (results, mut handed_in) = unbounded_channel();
        let puller = tokio::spawn(pull_results(self.context.clone(), results));
        // Subscriptions are made again by the client when the connection is.
        let mut hellos = self.client.subscribe(subjects::HELLO_SUBJECTS).await.ok();
        let mut questions = self.client.subscribe(subjects::STATUS).await.ok();
        let mut is_set_up = true;
        // Kept between the turns, so that it comes however often there is something to hear.
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !ends.load(Ordering::Relaxed) {
            tokio::select! {
                Some(message) = handed_in.recv() => {
                    let mut messages = vec![message];
                    while messages.len() < 64 && let Ok(message) = handed_in.try_recv() {
                        messages.push(message);
                    }
                    self.take_results(messages).await;
                }
                Some(message) = next(&mut hellos) => self.hear_hello(&message),
                Some(message) = next(&mut questions) => self.answer(&message).await,
                Some(verdict) = self.replayer.verdict() => self.settle(verdict),
                Some(()) = reconnected.recv() => is_set_up = self.set_up().await.is_ok(),
                _ = ticks.tick() => {
                    if !is_set_up {
                        is_set_up = self.set_up().await.is_ok();
                    }
                    is_set_up &= self.tick().await.is_ok();
                }
            }
        }
        puller.abort();
        self.settle_all().await;
        self.save();
        if let Ok(play) = self.context.get_stream_no_info(subjects::PLAY).await {
            let _ = play.purge().await;
        }
        for session in std::mem::take(&mut self.sessions).into_values() {
            self.purge_orders(session.sealed.id).await;
        }
        if let Some(canary) = &self.canary {
            self.purge_orders(canary.orders.0).await;
        }
        self.broadcast(true).await;
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
    }

    /// Looks at what there is to do.
    async fn tick(&mut self) -> Result<(), String> {
        let open = self.exchange.sessions();
        self.prepare_canary(&open).await?;
        for session in &open {
            self.publish(session).await?;
        }
        if let Some(oldest) = open.first().map(|session| session.orders.generation)
            && oldest > self.oldest
        {
            self.oldest = oldest;
            self.close_before(oldest).await;
            self.broadcast(false).await;
        }
        while let Some(claims) = self.auditor.check_for_coordinator() {
            let session = self.sessions.get(&claims[0].generation).cloned();
            self.replays += 1;
            self.replayer.replay(claims, session);
        }
        self.offer().await?;
        if self.last_broadcast.is_none_or(|last| last.elapsed() >= BROADCAST) {
            self.broadcast(false).await;
        }
        self.roster.measure();
        if self.last_saved.elapsed() >= Duration::from_secs(5) {
            self.last_saved = Instant::now();
            self.save();
        }
        Ok(())
    }

    /// Plays the canary games of the run, once.
    async fn prepare_canary(&mut self, open: &[Arc<Session>]) -> Result<(), String> {
        let Some(session) = open.first().filter(|_| self.canary.is_none()) else { return Ok(()) };
        let orders = canary::canary_orders(&session.orders);
        let sealed = SealedOrders::new(&orders);
        orders_store::publish(&self.context, &sealed).await?;
        let played = tokio::task::spawn_blocking(move || canary::play(orders)).await;
        self.canary = Some(played.map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Puts the orders of an open generation on the server.
    async fn publish(&mut self, session: &Arc<Session>) -> Result<(), String> {
        let generation = session.orders.generation;
        if self.published.contains(&generation) {
            return Ok(());
        }
        orders_store::publish(&self.context, &session.sealed).await?;
        self.published.insert(generation);
        self.sessions.insert(generation, session.clone());
        if let Some(canary) = &self.canary
            && self.published.len() == 1
        {
            // The store may have been lost.
            let orders = canary::canary_orders(&session.orders);
            let sealed = SealedOrders::new(&orders);
            if sealed.id == canary.orders.0 {
                orders_store::publish(&self.context, &sealed).await?;
            } else {
                self.canary = None;
            }
        }
        Ok(())
    }

    /// Closes what belongs to generations before this one.
    async fn close_before(&mut self, oldest: u64) {
        self.auditor.close_before(oldest);
        let closed: Vec<u64> = self.offers.keys().copied().filter(|&generation| generation < oldest).collect();
        for generation in closed {
            self.offers.remove(&generation);
            self.offered_in.retain(|(of, _), _| *of != generation);
            if let Ok(play) = self.context.get_stream_no_info(subjects::PLAY).await {
                let _ = play.purge().filter(subjects::play(&generation.to_string())).await;
            }
        }
        // The replayer holds those that it needs. The last ones are kept for claims that come late.
        let old: Vec<u64> = self.sessions.keys().copied().filter(|&generation| generation + 2 < oldest).collect();
        for generation in old {
            self.published.remove(&generation);
            if let Some(session) = self.sessions.remove(&generation) {
                self.purge_orders(session.sealed.id).await;
            }
        }
    }

    async fn purge_orders(&self, id: u64) {
        if let Ok(stream) = self.context.get_stream_no_info(subjects::ORDERS).await {
            orders_store::purge(&stream, id).await;
        }
    }

    /// Takes back all that was offered.
    fn take_back(&mut self) {
        for (generation, offers) in self.offers.drain() {
            let items: Vec<u32> = offers.into_values().flat_map(|offer| offer.items).collect();
            self.exchange.give_back(generation, &items);
        }
        self.offered_in.clear();
    }

    /// Offers as many parcels as the workers have threads for, and a few more.
    async fn offer(&mut self) -> Result<(), String> {
        if self.canary.is_none() {
            return Ok(());
        }
        let threads: usize = self.roster.playing().map(|(_, hello)| hello.threads as usize).sum();
        let wanted = threads + threads.div_ceil(4) + self.roster.playing().count();
        self.drop_late_offers();
        let mut out: usize = self.offers.values().map(HashMap::len).sum();
        while threads > 0 && out < wanted {
            let most = match self.mean.count {
                count if count < 8.0 => FIRST_ITEMS,
                _ => {
                    let by_time = PARCEL_SECONDS / self.mean.seconds.max(1e-6);
                    let by_size = 400e3 / self.mean.bytes.max(1.0);
                    by_time.min(by_size).clamp(1.0, 1024.0) as usize
                }
            };
            // The last items are shared between all threads.
            let free = self.exchange.free();
            let share = free.div_ceil(2 * threads).max(1);
            let (generation, items) = self.exchange.lend(most.min(share), LOAN);
            let Some(session) = self.sessions.get(&generation).filter(|_| !items.is_empty()).cloned() else {
                self.exchange.give_back(generation, &items);
                return Ok(());
            };
            let mut parcel = Parcel { orders: Id(session.sealed.id), generation, items: items.clone() };
            let checks = items.len().div_ceil(super::audit::AUDITED);
            for _ in 0..checks {
                parcel.items.extend(self.auditor.check_for_parcel(generation));
            }
            parcel.items.sort_unstable();
            parcel.items.truncate(MAX_ITEMS);
            let subject = subjects::play(&generation.to_string());
            let sent = self.context.publish(subject, write(&parcel).into()).await;
            let stored = match sent {
                Ok(stored) => stored.await.map(drop).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = stored {
                self.exchange.give_back(generation, &items);
                return Err(error);
            }
            self.count += 1;
            for &item in &items {
                self.offered_in.insert((generation, item), self.count);
            }
            let offer = Offer { items: items.into_iter().collect(), since: Instant::now() };
            self.offers.entry(generation).or_default().insert(self.count, offer);
            out += 1;
        }
        Ok(())
    }

    /// Forgets the offers whose items the exchange has taken back.
    fn drop_late_offers(&mut self) {
        for offers in self.offers.values_mut() {
            offers.retain(|_, offer| offer.since.elapsed() < LOAN);
        }
    }

    /// Takes what workers have handed in: saves it, and then says so.
    async fn take_results(&mut self, messages: Vec<jetstream::Message>) {
        for message in &messages {
            let Some(name) = message.subject.strip_prefix("doublecross.result.").map(String::from) else { continue };
            if let Err(_fault) = self.take_part(&name, &message.payload) {
                self.faults += 1;
                self.roster.worker(&name).account.faults += 1;
            }
        }
        if self.exchange.save().is_err() {
            // The learner fails at its own save and says why. The server keeps the messages.
            return;
        }
        for message in &messages {
            let _ = message.ack_with(AckKind::Ack).await;
        }
    }

    fn take_part(&mut self, name: &str, payload: &[u8]) -> Result<(), &'static str> {
        if self.roster.is_convicted(name) {
            return Ok(());
        }
        let generation = Part::generation_of(payload)?;
        // Of a generation that is long over, or of another run.
        let Some(session) = self.sessions.get(&generation).cloned() else { return Ok(()) };
        let part = Part::from_bytes(payload, session.orders.board, session.orders.items())?;
        if part.orders != session.sealed.id {
            return Ok(());
        }
        let seconds: f64 = part.items.iter().map(|(_, played)| played.costs.total.as_secs_f64()).sum();
        self.mean.add(part.items.len() as f64, seconds, payload.len() as f64);
        let (mut fresh, mut known) = (Vec::new(), 0);
        let origin = Origin::Worker(name.into());
        for (item, played) in part.items {
            self.forget_offer(generation, item);
            let claim = Claim { generation, item, worker: name.into(), digest: played.digest() };
            match self.exchange.hand_in(generation, item, played, origin.clone()) {
                Receipt::Taken => fresh.push(claim),
                Receipt::Known { origin, digest } => {
                    known += 1;
                    if !self.auditor.hear_again(claim.clone()) && digest != claim.digest {
                        let mut claims = vec![claim];
                        if let Origin::Worker(other) = origin {
                            claims.push(Claim { generation, item, worker: other.to_string(), digest });
                        }
                        self.auditor.dispute(claims);
                    }
                }
                Receipt::Stale => {
                    known += 1;
                    self.auditor.hear_again(claim);
                }
            }
        }
        self.roster.count_items(name, fresh.len(), known);
        let others = self.roster.playing().filter(|(other, _)| *other != name).count();
        self.auditor.hear(fresh, others);
        Ok(())
    }

    fn forget_offer(&mut self, generation: u64, item: u32) {
        let Some(number) = self.offered_in.remove(&(generation, item)) else { return };
        if let Some(offers) = self.offers.get_mut(&generation)
            && let Some(offer) = offers.get_mut(&number)
        {
            offer.items.remove(&item);
            if offer.items.is_empty() {
                offers.remove(&number);
            }
        }
    }

    /// Settles what the coordinator has played again.
    fn settle(&mut self, verdict: Verdict) {
        let Verdict { claims, digest } = verdict;
        for liar in self.auditor.settle(&claims, digest) {
            let Some(claim) = claims.iter().find(|claim| claim.worker == liar) else { continue };
            let account = &mut self.roster.worker(&liar).account;
            if account.conviction.is_some() {
                continue;
            }
            account.conviction = Some(format!(
                "item {} of generation {} came out otherwise when the coordinator played it",
                claim.item, claim.generation
            ));
            self.auditor.forget(&liar);
            self.exchange.disown(&liar);
            // What it played of generations that were learned from is played again as well.
            self.replayer.search_past(liar);
            self.save();
        }
    }

    /// Settles all checks, as those of the last generation.
    async fn settle_all(&mut self) {
        self.auditor.close_before(u64::MAX);
        while let Some(claims) = self.auditor.check_for_coordinator() {
            let session = self.sessions.get(&claims[0].generation).cloned();
            self.replayer.replay(claims, session);
        }
        while self.replayer.is_busy() {
            match self.replayer.verdict().await {
                Some(verdict) => self.settle(verdict),
                None => return,
            }
        }
    }

    fn hear_hello(&mut self, message: &async_nats::Message) {
        let Some(name) = message.subject.strip_prefix("doublecross.hello.").map(String::from) else { return };
        match read::<Hello>(&message.payload) {
            Ok(hello) => self.roster.worker(&name).hello = Some((Instant::now(), hello)),
            Err(_) => {
                self.faults += 1;
                self.roster.worker(&name).account.faults += 1;
            }
        }
    }

    async fn broadcast(&mut self, has_ended: bool) {
        let Some(canary) = self.canary.clone() else { return };
        let now = Now { coordinator: self.id, oldest: self.oldest, canary, has_ended };
        self.last_broadcast = Some(Instant::now());
        let _ = self.client.publish(subjects::NOW, write(&now).into()).await;
    }

    async fn answer(&mut self, message: &async_nats::Message) {
        if let Some(reply) = message.reply.clone() {
            let status = serde_json::to_vec(&self.status()).unwrap_or_default();
            let _ = self.client.publish(reply, status.into()).await;
        }
    }

    fn status(&self) -> FleetStatus {
        let run = self.facts.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let worker = |(name, worker): (&String, &super::roster::Worker)| {
            let trust = self.auditor.trust(name);
            WorkerStatus::new(name, worker, trust)
        };
        let pace = self.exchange.pace();
        FleetStatus {
            run,
            generations: self.facts.generations,
            lag: self.facts.lag,
            seconds: self.started.elapsed().as_secs_f64(),
            open: self.exchange.standings().into_iter().map(GenerationStatus::from).collect(),
            workers: self.roster.all().map(worker).collect(),
            audits: AuditStatus {
                checked: self.roster.all().map(|(name, _)| self.auditor.trust(name).checked).sum(),
                waiting: self.auditor.waiting(),
                by_coordinator: self.replays,
                convicted: self.roster.all().filter(|(_, worker)| worker.account.conviction.is_some()).count(),
            },
            faults: self.faults,
            bytes_per_item: self.mean.bytes,
            seconds_per_item: self.mean.seconds,
            learner_feeds_cores: pace.map(|pace| pace.cores()),
            learner_waits: pace.map(|pace| pace.waiting_share()),
        }
    }

    fn save(&mut self) {
        let names: Vec<String> = self.roster.all().map(|(name, _)| name.clone()).collect();
        for name in names {
            let trust = self.auditor.trust(&name);
            let account = &mut self.roster.worker(&name).account;
            (account.checked, account.probation) = (trust.checked, Some(trust.probation));
        }
        // The accounts are in memory still; the next save tries again.
        let _ = self.roster.save();
    }
}

impl Mean {
    fn add(&mut self, count: f64, seconds: f64, bytes: f64) {
        if count == 0.0 {
            return;
        }
        // The last thousand items count.
        let weight = count / (self.count + count).min(1000.0).max(count);
        self.seconds += weight * (seconds / count - self.seconds);
        self.bytes += weight * (bytes / count - self.bytes);
        self.count += count;
    }
}

/// Waits for the next message of a subscription, for ever if there is none.
async fn next(subscription: &mut Option<async_nats::Subscriber>) -> Option<async_nats::Message> {
    match subscription {
        Some(subscription) => subscription.next().await,
        None => std::future::pending().await,
    }
}

/// Pulls what workers hand in.
async fn pull_results(context: Context, results: UnboundedSender<jetstream::Message>) {
    loop {
        let consumer: Result<PullConsumer, _> =
            context.get_consumer_from_stream(subjects::RESULTS_CONSUMER, subjects::RESULTS).await;
        if let Ok(consumer) = consumer {
            loop {
                let batch = consumer.fetch().max_messages(64).max_bytes(8 << 20).expires(Duration::from_secs(2)).messages().await;
                let Ok(mut batch) = batch else { break };
                let mut is_sound = true;
                while let Ok(Some(message)) = tokio::time::timeout(Duration::from_secs(4), batch.next()).await {
                    match message {
                        Ok(message) => {
                            if results.send(message).is_err() {
                                return;
                            }
                        }
                        Err(_) => is_sound = false,
                    }
                }
                if !is_sound {
                    break;
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}
