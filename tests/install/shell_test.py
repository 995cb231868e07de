#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion of command lines, by the program, in bash and in zsh; the manual page.

Usage: shell_test.py ROOT BUILD CASE
"""
import re

import case
from case import BUILD, ROOT, done, expect, refused, run

SSDVP = BUILD / "ssdvp"
COMMANDS = ["run", "serve", "guest", "check", "show", "schema", "states"]


def offered(d, *words):
    """(what is offered besides, the candidates) behind `ssdvp WORDS`."""
    also, *lines = done(SSDVP, "complete", *words, cwd=d).splitlines()
    return also, [line.split("\t")[0] for line in lines]


def options_of(d, command):
    return set(re.findall(r"^ +(?:-h,)?(--[a-z][a-z-]*)",
                          done(SSDVP, command, "--help", cwd=d), re.MULTILINE))


def keys_of(d):
    """Of the tree, and of a stream."""
    text = done(SSDVP, "show", "--options", cwd=d)
    return [k for k in re.findall(r"^([a-z][A-Za-z0-9_.]+)$", text, re.MULTILINE)
            if not k.startswith(("workload", "raid"))]


def case_candidates(d):
    expect(offered(d, "") == ("nothing", COMMANDS), "commands")
    expect(offered(d, "s") == ("nothing", ["serve", "show", "schema", "states"]), "commands by s")
    for command in COMMANDS:
        options = options_of(d, command)
        expect("--help" in options and set(offered(d, command, "--")[1]) == options,
               f"options of {command}: {offered(d, command, '--')} are not {options}")
    also, parts = offered(d, "run", "")
    groups = sorted(f"{f.name}/" for f in (ROOT / "configs").iterdir() if f.is_dir())
    expect(also == "files" and parts == groups, f"presets: {parts}")
    expect(offered(d, "check", "device/t")[1] == ["device/tiny"], "a preset")
    expect(offered(d, "run", "--requests", "5", "device/t")[1] == ["device/tiny"], "behind a value")
    expect(offered(d, "run", "--quiet", "device/t")[1] == ["device/tiny"], "behind a flag")
    expect(offered(d, "schema", "") == ("nothing", []), "schema takes no file")
    expect(offered(d, "nonsense", "--") == ("nothing", []), "no such command")
    expect(offered(d, "run", "--out", "") == ("folders", []), "a folder")
    expect(offered(d, "run", "--trace", "") == ("files", []), "a file")
    expect(offered(d, "run", "--seed", "") == ("nothing", []), "a number")
    expect(offered(d, "run", "--trace-fit", "") == ("nothing", ["wrap", "scale", "error"]), "words")
    expect(offered(d, "run", "--save-at=e") == ("nothing", ["--save-at=end"]), "behind =")
    expect("scaled=" in offered(d, "run", "--trace-replay", "")[1], "the user's own part")
    expect(offered(d, "show", "--completion", "") == ("nothing", ["bash", "zsh"]), "shells")
    settings(d)


def settings(d):
    """What may stand behind --set."""
    def behind(text):
        return offered(d, "run", "device/tiny", "--set", text)[1]
    keys = keys_of(d)
    expect(len(keys) > 200, f"{len(keys)} keys")
    first = behind("")
    expect({k.split(".")[0] + "." for k in keys if "." in k} <= set(first), first)
    expect({f"{k}=" for k in keys if "." not in k} <= set(first), first)
    expect({f"{k}=" for k in keys if k.startswith("flash.") and k.count(".") == 1} <=
           set(behind("flash.")), behind("flash."))
    expect(behind("flash.chann") == ["flash.channels="], behind("flash.chann"))
    listed = done(SSDVP, "show", "--policies", cwd=d)
    schemes = behind("ftl.scheme=")
    expect(len(schemes) >= 10 and all(s.split("=")[1] in listed for s in schemes), schemes)
    expect(behind("gc.policy=gr") == ["gc.policy=greedy"], behind("gc.policy="))
    expect(behind("flash.channels=") == [], "a number has no words")
    expect(behind("workload.pattern=z") == ["workload.pattern=zipf"], "a stream")
    expect(behind("workload.0.queue_d") == ["workload.0.queue_depth="], "a stream by number")
    for choice in behind("flash.arbiter="):
        done(SSDVP, "check", "device/tiny", "--set", choice, cwd=d)


def bash(d, *words):
    """COMPREPLY where bash has cut the line into these words, the last one being written."""
    (d / "ssdvp.bash").write_text(done(SSDVP, "show", "--completion", "bash", cwd=d))
    text = ('source ./ssdvp.bash; complete -p ssdvp >&2; COMP_WORDS=("$@"); '
            'COMP_CWORD=$(($# - 1)); '
            '_ssdvp ssdvp "${COMP_WORDS[COMP_CWORD]}"; printf "%s\\n" "${COMPREPLY[@]}"')
    ended = run("bash", "--norc", "-uc", text, "bash", SSDVP, *words, cwd=d)
    expect(ended.returncode == 0 and ended.stderr == "complete -F _ssdvp ssdvp\n", ended)
    return ended.stdout.split()


def case_bash(d):
    (d / "mine.yaml").write_text("\n")
    (d / "folder").mkdir()
    expect(bash(d, "") == COMMANDS, bash(d, ""))
    expect(set(bash(d, "check", "--")) == options_of(d, "check"), bash(d, "check", "--"))
    expect(bash(d, "run", "device/t") == ["device/tiny"], bash(d, "run", "device/t"))
    expect(bash(d, "run", "mi") == ["mine.yaml"], bash(d, "run", "mi"))
    expect(bash(d, "run", "--out", "f") == ["folder"], bash(d, "run", "--out", "f"))
    # "=" is a word to bash, and what is before it stays.
    expect(bash(d, "run", "--set", "flash.cha") == ["flash.channels="], "a key")
    expect(bash(d, "run", "--set", "gc.policy", "=") ==
           [w.split("=")[1] for w in offered(d, "run", "--set", "gc.policy=")[1]], "its words")
    expect(bash(d, "run", "--set", "gc.policy", "=", "gr") == ["greedy"], "a word")
    expect(bash(d, "run", "--set", "gc.policy", "=", "greedy", "--see") == ["--seed"], "the next")
    expect(bash(d, "run", "--save-at", "=", "e") == ["end"], "an option with =")
    expect(bash(d, "run", "--save-at", "e") == ["end"], "an option and its value")
    refused(run(SSDVP, "show", "--completion", "fish", cwd=d), "fish", "bash,zsh")


def zsh(d, *words):
    """What compadd and _files are called with, of the words of a line."""
    (d / "_ssdvp").write_text(done(SSDVP, "show", "--completion", "zsh", cwd=d))
    text = ('compdef() { print compdef "$@" }; _files() { print files "$@" }; '
            'compadd() { print compadd "${(@)@[1,-2]}" "${(P@)@[-1]}" }; '
            'source ./_ssdvp; words=("$@"); CURRENT=$#; _ssdvp')
    ended = run("zsh", "-f", "-c", text, "zsh", SSDVP, *words, cwd=d)
    expect(ended.returncode == 0 and not ended.stderr, ended)
    lines = ended.stdout.splitlines()
    expect(lines[0] == "compdef _ssdvp ssdvp", lines)
    return lines[1:]


def case_zsh(d):
    expect(zsh(d, "") == ["compadd -l -d whole_shown -a " + " ".join(COMMANDS)], zsh(d, ""))
    expect(zsh(d, "run", "device/t") == ["compadd -l -d whole_shown -a device/tiny", "files"],
           zsh(d, "run", "device/t"))
    expect(zsh(d, "run", "--set", "flash.cha") ==
           ["compadd -l -S  -d part_shown -a flash.channels="], zsh(d, "run", "--set", "flash.cha"))
    expect(zsh(d, "run", "--set", "gc.policy=gr") ==
           ["compadd -l -d whole_shown -a gc.policy=greedy"], "a word")
    expect(zsh(d, "run", "--out", "") == ["files -/"], zsh(d, "run", "--out", ""))


def case_manual(d):
    page = d / "ssdvp.1"
    page.write_text(done(SSDVP, "show", "--man", cwd=d))
    said = run("mandoc", "-T", "lint", "-W", "warning", page, cwd=d).stdout.splitlines()
    # It has no date: the same program writes the same page.
    expect(len(said) == 1 and "missing date" in said[0], said)
    shown = done("mandoc", "-T", "utf8", "-O", "width=1000", page, cwd=d)
    shown = re.sub(".\b", "", shown)
    for command in COMMANDS:
        for option in options_of(d, command):
            expect(re.search(rf"^ +{option}\b", shown, re.MULTILINE), f"{option} of {command}")
    for key in keys_of(d):
        expect(re.search(rf"^ +{re.escape(key)}(\s|$)", shown, re.MULTILINE), key)
    expect("whole number 1..64; default: 8" in shown, "ranges")
    expect("SSDVP_CONFIGS" in shown, "environment")
    expect((BUILD / "package/ssdvp.1").read_text() == page.read_text(), "what is installed differs")


if __name__ == "__main__":
    case.main(globals())
