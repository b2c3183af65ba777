# SPDX-License-Identifier: MIT
# A system that builds and tests spemu, for machines with Docker or Podman:
#
#   docker build -t spemu .
#   docker run -it --rm -v "$PWD:$PWD" -w "$PWD" spemu make demo
#
# It has the packages of packages.txt. --build-arg BASE=debian:13, ubuntu:24.04 or fedora:44 selects another system.
ARG BASE=debian:12
FROM ${BASE}
COPY packages.txt /usr/local/src/spemu/
COPY scripts/setup /usr/local/src/spemu/scripts/
RUN /usr/local/src/spemu/scripts/setup
