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

    /// Renews the certificate of this device when it is about to expire. The clock is judged far more often than that can
    /// change, and a look at the card verifies its signatures.
    private func renewCertificate(at now: ClockReading) {
        guard let period = Epoch(containing: now.unixSeconds)?.period, period != certificateCheck else { return }
        certificateCheck = period
        do throws(CardError) {
            if try contents.renewCertificate(now: period) { save() }
        } catch {
            feeds.emit(.trouble(.certificateNotRenewed(error)))
        }
    }
}
