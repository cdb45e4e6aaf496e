//! The components that joints and strings of a graph belong to.

use super::places::JOINT_PLACES;
use super::small_component::string_number;
use super::zobrist::GROUND;

/// The components of a graph, by its joints.
#[derive(Clone, Copy)]
pub(crate) struct GraphComponents {
    /// The joints of large components.
    pub large: u32,
    pub joints: [Joint; JOINT_PLACES],
}

/// A joint and its component.
#[derive(Clone, Copy)]
pub(crate) struct Joint {
    /// The sum of the joint's strings to the ground and to itself.
    pub own: u64,
    /// The number of the component if it is small.
    pub number: u64,
    /// The joints of the component if it is small, otherwise 0.
    pub component: u32,
    /// The joints that strings tie to this one, itself included, if the component is large.
    pub joined: u32,
}

impl GraphComponents {
    /// No components.
    pub const NONE: GraphComponents =
        GraphComponents { large: 0, joints: [Joint { own: 0, number: 0, component: 0, joined: 0 }; JOINT_PLACES] };

    /// Returns the joints of the component of a joint if it is small, otherwise 0.
    #[inline(always)]
    pub fn small(&self, joint: u8) -> u32 {
        self.joints[joint as usize].component
    }

    /// Returns the number of the small component of a joint.
    #[inline(always)]
    pub fn number(&self, joint: u8) -> u64 {
        self.joints[joint as usize].number
    }

    /// Returns the sum of a joint's strings to the ground and to itself.
    #[inline(always)]
    pub fn own(&self, joint: usize) -> u64 {
        self.joints[joint].own
    }

    /// Returns the joints that strings tie to a joint of a large component, itself included.
    #[inline(always)]
    pub fn joined(&self, joint: usize) -> u32 {
        self.joints[joint].joined
    }

    /// Adds a string to the sum of its joint.
    #[inline(always)]
    pub fn add(&mut self, [a, b]: [u8; 2], length: u8) {
        if a == b || a.max(b) == GROUND {
            let own = &mut self.joints[a.min(b) as usize].own;
            *own = own.wrapping_add(string_number([a, b], length));
        }
    }

    /// Removes a string from the sum of its joint.
    #[inline(always)]
    pub fn remove(&mut self, [a, b]: [u8; 2], length: u8) {
        if a == b || a.max(b) == GROUND {
            let own = &mut self.joints[a.min(b) as usize].own;
            *own = own.wrapping_sub(string_number([a, b], length));
        }
    }
}
