import InklingNode

/// The reports of a radio, and a nil about every second between them.
struct TimedReports {
    /// The maximum number of waiting reports.
    private static let limit = 4096

    /// The reports and the ticks; ends with the reports.
    let stream: AsyncStream<RadioReport?>
    private let tasks: [Task<Void, Never>]

    /// Starts taking reports; without `ticks` there are only reports.
    init(_ reports: AsyncStream<RadioReport>, ticks: Bool) {
        let (stream, feed) = AsyncStream<RadioReport?>.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
        self.stream = stream
        tasks = [
            Task {
                for await report in reports { feed.yield(report) }
                feed.finish()
            },
            Task {
                while ticks, (try? await Task.sleep(for: .seconds(1))) != nil { feed.yield(nil) }
            },
        ]
    }

    /// Stops taking reports.
    func cancel() { for task in tasks { task.cancel() } }
}
