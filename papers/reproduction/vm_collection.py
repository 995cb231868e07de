# SPDX-License-Identifier: Apache-2.0
"""What collection copies on the paper's drive, all of the map in DRAM: how that hangs on the spare
blocks and on those that firmware keeps open and erased, measured with vm_map and page_map beside
greedy collection by itself."""
import pathlib
import typing

from . import figures, greedy, vm_model
from .claims import Claim, inside, near
from .runs import Result, execute_all
from .vm_model import BLOCKS, PAGES, SEGMENTS, collected, drive_pages

ANCHOR = 3                   # blocks that hold nothing else
MAP_BLOCKS = SEGMENTS + 3    # ... with vm_map those of its segments, and three
MAP_PAGES = 635              # ... with page_map its map lies among the data: 631 pages, 3 and 1
STREAMS = 2                  # open blocks: of the host, of collection
# Erased blocks when collection begins. page_map could have to write its map at any time.
ERASED = {"vm_map": 2, "page_map": 7}
PRESET, LIKE_PAPER = 0.015, {"vm_map": 0.0166, "page_map": 0.0182}
CASES = (*(("vm_map", share) for share in (0.0142, PRESET, 0.0158, 0.0162, LIKE_PAPER["vm_map"])),
         *(("page_map", share) for share in (PRESET, LIKE_PAPER["page_map"], 0.019)))
QUICK = (("vm_map", PRESET), ("page_map", LIKE_PAPER["page_map"]))
COPIED = 0.05  # of the paper's copies per page
OFF = 0.08     # of the model: firmware takes its victims a little earlier
WRITES = 20_000  # of the model, as many before they are counted
SEED = 1

Case = typing.Tuple[str, float]  # scheme, over-provisioning
Copies = typing.Dict[Case, float]


def drive(case: Case, streams: int, erased: int) -> greedy.Drive:
    scheme, share = case
    blocks = BLOCKS - ANCHOR - (MAP_BLOCKS if scheme == "vm_map" else 0)
    units = drive_pages(share) + (MAP_PAGES if scheme == "page_map" else 0)
    return greedy.Drive(blocks, PAGES, units, streams, erased)


def modelled(case: Case, streams: int, erased: int, options) -> float:
    writes = WRITES // (4 if options.quick else 1)
    return greedy.copies(drive(case, streams, erased), writes, writes, SEED)


class Steps(typing.NamedTuple):
    """Copies per page of greedy collection on the preset's spare blocks."""
    alone: float   # one open block, one erased
    apart: float   # copies go to a block of their own
    waiting: float  # ... and two blocks are erased


def steps(options) -> Steps:
    case = ("vm_map", PRESET)
    return Steps(*(modelled(case, streams, erased, options)
                   for streams, erased in ((1, 1), (STREAMS, 1), (STREAMS, ERASED["vm_map"]))))


def claims_of(measured: Copies, model: Copies, by_itself: Steps) -> typing.List[Claim]:
    paper = vm_model.paper_counts()[SEGMENTS].reads
    spare = drive(("vm_map", PRESET), 1, 1).spare()
    off = [measured[case] / model[case] for case in measured]
    ours = measured["vm_map", PRESET]
    like = [case for case in measured if LIKE_PAPER[case[0]] == case[1]]
    check = near(measured[like[0]], paper, COPIED, f"copies of {like[0][0]}")
    for case in like[1:]:
        check &= near(measured[case], paper, COPIED, f"copies of {case[0]}")
    return [
        Claim("copies, greedy by itself", f"{paper:.1f} copies per page with all of the map in "
              "DRAM", f"{by_itself.alone:.1f} with {spare:.1f} spare blocks, one block open and "
              "one erased", near(by_itself.alone, paper, COPIED, "copies per page"),
              "spare blocks; how its collection begins"),
        Claim("copies, firmware", "(ours) what it keeps open and erased makes the difference",
              f"{ours:.1f} by vm_map on the same blocks; {by_itself.apart:.1f} by greedy with a "
              f"block open for copies, {by_itself.waiting:.1f} with another one erased; in all "
              f"{len(off)} cases {min(off):.3f} to {max(off):.3f} of that model",
              inside(off, 1, 1, "copies over the model", OFF)),
        Claim("copies, more spare blocks", f"{paper:.1f} copies per page with all of the map in "
              "DRAM", ", ".join(f"{measured[case]:.1f} by {case[0]} with {case[1]:g} over-"
                                "provisioning" for case in like), check,
              "spare blocks: these are chosen so that the copies are the paper's"),
    ]


def draw(measured: Copies, model: Copies, out: pathlib.Path) -> None:
    lines: typing.Dict[str, list] = {}
    for what, copies in (("measured", measured), ("greedy", model)):
        for case in sorted(copies, key=lambda case: drive(case, 1, 1).spare()):
            usable = drive(case, 1, 1).spare() - ERASED[case[0]]
            lines.setdefault(f"{case[0]}, {what}", []).append((usable, copies[case]))
    paper = vm_model.paper_counts()[SEGMENTS].reads
    ends = [x for points in lines.values() for x, _ in points]
    lines["paper"] = [(min(ends), paper), (max(ends), paper)]
    figures.panels({"all of the map in DRAM": lines}, out / "vm-map-collection", figures.Axes(
        "spare blocks less those kept erased", "copies per page written",
        names=("figure", "line"), ymin=0))


def collection(out: pathlib.Path, options) -> typing.List[Claim]:
    cases = QUICK if options.quick else CASES
    runs = {case: vm_model.run(f"{case[0]}-{case[1]:g}", case[0], options,
                               f"ftl.over_provisioning={case[1]}",
                               *((f"ftl.vm_map.segments={SEGMENTS}",) if case[0] == "vm_map"
                                 else ())) for case in cases}
    results: typing.Dict[str, Result] = execute_all(list(runs.values()), out / "vm-collection",
                                                    options.jobs)
    measured = {case: collected(results[run.label]) for case, run in runs.items()}
    for case, run in runs.items():
        vm_model.check_size(results[run.label], case[1])
    model = {case: modelled(case, STREAMS, ERASED[case[0]], options) for case in cases}
    draw(measured, model, out)
    return claims_of(measured, model, steps(options))


PARTS = {"collection": collection}
