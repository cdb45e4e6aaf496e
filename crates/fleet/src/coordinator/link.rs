//! The link between a run's exchange and the server, and its loop.

use std::collections::{BTreeMap, HashSet};
use std::hash::RandomState;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::Context;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::MissedTickBehavior;

use super::offers::{LEASE, Offers};
use super::pull::pull_results;
use super::{CoordinatorError, CoordinatorEvent, RunFacts, check_free, streams};
use crate::coordinator::audit::{AUDITED, Auditor, ItemClaim, Trust};
use crate::coordinator::item_checker::ItemChecker;
use crate::coordinator::roster::{Roster, Worker};
use crate::coordinator::status::{AuditStatus, FleetStatus, GenerationStatus, WorkerStatus};
use crate::protocol::messages::{CanaryGames, Id, MAX_BANNED, MAX_ITEMS, Now, Parcel, write};
use crate::protocol::orders_store;
use crate::protocol::subjects;
use crate::random_number;
use crate::worker::canary;
use doublecross_arena::random::{Purpose, stream};
use doublecross_selfplay::{Exchange, Origin, SealedOrders, Session};

/// The time between two looks at what there is to do.
const TICK: Duration = Duration::from_millis(100);

/// The time between two broadcasts.
const BROADCAST: Duration = Duration::from_secs(1);

/// The time between two savings of the workers' accounts.
const SAVE: Duration = Duration::from_secs(5);

/// The most parcels that are offered at once.
const MOST_OFFERS: usize = 64;

/// The time that taking leave of the server may take.
const SIGN_OFF_TIME: Duration = Duration::from_secs(5);

/// The state of the link.
pub(super) struct Link {
    client: Client,
    context: Context,
    pub(super) exchange: Arc<Exchange>,
    facts: RunFacts,
    id: Id,
    pub(super) auditor: Auditor,
    pub(super) item_checker: ItemChecker,
    pub(super) roster: Roster,
    /// Sessions of open generations, and of those with checks that are not settled.
    pub(super) sessions: BTreeMap<u64, Arc<Session>>,
    /// The generations whose orders are on the server.
    published: HashSet<u64>,
    canary: Option<CanaryGames>,
    pub(super) offers: Offers,
    pub(super) faults: u64,
    pub(super) key: RandomState,
    pub(super) tell: Box<dyn Fn(CoordinatorEvent) + Send>,
    /// Banned workers whose past is searched once more.
    pub(super) searched_again: Vec<String>,
    pub(super) replays: u64,
    started: Instant,
    oldest: u64,
    pub(super) last_broadcast: Option<Instant>,
    last_saved: Instant,
}

impl Link {
    /// Creates a link by a connection that is there.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn new(
        client: Client,
        context: Context,
        exchange: Arc<Exchange>,
        facts: RunFacts,
        tell: Box<dyn Fn(CoordinatorEvent) + Send>,
    ) -> io::Result<Link> {
        let key = RandomState::new();
        let item_checker = ItemChecker::start(facts.clone(), exchange.clone(), key.clone())?;
        let mut auditor = Auditor::new(stream(random_number(), random_number(), 0, Purpose::Verifying));
        let roster = Roster::open(&facts.folder);
        // A kill may have cut the search off.
        let banned = roster.all().map(|(name, _)| name.clone()).filter(|name| roster.is_banned(name));
        let searched_again: Vec<String> = banned.collect();
        for (name, worker) in roster.all() {
            if let Some(probation) = worker.account.probation {
                auditor.restore(name, Trust { probation, checked: worker.account.checked });
            }
        }
        Ok(Link {
            client,
            context,
            exchange,
            facts,
            id: Id(random_number()),
            auditor,
            item_checker,
            roster,
            sessions: BTreeMap::new(),
            published: HashSet::new(),
            canary: None,
            offers: Offers::default(),
            faults: 0,
            key,
            tell,
            searched_again,
            replays: 0,
            started: Instant::now(),
            oldest: 0,
            last_broadcast: None,
            last_saved: Instant::now(),
        })
    }

    /// Makes sure that no other run uses the server, and prepares its streams.
    pub async fn claim(&mut self) -> Result<(), CoordinatorError> {
        check_free(&self.client).await?;
        self.set_up().await.map_err(CoordinatorError::Server)
    }

    /// Makes the streams and consumers that are missing, and takes back what was offered.
    async fn set_up(&mut self) -> Result<(), String> {
        let play = streams::make(&self.context).await.map_err(|error| error.to_string())?;
        play.purge().await.map_err(|error| error.to_string())?;
        self.published.clear();
        for (generation, items) in self.offers.take_all() {
            self.exchange.give_back(generation, &items);
        }
        Ok(())
    }

    /// Serves until the run ends.
    pub async fn serve(&mut self, mut connection: UnboundedReceiver<bool>, ends: &AtomicBool) {
        let (results, mut handed_in) = unbounded_channel();
        let puller = tokio::spawn(pull_results(self.context.clone(), results));
        // Subscriptions are made again by the client when the connection is.
        let mut hellos = self.client.subscribe(subjects::HELLO_SUBJECTS).await.ok();
        let mut questions = self.client.subscribe(subjects::STATUS).await.ok();
        let (mut is_set_up, mut is_lost) = (true, false);
        // Kept between the turns, so that it comes however often there is something to hear.
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_ending = false;
        // First of all: the run may end before its canary games are played.
        self.broadcast(false).await;
        loop {
            if ends.load(Ordering::Relaxed) && !is_ending {
                is_ending = true;
                // The checks of the last generation are made by the coordinator.
                self.auditor.close_before(u64::MAX);
            }
            if is_ending && self.is_settled() {
                break;
            }
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
                Some(verdict) = self.item_checker.verdict() => self.settle(verdict),
                Some(is_there) = connection.recv() => {
                    if is_there && is_lost {
                        (self.tell)(CoordinatorEvent::Back);
                    } else if !is_there && !is_lost {
                        (self.tell)(CoordinatorEvent::Lost);
                    }
                    is_lost = !is_there;
                    if is_there {
                        is_set_up = self.set_up().await.is_ok();
                    }
                }
                _ = ticks.tick() => {
                    self.replay_next();
                    if is_ending {
                        self.search_again();
                        self.broadcast_in_time().await;
                        continue;
                    }
                    if !is_set_up {
                        is_set_up = self.set_up().await.is_ok();
                    }
                    is_set_up &= self.tick().await.is_ok();
                }
            }
        }
        puller.abort();
        self.save();
        // A server that is away does not keep the run from ending.
        let _ = tokio::time::timeout(SIGN_OFF_TIME, self.sign_off()).await;
    }

    /// Informs the workers that the run has ended, unless it goes back to an earlier generation, and takes
    /// what is its own from the server.
    async fn sign_off(&mut self) {
        if self.exchange.first_fake().is_none() {
            self.broadcast(true).await;
        }
        let _ = self.client.flush().await;
        if let Ok(play) = self.context.get_stream_no_info(subjects::PLAY).await {
            let _ = play.purge().await;
        }
        for session in std::mem::take(&mut self.sessions).into_values() {
            self.purge_orders(session.sealed.id).await;
        }
        if let Some(canary) = &self.canary {
            self.purge_orders(canary.orders.0).await;
        }
        let _ = self.client.flush().await;
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
            self.search_again();
            self.close_before(oldest).await;
            self.broadcast(false).await;
        }
        self.offer().await?;
        self.broadcast_in_time().await;
        self.roster.measure();
        if self.last_saved.elapsed() >= SAVE {
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
        self.last_broadcast = None;
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
        if self.sessions.insert(generation, session.clone()).is_none() {
            self.hear_saved(generation);
        }
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

    /// Receives again what workers handed in before the coordinator was started, of which the checks are
    /// lost.
    fn hear_saved(&mut self, generation: u64) {
        let mut claims: BTreeMap<Arc<str>, Vec<ItemClaim>> = BTreeMap::new();
        for played in self.exchange.of_workers(generation) {
            let digest = played.keyed_digest(&self.key);
            if let Origin::Worker(name) = played.origin {
                let claim = ItemClaim { generation, item: played.number, worker: name.to_string(), digest };
                claims.entry(name).or_default().push(claim);
            }
        }
        for claims in claims.into_values() {
            self.auditor.hear(claims, 0);
        }
    }

    /// Closes what belongs to generations before this one.
    async fn close_before(&mut self, oldest: u64) {
        self.auditor.close_before(oldest);
        for generation in self.offers.close_before(oldest) {
            if let Ok(play) = self.context.get_stream_no_info(subjects::PLAY).await {
                let _ = play.purge().filter(subjects::play(&generation.to_string())).await;
            }
        }
        // The last ones are kept for claims that come late, and those that checks are of.
        let kept = self.auditor.oldest().unwrap_or(oldest).min(oldest.saturating_sub(2));
        let old: Vec<u64> = self.sessions.keys().copied().filter(|&generation| generation < kept).collect();
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

    /// Broadcasts, if the last time was long enough ago.
    async fn broadcast_in_time(&mut self) {
        if self.last_broadcast.is_none_or(|last| last.elapsed() >= BROADCAST) {
            self.broadcast(false).await;
        }
    }

    async fn broadcast(&mut self, has_ended: bool) {
        let banned = self.roster.all().filter(|(name, _)| self.roster.is_banned(name));
        let banned = banned.map(|(name, _)| name.clone()).take(MAX_BANNED).collect();
        let now = Now { coordinator: self.id, oldest: self.oldest, canary: self.canary.clone(), has_ended, banned };
        self.last_broadcast = Some(Instant::now());
        let _ = self.client.publish(subjects::NOW, write(&now).into()).await;
    }

    async fn answer(&mut self, message: &async_nats::Message) {
        if let Some(reply) = message.reply.clone() {
            let status = serde_json::to_vec(&self.status()).unwrap_or_default();
            let _ = self.client.publish(reply, status.into()).await;
        }
    }

    /// Offers as many parcels as the workers have threads for, and a few more.
    async fn offer(&mut self) -> Result<(), String> {
        if self.canary.is_none() {
            return Ok(());
        }
        let threads: usize = self.roster.playing().map(|(_, hello)| hello.threads as usize).sum();
        let wanted = threads + threads.div_ceil(4) + self.roster.playing().count();
        self.offers.forget_late();
        // The server's receipts are waited for together, so that a far server costs its delay once.
        let mut sent = Vec::new();
        while threads > 0 && self.offers.len() + sent.len() < wanted && sent.len() < MOST_OFFERS {
            let size = self.offers.next_size(self.exchange.free(), threads);
            let (generation, items) = self.exchange.lend(size, LEASE);
            let Some(session) = self.sessions.get(&generation).filter(|_| !items.is_empty()).cloned() else {
                self.exchange.give_back(generation, &items);
                break;
            };
            let mut parcel = Parcel { orders: Id(session.sealed.id), generation, items: items.clone() };
            let checks = items.len().div_ceil(AUDITED);
            for _ in 0..checks {
                parcel.items.extend(self.auditor.check_for_parcel(generation));
            }
            parcel.items.sort_unstable();
            parcel.items.truncate(MAX_ITEMS);
            let subject = subjects::play(&generation.to_string());
            sent.push((generation, items, self.context.publish(subject, write(&parcel).into()).await));
        }
        let mut result = Ok(());
        for (generation, items, receipt) in sent {
            let stored = match receipt {
                Ok(stored) if result.is_ok() => stored.await.map(drop).map_err(|error| error.to_string()),
                Ok(_) => result.clone(),
                Err(error) => Err(error.to_string()),
            };
            match stored {
                Ok(()) => self.offers.add(generation, items),
                Err(error) => {
                    self.exchange.give_back(generation, &items);
                    result = Err(error);
                }
            }
        }
        result
    }

    fn status(&self) -> FleetStatus {
        let run = self.facts.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let worker = |(name, worker): (&String, &Worker)| {
            let trust = self.auditor.trust(name);
            WorkerStatus::new(name, worker, trust)
        };
        let pace = self.exchange.pace();
        FleetStatus {
            run,
            generations: self.facts.generations,
            lag: self.facts.lag,
            seconds: self.started.elapsed().as_secs_f64(),
            open: self.exchange.progress_of_open().into_iter().map(GenerationStatus::from).collect(),
            workers: self.roster.all().map(worker).collect(),
            audits: AuditStatus {
                checked: self.roster.all().map(|(name, _)| self.auditor.trust(name).checked).sum(),
                waiting: self.auditor.waiting(),
                by_coordinator: self.replays,
                banned: self.roster.all().filter(|(_, worker)| worker.account.ban.is_some()).count(),
            },
            faults: self.faults,
            bytes_per_item: self.offers.mean.bytes,
            seconds_per_item: self.offers.mean.seconds,
            learner_feeds_cores: pace.map(|pace| pace.cores()),
            learner_waits: pace.map(|pace| pace.waiting_share()),
        }
    }

    /// Writes the workers' accounts.
    pub(super) fn save(&mut self) {
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

/// Waits for the next message of a subscription, for ever if there is none.
async fn next(subscription: &mut Option<async_nats::Subscriber>) -> Option<async_nats::Message> {
    match subscription {
        Some(subscription) => subscription.next().await,
        None => std::future::pending().await,
    }
}
