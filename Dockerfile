# SPDX-License-Identifier: Apache-2.0
# ssdvp on Debian 12. The packages are those of scripts/lib/packages.txt.
#
#   docker build -t ssdvp .                       an image that has ssdvp alone
#   docker run --rm -v "$PWD:/work" ssdvp run device/tiny
#   docker build --target packages -t ssdvp-dev . what the clone is built and tested in

# Everything that scripts/run and scripts/test would install. A change of the sources leaves it.
FROM debian:12 AS packages
COPY scripts/install-packages /opt/ssdvp/scripts/
COPY scripts/lib/common.sh scripts/lib/setup.sh scripts/lib/packages.txt /opt/ssdvp/scripts/lib/
RUN /opt/ssdvp/scripts/install-packages && rm -rf /var/lib/apt/lists/*

FROM packages AS build
COPY . /src
RUN /src/scripts/package deb --out /dist

FROM debian:12-slim
COPY --from=build /dist/ssdvp_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/ssdvp_*.deb binutils && \
    rm -rf /tmp/ssdvp_*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["ssdvp"]
CMD ["--help"]
