"""
Writes occurrences.json beside it: the occurrences of recurrences as python-dateutil computes them, across changes of the
offsets of time zones. Needs python3-dateutil (Debian) and a time zone database:

    python3 test/engine/recurrences/occurrences.py

A start that does not exist is moved forward by the gap (dateutil.tz.resolve_imaginary); one that exists twice is the
first (fold=0).
"""
import json
import random
from datetime import datetime, timedelta, timezone
from itertools import islice
from pathlib import Path

from dateutil import tz
from dateutil.rrule import rrulestr

# Later ones depend on the version of the time zone database, and dateutil has none after 2037.
LAST_YEAR = 2024
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def instants(rule, zone, first, count):
    """ISO 8601 in UTC. An UNTIL in UTC is compared with the instant of a start; dateutil would compare wall clocks."""
    parts = dict(part.split("=") for part in rule.split(";"))
    until = parts.pop("UNTIL", None)
    wall = "Z" not in (until or "Z")
    if wall:
        parts["UNTIL"] = until if "T" in until else until + "T235959"
    ruled = rrulestr(";".join("=".join(part) for part in parts.items()), dtstart=first)
    last = None if until is None or wall else datetime.strptime(until, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
    result = []
    for start in islice(ruled, count):
        instant = tz.resolve_imaginary(start.replace(tzinfo=tz.gettz(zone))).astimezone(timezone.utc)
        if (last is not None and instant > last) or instant.year > LAST_YEAR:
            break
        result.append(instant.strftime("%Y-%m-%dT%H:%M:%SZ"))
    return result


CHANGES = [
    # zone, rule, first start, how many, what happens
    ("Europe/Berlin", "FREQ=DAILY", "2024-03-29T02:30:00", 5, "02:00 to 03:00 is skipped on 2024-03-31"),
    ("Europe/Berlin", "FREQ=DAILY", "2024-10-25T02:30:00", 5, "02:00 to 03:00 comes twice on 2024-10-27"),
    ("Europe/Berlin", "FREQ=WEEKLY;BYDAY=MO,SU", "2024-03-24T09:00:00", 6, "the offset changes between two starts"),
    ("Europe/Berlin", "FREQ=DAILY;UNTIL=20241027T003000Z", "2024-10-25T02:30:00", 5, "UNTIL within the hour that comes twice"),
    ("Europe/Berlin", "FREQ=DAILY;UNTIL=20240331", "2024-03-29T02:30:00", 5, "UNTIL is a day"),
    ("Europe/Berlin", "FREQ=DAILY;UNTIL=20240331T022959", "2024-03-29T02:30:00", 5, "UNTIL is on the wall clock"),
    ("America/Sao_Paulo", "FREQ=DAILY", "2018-11-02T00:00:00", 5, "midnight does not exist on 2018-11-04"),
    ("America/Sao_Paulo", "FREQ=DAILY", "2018-11-02T00:59:59", 5, "the last second of the gap"),
    ("America/Sao_Paulo", "FREQ=DAILY", "2019-02-15T23:30:00", 4, "23:00 to 24:00 comes twice on 2019-02-16"),
    ("Pacific/Apia", "FREQ=DAILY", "2011-12-28T10:00:00", 5, "2011-12-30 does not exist"),
    ("Pacific/Apia", "FREQ=DAILY", "2011-12-28T00:00:00", 5, "2011-12-30 does not exist, at midnight"),
    ("Pacific/Apia", "FREQ=WEEKLY;BYDAY=FR", "2011-12-23T23:59:59", 3, "the Friday that does not exist"),
    ("Australia/Lord_Howe", "FREQ=DAILY", "2024-10-04T02:15:00", 5, "half an hour is skipped on 2024-10-06"),
    ("Australia/Lord_Howe", "FREQ=DAILY", "2024-04-05T01:45:00", 4, "half an hour comes twice on 2024-04-07"),
    ("America/New_York", "FREQ=MONTHLY;BYDAY=2SU", "2024-02-11T02:30:00", 4, "2024-03-10 is the second Sunday"),
    ("Asia/Kathmandu", "FREQ=YEARLY", "2024-02-29T06:00:00", 3, "leap years, an offset of 05:45"),
    ("Africa/Casablanca", "FREQ=DAILY;INTERVAL=7", "2024-03-03T02:30:00", 8, "an offset that changes for Ramadan"),
    ("UTC", "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4", "2024-01-31T12:00:00", 9, "the last day of each month"),
]


def random_rule(rng):
    frequency = rng.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = ["FREQ=" + frequency]
    long = frequency in ("MONTHLY", "YEARLY")
    if rng.random() < 0.5:
        parts.append(f"INTERVAL={rng.randint(1, 5)}")
    if rng.random() < 0.5:
        ordinals = ["1", "2", "-1", "3", "-2", "+1"] if long and rng.random() < 0.5 else [""]
        days = rng.sample(WEEKDAYS, rng.randint(1, 4))
        parts.append("BYDAY=" + ",".join(rng.choice(ordinals) + day for day in days))
    if frequency != "WEEKLY" and rng.random() < 0.3:
        days = rng.sample([1, 2, 13, 15, 28, 29, 30, 31, -1, -2], rng.randint(1, 3))
        parts.append("BYMONTHDAY=" + ",".join(map(str, days)))
    if rng.random() < 0.25:
        parts.append("BYMONTH=" + ",".join(map(str, rng.sample(range(1, 13), rng.randint(1, 4)))))
    if long and any(part.startswith("BY") for part in parts) and rng.random() < 0.3:
        parts.append("BYSETPOS=" + rng.choice(["1", "-1", "2", "1,-1"]))
    if rng.random() < 0.3:
        parts.append(f"COUNT={rng.randint(1, 15)}")
    if rng.random() < 0.3:
        parts.append("WKST=" + rng.choice(WEEKDAYS))
    return ";".join(parts)


def random_cases(count):
    rng = random.Random(13)
    cases = []
    while len(cases) < count:
        rule = random_rule(rng)
        begin = datetime(2000, 1, 1) + timedelta(days=rng.randint(0, 5000), minutes=15 * rng.randint(0, 95))
        days = rrulestr(";".join(part for part in rule.split(";") if not part.startswith("COUNT")), dtstart=begin)
        first = next(iter(days), None)
        # A rule that has no day, or none for years, takes dateutil long.
        if first is None or first.year > 2015 or (len(list(islice(days, 12))) < 12):
            continue
        zone = rng.choice(sorted({case[0] for case in CHANGES}))
        cases.append((zone, rule, first.isoformat(), 12, ""))
    return cases


rows = [
    {"zone": zone, "rule": rule, "first": first, "starts": instants(rule, zone, datetime.fromisoformat(first), count)}
    | ({"what": what} if what else {})
    for zone, rule, first, count, what in CHANGES + random_cases(400)
]
path = Path(__file__).with_name("occurrences.json")
path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
