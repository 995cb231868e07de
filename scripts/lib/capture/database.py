# SPDX-License-Identifier: Apache-2.0
"""SQLite transactions: inserts and updates, each made durable before the next begins."""
import random
import typing

from .systems import FileSystem

PACKAGES = ("sqlite3", "libsqlite3-0", "libreadline8", "libtinfo6", "zlib1g")
TRANSACTIONS = 1500
FILLED = 2000  # rows before the first transaction


def transactions(count: int, seed: int) -> typing.Iterator[str]:
    """SQL: half of the transactions insert one to four rows of 100 to 400 bytes, half update one
    to four rows, which grow or shrink."""
    draw = random.Random(seed)
    rows = FILLED
    for _ in range(count):
        statements = []
        insert = draw.random() < 0.5
        for _ in range(draw.randint(1, 4)):
            value = f"hex(zeroblob({draw.randint(50, 200)}))"
            if insert:
                rows += 1
                statements.append(f"INSERT INTO item VALUES({rows}, {draw.randrange(10**6)}, "
                                  f"{value});")
            else:
                statements.append(f"UPDATE item SET kind={draw.randrange(10**6)}, text={value} "
                                  f"WHERE id={draw.randint(1, rows)};")
        yield "BEGIN; " + " ".join(statements) + " COMMIT;"


def scripts(seed: int, system: FileSystem) -> typing.Dict[str, str]:
    """The files of the recipe: half of the transactions with a rollback journal, half with a
    write-ahead log. synchronous=FULL: a transaction ends when fsync has returned."""
    lines = list(transactions(TRANSACTIONS, seed))
    half = TRANSACTIONS // 2
    head = ["PRAGMA synchronous=FULL;"]
    setup = ["CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, text TEXT);",
             "CREATE INDEX item_kind ON item(kind);", "BEGIN;",
             f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT {FILLED}) "
             "INSERT INTO item SELECT i, i*7919%1000003, hex(zeroblob(100)) FROM n;", "COMMIT;"]
    journal = [*head, "PRAGMA journal_mode=DELETE;", *setup, *lines[:half]]
    ahead = [*head, "PRAGMA journal_mode=WAL;", *lines[half:], "PRAGMA integrity_check;"]
    run = [system.make, system.mount, "sqlite3 -bail /target/data.db </recipe/journal.sql",
           "sqlite3 -bail /target/data.db </recipe/ahead.sql", system.unmount]
    return {"recipe/run": "\n".join(run) + "\n",
            "recipe/journal.sql": "\n".join(journal) + "\n",
            "recipe/ahead.sql": "\n".join(ahead) + "\n"}
