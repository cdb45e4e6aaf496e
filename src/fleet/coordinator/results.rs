//! What workers hand in, and what becomes of it.

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::AckKind;
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;

use super::link::Link;
use crate::fleet::audit::Claim;
use crate::fleet::messages::{Hello, read};
use crate::fleet::replayer::Verdict;
use crate::fleet::subjects;
use crate::train::{Origin, Part, Receipt};

impl Link {
    /// Takes what workers have handed in: saves it, and then says so.
    pub(super) async fn take_results(&mut self, messages: Vec<jetstream::Message>) {
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
        self.offers.mean.add(part.items.len() as f64, seconds, payload.len() as f64);
        let (mut fresh, mut known) = (Vec::new(), 0);
        let origin = Origin::Worker(name.into());
        for (item, played) in part.items {
            self.offers.forget(generation, item);
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

    /// Settles what the coordinator has played again.
    pub(super) fn settle(&mut self, verdict: Verdict) {
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
    pub(super) async fn settle_all(&mut self) {
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

    pub(super) fn hear_hello(&mut self, message: &async_nats::Message) {
        let Some(name) = message.subject.strip_prefix("doublecross.hello.").map(String::from) else { return };
        match read::<Hello>(&message.payload) {
            Ok(hello) => self.roster.worker(&name).hello = Some((Instant::now(), hello)),
            Err(_) => {
                self.faults += 1;
                self.roster.worker(&name).account.faults += 1;
            }
        }
    }
}

/// Pulls what workers hand in.
pub(super) async fn pull_results(context: Context, results: UnboundedSender<jetstream::Message>) {
    loop {
        let consumer: Result<PullConsumer, _> =
            context.get_consumer_from_stream(subjects::RESULTS_CONSUMER, subjects::RESULTS).await;
        if let Ok(consumer) = consumer {
            loop {
                let batch = consumer
                    .fetch()
                    .max_messages(64)
                    .max_bytes(8 << 20)
                    .expires(Duration::from_secs(2))
                    .messages()
                    .await;
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
