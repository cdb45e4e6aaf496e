//! The worker's side that talks to the server: it carries messages and times to the decisions, and
//! their outputs out into the world. What is decided stands in `logic.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::{AckKind, Acker};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Event, ServerError, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, timeout};

use super::canary;
use super::logic::{End, WorkerLogic};
use super::output::{Output, Pulled, Response};
use super::players::{Outcome, Players};
use super::worker::{WorkerError, WorkerEvent, WorkerSettings};
use crate::protocol::messages::{Id, write};
use crate::protocol::orders_store::{FetchError, fetch};
use crate::protocol::subjects;
use crate::{MachineKey, random_number, store};
use doublecross_selfplay::{Orders, Session};

/// The longest time between two looks at whether the worker is to end.
const TICK: Duration = Duration::from_millis(50);

/// The time that the last messages may take.
const SIGN_OFF_TIME: Duration = Duration::from_secs(2);

/// Something that was asked for and has come.
enum Reply {
    Pulled(Result<jetstream::Message, Pulled>, Option<Box<PullConsumer>>),
    Fetched(Result<Orders, FetchError>),
    CanaryChecked(Result<(), String>),
    Prepared(Result<Arc<Session>, String>),
    HandedIn(Result<(), String>),
}

/// A worker's connection to its server, its threads, and its decisions.
pub(super) struct Driver<'a> {
    client: Client,
    context: Context,
    key: &'a MachineKey,
    settings: WorkerSettings,
    players: Players,
    report: &'a (dyn Fn(WorkerEvent) + Sync),
    logic: WorkerLogic,
    outcomes: UnboundedReceiver<Outcome>,
    replies: UnboundedSender<Reply>,
    replied: UnboundedReceiver<Reply>,
    /// The consumer of parcels, unless it is to be asked for by name again, as when the server has
    /// lost it.
    consumer: Option<Box<PullConsumer>>,
    /// The parcels that are not answered to the end, by their tokens.
    ackers: BTreeMap<u64, Acker>,
    tokens: u64,
}

impl Driver<'_> {
    /// Creates a driver by a connection that is there.
    ///
    /// # Errors
    /// Returns an error if the system has no thread left.
    pub fn new<'a>(
        client: Client,
        key: &'a MachineKey,
        settings: WorkerSettings,
        report: &'a (dyn Fn(WorkerEvent) + Sync),
    ) -> std::io::Result<Driver<'a>> {
        let (handed_out, outcomes) = unbounded_channel();
        let (replies, replied) = unbounded_channel();
        let (name, process) = (key.name().to_string(), Id(random_number()));
        Ok(Driver {
            context: jetstream::new(client.clone()),
            client,
            key,
            players: Players::start(settings.threads, &handed_out)?,
            report,
            logic: WorkerLogic::new(Instant::now(), name, process, settings.threads, settings.ends_with_run),
            settings,
            outcomes,
            replies,
            replied,
            consumer: None,
            ackers: BTreeMap::new(),
            tokens: 0,
        })
    }

    /// Works until `stop` is set, the run has ended, or this machine cannot play for it. Returns the
    /// number of items that were handed in.
    pub async fn run(
        mut self,
        connection: &mut UnboundedReceiver<Event>,
        stop: &AtomicBool,
    ) -> Result<u64, WorkerError> {
        let (mut broadcasts, mut was_lost) = (None, false);
        while self.logic.end().is_none() {
            if broadcasts.is_none() {
                broadcasts = self.subscribe().await;
            }
            let due = self.logic.next_wake().saturating_duration_since(Instant::now()).min(TICK);
            tokio::select! {
                message = next(&mut broadcasts) => match message {
                    Some(message) => self.logic.receive_broadcast(Instant::now(), &message.payload),
                    None => broadcasts = None,
                },
                Some(reply) = self.replied.recv() => self.receive(reply),
                Some(outcome) = self.outcomes.recv() => self.logic.played(outcome),
                Some(event) = connection.recv() => self.report_connection(event, &mut was_lost),
                () = sleep(due) => {}
            }
            if stop.load(Ordering::Relaxed) {
                self.logic.stop(Instant::now());
            }
            self.logic.wake(Instant::now());
            self.put_out().await;
        }
        let _ = timeout(SIGN_OFF_TIME, self.client.flush()).await;
        match self.logic.end() {
            Some(End::Refused(reason)) => Err(WorkerError::Refused(reason.clone())),
            Some(End::Done) | None => Ok(self.logic.items()),
        }
    }

    /// Subscribes to what the coordinator broadcasts.
    async fn subscribe(&self) -> Option<Subscriber> {
        let broadcasts = self.client.subscribe(subjects::NOW).await.ok()?;
        // Only now, since a run may start as soon as this is received.
        let _ = self.client.flush().await;
        (self.report)(WorkerEvent::Connected);
        Some(broadcasts)
    }

    fn receive(&mut self, reply: Reply) {
        let now = Instant::now();
        match reply {
            Reply::Pulled(pulled, consumer) => {
                self.consumer = consumer;
                let pulled = pulled.map(|message| {
                    let (message, acker) = message.split();
                    self.tokens += 1;
                    self.ackers.insert(self.tokens, acker);
                    Pulled::Parcel(self.tokens, message.payload.to_vec())
                });
                self.logic.pulled(now, pulled.unwrap_or_else(|without| without));
            }
            Reply::Fetched(orders) => self.logic.fetched(now, orders),
            Reply::CanaryChecked(outcome) => self.logic.canary_checked(now, outcome),
            Reply::Prepared(session) => self.logic.prepared(now, session),
            Reply::HandedIn(stored) => self.logic.handed_in(now, stored),
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
            Output::Hello(mut hello) => {
                hello.idle = self.logic.idle_share(self.players.take_idle());
                let _ = self.client.publish(subjects::hello(self.key.name()), write(&hello).into()).await;
            }
            Output::Pull => {
                let (context, consumer) = (self.context.clone(), self.consumer.take());
                self.ask(async move {
                    let (pulled, consumer) = pull(&context, consumer).await;
                    Reply::Pulled(pulled, consumer)
                });
            }
            Output::Respond(token, response) => self.respond(token, response).await,
            Output::Fetch(id) => {
                let (context, books) = (self.context.clone(), self.settings.books.clone());
                self.ask(async move {
                    let stream = context.get_stream_no_info(subjects::ORDERS).await;
                    Reply::Fetched(match stream {
                        Ok(stream) => fetch(&stream, id, &books).await,
                        Err(error) => Err(FetchError::Absent(error.to_string())),
                    })
                });
            }
            Output::CheckCanary(orders, games) => self.ask(async move {
                let checked = tokio::task::spawn_blocking(move || canary::check(&orders, &games)).await;
                let failed = |error| Err(format!("the canary games cannot be played: {error}"));
                Reply::CanaryChecked(checked.unwrap_or_else(failed))
            }),
            Output::Prepare(orders) => {
                let threads = self.settings.threads;
                self.ask(async move {
                    let prepare = move || {
                        canary::check_machine(&orders, threads)?;
                        Ok(Arc::new(Session::new(*orders)))
                    };
                    let failed = |error| Err(format!("the orders cannot be prepared: {error}"));
                    Reply::Prepared(tokio::task::spawn_blocking(prepare).await.unwrap_or_else(failed))
                });
            }
            Output::Play(assignment) => self.players.add(assignment),
            Output::HandIn(part) => {
                let (context, subject) = (self.context.clone(), subjects::result(self.key.name()));
                self.ask(async move { Reply::HandedIn(store(&context, subject, part).await) });
            }
            Output::SetOldest(generation) => self.players.set_oldest(generation),
            Output::Report(event) => (self.report)(event),
        }
    }

    /// Has something come as a reply.
    fn ask(&self, request: impl Future<Output = Reply> + Send + 'static) {
        let replies = self.replies.clone();
        tokio::spawn(async move {
            // Without a receiver, the worker has ended.
            let _ = replies.send(request.await);
        });
    }

    async fn respond(&mut self, token: u64, response: Response) {
        let kind = match response {
            Response::Done => AckKind::Ack,
            Response::InProgress => AckKind::Progress,
            Response::GiveBack(Duration::ZERO) => AckKind::Nak(None),
            Response::GiveBack(time) => AckKind::Nak(Some(time)),
            Response::Drop => AckKind::Term,
        };
        if let Some(acker) = self.ackers.get(&token) {
            // Without it, the server gives the parcel to another in time.
            let _ = timeout(Duration::from_secs(1), acker.ack_with(kind)).await;
        }
        if response != Response::InProgress {
            self.ackers.remove(&token);
        }
    }

    /// Reports when the connection is lost and made again.
    fn report_connection(&self, event: Event, was_lost: &mut bool) {
        let reason = match event {
            Event::Connected => {
                if std::mem::take(was_lost) {
                    (self.report)(WorkerEvent::Connected);
                }
                return;
            }
            Event::Disconnected => {
                *was_lost = true;
                "the connection to the server is lost (it is made again when the server answers)".into()
            }
            Event::ServerError(ServerError::AuthorizationViolation) => {
                "the server does not know this key: it was revoked, or the server has not reloaded".into()
            }
            Event::ServerError(error) => format!("the server says: {error}"),
            _ => return,
        };
        (self.report)(WorkerEvent::Waiting { reason });
    }
}

/// Asks the server for a parcel. Returns the consumer as well, unless it failed.
async fn pull(
    context: &Context,
    consumer: Option<Box<PullConsumer>>,
) -> (Result<jetstream::Message, Pulled>, Option<Box<PullConsumer>>) {
    let consumer = match consumer {
        Some(consumer) => consumer,
        None => match context.get_consumer_from_stream(subjects::PLAY_CONSUMER, subjects::PLAY).await {
            Ok(consumer) => Box::new(consumer),
            Err(error) => return (Err(Pulled::Failed(Some(error.to_string()))), None),
        },
    };
    let batch = consumer.fetch().max_messages(1).expires(Duration::from_secs(2)).messages().await;
    let Ok(mut batch) = batch else { return (Err(Pulled::Failed(None)), None) };
    match timeout(Duration::from_secs(4), batch.next()).await {
        Ok(Some(Ok(message))) => (Ok(message), Some(consumer)),
        Ok(None) => (Err(Pulled::Nothing), Some(consumer)),
        Ok(Some(Err(_))) | Err(_) => (Err(Pulled::Failed(None)), None),
    }
}

/// Waits for the next message of a subscription.
async fn next(subscription: &mut Option<Subscriber>) -> Option<async_nats::Message> {
    match subscription {
        Some(subscription) => subscription.next().await,
        None => {
            sleep(Duration::from_secs(1)).await;
            None
        }
    }
}
