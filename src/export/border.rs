//! The border of the WebAssembly module. It imports nothing. It exports `memory` and
//!
//! * `alloc(length: u32) -> u32`: memory for an observation's text, to be called anew for each;
//! * `act(address: u32, length: u32) -> u64`: the action for the text there, which is used up: the answer's address in
//!   the upper half, its length in the lower. It stays until the next call.
//!
//! What the arena asks of a module is not published: this file is all that knows of a border, and all that would change.

use std::hint::black_box;

use super::HandedIn;
use super::slot::{SLOT_MARK, Slot};
use crate::search::Budget;

/// Where the exporter leaves the weights' place and the budget.
static SLOT: Slot = Slot { mark: SLOT_MARK, address: 0, length: 0, simulations: 0, nodes: 0 };

/// What lives from call to call.
struct Module {
    bot: Option<HandedIn>,
    answer: String,
}

/// The one thread's state.
static mut MODULE: Module = Module { bot: None, answer: String::new() };

/// Memory for `length` bytes.
#[unsafe(no_mangle)]
extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::leak(vec![0u8; length].into_boxed_slice()).as_mut_ptr()
}

/// Answers the observation at `address`, which came from [`alloc`] with the same length.
///
/// # Safety
/// The host must pass what it got from `alloc`, once.
#[unsafe(no_mangle)]
unsafe extern "C" fn act(address: *mut u8, length: usize) -> u64 {
    // SAFETY: the host passes a block of `alloc`, which gave it away, and there is one thread.
    let (observation, module) = unsafe {
        (Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)), &mut *std::ptr::addr_of_mut!(MODULE))
    };
    if module.bot.is_none() {
        // What the exporter wrote must be read at run time.
        let slot = black_box(&SLOT);
        // SAFETY: the exporter put so many bytes of weights at this address, which nothing else uses.
        let weights = unsafe { std::slice::from_raw_parts(slot.address as *const u8, slot.length as usize) };
        let budget = Budget::new(slot.simulations as usize, slot.nodes as u64);
        module.bot = HandedIn::new(weights, budget).ok();
    }
    module.answer = match &mut module.bot {
        Some(bot) => bot.act(&observation),
        // Weights that cannot be used: the first undrawn edge is still a legal action.
        None => crate::wire::respond(&observation, |position, _| {
            position.undrawn().lowest().unwrap_or(crate::board::Edge::new(0))
        }),
    };
    (module.answer.as_ptr() as u64) << 32 | module.answer.len() as u64
}
