internal import InklingEngine
internal import InklingKeys
internal import InklingVault

// The node's clock, judged at the start, with every timer, and whenever it is set.
extension Node {
    /// Judges the clock, and tells the link technologies the verdict.
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

    /// Renews this device's certificate when it is about to expire, checking once per period: the clock is judged far
    /// more often, and each check verifies the card's signatures.
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
