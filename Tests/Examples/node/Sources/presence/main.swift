import Inkling
import InklingLinux
import InklingNode
import InklingVault

// Call this before any secret is in memory: it forbids core dumps, and other processes cannot read the memory.
ProcessHardening.apply()

let keeper = VaultKeeper(try VaultFile(home: "ada").open(with: .keyFile(at: "ada.key")))
guard let node = Node(contents: await keeper.contents, keeper: keeper, ports: .linux()) else {
    fatalError("the vault holds no usable device key")
}
let running = Task { await node.run() }

for await change in node.presence {
    print("\(change.contact) is \(change.to.word)")
}
