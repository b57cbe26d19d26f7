import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal

extension Finding {
    /// Judges the clock as a node does when it starts.
    ///
    /// - Parameters:
    ///   - evidence: the evidence of the kernel and the battery-backed clock.
    ///   - reading: the clocks of this machine.
    ///   - latest: the latest accepted time in Unix seconds; nil when it is not known here.
    /// - Returns: the finding.
    static func clock(_ evidence: ClockEvidence, at reading: ClockReading, latest: UInt64?) -> Finding {
        var time = AcceptedTime(latest: latest)
        let judgement = time.judge(
            AcceptedTime.Evidence(
                reading: reading, asleep: .zero, kernelMaximumError: evidence.kernelMaximumError,
                batteryClock: evidence.batteryClock))
        let limit = UInt64(AcceptedTime.kernelErrorLimit / .microseconds(1))
        switch judgement.verdict {
        case .accepted:
            guard let error = evidence.kernelMaximumError, error < limit else {
                return Finding(
                    .clock, .advice, "agrees with the battery-backed clock; the kernel does not synchronise it",
                    remedy: .command("timedatectl set-ntp true"))
            }
            return Finding(.clock, .ok, "synchronised, with an error of at most \(figure(Double(error) / 1e6)) s")
        case .refused(.unsupported):
            return Finding(
                .clock, .fault, "not synchronised, and no battery-backed clock agrees with it: a node stays silent",
                remedies: [
                    .command("timedatectl set-ntp true"),
                    .sentence("If the clock is right and nothing can synchronise it: inkling run --trust-clock"),
                ])
        case .refused(.behind(let seconds)):
            return Finding(
                .clock, .fault, "\(seconds) s behind the latest accepted time: a node stays silent",
                remedies: [.command("timedatectl set-ntp true"), .inkling("recover --clock")])
        case .refused(.ahead(let seconds)):
            return Finding(
                .clock, .fault, "\(seconds) s ahead of the latest accepted time: a node stays silent",
                remedies: [
                    .command("timedatectl set-ntp true"),
                    .sentence("If the clock is right: inkling run --trust-clock"),
                ])
        }
    }

    /// Judges the limit of locked memory in bytes; nil means unlimited.
    static func memory(limit: UInt64?) -> Finding {
        let enough: UInt64 = 8 << 20
        guard let limit else { return Finding(.memory, .ok, "any amount of memory can be locked") }
        guard limit < enough else {
            return Finding(
                .memory, .ok,
                "\(limit >> 10) KiB of memory can be locked, enough for about \(limit / enough * 1000) contacts")
        }
        return Finding(
            .memory, .advice,
            "only \(limit >> 10) KiB of memory can be locked: keys of many contacts may reach a swap device",
            remedies: [
                .line("LimitMEMLOCK=64M", section: "Service", file: "the unit of the node"),
                .command("ulimit -l 65536"),
            ])
    }

    /// Judges the missing parts of the process's protection; a node would lack the same ones.
    static func protection(lacking gaps: [ProcessHardening.Gap]) -> Finding {
        guard !gaps.isEmpty else {
            return Finding(
                .protection, .ok, "no core files, no inspection, no new privileges, dangerous system calls refused")
        }
        return Finding(
            .protection, .advice, gaps.map(\.description).joined(separator: "; "),
            remedy: .sentence("Allow prctl and seccomp in the container or the unit that runs the node."))
    }
}
