#if Node
    import InklingAccess
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingTerminal
    import NIOHTTP1

    /// The metrics of a running node for Prometheus.
    ///
    /// No label names a contact unless the operator wants it: collected metrics outlive the meeting, and others may
    /// read them. No rotating value is shown.
    struct NodeMetrics: Sendable {
        let node: Node
        let counts: EventCounts
        /// Whether each contact has a metric, with its name as a label.
        let showsContacts: Bool

        /// Returns the current metrics.
        func text() async -> String {
            let status = await node.status()
            let counts = counts.current
            var metrics = Metrics()
            metrics.add(
                "visible", .gauge, "Whether the node shows itself over a technology.", by: "technology",
                Dictionary(
                    uniqueKeysWithValues: status.technologies.map {
                        ($0.technology.rawValue, $0.showing == nil ? 0 : 1)
                    }))
            metrics.add("contacts", .gauge, "Contacts of the node.", Double(status.contacts))
            metrics.add("contacts_present", .gauge, "Contacts that are present.", Double(status.present))
            metrics.add(
                "contacts_unfinished", .gauge, "Contacts that are waiting or half-finished.", Double(status.unfinished))
            metrics.add("sessions", .gauge, "Open sessions.", Double(status.sessions))
            metrics.add(
                "refused_messages_total", .counter, "First messages of handshakes that were refused.",
                Double(status.refusedMessages))
            metrics.add("events_total", .counter, "Events of the node, by kind.", by: "event", counts.events)
            metrics.add(
                "handshakes_total", .counter, "Handshakes with contacts that succeeded, by technology.",
                by: "technology",
                counts.confirmed)
            metrics.add(
                "radio_deaf_total", .counter, "Steps that were taken because the Bluetooth radio heard nothing.",
                counts.deaf)
            if let end = status.certifiedUntil {
                metrics.add(
                    "certificate_end_seconds", .gauge, "When the certificate of this device ends, in Unix seconds.",
                    Double((UInt64(end.number) + 1) * Period.seconds))
            }
            if showsContacts { await addContacts(to: &metrics) }
            ProcessFigures.now.add(to: &metrics)
            return metrics.text
        }

        private func addContacts(to metrics: inout Metrics) async {
            let contacts = await node.contacts()
            metrics.add(
                "contact_present", .gauge, "Whether a contact is present.",
                contacts.map { ([("contact", $0.name)], $0.presence.isPresent ? 1 : 0) })
        }
    }

    extension NodeMetrics: LoopbackSite {
        var name: String { "metrics" }
        var setting: Setting { .metricsAddress }

        func answer(_ head: HTTPRequestHead) async -> LoopbackAnswer {
            guard head.uri == "/metrics" else { return LoopbackAnswer(.notFound, "see /metrics") }
            guard head.method == .GET || head.method == .HEAD else { return .otherMethod }
            return LoopbackAnswer(await text(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }
#endif
