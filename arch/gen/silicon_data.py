# SPDX-License-Identifier: MIT
"""The rows of arch/silicon.tsv: read and write them, compare numbers, and print them in Markdown."""
import math
import pathlib
import statistics
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / 'arch/silicon.tsv'
PAGE = ROOT / 'docs/reference/silicon.md'
BEGIN, END = '<!-- scripts/benches/silicon writes this part -->\n', '<!-- end of this part -->\n'
NEGLIGIBLE = 0.01  # the model agrees with a published 0 up to this


class Row(typing.NamedTuple):
    """A row; the head of arch/silicon.tsv explains the columns."""
    id: str
    profile: str
    changes: str
    kind: str
    program: str
    metric: str
    published: str
    unit: str
    mhz: str
    machine: str
    source: str
    use: str
    ours: str
    conditions: str
    why: str

    def ratio(self):
        """Return ours as a multiple of the published number, or None if the model has no number."""
        if self.ours == '-':
            return None
        ours, published = float(self.ours), float(self.published)
        if published == 0:
            return 1.0 if ours <= NEGLIGIBLE else math.inf
        return ours / published

    def error(self):
        """Return the absolute error as a part of the published number, or None."""
        return None if self.ratio() is None else abs(self.ratio() - 1)

    def is_beyond(self):
        """Return true if the two numbers differ by more than a factor of two, or the model has no number."""
        return self.ratio() is None or not 0.5 <= self.ratio() <= 2


def read(path=TABLE):
    """Return the comment lines at the head of the file, and its rows."""
    lines = pathlib.Path(path).read_text(encoding='utf-8').splitlines()
    head = [line for line in lines if line.startswith('#')]
    rows = []
    for number, line in enumerate(lines, 1):
        if line and not line.startswith('#'):
            cells = line.split('\t')
            if len(cells) != len(Row._fields):
                raise ValueError(f'{path}:{number}: {len(cells)} columns instead of {len(Row._fields)}')
            rows.append(Row(*cells))
    return head, rows


def write(head, rows, path=TABLE):
    """Write the file."""
    text = ''.join(line + '\n' for line in [*head, *('\t'.join(row) for row in rows)])
    pathlib.Path(path).write_text(text, encoding='utf-8')


def compared(rows):
    """Return the rows that say something about the model, and not only about its numbers."""
    return [row for row in rows if row.use != 'set' and row.error() is not None]


def median_error(rows):
    """Return the median error of the rows, or None. A row that a number of the profile was set from does not count."""
    errors = [row.error() for row in compared(rows)]
    return statistics.median(errors) if errors else None


def percent(value):
    """Return a part of 1 as text."""
    return '-' if value is None else 'more' if math.isinf(value) else f'{100 * value:.0f} %'


def signed(row):
    """Return the error of a row as text."""
    if row.ratio() is None or math.isinf(row.ratio()):
        return '-'
    return f'{100 * (row.ratio() - 1):+.0f} %' + (' (set)' if row.use == 'set' else '')


def table(heads, rows):
    """Return a table in Markdown."""
    lines = [heads, ['---'] * len(heads), *rows]
    return ''.join('| ' + ' | '.join(cells) + ' |\n' if cells[0] != '---' else '|' + '|'.join(cells) + '|\n'
                   for cells in lines)


def rows_table(rows):
    """Return the table of all rows."""
    programs = [row.program if row.changes == '-' else f'{row.program} ({row.changes})' for row in rows]
    return table(['row', 'program', 'metric', 'unit', 'published', 'here', 'error', 'machine', 'conditions'],
                 [[row.id, program, row.metric, row.unit, row.published, row.ours, signed(row),
                   f'[{row.machine}]({row.source})', row.conditions] for row, program in zip(rows, programs)])


def kinds_table(rows):
    """Return the table of median errors by kind of access."""
    kinds = list(dict.fromkeys(row.kind for row in rows))
    cells = []
    for kind in [*kinds, 'all']:
        of_kind = [row for row in rows if kind in (row.kind, 'all')]
        cells.append([kind, str(len(of_kind)), str(sum(row.use == 'set' for row in of_kind)),
                      percent(median_error(of_kind)), str(sum(row.is_beyond() for row in of_kind))])
    return table(['kind', 'rows', 'set', 'median error of the others', 'beyond a factor of two'], cells)


def beyond_table(rows):
    """Return the table of the rows beyond a factor of two, with the reasons."""
    return table(['row', 'error', 'reason'], [[row.id, signed(row), row.why] for row in rows if row.is_beyond()])


def generated(rows):
    """Return the part of the page that this file writes."""
    text = '## Errors by kind\n\n' + kinds_table(rows)
    text += '\n## Rows beyond a factor of two\n\n' + beyond_table(rows) + '\n## Rows\n'
    for profile in dict.fromkeys(row.profile for row in rows):
        text += f'\n### {profile}\n\n' + rows_table([row for row in rows if row.profile == profile])
    return text


def page_with(rows, text):
    """Return the text of the page with its generated part renewed."""
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f'{PAGE.name} does not have the lines {BEGIN.strip()} and {END.strip()}')
    return before + BEGIN + '\n' + generated(rows) + '\n' + END + after
