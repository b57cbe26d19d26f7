#if os(Linux)
    import CSHA256Lanes
    import Glibc
    import InklingTesting
    import Testing

    @testable import InklingKeys

    @Suite struct `The stack after a computation in lanes` {
        /// The stack of a thread is all zero at first, so bytes that differ between two runs depend on the keys.
        @Test(arguments: LanePath.allCases.filter(\.isAvailable), [1, 2, 3, 8, 18])
        func `holds nothing that depends on the keys`(path: LanePath, blocks: Int) throws {
            let buffers = Buffers(blocks: blocks, path: path)
            let first = try buffers.stack(afterComputingWith: 1)
            let second = try buffers.stack(afterComputingWith: 2)
            try #require(first.count == second.count && first.count > 16_384)
            #expect(first.contains { $0 != 0 })
            let differing = zip(first, second).count { $0 != $1 }
            #expect(differing == 0, "\(differing) bytes")
        }

        @Test(arguments: HashPath.allCases.filter(\.isAvailable), [0, 17, 55, 56, 64, 200])
        func `holds nothing that depends on the key of a single computation`(path: HashPath, length: Int) throws {
            let buffers = Buffers(blocks: 1, path: .portable)
            buffers.single = (path, length)
            let first = try buffers.stack(afterComputingWith: 1)
            let second = try buffers.stack(afterComputingWith: 2)
            try #require(first.count == second.count && first.count > 16_384)
            #expect(first.contains { $0 != 0 })
            let differing = zip(first, second).count { $0 != $1 }
            #expect(differing == 0, "\(differing) bytes")
        }

        /// The control: the search finds a key that a computation leaves on the stack.
        @Test func `would be found to hold a key that is left there`() throws {
            let buffers = Buffers(blocks: 1, path: .best)
            buffers.leavesCopy = true
            let first = try buffers.stack(afterComputingWith: 1)
            let second = try buffers.stack(afterComputingWith: 2)
            #expect(zip(first, second).contains { $0 != $1 })
        }
    }

    /// Keys, states and digests at the same places in every run, and a thread with a stack of its own.
    @safe private final class Buffers {
        private static let stackBytes = 1 << 18
        let blocks: Int
        let path: LanePath
        var leavesCopy = false
        /// An HMAC of the first key in place of the computations in lanes, with a message of this length.
        var single: (path: HashPath, length: Int)?
        private let single32: UnsafeMutablePointer<UInt8>
        private let keys: UnsafeMutablePointer<sha256_lanes_block>
        private let states: UnsafeMutablePointer<sha256_lanes_states>
        private let digests: UnsafeMutablePointer<sha256_lanes_block>
        private let numbers: UnsafeMutablePointer<UInt64>
        private let message: UnsafeMutablePointer<sha256_lanes_message>
        private let stack: UnsafeMutableRawPointer
        private let image: UnsafeMutableRawPointer
        private var depth = 0

        init(blocks: Int, path: LanePath) {
            self.blocks = blocks
            self.path = path
            unsafe single32 = .allocate(capacity: 32)
            unsafe keys = .allocate(capacity: blocks)
            unsafe states = .allocate(capacity: blocks + 1)
            unsafe digests = .allocate(capacity: blocks)
            unsafe numbers = .allocate(capacity: blocks * 32)
            unsafe message = .allocate(capacity: 1)
            unsafe stack = .allocate(byteCount: Self.stackBytes, alignment: 4096)
            unsafe image = .allocate(byteCount: Self.stackBytes, alignment: 4096)
            _ = unsafe sha256_lanes_prepare([1, 2, 3], 3, message)
        }

        deinit {
            unsafe single32.deallocate()
            unsafe keys.deallocate()
            unsafe states.deallocate()
            unsafe digests.deallocate()
            unsafe numbers.deallocate()
            unsafe message.deallocate()
            unsafe stack.deallocate()
            unsafe image.deallocate()
        }

        /// Computes everything with other keys for each seed, and returns the part of the stack below the computation.
        func stack(afterComputingWith seed: UInt64) throws -> [UInt8] {
            var generator = SeededGenerator(seed: seed)
            for block in 0..<blocks {
                for lane in 0..<16 {
                    let key: [UInt8] = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
                    unsafe sha256_lanes_set(keys + block, lane, key)
                }
            }
            unsafe memset(stack, 0, Self.stackBytes)
            var attributes = pthread_attr_t()
            unsafe pthread_attr_init(&attributes)
            defer { unsafe pthread_attr_destroy(&attributes) }
            try #require(unsafe pthread_attr_setstack(&attributes, stack, Self.stackBytes) == 0)
            var thread = pthread_t()
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            let result = unsafe pthread_create(
                &thread, &attributes,
                { context in
                    if let context = unsafe context {
                        unsafe Unmanaged<Buffers>.fromOpaque(context).takeUnretainedValue().run()
                    }
                    return nil
                }, context)
            try #require(result == 0)
            pthread_join(thread, nil)
            return unsafe Array(UnsafeRawBufferPointer(start: image, count: depth))
        }

        private func run() {
            var here: UInt8 = 0
            let place = unsafe withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
            if leavesCopy {
                copyKey()
            } else if let single {
                computeSingle(single.path.code, single.length)
            } else {
                compute()
            }
            // The stack below this frame, except for the part that the next call uses.
            depth = unsafe Int(place - UInt(bitPattern: stack)) - 1024
            unsafe memcpy(image, stack, depth)
        }

        @inline(never)
        private func compute() {
            let code = path.code
            unsafe sha256_lanes_states_of(code, keys, blocks, states)
            unsafe sha256_lanes_mac(code, states, blocks, message, digests)
            unsafe sha256_lanes_mac_of(code, keys, blocks, message, digests)
            unsafe sha256_lanes_mac_u128(code, states, blocks, message, numbers)
            unsafe sha256_lanes_mac_u16(
                code, states, blocks, message, UnsafeMutableRawPointer(numbers).assumingMemoryBound(to: UInt16.self))
        }

        /// The key and the message are the memory of `keys`; the state is where the numbers of the lanes are.
        @inline(never)
        private func computeSingle(_ code: sha256_one_path, _ length: Int) {
            let bytes = unsafe UnsafeRawPointer(keys).assumingMemoryBound(to: UInt8.self)
            let state = unsafe UnsafeMutableRawPointer(numbers).assumingMemoryBound(to: sha256_one_state.self)
            unsafe sha256_one_start_mac(state, code, bytes, 32)
            unsafe sha256_one_append(state, bytes + 32, length / 2)
            unsafe sha256_one_append(state, bytes + 32 + length / 2, length - length / 2)
            unsafe sha256_one_finish(state, single32, 32)
        }

        @inline(never)
        private func copyKey() {
            var copies: (sha256_lanes_states, sha256_lanes_states) = (sha256_lanes_states(), sha256_lanes_states())
            unsafe sha256_lanes_copy(&copies.0.inner, 0, keys, 0)
            unsafe sha256_lanes_copy(&copies.1.outer, 0, keys, 0)
        }
    }
#endif
