# SPDX-License-Identifier: MIT
"""Colors as people see them: contrast by WCAG 2, and distances in Oklab for normal and color-blind vision.

The matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency" (2009), for complete deficiency. Oklab is Ottosson's (2020), in which a distance of 0.02 is just noticeable.
"""
import math

SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopic": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopic": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopic": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
CONES = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
         (0.0883024619, 0.2817188376, 0.6299787005))
LAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
       (0.0259040371, 0.7827717662, -0.8086757660))


def linear(color):
    """Return the linear red, green and blue of a color such as "#1c2027" or "#fff"."""
    digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
    parts = (int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4))
    return tuple(x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)


def multiply(matrix, vector):
    return tuple(sum(a * x for a, x in zip(row, vector)) for row in matrix)


def contrast(a, b):
    light, dark = sorted((sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), c)) + 0.05 for c in (a, b)), reverse=True)
    return light / dark


def oklab(color, sight):
    seen = (min(1, max(0, x)) for x in multiply(SIGHTS[sight], color))
    return multiply(LAB, tuple(max(0, x) ** (1 / 3) for x in multiply(CONES, tuple(seen))))


def distance(a, b, sight):
    return math.dist(oklab(a, sight), oklab(b, sight))
