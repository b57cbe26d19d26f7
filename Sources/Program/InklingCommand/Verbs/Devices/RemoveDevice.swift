import ArgumentParser
import InklingKeys
import InklingTerminal

/// `inkling device remove`
struct RemoveDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a device that is lost or no longer used.",
        discussion: """
            Your card no longer lists it, and a new generation of every audience begins. Contacts stop answering the \
            removed device as soon as they have the new card, and need a new grant to recognise you: those whom this \
            device recognises get both at the next meeting. Your other devices must be linked again.

            Example:
              $ inkling device remove 1 --home ada
            """)

    @Argument(help: "The number of the device (inkling device list).") var device: UInt8
    @OptionGroup var options: HomeOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            guard let index = DeviceIndex(device) else {
                throw Failure(.usage, "a device has a number from 0 to 15, got \(device)")
            }
            let request = ControlRequest.removeDevice(index: index)
            let call = NodeRequest(
                options: options, request: request, place: .vault, trustsClock: trustClock, needsAcceptedTime: true)
            for fact in try await call.facts() {
                guard case .device(let device) = fact else { continue }
                writeFact(device, asJSON: json) { "Removed device \($0.device). A new generation has begun.\n" }
            }
        }
    }
}
