// Parts of the socket interface belong to whichever C module declared them first.
internal import CLinux
internal import Glibc
public import InklingNode
public import InklingWire

extension Endpoint {
    /// Returns at most 8 endpoints of `host:port`, in the resolver's order. Blocks; do not call it on an actor.
    ///
    /// - Throws: `EndpointError`, also for an unknown name.
    public static func lookUp(_ text: String) throws(EndpointError) -> [Endpoint] {
        let (host, port) = try split(text)
        if let address = Address(numeric: host) { return [Endpoint(address: address, port: port)] }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { throw .unknownHost(code: code) }
        defer { unsafe freeaddrinfo(list) }
        var found: [Endpoint] = []
        var next = unsafe list
        while let entry = unsafe next, found.count < 8 {
            if let endpoint = unsafe Endpoint(socketAddress: UnsafeRawPointer(entry.pointee.ai_addr)) {
                found.append(Endpoint(address: endpoint.address, port: port))
            }
            unsafe next = entry.pointee.ai_next
        }
        guard !found.isEmpty else { throw .unknownHost(code: EAI_NONAME) }
        return found
    }
}
