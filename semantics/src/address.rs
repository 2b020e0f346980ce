//! The address space, the same in every run: addresses are numbers below 2^47, so that casts between pointers and
//! integers, tags in low or high bits and copies byte by byte work as on the machine.
//!
//! The space is divided into slots of 64 KiB. An object begins at a slot, ends at least 4 KiB before its last slot
//! does, and owns all its slots, so that overruns are detected and objects are never adjacent. Each thread allocates
//! from its own region of 2^20 slots: the addresses of its objects depend on its own past alone, and allocations of two
//! threads commute.

pub const SLOT_BITS: u32 = 16;
pub const REGION_BITS: u32 = 20;
/// The gap after every object.
pub const GUARD: u64 = 4096;
pub const ADDRESS_BITS: u32 = 47;

/// The region of globals and functions.
pub const STATIC_REGION: u32 = 0;
/// Slots 1 to 15 of the static region hold functions, 16 bytes each; slot 0 is empty, so that null does not resolve.
const FUNCTION_BASE: u64 = 1 << SLOT_BITS;
const FUNCTION_SIZE: u64 = 16;
pub const FIRST_OBJECT_SLOT: u32 = 16;

pub fn slot_address(region: u32, slot: u32) -> u64 {
    ((u64::from(region) << REGION_BITS) | u64::from(slot)) << SLOT_BITS
}

/// The region and the slot in it, or none if the number is no address.
#[inline]
pub fn slot_of(address: u64) -> Option<(u32, u32)> {
    if address >> ADDRESS_BITS != 0 {
        return None;
    }
    let slot = address >> SLOT_BITS;
    Some(((slot >> REGION_BITS) as u32, (slot & ((1 << REGION_BITS) - 1)) as u32))
}

/// The number of slots of an object.
pub fn slots_for(size: u64) -> u64 {
    (size + GUARD).div_ceil(1 << SLOT_BITS)
}

pub fn function_address(index: u32) -> u64 {
    FUNCTION_BASE + u64::from(index) * FUNCTION_SIZE
}

/// The function that begins at this address.
pub fn function_at(address: u64) -> Option<u32> {
    let end = u64::from(FIRST_OBJECT_SLOT) << SLOT_BITS;
    if !(FUNCTION_BASE..end).contains(&address) || !(address - FUNCTION_BASE).is_multiple_of(FUNCTION_SIZE) {
        return None;
    }
    Some(((address - FUNCTION_BASE) / FUNCTION_SIZE) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_addresses_agree() {
        let address = slot_address(3, 77) + 12;
        assert_eq!(slot_of(address), Some((3, 77)));
        assert_eq!(slot_of(u64::MAX), None);
        assert_eq!(slots_for(0), 1);
        assert_eq!(slots_for((1 << SLOT_BITS) - GUARD), 1);
        assert_eq!(slots_for((1 << SLOT_BITS) - GUARD + 1), 2);
    }

    #[test]
    fn functions_have_addresses_of_their_own() {
        assert_eq!(function_at(function_address(9)), Some(9));
        assert_eq!(function_at(function_address(9) + 1), None);
        assert_eq!(function_at(0), None);
    }
}
