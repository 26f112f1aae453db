# The command line on Node without a shell, for a user without rights and a file system that is read-only.
# First `npm run build`, then: docker build --tag orgsync .
#
# The base is pinned by its digest, for amd64 and arm64. Take a new one with every release of Node.
ARG BASE=gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a
FROM ${BASE}

ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="orgsync" \
	org.opencontainers.image.description="Keeps an organization in sync with a YAML document" \
	org.opencontainers.image.licenses="Apache-2.0" \
	org.opencontainers.image.version="${VERSION}" \
	org.opencontainers.image.revision="${REVISION}"

# Owned by root: what runs cannot change its own code.
COPY --chown=0:0 package.json LICENSE /orgsync/
COPY --chown=0:0 dist/bin /orgsync/dist/bin

# By number, as `runAsNonRoot` of Kubernetes needs it.
USER 65532:65532
# Mount the documents here. The journal is written to .orgsync below it.
WORKDIR /workspace
ENTRYPOINT ["/nodejs/bin/node", "/orgsync/dist/bin/orgsync.js"]
CMD ["--help"]
