internal import CPoison
internal import InklingKeys

// Everything that our own code computes from secrets and then shows, in one place to review. What libsodium's functions
// show is declared in PublicResults.c. What is in neither list stays secret.
//
// Two renderings are left out of the rig, because all they do is choose letters for a screen: the text of an invitation
// and the fingerprint of a first contact. The derivations below them are in.

/// Shown on the network in its epoch: service name, host name, minor, tag.
func declarePublic(_ name: inout OpaqueServiceName) { declare(&name) }
func declarePublic(_ name: inout OpaqueHostName) { declare(&name) }
func declarePublic(_ minor: inout BeaconMinor) { declare(&minor) }
func declarePublic(_ tag: inout RecognitionTag) { declare(&tag) }

/// Shown on the network once: the identity of a TLS pre-shared key.
func declarePublic(tlsIdentity: inout Octets16) { declare(&tlsIdentity) }

/// Stored in the clear beside the vault.
func declarePublic(counter: inout [UInt8]) { counter.withUnsafeBufferPointer { publish($0.baseAddress, $0.count) } }

private func declare<Value>(_ value: inout Value) {
    withUnsafeMutablePointer(to: &value) { publish($0, MemoryLayout<Value>.size) }
}
