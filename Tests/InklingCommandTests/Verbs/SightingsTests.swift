#if Node
    import InklingEngine
    import InklingJSON
    import InklingKeys
    import InklingNode
    import InklingProgramTesting
    import InklingWire
    import InklingTesting
    import Testing

    @testable import InklingCommand

    private let now = ClockReading(tick: Tick(milliseconds: 5), unixMilliseconds: 1_785_600_000_000)

    private func parse(_ line: String) throws -> AntennaSighting? {
        try SightingLine.parse(Array(line.utf8), at: now, .inkling)
    }

    @Suite(.runsPrograms) struct `inkling run with sightings` {
        /// The minor that a contact of a home shows in this epoch, as the home predicts it.
        private func minor(expectedBy home: Home, at clock: DemonstrationClock) throws -> Int64 {
            let rows = try home.kit("predict", "--hours", "1", "--from", "\(clock.seconds)").lines.dropFirst()
                .compactMap { try JSON(parsing: Array($0.utf8)).object }
            return try unwrap(rows.first { $0["epoch"]?.integer == Int64(clock.epoch) }?["minor"]?.integer)
        }

        /// Covers INK-ANT-001, INK-ANT-010, INK-ANT-011.
        @Test func `a contact whose minor another program writes is probable in a room, and is not confirmed`() throws {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            let node = try ada.start("run", "--json", "--sightings", "-", input: .later)
            _ = try node.fact { $0["event"]?.text == "visible" }
            let minor = try minor(expectedBy: ada, at: folder.clock)
            node.send("nonsense\n\n{\"minor\":70000}\n\(String(repeating: "x", count: 5000))\n")
            // A stranger's minor, and the right one of another application.
            node.send(
                "{\"minor\":\((minor + 1) % 65536),\"address\":\"4a0b1c2d3e4f\",\"rssi\":-40,\"room\":\"hall\"}\n")
            node.send("{\"minor\":\(minor),\"uuid\":\"00000000-0000-0000-0000-000000000000\",\"room\":\"hall\"}\n")
            node.send("{\"minor\":\(minor),\"address\":\"4A:0B:1C:2D:3E:50\",\"rssi\":-61,\"room\":\"kitchen\"}\n")
            let presence = try node.fact { $0["event"]?.text == "presence" }
            #expect(presence["contact"]?.text == "Bo")
            #expect(presence["presence"]?.text == "probable")

            let status = try ada.facts("status")
            let antenna = try unwrap(status.first?["antennas"]?.list?.first?.object)
            #expect(antenna["name"]?.text == "stdin")
            #expect(antenna["source"]?.text == "lines")
            #expect(antenna["state"]?.text == "listening")
            #expect(antenna["beacons"]?.integer == 2)
            #expect(antenna["others"]?.integer == 1)
            #expect(antenna["refused"]?.integer == 3)
            #expect(status.last?["presence"]?.text == "probable")
            #expect(status.last?["since"] == .null)
            #expect(status.last?["room"]?.text == "kitchen")
            #expect(status.first?["present"]?.integer == 0)
            let spoken = try ada.run("status").output
            #expect(spoken.contains("antenna   stdin: listening; 2 beacons, 1 other frame, 3 refused\n"), "\(spoken)")
            #expect(spoken.contains("in kitchen, not confirmed\n"), "\(spoken)")
            let explained = try ada.run("explain", "Bo").output
            #expect(explained.contains("rooms        in kitchen; heard in kitchen at -61.0 dBm\n"), "\(explained)")

            // The end of the input does not end the node; the handshake decides who is near.
            let ending = try node.finishInput { $0["event"]?.text == "trouble" }
            #expect(ending["what"]?.text == "the antenna stdin has ended")
            let second = try bo.start("run", "--json")
            _ = try node.fact { $0["event"]?.text == "presence" && $0["presence"]?.text == "confirmed" }
            second.interrupt()
            _ = try second.finish()
            node.interrupt()
            let outcome = try node.finish()
            #expect(outcome.status == 0)
            #expect(
                outcome.errors == """
                    inkling: sightings, line 1: this is not JSON
                    inkling: sightings, line 3: "minor" is not a whole number from 0 to 65535
                    inkling: sightings, line 4: the line is longer than 2048 bytes

                    """)
        }

        @Test func `sightings come from standard input alone`() throws {
            let outcome = try Program.run("run", "--sightings", "/dev/null")
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--sightings must be '-' for standard input, got '/dev/null'"))
        }

        @Test func `a line has a minor or data, with or without the rest`() throws {
            let short = try unwrap(try parse(#"{"minor":7}"#))
            #expect(short.observed == ObservedTime(at: now))
            #expect(short.minor(in: .inkling) == BeaconMinor(7))
            #expect(short.rssi == AntennaSighting.unknownPower && short.address == nil && short.room == nil)
            let long = try unwrap(
                try parse(
                    #"{"time":1785600001.5,"uncertainty":2,"minor":7,"major":0,"address":"4A-0b-1c-2d-3e-4f","#
                        + #""addressType":"random","rssi":-61,"room":"hall","extra":[1]}"#))
            #expect(
                long
                    == AntennaSighting(
                        .beacon(ApplicationProfile.inkling.proximity, major: 0, minor: BeaconMinor(7)),
                        from: DeviceAddress(0x4a0b_1c2d_3e4f), .random, rssi: -61,
                        observed: ObservedTime(unixMilliseconds: 1_785_600_001_500, uncertainty: .seconds(2)),
                        in: "hall"))
            let hex = ApplicationProfile.inkling.beacon(BeaconMinor(9)).encoded()
                .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16).uppercased() }.joined()
            #expect(try parse("{\"data\":\"\(hex)\"}")?.minor(in: .inkling) == BeaconMinor(9))
            #expect(try parse(" \t\r") == nil)
        }

        /// Covers INK-ANT-010.
        @Test(arguments: [
            ("{", SightingLineError.notJSON), ("[]", .notAnObject), (#"{"minor":1,"time":"soon"}"#, .badTime),
            (#"{"minor":1,"uncertainty":3601}"#, .badUncertainty), (#"{"data":"0"}"#, .badData),
            (#"{"data":"","minor":1}"#, .badData), (#"{"data":"zz"}"#, .badData), ("{}", .noValue),
            (#"{"name":"7d6a5dd22d3a7566213d38118078c7ff"}"#, .noValue), (#"{"minor":-1}"#, .badMinor),
            (#"{"minor":1,"uuid":"x"}"#, .badUUID), (#"{"minor":1,"major":65536}"#, .badMajor),
            (#"{"minor":1,"address":"4a:0b:1c:2d:3e"}"#, .badAddress),
            (#"{"minor":1,"address":"4a.0b.1c.2d.3e.4f"}"#, .badAddress),
            (#"{"minor":1,"addressType":"static"}"#, .badAddressType), (#"{"minor":1,"rssi":21}"#, .badRSSI),
            (#"{"minor":1,"room":""}"#, .badRoom), (#"{"minor":1,"room":"x","rssi":"-61","time":[]}"#, .badTime),
        ])
        func `a line with a fault is refused with the first one`(line: String, fault: SightingLineError) {
            #expect(throws: fault) { try parse(line) }
        }

        /// Covers INK-ANT-011.
        @Test func `a line has at most 2048 bytes`() throws {
            let filler = String(repeating: "x", count: SightingLine.byteLimit - #"{"minor":1,"f":""}"#.utf8.count)
            #expect(try parse(#"{"minor":1,"f":"\#(filler)"}"#) != nil)
            #expect(throws: SightingLineError.tooLong) { try parse(#"{"minor":1,"f":"\#(filler)x"}"#) }
        }
    }

    extension Program {
        /// Closes standard input and returns the next object of the output for which `fits` is true.
        fileprivate func finishInput(where fits: (JSONObject) -> Bool) throws -> JSONObject {
            endInput()
            return try fact(where: fits)
        }
    }
#endif
