//! Where a module that is compiled once finds what differs from bot to bot.

/// What the exporter looks for in the compiled module.
#[cfg(any(target_arch = "wasm32", feature = "trainer"))]
pub(super) const SLOT_MARK: [u8; 16] = *b"DOUBLECROSS SLOT";

/// Filled in by the exporter, little-endian.
#[repr(C)]
#[cfg(target_arch = "wasm32")]
pub(super) struct Slot {
    pub mark: [u8; 16],
    /// Where the weights file lies in the module's memory.
    pub address: u32,
    /// How long it is.
    pub length: u32,
    /// Simulations of a move.
    pub simulations: u32,
    /// Nodes of the solver at the root.
    pub nodes: u32,
}
