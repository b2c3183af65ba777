# SPDX-License-Identifier: MIT
"""Parse and check arch/choices.txt.

It rejects duplicates, unknown features, a default that is not an option or that a feature level forbids, an option
without text, and more than 32 options.
"""
import re
from dataclasses import dataclass, field

import arch_data

KINDS = ('impdef', 'unpredictable')
OPTIONS_MAX = 32
CHOICES_MAX = 120  # the room in struct recording_params
NAME = re.compile(r'[a-z0-9]+(-[a-z0-9]+)*')


@dataclass
class Option:
    name: str
    text: str
    needs: list = field(default_factory=list)  # (feature, true if it is required or false if excluded)

    def needs_text(self):
        return ' '.join(('' if wanted else '-') + name for name, wanted in self.needs)


@dataclass
class Choice:
    name: str
    rules: list
    line: int
    kind: str = ''
    text: str = ''
    options: list = field(default_factory=list)
    default: str = ''
    feature: str = ''  # the feature with which default_with is the default
    default_with: str = ''
    where: list = field(default_factory=list)

    def index(self, option):
        return [o.name for o in self.options].index(option)


class Reader:
    def __init__(self, path, features):
        self.path, self.features = path, features
        self.choices = []

    def fail(self, number, why):
        arch_data.fail(self.path, number, why)

    def option(self, number, choice, rest):
        name, _, text = rest.partition(' ')
        if not NAME.fullmatch(name) or name in ('random', 'all'):
            self.fail(number, f'not a name for an option: {name}')
        if not text.strip() or '"' in text or '\\' in text:
            self.fail(number, f'{choice.name}: {name} has no text, or one that C cannot quote')
        if name in [o.name for o in choice.options]:
            self.fail(number, f'{choice.name}: {name} is there twice')
        choice.options.append(Option(name, text.strip()))

    def needs(self, number, choice, words):
        found = [o for o in choice.options if o.name == words[0]]
        if not found or found[0].needs or len(words) < 2:
            self.fail(number, 'expected once: Needs OPTION FEATURE... after the option')
        if len(words) > 5:
            self.fail(number, 'more than four features')
        for word in words[1:]:
            name = word.lstrip('-')
            if name not in self.features:
                self.fail(number, f'unknown feature: {name}')
            found[0].needs.append((name, not word.startswith('-')))

    def default(self, number, choice, rest):
        match = re.fullmatch(r'(\S+) without (\S+), (\S+) with it', rest)
        choice.default, choice.feature, choice.default_with = match.groups() if match else (
            rest, '', '')
        if choice.feature and choice.feature not in self.features:
            self.fail(number, f'unknown feature: {choice.feature}')

    def line(self, number, text):
        key, _, rest = text.partition(' ')
        rest = rest.strip()
        words = rest.split()
        if key == 'Choice':
            if len(words) < 2 or not NAME.fullmatch(words[0]) or words[0] == 'all':
                self.fail(number, 'expected: Choice NAME RULE...')
            if words[0] in [c.name for c in self.choices]:
                self.fail(number, f'{words[0]} is there twice')
            self.choices.append(Choice(words[0], words[1:], number))
            return
        if not self.choices or not words:
            self.fail(number, 'before the first Choice, or empty')
        choice = self.choices[-1]
        if key == 'Option':
            self.option(number, choice, rest)
        elif key == 'Needs':
            self.needs(number, choice, words)
        elif getattr(choice, key.lower(), None):
            self.fail(number, f'{choice.name} has {key} twice')
        elif key == 'Kind' and rest in KINDS:
            choice.kind = rest
        elif key == 'Text':
            choice.text = rest
        elif key == 'Default':
            self.default(number, choice, rest)
        elif key == 'Where':
            choice.where = words
        else:
            self.fail(number, f'unknown keyword or kind: {text}')

    def check_default(self, choice, option, given):
        """Check that the needs of the default option follow from `given`, the features of PEs with that default."""
        found = [o for o in choice.options if o.name == option]
        if not found:
            self.fail(choice.line, f'{choice.name}: the default {option} is not an option')
        for need in found[0].needs:
            if need not in given:
                self.fail(choice.line, f'{choice.name}: the default {option} does not exist at every level')

    def check(self, choice):
        for key in ('kind', 'text', 'default', 'where'):
            if not getattr(choice, key):
                self.fail(choice.line, f'{choice.name} has no {key.capitalize()}')
        if not 2 <= len(choice.options) <= OPTIONS_MAX:
            self.fail(choice.line, f'{choice.name}: 2 to {OPTIONS_MAX} options')
        if '"' in choice.text or '\\' in choice.text:
            self.fail(choice.line, f'{choice.name}: a text that C cannot quote')
        self.check_default(choice, choice.default,
                           [(choice.feature, False)] if choice.feature else [])
        if choice.feature:
            self.check_default(choice, choice.default_with, [(choice.feature, True)])
        numbers = {arch_data.fnv1a(o.name) for o in choice.options}
        if len(numbers) != len(choice.options):
            self.fail(choice.line, f'{choice.name}: two options have the same identifier')

    def check_names(self):
        names = {}
        for choice in self.choices:
            symbols = [f'CHOICE_{arch_data.c_name(choice.name)}']
            symbols += [f'{arch_data.c_name(choice.name)}_{arch_data.c_name(o.name)}' for o in choice.options]
            for symbol in symbols:
                if names.setdefault(symbol, choice.name) != choice.name:
                    self.fail(choice.line, f'{choice.name} and {names[symbol]} share {symbol}')
        if len({arch_data.fnv1a(c.name) for c in self.choices}) != len(self.choices):
            self.fail(0, 'two choices have the same identifier')
        if len(self.choices) > CHOICES_MAX:
            self.fail(0, f'more than {CHOICES_MAX} choices')


def load(path, features_path):
    reader = Reader(path, arch_data.parse_features(features_path))
    for number, text in arch_data.text_lines(path):
        reader.line(number, text.strip())
    for choice in reader.choices:
        reader.check(choice)
    reader.check_names()
    return reader.choices
