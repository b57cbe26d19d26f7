import InklingAccess
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The state of a node's home, as observed without asking for a passphrase.
struct HomeObservation: Hashable, Sendable {
    /// The state of the vault.
    enum Vault: Hashable, Sendable {
        /// There is no vault in the home, or no home.
        case missing
        case failed(VaultError)
        /// The key to open it was not given.
        case locked(VaultKey.Method)
        /// It opens; the latest accepted time is in Unix seconds, nil with a demonstration clock.
        case opened(contacts: Int, latest: UInt64?)
    }

    /// The path of the home; nil when no option and no variable names one.
    let path: String?
    let vault: Vault
    /// The status of the node that runs in the home; nil when none runs.
    let node: StatusFact?
    /// The failure of a running node to report its status.
    let nodeFailure: Failure?
    /// The fault of the home's profile; nil when it can be used, or when the home has none of its own.
    let profileFailure: String?

    init(
        path: String?, vault: Vault, node: StatusFact? = nil, nodeFailure: Failure? = nil, profileFailure: String? = nil
    ) {
        self.profileFailure = profileFailure
        self.path = path
        self.vault = vault
        self.node = node
        self.nodeFailure = nodeFailure
    }
}

extension HomeObservation {
    /// Observes the home that the options name. Opens its vault with a key that they or the configuration name, and
    /// asks for nothing.
    static func make(_ options: HomeOptions) -> HomeObservation {
        guard let home = try? options.path() else { return HomeObservation(path: nil, vault: .missing) }
        var profileFailure: String?
        do throws(Failure) { _ = try homeProfile(in: home) } catch { profileFailure = error.what }
        do throws(Failure) {
            if let connection = try ControlSocket.connect(to: try options.control()) {
                var status: StatusFact?
                try connection.carryOut(Request.Status()) { status = $0 }
                return HomeObservation(
                    path: home, vault: vault(in: home, options), node: status, profileFailure: profileFailure)
            }
        } catch {
            return HomeObservation(
                path: home, vault: vault(in: home, options), nodeFailure: error, profileFailure: profileFailure)
        }
        return HomeObservation(path: home, vault: vault(in: home, options), profileFailure: profileFailure)
    }

    /// Returns the profile for which Bluetooth is judged: that of the home or, without a usable one, Inkling's own.
    static func profile(_ options: HomeOptions) -> ApplicationProfile {
        guard let home = try? options.path() else { return .inkling }
        return (try? homeProfile(in: home)) ?? .inkling
    }

    /// The latest accepted time in Unix seconds, if it is known.
    var latest: UInt64? { if case .opened(_, let latest) = vault { latest } else { nil } }

    private static func vault(in home: String, _ options: HomeOptions) -> Vault {
        let file = VaultFile(home: home)
        do throws(VaultError) {
            let header = try file.header()
            guard let key = try key(for: header, options) else { return .locked(header.method) }
            let vault = try file.open(with: key, acceleratedClock: header.clock.isAccelerated)
            let contents = vault.contents
            return .opened(
                contacts: contents.contacts.count, latest: header.clock == .real ? contents.latestAcceptedTime : nil)
        } catch {
            return error.fault == .missing ? .missing : .failed(error)
        }
    }

    private static func key(for header: VaultHeader, _ options: HomeOptions) throws(VaultError) -> VaultKey? {
        switch header.method {
        case .passphrase:
            let given = try? options.given(options.passphraseFile, or: .passphraseFile)
            guard let file = given ?? nil, file != "-" else { return nil }
            return try VaultKey.passphrase(inFile: file)
        case .keyFile:
            guard let file = (try? options.given(options.keyFile, or: .keyFile)) ?? nil else { return nil }
            return try VaultKey.keyFile(at: file)
        case .systemCredential:
            let name = (try? options.given(options.credential, or: .credential)) ?? nil
            guard name != nil || VaultKey.environment("CREDENTIALS_DIRECTORY") != nil else { return nil }
            return try VaultKey.systemCredential(named: name ?? "inkling")
        }
    }
}

extension Finding {
    /// Judges a node's home, its vault, and the node that runs in it.
    static func home(_ home: HomeObservation) -> [Finding] {
        let profile = home.profileFailure.map {
            Finding(
                .home, .fault, printable($0),
                remedy: .sentence("Restore the profile with which the home was created (inkling profile new)."))
        }
        return parts(home) + [profile].compactMap(\.self)
    }

    private static func parts(_ home: HomeObservation) -> [Finding] {
        guard let path = home.path else {
            return [
                Finding(.home, .advice, "none is named", remedy: .sentence("Give --home DIR, or set INKLING_HOME."))
            ]
        }
        let shown = printable(path)
        switch home.vault {
        case .missing:
            return [Finding(.home, .advice, "\(shown): no vault yet", remedy: .inkling("init --name NAME"))]
        case .failed(let error) where !error.fault.isAboutKey:
            // A running node holds the lock; that is not a fault.
            if case .alreadyRunning = error.fault, home.node != nil {
                return [place(path), Finding(.vault, .ok, "in use by the node that runs"), node(home)]
            }
            let check: Check = error.path == path ? .home : .vault
            return (check == .vault ? [place(path)] : []) + [Finding(check, error)]
        case .failed(let error): return [place(path), Finding(.vault, error), node(home)]
        case .locked(let method):
            let option = method == .passphrase ? "--passphrase-file" : "--key-file"
            let how = method == .systemCredential ? "as the service that has the credential" : "with \(option) FILE"
            return [
                place(path),
                Finding(
                    .vault, .unknown, "locked with a \(method), which was not given",
                    remedy: .sentence("To test whether it opens, run this \(how).")), node(home),
            ]
        case .opened(let contacts, _):
            return [place(path), Finding(.vault, .ok, "opens; \(plural(contacts, "contact"))"), node(home)]
        }
    }

    private static func place(_ path: String) -> Finding {
        guard ControlPlace(home: path).path.utf8.count <= ControlSocket.pathLimit else {
            return Finding(
                .home, .fault, "\(printable(path)): the path is longer than a Unix socket allows",
                remedy: .sentence("Move the home to a shorter path."))
        }
        return Finding(.home, .ok, "\(printable(path)): private to this user")
    }

    private static func node(_ home: HomeObservation) -> Finding {
        if let failure = home.nodeFailure {
            let remedy = failure.remedy?.description() ?? "Run this as the user who owns the home."
            return Finding(.node, .unknown, failure.what, remedy: .sentence(remedy))
        }
        guard let node = home.node else { return Finding(.node, .ok, "none runs in this home") }
        guard node.visible else {
            return Finding(.node, .advice, "runs, and is silent: \(node.silence ?? "")", remedy: .inkling("status"))
        }
        return Finding(.node, .ok, "runs, and is visible")
    }

    private init(_ check: Check, _ error: VaultError) {
        let remedies: [Remedy] =
            switch error.fault {
            case .unsafePermissions: [.command("chmod go-rwx \(shellQuoted(error.path))")]
            case .foreignOwner: [.command("chown $USER \(shellQuoted(error.path))")]
            case .restoredOldCopy, .counterMissing, .damaged(.counter): [.inkling("recover --restored-copy")]
            default: []
            }
        self.init(check, .fault, printable(error.description), remedies: remedies)
    }
}

extension VaultError.Fault {
    /// Whether the key is at fault, and the vault may be intact.
    fileprivate var isAboutKey: Bool {
        switch self {
        case .otherKeyNeeded, .keyMissing, .keyLength, .wrongKey: true
        default: false
        }
    }
}
