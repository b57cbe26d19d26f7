internal import InklingEngine
internal import InklingKeys

// The clock of the node, judged at the start, with every timer, and when it was set.
extension Node {
    /// Judges the clock, and tells the link technologies.
    func judgeTime() {
        let now = ports.clock.read()
        let judgement = clock.judge(
            ports.timeEvidence.evidence(), at: now, slept: ports.clock.suspendedMilliseconds())
        if let latest = judgement.latestToStore {
            contents.latestAcceptedTime = latest
            save()
        }
        switch judgement.verdict {
        case .accepted:
            renewCertificate(at: now)
            tell(.timeAccepted)
        case .refused(let refusal): tell(.timeRefused(refusal))
        }
    }

    private func renewCertificate(at now: ClockReading) {
        guard let period = Epoch(containing: now.unixSeconds)?.period else { return }
        do throws(CardError) {
            if try contents.renewCertificate(now: period) { save() }
        } catch {
            feeds.emit(.trouble(.certificateNotRenewed(error)))
        }
    }
}
