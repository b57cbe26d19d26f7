"""The table of the last long run, which results.md keeps."""

import datetime

import numpy as np


def table_of(honest, found, seed, devices, six):
    """Returns the lines of the table."""
    accounts, crowds = honest.play.accounts, honest.play.crowds
    lines = ["| game | one epoch later | two | 96 (a day) | chance |", "|---|---|---|---|---|"]
    names = {1: "which of two: bytes, addresses, lengths, counts, intervals", 2: "the same, with the times of first and last frames"}
    for level, text in names.items():
        cells = []
        for apart in (1, 2, 96):
            best = max((account.advantage() for (_, of, far), account in accounts.items() if of == level and far == apart), key=lambda one: one[0])
            cells.append(f"{best[0]:+.4f} ± {1.96 * best[1]:.4f}")
        lines.append(f"| {text} | {' | '.join(cells)} | 0 |")
    share = max(max(float(np.mean(one.hits)), float(np.mean(one.first))) for (_, level), one in crowds.items() if level < 3)
    lines.append(f"| which of {devices}: the share found | {share:.4f} | | | {1 / devices:.2f} |")
    size = min(float(np.median(np.concatenate(one.sizes))) for (_, level), one in crowds.items() if level < 3 and one.sizes)
    lines.append(f"| how many of {devices} it could as well be | {size:.1f} | | | {devices} |")
    power = max(account.advantage()[0] for (_, level, far), account in accounts.items() if level == 3 and far == 1)
    lines.append(f"| not promised: the same with received power, of devices at rest | {power:+.2f} | | | 0 |")
    games = {apart: max(one.games for (_, level, far), one in accounts.items() if far == apart) for apart in (1, 2, 96)}
    judged = [account.advantage() for (_, level, _), account in accounts.items() if level < 3]
    far = max(abs(value) / error for value, error in judged)
    lines += ["", f"The signed advantage, 2 · (share of games won) − 1, of the most successful adversary, with its 95 % interval, in {games[96]:,} games and more "
              f"for each distance ({games[1]:,} for the first). Of {len(judged)} such intervals about one misses 0 by chance; the advantage farthest from 0 is {far:.1f} standard errors from it. Played on {honest.bundles:,} device-epochs; {honest.mixed} frames of two epochs mixed and {honest.lasting} values "
              f"that outlive an epoch in {honest.rotations:,} rotations; {sum(found[one.name] for one in six)} of {len(six)} planted leaks found, and "
              f"{sum(found.values()) - sum(found[one.name] for one in six)} of {len(found) - len(six)} others. Seed {seed}, {datetime.date.today()}."]
    return lines


def write_results(lines, path):
    path.write_text("# Results\n\nWritten by `Tests/Rigs/unlinkability/unlinkability long --write`, which `make verify-linkage` runs with "
                    "fresh seeds and without writing. 0 is chance, 1 is certainty.\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {path}")
