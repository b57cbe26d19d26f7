import InklingEngine
import InklingKeys
import InklingPlatforms
import InklingTesting
import Testing

private let opened = Tick(milliseconds: 1000)

@Suite struct `What fits in a window` {
    /// Covers INK-LIF-060.
    @Test func `plans count on the shortest figure of every source`() {
        for occasion in ExecutionWindow.Occasion.allCases {
            let figures = ExecutionWindow.figures(occasion)
            let window = ExecutionWindow(occasion, opened: opened)
            #expect(figures.map(\.milliseconds).min() == window.length)
            #expect(figures.filter(\.isHeld).map(\.milliseconds) == [window.length])
        }
    }

    @Test func `a relaunch is extended once, leaving the foreground never`() {
        var relaunch = ExecutionWindow(.relaunch, opened: opened)
        #expect([relaunch.extend(), relaunch.extend()] == [true, false])
        #expect(relaunch.length == 30_000)
        var leaving = ExecutionWindow(.leavingForeground, opened: opened)
        #expect(leaving.extend() == false)
        #expect(leaving.length == 10_000)
    }

    @Test func `network, user interface and computation are refused, and what lasts comes before what is new`() {
        let window = ExecutionWindow(.relaunch, opened: opened)
        let jobs: [ExecutionWindow.Job] = [
            .init(.network, milliseconds: 1), .init(.handleEvent, milliseconds: 9000),
            .init(.persist, milliseconds: 900),
            .init(.reinitialise, milliseconds: 300), .init(.computation, milliseconds: 1),
            .init(.userInterface, milliseconds: 1), .init(.handleEvent, milliseconds: 8800),
        ]
        let plan = window.plan(jobs, at: opened)
        #expect(plan.order == [3, 6, 2])
        #expect(plan.refused == [0: .kind, 1: .room, 4: .kind, 5: .kind])
        #expect(plan.spent == 10_000)
    }

    @Test func `each abuse costs half of the windows to come, three times at most`() {
        let lengths = (0..<5).map { ExecutionWindow(.relaunch, opened: opened, abuses: $0).length }
        #expect(lengths == [10_000, 5000, 2500, 1250, 1250])
    }

    @Test func `a window ends`() {
        let window = ExecutionWindow(.relaunch, opened: opened)
        #expect(window.remaining(at: Tick(milliseconds: 0)) == 10_000)
        #expect(window.remaining(at: Tick(milliseconds: 10_999)) == 1)
        #expect(window.remaining(at: Tick(milliseconds: 11_000)) == 0)
        #expect(window.plan([.init(.persist, milliseconds: 1)], at: Tick(milliseconds: 20_000)).refused == [0: .room])
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a plan never overstays, and refuses nothing that would have fitted first`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let jobs = (0..<20).map { _ in
            ExecutionWindow.Job(
                ExecutionWindow.JobKind.allCases.randomElement(using: &generator) ?? .persist,
                milliseconds: UInt64.random(in: 0...4000, using: &generator))
        }
        let now = opened.advanced(byMilliseconds: UInt64.random(in: 0...11_000, using: &generator))
        let plan = ExecutionWindow(.relaunch, opened: opened).plan(jobs, at: now)
        #expect(plan.spent <= plan.budget)
        #expect(plan.spent == plan.order.reduce(0) { $0 + jobs[$1].milliseconds })
        #expect(Set(plan.order).isDisjoint(with: plan.refused.keys))
        #expect(plan.order.count + plan.refused.count == jobs.count)
        for (place, why) in plan.refused where why == .room {
            #expect(jobs[place].milliseconds > plan.budget - plan.spent)
        }
    }
}
