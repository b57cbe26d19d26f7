import CFigures
import Glibc

// Usage: Figures forgeries COUNT SEED | replays SESSIONS SEED | reply-times COUNT SEED | refusals COUNT SEED, each with a
// planted fault as an optional last word. The last line is for `figures.py`.

let words = CommandLine.arguments
guard words.count >= 4, let count = Int(words[2]), count > 0, let seed = UInt64(words[3]) else {
    print("usage: Figures forgeries|replays|reply-times|refusals COUNT SEED [FAULT]")
    exit(64)
}
let fault = words.count > 4 ? words[4] : ""
switch fault {
case "": break
case "short-tags": plant_short_tags(1)
case "constant-nonces": plant_constant_nonces()
case "early-exit": plant_early_exit()
case "no-memory", "right-gates": break
default:
    print("unknown fault '\(fault)'")
    exit(64)
}

do {
    switch words[1] {
    case "forgeries":
        var confirm = try ConfirmForgeries(seed: seed)
        var invitation = try InvitationForgeries(seed: seed)
        try confirm.run(count - count / 40)
        try invitation.run(count / 40)
        print(confirm.account.text)
        print(invitation.account.text)
        let attempts = confirm.account.attempts + invitation.account.attempts
        let accepted = confirm.account.accepted + invitation.account.accepted
        let controls = confirm.account.controls + invitation.account.controls
        let isSound = confirm.account.hasControls && invitation.account.hasControls
        print("= attempts \(attempts) accepted \(accepted) controls \(controls) sound \(isSound)")
    case "replays":
        let account = try Replays(sessions: count, seed: seed, remembers: fault != "no-memory").run()
        print(account.text)
        print(
            "= attempts \(account.attempts) accepted \(account.accepted) controls \(account.controls) sound \(account.hasControls)"
        )
    case "reply-times":
        let times = try ReplyTimes(kinds: 512, seed: seed, gates: fault == "early-exit" ? .nearMiss : .wrong)
            .measure(count, seed: seed)
        for (left, right) in [(0, 1), (0, 2), (1, 2)] {
            let t = largestT(times[left], times[right])
            let names = "\(ReplyTimes.Sender.allCases[left])/\(ReplyTimes.Sender.allCases[right])"
            print("= pair \(names) t \(t) counts \(times[left].count) \(times[right].count)")
        }
    case "refusals":
        try ReplyTimes(kinds: count, seed: seed, gates: fault == "right-gates" ? .right : .wrong).serve()
    default:
        print("unknown figure '\(words[1])'")
        exit(64)
    }
} catch {
    print("✗ the rig itself failed: \(error)")
    exit(70)
}
