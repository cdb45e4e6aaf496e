//! The offer of parcels to workers.

use std::time::Instant;

use super::audit::AUDITED;
use super::logic::{CoordinatorLogic, Request};
use super::offers::LEASE;
use super::output::Output;
use crate::protocol::messages::{Id, MAX_ITEMS, Parcel, write};

/// The most parcels that are on their way to the server at once.
const MOST_OFFERS: usize = 64;

impl CoordinatorLogic {
    /// Offers as many parcels as the workers have threads for, and a few more.
    pub(super) fn offer(&mut self, now: Instant) {
        let threads: usize = self.roster.playing(now).map(|(_, hello)| hello.threads as usize).sum();
        let wanted = threads + threads.div_ceil(4) + self.roster.playing(now).count();
        self.offers.forget_late(now);
        let mut sent = self.sent_offers();
        while threads > 0 && self.offers.len() + sent < wanted && sent < MOST_OFFERS {
            let size = self.offers.next_size(self.exchange.free(), threads);
            let (generation, items) = self.exchange.lease(now, size, LEASE);
            let session = self.sessions.get(&generation).filter(|_| !items.is_empty() && self.has_orders(generation));
            let Some(orders) = session.map(|session| Id(session.sealed.id)) else {
                self.exchange.give_back(generation, &items);
                return;
            };
            let mut parcel = Parcel { orders, generation, items: items.clone() };
            for _ in 0..items.len().div_ceil(AUDITED) {
                parcel.items.extend(self.auditor.check_for_parcel(generation));
            }
            parcel.items.sort_unstable();
            parcel.items.truncate(MAX_ITEMS);
            let number = self.request(Request::Offer { generation, items });
            self.put_out(Output::Offer(number, generation, write(&parcel)));
            sent += 1;
        }
    }
}
