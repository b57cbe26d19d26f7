import ArgumentParser
import InklingTerminal

/// `inkling device list`
struct ListDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices on your card.",
        discussion: """
            Example:
              $ inkling device list --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each device.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            for fact in try await NodeRequest(options: options, request: .devices, place: .vault).facts() {
                guard case .device(let device) = fact else { continue }
                writeFact(device, asJSON: json, otherwise: \.line)
            }
        }
    }
}
