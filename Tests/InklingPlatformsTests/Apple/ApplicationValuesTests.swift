import InklingKeys
import InklingPlatforms
import InklingTesting
import InklingWire
import Testing

@Suite struct `Arguments for Apple's frameworks` {
    /// Covers INK-APL-010.
    @Test func `the Bonjour service has the name of the epoch and a TXT record with only the version`() {
        let name = OpaqueServiceName(Octets16(high: 0xee86_ffa3_9982_5968, low: 0xe402_a683_2c86_3656))
        #expect(BonjourService(name).name == "ee86ffa399825968e402a6832c863656")
        #expect(BonjourService.type == "_inkling._tcp")
        #expect(BonjourService.domain == "local")
        #expect(BonjourService.textRecord == [3] + Array("v=1".utf8))
        #expect(BonjourService.prohibitsRenaming)
    }

    /// Covers INK-APL-011.
    @Test func `a browser looks for the same type and does not use peer-to-peer Wi-Fi`() {
        let browser = BonjourService.Browser()
        #expect([browser.type, browser.domain] == [BonjourService.type, BonjourService.domain])
        #expect(!browser.includesPeerToPeer)
    }

    /// Covers INK-APL-030.
    @Test(arguments: AppState.allCases)
    func `a scan names the service in every state of the app`(state: AppState) {
        let scan = BluetoothParameters.scan(in: state)
        #expect(scan.services == [.service])
        #expect(scan.allowsDuplicates == (state == .foreground))
    }

    /// Covers INK-APL-031, INK-APL-032.
    @Test(arguments: AppState.allCases, [false, true])
    func `advertises a beacon only in the foreground, and never with the service`(
        state: AppState, prefersBeacon: Bool
    ) {
        let minor = BeaconMinor(63941)
        let advertising = BluetoothParameters.advertising(in: state, minor: minor, prefersBeacon: prefersBeacon)
        let beacon = BluetoothParameters.Advertising.beacon(
            proximity: .proximity, major: 0, minor: minor, measuredPower: -59)
        #expect(advertising == (state == .foreground && prefersBeacon ? beacon : .services([.service])))
    }

    /// Covers INK-APL-033.
    @Test func `the property list names both roles of Bluetooth and no other mode`() {
        #expect(PropertyList.backgroundModes == ["bluetooth-central", "bluetooth-peripheral"])
        #expect(PropertyList.bonjourServices == ["_inkling._tcp"])
        #expect(PropertyList.wifiAwareService == "_inkling._tcp")
        #expect(PropertyList.usageDescriptions == PropertyList.usageDescriptions.sorted())
        #expect(PropertyList.usageDescriptions.allSatisfy { $0.hasPrefix("NS") && $0.hasSuffix("UsageDescription") })
    }
}
