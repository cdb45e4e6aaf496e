//! The coordinator's thread that talks to the server: it carries messages and times to the
//! decisions, and their outputs out into the world. What is decided stands in `logic.rs`.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::message::AckKind;
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, channel, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::item_checker::{ItemChecker, JobDone};
use super::logic::{CoordinatorLogic, RunLabel};
use super::output::Output;
use super::pull::pull_results;
use super::results::Delivery;
use super::roster::AccountFile;
use super::streams::{self, StoredSet};
use super::{CoordinatorError, CoordinatorEvent, RunFacts, check_free};
use crate::protocol::{orders_store, subjects};
use crate::random_number;
use doublecross_selfplay::Exchange;

/// The time between two looks at what there is to do.
const TICK: Duration = Duration::from_millis(100);

/// The time that signing off may take.
const SIGN_OFF_TIME: Duration = Duration::from_secs(5);

/// The most results that are taken at once, and that wait to be.
const MOST_RESULTS: usize = 64;

/// The coordinator's connection to its server, and its decisions.
pub(super) struct Driver {
    client: Client,
    context: Context,
    logic: CoordinatorLogic,
    item_checker: ItemChecker,
    jobs_done: UnboundedReceiver<JobDone>,
    report: Box<dyn Fn(CoordinatorEvent) + Send>,
    /// What is asked of the server and not answered.
    requests: JoinSet<()>,
    replies: UnboundedSender<(u64, bool)>,
    replied: UnboundedReceiver<(u64, bool)>,
    results: Sender<jetstream::Message>,
    handed_in: tokio::sync::mpsc::Receiver<jetstream::Message>,
    puller: Option<tokio::task::JoinHandle<()>>,
    /// The results that are being taken, by their tokens.
    deliveries: BTreeMap<u64, jetstream::Message>,
}

impl Driver {
    /// Creates a driver by a connection that is there.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn new(
        client: Client,
        context: Context,
        exchange: Arc<Exchange>,
        facts: RunFacts,
        report: Box<dyn Fn(CoordinatorEvent) + Send>,
    ) -> io::Result<Driver> {
        let label = RunLabel {
            run: facts.folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            generations: facts.generations,
            lag: facts.lag,
        };
        let mut seed = [0; 32];
        seed.chunks_exact_mut(8).for_each(|bytes| bytes.copy_from_slice(&random_number().to_le_bytes()));
        let accounts = Box::new(AccountFile::of(&facts.folder));
        let random = ChaCha8Rng::from_seed(seed);
        let logic = CoordinatorLogic::new(Instant::now(), exchange.clone(), label, accounts, random);
        let (item_checker, jobs_done) = ItemChecker::start(facts, exchange, logic.key.clone())?;
        let (replies, replied) = unbounded_channel();
        let (results, handed_in) = channel(MOST_RESULTS);
        Ok(Driver {
            client,
            context,
            logic,
            item_checker,
            jobs_done,
            report,
            requests: JoinSet::new(),
            replies,
            replied,
            results,
            handed_in,
            puller: None,
            deliveries: BTreeMap::new(),
        })
    }

    /// Makes sure that no other run uses the server, and that it can serve this one.
    pub async fn claim(&mut self) -> Result<(), CoordinatorError> {
        check_free(&self.client).await?;
        let made = streams::make(&self.context).await;
        made.map(drop).map_err(|error| CoordinatorError::Server(error.to_string()))
    }

    /// Serves until the run ends, by a message on `end`, which is `true` if all checks are to be settled first.
    pub async fn serve(&mut self, mut connection: UnboundedReceiver<bool>, mut end: oneshot::Receiver<bool>) {
        // Subscriptions are made again by the client when the connection is.
        let mut hellos = self.client.subscribe(subjects::HELLO_SUBJECTS).await.ok();
        let mut questions = self.client.subscribe(subjects::STATUS).await.ok();
        // Kept between the turns, so that it comes however many messages there are.
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_ending = false;
        loop {
            self.put_out().await;
            if self.logic.has_ended() {
                break;
            }
            tokio::select! {
                settles = &mut end, if !is_ending => {
                    is_ending = true;
                    self.logic.end(Instant::now(), settles.unwrap_or(false));
                }
                Some(message) = self.handed_in.recv() => self.take_results(message).await,
                Some((number, is_done)) = self.replied.recv() => self.logic.replied(Instant::now(), number, is_done),
                Some(message) = next(&mut hellos) => {
                    if let Some(name) = message.subject.strip_prefix("doublecross.hello.") {
                        self.logic.receive_hello(Instant::now(), name, &message.payload);
                    }
                }
                Some(message) = next(&mut questions) => self.answer(&message).await,
                Some(done) = self.jobs_done.recv() => match done {
                    JobDone::CanaryPlayed(games) => self.logic.canary_played(games),
                    JobDone::Judged(case, digest) => self.logic.judged(case, digest),
                    JobDone::Searched(search, found) => self.logic.searched(search, found),
                },
                Some(is_there) = connection.recv() => self.logic.connected(Instant::now(), is_there),
                Some(_) = self.requests.join_next() => continue,
                _ = ticks.tick() => {}
            }
            self.logic.wake(Instant::now());
        }
        if let Some(puller) = &self.puller {
            puller.abort();
        }
        // A server that is away does not keep the run from ending.
        let _ = tokio::time::timeout(SIGN_OFF_TIME, self.sign_off()).await;
    }

    async fn sign_off(&mut self) {
        self.logic.sign_off(Instant::now());
        self.put_out().await;
        while self.requests.join_next().await.is_some() {}
        let _ = self.client.flush().await;
    }

    async fn take_results(&mut self, first: jetstream::Message) {
        let mut messages = vec![first];
        while messages.len() < MOST_RESULTS
            && let Ok(message) = self.handed_in.try_recv()
        {
            messages.push(message);
        }
        let delivery = |(token, message): (usize, &jetstream::Message)| {
            let worker = message.subject.strip_prefix("doublecross.result.")?.into();
            Some(Delivery { token: token as u64, worker, payload: message.payload.to_vec() })
        };
        let deliveries = messages.iter().enumerate().filter_map(delivery).collect();
        self.deliveries = (0..).zip(messages).collect();
        self.logic.take_results(deliveries, Instant::now());
        self.put_out().await;
        self.deliveries.clear();
    }

    /// Tells an observer the status, at an address where it listens: at any other the coordinator would
    /// speak for the observer.
    async fn answer(&mut self, question: &Message) {
        if let Some(reply) = question.reply.clone().filter(|reply| reply.starts_with(subjects::INBOXES)) {
            let status = serde_json::to_vec(&self.logic.status(Instant::now())).unwrap_or_default();
            let _ = self.client.publish(reply, status.into()).await;
        }
    }

    /// Meets the requests of the decisions.
    async fn put_out(&mut self) {
        while let Some(output) = self.logic.next_output() {
            self.meet(output).await;
        }
    }

    async fn meet(&mut self, output: Output) {
        match output {
            Output::SetUp(number) => {
                self.ask(number, |context| async move { streams::set_up(&context).await.is_ok() });
            }
            Output::Check(number, orders) => {
                let sets: Vec<StoredSet> = orders.iter().map(orders_store::stored_set).collect();
                // A server that is away is noticed by the connection.
                self.ask(number, |context| async move { streams::are_whole(&context, &sets).await.unwrap_or(true) });
            }
            Output::PutOrders(number, sealed) => {
                self.ask(number, |context| async move { orders_store::publish(&context, &sealed).await.is_ok() });
            }
            Output::Offer(number, generation, parcel) => {
                // In their order; the server's receipts are waited for together.
                let subject = subjects::play(&generation.to_string());
                let sent = self.context.publish(subject, parcel.into()).await;
                self.ask(number, |_| async move {
                    match sent {
                        Ok(receipt) => receipt.await.is_ok(),
                        Err(_) => false,
                    }
                });
            }
            Output::PurgeParcels(generation) => {
                let context = self.context.clone();
                self.requests.spawn(async move {
                    let Ok(play) = context.get_stream_no_info(subjects::PLAY).await else { return };
                    let _ = match generation {
                        Some(generation) => play.purge().filter(subjects::play(&generation.to_string())).await,
                        None => play.purge().await,
                    };
                });
            }
            Output::PurgeOrders(id) => {
                let context = self.context.clone();
                self.requests.spawn(async move {
                    if let Ok(stream) = context.get_stream_no_info(subjects::ORDERS).await {
                        orders_store::purge(&stream, id).await;
                    }
                });
            }
            Output::PullResults => {
                self.puller = Some(tokio::spawn(pull_results(self.context.clone(), self.results.clone())));
            }
            Output::Ack(token) => {
                if let Some(message) = self.deliveries.remove(&token) {
                    let _ = message.ack_with(AckKind::Ack).await;
                }
            }
            Output::Broadcast(message) => {
                let _ = self.client.publish(subjects::NOW, message.into()).await;
            }
            Output::Job(job) => self.item_checker.add(job),
            Output::Report(event) => (self.report)(event),
        }
    }

    /// Asks something of the server, and has the answer come as a reply.
    fn ask<F: Future<Output = bool> + Send + 'static>(&mut self, number: u64, request: impl FnOnce(Context) -> F) {
        let (replies, request) = (self.replies.clone(), request(self.context.clone()));
        self.requests.spawn(async move {
            // Without a receiver, the run has ended.
            let _ = replies.send((number, request.await));
        });
    }
}

/// Waits for the next message of a subscription, for ever if there is none.
async fn next(subscription: &mut Option<Subscriber>) -> Option<Message> {
    match subscription {
        Some(subscription) => subscription.next().await,
        None => std::future::pending().await,
    }
}
