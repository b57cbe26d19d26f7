import InklingKeys
import InklingNode
import InklingVault

/// The delays of a contact's arrival and departure, in whole seconds.
struct DelaysFact: Codable, Hashable, Sendable {
    /// The presence after which an arrival is reported.
    let arrive: UInt32
    /// The silence after which the contact counts as left.
    let leave: UInt32
    /// The time from a goodbye until the contact counts as left.
    let goodbye: UInt32
    /// The delays that the user has chosen for this contact: `arrive`, `leave`, `goodbye`.
    let chosen: [String]

    /// Creates the facts of the delays of a contact.
    init(_ contact: ContactSummary) {
        func seconds(_ delay: Duration?) -> UInt32 { UInt32(clamping: (delay ?? .zero).components.seconds) }
        let (delays, own) = (contact.delays, contact.chosenDelays)
        arrive = seconds(delays.arrive)
        leave = seconds(delays.leave)
        goodbye = seconds(delays.goodbye)
        chosen = [("arrive", own.arrive), ("leave", own.leave), ("goodbye", own.goodbye)].compactMap { name, delay in
            delay == nil ? nil : name
        }
    }

    /// The delays in words, to follow the name of the contact.
    var sentence: String {
        let arrival = arrive == 0 ? "arrives at once" : "arrives after \(Self.words(arrive))"
        let leaving = "leaves after \(Self.words(leave)) of silence, or \(Self.words(goodbye)) after a goodbye"
        return "\(arrival); \(leaving)" + (chosen.isEmpty ? " (the default)" : "")
    }

    private static func words(_ seconds: UInt32) -> String {
        switch seconds {
        case let whole where whole >= 3600 && whole % 3600 == 0: "\(whole / 3600) h"
        case let whole where whole >= 60 && whole % 60 == 0: "\(whole / 60) min"
        default: "\(seconds) s"
        }
    }
}
