# syntax=docker/dockerfile:1
# Both programs, static, in an image with nothing else: no shell, no package manager, no root.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t outbox-relay .

# The toolchain runs on the builder's own platform and compiles for the target's, which is faster than emulating it.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src

# The modules change less often than the code, so they are a layer of their own.
COPY go.mod go.sum ./
RUN go mod download

COPY . .
ARG VERSION=devel
ARG TARGETOS=linux
ARG TARGETARCH=amd64
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/ ./cmd/outbox-relay ./cmd/outbox-pruner

# The certificates of public authorities and a user are all that it holds.
FROM gcr.io/distroless/static-debian12:nonroot
LABEL org.opencontainers.image.title="outbox-relay" \
      org.opencontainers.image.description="Publishes a PostgreSQL outbox table to Kafka from the WAL" \
      org.opencontainers.image.source="https://github.com/outbox-relay/outbox-relay" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/outbox-relay /out/outbox-pruner /usr/local/bin/

# By number, so that Kubernetes can see that it is not root (runAsNonRoot).
USER 65532:65532
EXPOSE 9290

# Neither program writes a file: run it with a read-only root file system. SIGTERM makes it drain, confirm and exit;
# give it more time than -shutdown.timeout (20 s): docker run --read-only --stop-timeout 30.
STOPSIGNAL SIGTERM

# Healthy means that events flow. The check reads the container's environment, not the arguments of the relay's
# command line: set another listen address as OUTBOX_RELAY_WEB_LISTEN_ADDRESS. Where an unhealthy container is killed
# (Swarm, ECS), check -healthcheck.live instead: a relay that waits for Kafka needs no restart.
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/local/bin/outbox-relay", "-healthcheck"]
ENTRYPOINT ["/usr/local/bin/outbox-relay"]
