internal import Glibc
internal import InklingEngine
internal import InklingKeys

// Writes what an observer would hear of a crowd, and beside it, in another file, who it was.
//
//   InklingUnlinkability SEED DEVICES WINDOWS beacon|links PLANT|none CLOCK TRACE TRUTH
//
// CLOCK is the standard deviation of the clocks of the devices in milliseconds. README.md describes both files.

/// The epochs that are written, and what is heard of each device in them.
func run(_ arguments: [String]) throws {
    let seed = try need(UInt64(arguments[1]), "seed")
    let count = try need(Int(arguments[2]), "devices")
    let windows = try need(Int(arguments[3]), "windows")
    let plant = arguments[5] == "none" ? nil : try need(Plant(rawValue: arguments[5]), "plant \(arguments[5])")
    let deviation = try need(Double(arguments[6]), "clock")
    let trace = try unsafe need(fopen(arguments[7], "w"), "file \(arguments[7])")
    let truth = try unsafe need(fopen(arguments[8], "w"), "file \(arguments[8])")
    defer {
        unsafe fclose(trace)
        unsafe fclose(truth)
    }
    var draws = Draws(seed)
    let hasLinks = arguments[4] == "links"
    var devices: [Device] = []
    for number in 0..<count {
        devices.append(
            try Device(number: number, hasLinks: hasLinks, clockDeviation: deviation, plant: plant, using: &draws))
    }
    let first = try need(Epoch(1_984_000 + UInt32(draws.below(100_000))), "epoch")
    var bundles = Array(repeating: Array(repeating: Bundle(), count: windows), count: count)
    for (place, device) in devices.enumerated() {
        // The node hands one source of randomness to both machines; the planted leak gives both the same numbers.
        var one = Draws(draws.next())
        var other = device.leaks.hasJointGap ? one : Draws(draws.next())
        let radio = try device.rotate(from: first, count: windows, with: .bluetooth, using: &one)
        let network = try device.rotate(from: first, count: windows, with: RotationPolicy(), using: &other)
        for window in 0..<windows {
            let earlier = window > 0 ? try device.own(radio[window - 1].epoch, over: .gatt) : nil
            try device.showByRadio(radio[window], after: earlier, in: &bundles[place][window], using: &draws)
            try device.showOnNetwork(network[window], in: &bundles[place][window], using: &draws)
            // In a part of the epochs somebody is met.
            guard draws.happens(plant == .length ? 1 : 0.2) else { continue }
            let contact = (place + 1 + draws.below(count - 1)) % count
            let time = max(radio[window].begin, network[window].begin) + 600_000 * draws.unit()
            var theirs = bundles[contact][window]
            try device.call(
                devices[contact], in: network[window].epoch, at: time, mine: &bundles[place][window], theirs: &theirs,
                using: &draws)
            bundles[contact][window] = theirs
        }
    }
    // The numbers say nothing.
    let numbers = (0..<count * windows).shuffled(using: &draws)
    let boundary = Double(first.start) * 1000
    unsafe fputs("boundary \(boundary)\n", truth)
    for place in 0..<count {
        // What the hardware adds: received power in dBm and the crystal's error in parts per million.
        unsafe fputs("device \(place) \(-60 + 8 * draws.normal()) \(40 * draws.unit() - 20)\n", truth)
    }
    for place in 0..<count {
        for window in 0..<windows {
            let number = numbers[place * windows + window]
            unsafe bundles[place][window].write(number: number, to: trace)
            unsafe fputs("bundle \(number) \(place) \(window)\n", truth)
        }
    }
}

/// Ends the program with a line on standard error.
func stop(_ text: String, _ status: Int32) -> Never {
    let bytes = Array("InklingUnlinkability: \(text)\n".utf8)
    _ = unsafe write(2, bytes, bytes.count)
    exit(status)
}

guard CommandLine.arguments.count == 9 else {
    stop("SEED DEVICES WINDOWS beacon|links PLANT|none CLOCK TRACE TRUTH", 64)
}
do { try run(CommandLine.arguments) } catch { stop("\(error)", 1) }
