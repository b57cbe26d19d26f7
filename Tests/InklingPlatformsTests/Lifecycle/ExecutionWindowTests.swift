import InklingEngine
import InklingKeys
import InklingPlatforms
import InklingTesting
import Testing

private let opened = Tick(milliseconds: 1000)

@Suite struct `Execution windows` {
    /// Covers INK-LIF-060.
    @Test func `plans use the shortest figure of every source`() {
        for occasion in ExecutionWindow.Occasion.allCases {
            let figures = ExecutionWindow.figures(occasion)
            let window = ExecutionWindow(occasion, opened: opened)
            #expect(figures.map(\.length).min() == window.length)
            #expect(figures.filter(\.isHeld).map(\.length) == [window.length])
        }
    }

    @Test func `extends the window of a relaunch once, and no other window`() {
        var relaunch = ExecutionWindow(.relaunch, opened: opened)
        #expect([relaunch.extend(), relaunch.extend()] == [true, false])
        #expect(relaunch.length == .seconds(30))
        var leaving = ExecutionWindow(.leavingForeground, opened: opened)
        #expect(leaving.extend() == false)
        #expect(leaving.length == .seconds(10))
    }

    @Test func `refuses network, user interface and computation, and gives room to writing before the event`() {
        let window = ExecutionWindow(.relaunch, opened: opened)
        let jobs: [ExecutionWindow.Job] = [
            .init(.network, taking: .milliseconds(1)), .init(.handleEvent, taking: .seconds(9)),
            .init(.persist, taking: .milliseconds(900)),
            .init(.reinitialise, taking: .milliseconds(300)), .init(.computation, taking: .milliseconds(1)),
            .init(.userInterface, taking: .milliseconds(1)), .init(.handleEvent, taking: .milliseconds(8800)),
        ]
        let plan = window.plan(jobs, at: opened)
        #expect(plan.order == [3, 6, 2])
        #expect(plan.refused == [0: .kind, 1: .room, 4: .kind, 5: .kind])
        #expect(plan.spent == .seconds(10))
    }

    @Test func `each abuse halves later windows, at most three times`() {
        let lengths = (0..<5).map { ExecutionWindow(.relaunch, opened: opened, abuses: $0).length }
        #expect(lengths == [10_000, 5000, 2500, 1250, 1250].map { .milliseconds($0) })
    }

    @Test func `no time remains after the end of a window`() {
        let window = ExecutionWindow(.relaunch, opened: opened)
        #expect(window.remaining(at: Tick(milliseconds: 0)) == .seconds(10))
        #expect(window.remaining(at: Tick(milliseconds: 10_999)) == .milliseconds(1))
        #expect(window.remaining(at: Tick(milliseconds: 11_000)) == .zero)
        let late = window.plan([.init(.persist, taking: .milliseconds(1))], at: Tick(milliseconds: 20_000))
        #expect(late.refused == [0: .room])
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a plan never exceeds the window and refuses only what does not fit`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let jobs = (0..<20).map { _ in
            ExecutionWindow.Job(
                ExecutionWindow.JobKind.allCases.randomElement(using: &generator) ?? .persist,
                taking: .milliseconds(Int.random(in: 0...4000, using: &generator)))
        }
        let now = opened.advanced(byMilliseconds: UInt64.random(in: 0...11_000, using: &generator))
        let plan = ExecutionWindow(.relaunch, opened: opened).plan(jobs, at: now)
        #expect(plan.spent <= plan.budget)
        #expect(plan.spent == plan.order.reduce(.zero) { $0 + jobs[$1].duration })
        #expect(Set(plan.order).isDisjoint(with: plan.refused.keys))
        #expect(plan.order.count + plan.refused.count == jobs.count)
        for (place, why) in plan.refused where why == .room {
            #expect(jobs[place].duration > plan.budget - plan.spent)
        }
    }
}
