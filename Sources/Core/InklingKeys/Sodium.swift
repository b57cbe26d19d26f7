internal import CSodium

/// Initialises libsodium, which selects its implementations for this processor; cheap after the first call.
@inline(__always)
package func sodiumIsReady() { _ = sodiumInitialised }

private let sodiumInitialised: Bool = {
    let result = sodium_init()
    // The call fails only if the system has no source of randomness, and then no operation here is safe.
    precondition(result >= 0, "libsodium could not be initialised: no system randomness")
    return true
}()
