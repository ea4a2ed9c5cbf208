#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""read_history.py DATABASE [TEXT]: prints what stands in the tables raw, minute and
hour, number by number, or compares it with what TEXT has behind "= rows". Made from
docs/block-format.md alone, which is the point of it: TEXT is what the program's own
code made of the same bytes."""
import contextlib
import io
import sqlite3
import sys

MASK = (1 << 64) - 1


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def checksum(data):
    h = len(data)
    words = [data[at:at + 8] for at in range(0, len(data) + 1, 8)]
    for word in words[:-1]:
        h = ((h ^ int.from_bytes(word, 'little')) * 0x9fb21c651e98df25) & MASK
        h ^= h >> 32
    return ((h ^ int.from_bytes(words[-1], 'little')) * 0x9fb21c651e98df25 & MASK) >> 32


class Bytes:
    """Taken from the front."""

    def __init__(self, data):
        self.data = data

    def take(self, n):
        assert n <= len(self.data), 'too short'
        head, self.data = self.data[:n], self.data[n:]
        return head

    def number(self, n):
        return int.from_bytes(self.take(n), 'little')

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                assert value <= MASK, 'a varint of more than 64 bits'
                return value

    def stream(self, slots, may):
        """A value by slot, for some of the slots in `may`."""
        if not self.data:
            return dict.fromkeys(may, 0)
        first = self.number(1)
        width = first & 0x7f
        assert width <= 64, 'too wide'
        has = may
        if first & 0x80:
            bits = self.number((slots + 7) // 8)
            has = [t for t in range(bits.bit_length()) if bits >> t & 1]
            assert set(has) <= set(may), 'a slot that cannot be'
        assert has, 'no value'
        zigzag = self.varint()
        minimum = -(zigzag + 1) // 2 if zigzag & 1 else zigzag // 2
        packed = self.number((len(has) * width + 7) // 8)
        assert packed >> (len(has) * width) == 0, 'padding'
        return {t: signed(minimum + (packed >> (i * width) & ((1 << width) - 1)) & MASK)
                for i, t in enumerate(has)}


class Row:
    def __init__(self, data, form):
        assert checksum(data[:-4]) == int.from_bytes(data[-4:], 'little'), 'checksum'
        rest = Bytes(data[:-4])
        assert rest.number(2) == form, 'format'
        self.slots, self.slot_ms, n = rest.number(2), rest.number(4), rest.number(2)
        axis_bytes = rest.varint()
        table = [(rest.varint(), rest.varint()) for _ in range(n)]
        self.axis = Bytes(rest.take(axis_bytes))
        self.series, series_id = {}, 0
        for step, length in table:
            assert step > 0, 'an id twice'
            series_id += step
            self.series[series_id] = Bytes(rest.take(length))
        assert not rest.data, 'too long'


def print_values(name, slots, values):
    print(' ', name, *[values.get(t, '-') for t in range(slots)])


def print_chunk(data):
    row = Row(data, 1)
    print(f'{row.slots} ticks of {row.slot_ms} ms')
    lengths = row.axis.stream(row.slots, list(range(row.slots)))
    print_values('length_us', row.slots, lengths)
    for series_id, rest in row.series.items():
        print_values(series_id, row.slots, rest.stream(row.slots, list(lengths)))
        assert not rest.data, 'too long'


def buckets_of(rest, slots, counts, lengths):
    flags = rest.number(1) if rest.data else 0
    may = list(counts)
    columns = []
    for bit in range(5):
        if flags >> bit & 1:
            assert rest.data, 'too short'
            column = rest.stream(slots, may)
        else:
            column = dict.fromkeys(may, 0)
        if bit == 0:
            may = list(column)
        assert bit > 2 or list(column) == may, 'a bucket without a number'
        columns.append(column)
    assert not rest.data and flags < 32, 'too long'
    low, spread, total, more, longer = columns
    for t in may:
        yield t, (low[t], signed(low[t] + spread[t] & MASK), total[t],
                  counts[t] + more.get(t, 0), signed(lengths[t] + longer.get(t, 0) & MASK))


def print_tier_row(data):
    row = Row(data, 2)
    print(f'{row.slots} slots of {row.slot_ms} ms')
    counts = row.axis.stream(row.slots, list(range(row.slots)))
    lengths = row.axis.stream(row.slots, list(counts))
    for series_id, rest in row.series.items():
        for t, bucket in buckets_of(rest, row.slots, counts, lengths):
            print(f'  {series_id} [{t}]', *bucket)


def print_tables(database):
    db = sqlite3.connect(f'file:{database}?mode=ro&immutable=1', uri=True)
    for key, data in db.execute('SELECT id, data FROM raw ORDER BY id'):
        print(f'raw: boot {key >> 40}, minute {key >> 12 & 0xfffffff}, part {key & 0xfff}: ', end='')
        print_chunk(data)
    for table, period, shift in (('minute', 'hour', 17), ('hour', 'day', 19)):
        for key, data in db.execute(f'SELECT id, data FROM {table} ORDER BY id'):
            rest = key & (1 << 40) - 1
            print(f'{table}: boot {key >> 40}, {period} {rest >> shift}, '
                  f'group {rest & (1 << shift) - 1}: ', end='')
            print_tier_row(data)


def main():
    if len(sys.argv) < 3:
        print_tables(sys.argv[1])
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        print_tables(sys.argv[1])
    with open(sys.argv[2], encoding='utf-8') as text:
        wanted = text.read().partition('= rows\n')[2]
    got = printed.getvalue()
    for got_line, wanted_line in zip(got.splitlines(), wanted.splitlines()):
        if got_line != wanted_line:
            sys.exit(f'{wanted_line}\n  is read as\n{got_line}')
    if got != wanted or not got:
        sys.exit(f'{len(got)} characters, not {len(wanted)}')


main()
