internal import CSHA256Lanes

/// Keys of 32 bytes in parallel lanes, 16 lanes to a block; wiped on release.
package struct KeyLanes: ~Copyable, Sendable {
    /// The number of keys.
    package let count: Int
    fileprivate var blocks: SecretBlocks<sha256_lanes_block>

    /// Creates `count` keys, all zero.
    package init(count: Int) { self.init(count: count, isZero: true) }

    /// With `isZero` set to false, the caller must write all blocks before a key is read.
    fileprivate init(count: Int, isZero: Bool) {
        self.count = count
        blocks = SecretBlocks(count: (count + width - 1) / width, isZero: isZero)
    }

    /// Sets the key at an index; does nothing if the index is out of range or the key is not 32 bytes long.
    package mutating func set(_ index: Int, to key: Span<UInt8>) {
        guard (0..<count).contains(index), key.count == keyByteCount else { return }
        unsafe blocks.withMutableBlocks { blocks in
            guard let start = blocks.baseAddress else { return }
            unsafe key.withPointer { unsafe sha256_lanes_set(start + index / width, index % width, $0) }
        }
    }

    /// Returns the key at an index; nil if the index is out of range.
    package func key(_ index: Int) -> SecretBytes? {
        guard (0..<count).contains(index) else { return nil }
        return SecretBytes(count: keyByteCount) { output in
            unsafe blocks.withBlocks { blocks in
                guard let start = blocks.baseAddress else { return }
                unsafe output.withPointer { unsafe sha256_lanes_get(start + index / width, index % width, $0) }
            }
        }
    }

    /// Returns the keys at `indices`, in that order, with a zero key for each index that is out of range.
    package func picked(_ indices: [Int]) -> KeyLanes {
        var result = KeyLanes(count: indices.count)
        unsafe blocks.withBlocks { keys in
            unsafe result.blocks.withMutableBlocks { picked in
                guard let keys = keys.baseAddress, let output = picked.baseAddress else { return }
                for (place, index) in indices.enumerated() where (0..<count).contains(index) {
                    unsafe sha256_lanes_copy(
                        output + place / width, place % width, keys + index / width, index % width)
                }
            }
        }
        return result
    }

    /// Returns a copy of all keys.
    func duplicate() -> KeyLanes {
        var result = KeyLanes(count: count, isZero: false)
        unsafe blocks.withBlocks { keys in
            unsafe result.blocks.withMutableBlocks { copies in
                if let keys = keys.baseAddress { unsafe copies.baseAddress?.update(from: keys, count: copies.count) }
            }
        }
        return result
    }

    /// Replaces each key whose index satisfies a condition with the one at the same index of `other`.
    mutating func copy(from other: borrowing KeyLanes, where isSelected: (Int) -> Bool) {
        let count = min(count, other.count)
        unsafe other.blocks.withBlocks { others in
            unsafe blocks.withMutableBlocks { blocks in
                for lane in 0..<count where isSelected(lane) {
                    guard let to = blocks.baseAddress, let from = others.baseAddress else { return }
                    unsafe sha256_lanes_copy(to + lane / width, lane % width, from + lane / width, lane % width)
                }
            }
        }
    }

    /// Overwrites each key whose index satisfies a condition with zeros.
    mutating func clear(where isSelected: (Int) -> Bool) { copy(from: KeyLanes(count: count), where: isSelected) }

    /// Replaces each key with the HMAC of a message under it.
    package mutating func derive(_ message: LaneMessage, by path: LanePath) {
        unsafe blocks.withMutableBlocks { blocks in
            guard let start = blocks.baseAddress else { return }
            unsafe message.withMessage { unsafe sha256_lanes_mac_of(path.code, start, blocks.count, $0, start) }
        }
    }

    /// Replaces each key whose index satisfies a condition with the HMAC of a message under it.
    mutating func derive(_ message: LaneMessage, by path: LanePath, where isSelected: (Int) -> Bool) {
        unsafe blocks.withMutableBlocks { blocks in
            for index in blocks.indices {
                let lanes = index * width..<min((index + 1) * width, count)
                let selectedCount = lanes.count(where: isSelected)
                guard selectedCount > 0 else { continue }
                var before = unsafe blocks[index]
                unsafe message.withMessage { message in
                    unsafe withUnsafeMutablePointer(to: &blocks[index]) {
                        unsafe sha256_lanes_mac_of(path.code, $0, 1, message, $0)
                    }
                }
                if selectedCount < lanes.count {
                    for lane in lanes where !isSelected(lane) {
                        unsafe sha256_lanes_copy(&blocks[index], lane % width, &before, lane % width)
                    }
                }
                unsafe sha256_lanes_wipe(&before, MemoryLayout<sha256_lanes_block>.size)
            }
        }
    }

    /// Returns the HMACs of a message under the keys, as keys in the same order.
    package func derived(_ message: LaneMessage, by path: LanePath) -> KeyLanes {
        var result = KeyLanes(count: count, isZero: false)
        unsafe blocks.withBlocks { keys in
            unsafe result.blocks.withMutableBlocks { digests in
                guard let keys = keys.baseAddress, let output = digests.baseAddress else { return }
                unsafe message.withMessage {
                    unsafe sha256_lanes_mac_of(path.code, keys, digests.count, $0, output)
                }
            }
        }
        return result
    }

    /// Returns the HMAC midstates of the keys, which save work if the keys are used more than once.
    package func states(by path: LanePath) -> StateLanes {
        var states = SecretBlocks<sha256_lanes_states>(count: blocks.count, isZero: false)
        unsafe blocks.withBlocks { keys in
            unsafe states.withMutableBlocks { states in
                guard let keys = keys.baseAddress, let output = states.baseAddress else { return }
                unsafe sha256_lanes_states_of(path.code, keys, states.count, output)
            }
        }
        return StateLanes(count: count, states: states)
    }
}

/// The HMAC midstates of keys in parallel lanes. They are as secret as the keys, and wiped on release.
package struct StateLanes: ~Copyable, Sendable {
    /// The number of keys.
    package let count: Int
    private let states: SecretBlocks<sha256_lanes_states>

    fileprivate init(count: Int, states: consuming SecretBlocks<sha256_lanes_states>) {
        self.count = count
        self.states = states
    }

    /// Returns the first 16 bytes of the HMACs of a message, in the order of the keys.
    package func first16(_ message: LaneMessage, by path: LanePath) -> [Octets16] {
        unsafe states.withBlocks { states in
            unsafe Array(unsafeUninitializedCapacity: states.count * width) { output, filled in
                guard let states = unsafe UnsafePointer(states.baseAddress), let start = output.baseAddress else {
                    return
                }
                let blocks = (count + width - 1) / width
                // `Octets16` is stored as two numbers, the more significant first, which is what the function writes.
                unsafe UnsafeMutableRawPointer(start).withMemoryRebound(to: UInt64.self, capacity: blocks * width * 2) {
                    numbers in
                    unsafe message.withMessage {
                        unsafe sha256_lanes_mac_u128(path.code, states, blocks, $0, numbers)
                    }
                }
                filled = count
            }
        }
    }

    /// Returns the HMACs of a message under the keys, as keys in the same order.
    package func derived(_ message: LaneMessage, by path: LanePath) -> KeyLanes {
        var result = KeyLanes(count: count, isZero: false)
        unsafe states.withBlocks { states in
            unsafe result.blocks.withMutableBlocks { digests in
                guard let states = states.baseAddress, let output = digests.baseAddress else { return }
                unsafe message.withMessage {
                    unsafe sha256_lanes_mac(path.code, states, digests.count, $0, output)
                }
            }
        }
        return result
    }

    /// Returns the first two bytes of the HMACs of a message as big-endian numbers, in the order of the keys.
    package func first2(_ message: LaneMessage, by path: LanePath) -> [UInt16] {
        unsafe states.withBlocks { states in
            unsafe Array(unsafeUninitializedCapacity: states.count * width) { output, filled in
                guard let first = states.baseAddress, let start = output.baseAddress else { return }
                unsafe message.withMessage {
                    unsafe sha256_lanes_mac_u16(path.code, first, states.count, $0, start)
                }
                filled = count
            }
        }
    }
}

/// The number of lanes in a block.
private let width = Int(SHA256_LANES)
