internal import CPoison
internal import InklingKeys

// All public values that our own code computes from secrets, in one place for review. PublicResults.c declares those of
// libsodium's functions. Everything that is in neither list stays secret.
//
// The rig leaves out two renderings, which only choose letters for a screen: the text of an invitation and the fingerprint
// of a first contact. It includes the derivations of both.

/// Transmitted in its epoch: service name, inviter name, minor, tag.
func declarePublic(_ name: inout OpaqueServiceName) { declare(&name) }
func declarePublic(_ name: inout OpaqueHostName) { declare(&name) }
func declarePublic(_ minor: inout BeaconMinor) { declare(&minor) }
func declarePublic(_ tag: inout RecognitionTag) { declare(&tag) }

/// Transmitted once: the identity of a TLS pre-shared key.
func declarePublic(tlsIdentity: inout Octets16) { declare(&tlsIdentity) }

/// Stored in the clear beside the vault.
func declarePublic(counter: inout [UInt8]) { counter.withUnsafeBufferPointer { publish($0.baseAddress, $0.count) } }

private func declare<Value>(_ value: inout Value) {
    withUnsafeMutablePointer(to: &value) { publish($0, MemoryLayout<Value>.size) }
}
