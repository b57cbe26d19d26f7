import Dispatch
import Glibc
import Inkling
import InklingLinux
import InklingNode
import InklingVault

// Call this before any secret is in memory: it forbids core dumps, and other processes cannot read the memory.
ProcessHardening.apply()

guard CommandLine.arguments.count > 2 else { fatalError("usage: node HOME KEY-FILE [--trust-clock]") }
let file = VaultFile(home: CommandLine.arguments[1])
let keyFile = CommandLine.arguments[2]
let trustsClock = CommandLine.arguments.contains("--trust-clock")

let ports = NodePorts.linux()

/// Opens the vault, or creates an identity and a vault in a home without one.
func openOrCreate(_ file: VaultFile, keyFile: String, now: ClockReading) throws -> Vault {
    let key = try VaultKey.keyFile(at: keyFile)
    guard (try? file.header()) == nil else { return try file.open(with: key) }
    guard let period = Epoch(containing: now.unixSeconds)?.period else { fatalError("the clock is past 2089") }
    var generator = SystemRandomNumberGenerator()
    let contents = try NodeIdentity.makeContents(name: "Ada", now: period, using: &generator)
    // Never replaces a file: a damaged vault is an error here.
    return try file.create(contents, key: key)
}

let keeper = VaultKeeper(try openOrCreate(file, keyFile: keyFile, now: ports.clock.read()))

guard
    let node = Node(contents: await keeper.contents, keeper: keeper, ports: ports, trustsClock: trustsClock)
else { fatalError("the vault holds no usable device key") }

/// Stops the node on Ctrl-C, so that it withdraws its records and closes its links.
func stopOnInterrupt(_ node: Node) -> any DispatchSourceSignal {
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler { node.stop() }
    source.resume()
    return source
}

let interrupt = stopOnInterrupt(node)
let events = node.events
let running = Task { await node.run() }
let reporting = Task {
    for await event in events {
        switch event {
        case .showing(let epoch, _): print("visible in epoch \(epoch.number)")
        case .silent(let reason, _): print("silent: \(reason)")
        default: break
        }
        fflush(nil)
    }
}

for await change in node.presence {
    print("\(await name(of: change.contact)) is \(change.to.word)")
    fflush(nil)
}
await reporting.value
await running.value
interrupt.cancel()
print("stopped")

func name(of user: UserID) async -> String {
    await node.contacts().first { $0.user == user }?.name ?? "a former contact"
}
